//! `loadline check`: is there room left? For scripts, hooks and build services.

mod annotate;
mod features;

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use loadline::budget::Pressure;
use loadline::session::session_stats;
use loadline::tokens::Tokens;
use serde::Serialize;

use super::session::{CountArgs, SourceArgs};
use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::ui::{Ui, thousands};
use annotate::{Finding, annotate};

/// Check that a session, or all notes, leave room: exit code 0 if so, 3 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The session; - is standard input.
    #[arg(value_name = "SESSION", default_value = "-")]
    file: PathBuf,
    #[command(flatten)]
    count: CountArgs,
    /// The window to measure against instead of the model's.
    #[arg(long, value_name = "TOKENS")]
    window: Option<Tokens>,
    /// The highest percentage of the window that may be filled; 85 unless told.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u64).range(1..=100))]
    max_percent: Option<u64>,
    /// The most tokens that may be in it.
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<Tokens>,
    /// Check the notes of all features instead of a session.
    #[arg(long)]
    features: bool,
    /// Check them against the limits in this file, for features, teams and all together.
    #[arg(long, value_name = "FILE")]
    budgets: Option<PathBuf>,
    /// The directory of the features instead of memory.root.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// As lines, as annotations of a GitHub workflow, or as a SARIF document.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// How the verdict is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line for each limit.
    Text,
    /// A JSON document, as --json.
    Json,
    /// Annotations of a GitHub workflow.
    Github,
    /// A SARIF document.
    Sarif,
}

/// Where a filling window calls for a warning unless another limit is given.
const DEFAULT_PERCENT: u64 = 85;

#[derive(Serialize)]
struct CheckJson {
    ok: bool,
    tokens: u64,
    window: u64,
    percent: u64,
    max_percent: Option<u64>,
    max_tokens: Option<u64>,
}

/// Measures, says how it stands, and fails where a limit is passed.
pub(crate) fn run(args: &CheckArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    if args.format == Format::Json {
        ui.ask_for_json();
    }
    if args.features || args.budgets.is_some() {
        return features::run(args, global, ui);
    }
    let source = SourceArgs::of(&args.file, &args.count);
    let session = source.open(global, ui)?;
    let stats = session_stats(&session.transcript, &session.counter);
    let pressure = stats.pressure(session.window(args.window))?;
    let limits = Limits::of(args);
    let ok = limits.hold(&pressure);
    if ui.wants_json() {
        ui.json(&CheckJson {
            ok,
            tokens: pressure.tokens().get(),
            window: pressure.window().get(),
            percent: pressure.percent(),
            max_percent: limits.percent,
            max_tokens: limits.tokens.map(Tokens::get),
        })?;
    } else if args.format != Format::Text {
        annotate(args.format, &[limits.finding(args, &pressure)], ui.out())?;
    } else {
        let verdict = if ok { "ok" } else { "over" };
        writeln!(ui.out(), "{verdict}: {}, {limits}", standing(&pressure))?;
    }
    if ok {
        Ok(())
    } else {
        Err(CommandError::gate())
    }
}

/// What may be filled.
struct Limits {
    percent: Option<u64>,
    tokens: Option<Tokens>,
}

impl Limits {
    fn of(args: &CheckArgs) -> Limits {
        let unset = args.max_percent.is_none() && args.max_tokens.is_none();
        Limits {
            percent: args.max_percent.or(unset.then_some(DEFAULT_PERCENT)),
            tokens: args.max_tokens,
        }
    }

    /// Says how it stands in numbers.
    fn finding(&self, args: &CheckArgs, pressure: &Pressure) -> Finding {
        let window = u128::from(pressure.window().get());
        let share = self
            .percent
            .map(|percent| window * u128::from(percent) / 100);
        let share = share.map(|share| u64::try_from(share).unwrap_or(u64::MAX));
        let limit = share.into_iter().chain(self.tokens.map(Tokens::get)).min();
        Finding {
            subject: "the session".to_owned(),
            path: args.file.display().to_string(),
            tokens: pressure.tokens().get(),
            limit: limit.unwrap_or(u64::MAX),
            ok: self.hold(pressure),
        }
    }

    fn hold(&self, pressure: &Pressure) -> bool {
        let (tokens, window) = (pressure.tokens(), pressure.window());
        let filled = u128::from(tokens.get()) * 100;
        let within = |percent| filled <= u128::from(window.get()) * u128::from(percent);
        self.percent.is_none_or(within) && self.tokens.is_none_or(|most| tokens <= most)
    }
}

impl std::fmt::Display for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = self.percent.map(|percent| format!("{percent}%"));
        let tokens = self
            .tokens
            .map(|tokens| format!("{} tokens", thousands(tokens.get())));
        let limits: Vec<String> = percent.into_iter().chain(tokens).collect();
        write!(f, "at most {} allowed", limits.join(" and "))
    }
}

fn standing(pressure: &Pressure) -> String {
    let tokens = thousands(pressure.tokens().get());
    let window = thousands(pressure.window().get());
    format!("~{tokens} of {window} tokens, {}%", pressure.percent_text())
}
