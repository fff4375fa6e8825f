//! `loadline check`: compares a session or notes with limits, for scripts and CI.

mod annotate;
pub(super) mod features;

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use loadline::budget::Pressure;
use loadline::session::session_stats;
use loadline::tokens::Tokens;
use serde::Serialize;

use super::session::{CountArgs, SourceArgs};
use crate::error::{CommandError, Result};
use crate::ui::{Ui, thousands};
use annotate::{Finding, annotate};

/// Check a session, or all notes, against limits; exit code 3 if a limit is exceeded.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Session file; - means standard input.
    #[arg(value_name = "SESSION", default_value = "-")]
    file: PathBuf,
    #[command(flatten)]
    count: CountArgs,
    /// Window to measure against [default: the model's].
    #[arg(long, value_name = "TOKENS")]
    window: Option<Tokens>,
    /// Maximum percentage of the window [default: 85].
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    max_percent: Option<f64>,
    /// Maximum number of tokens.
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<Tokens>,
    /// Check the notes of all features instead of a session.
    #[arg(long)]
    features: bool,
    /// Read limits for features, teams and the total from FILE; implies --features.
    #[arg(long, value_name = "FILE")]
    budgets: Option<PathBuf>,
    /// Directory that holds the features [default: memory.root].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// How the verdict is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line for each limit.
    Text,
    /// A JSON document, like --json.
    Json,
    /// Annotations of a GitHub workflow.
    Github,
    /// A SARIF document.
    Sarif,
}

/// Where a filling window calls for a warning unless another limit is given.
const DEFAULT_PERCENT: f64 = 85.0;

/// The document of `check`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct CheckJson {
    ok: bool,
    #[serde(flatten)]
    pressure: Pressure,
    percent: u64,
    max_percent: Option<f64>,
    max_tokens: Option<Tokens>,
}

/// Measures, prints the verdict, and fails if a limit is exceeded.
pub(crate) fn run(args: &CheckArgs, ui: &mut Ui) -> Result<()> {
    if args.format == Format::Json {
        ui.ask_for_json();
    }
    if args.features || args.budgets.is_some() {
        return features::run(args, ui);
    }
    let source = SourceArgs::of(&args.file, &args.count);
    let session = source.open(ui)?;
    let stats = session_stats(&session.transcript, &session.counter);
    let pressure = stats.pressure(session.window(args.window))?;
    let limits = Limits::of(args);
    let ok = limits.hold(&pressure);
    if ui.wants_json() {
        ui.json(&CheckJson {
            ok,
            pressure,
            percent: pressure.percent(),
            max_percent: limits.percent,
            max_tokens: limits.tokens,
        })?;
    } else if args.format != Format::Text {
        annotate(args.format, &[limits.finding(args, &pressure)], ui.out())?;
    } else {
        let verdict = if ok { "ok" } else { "over" };
        writeln!(ui.out(), "{verdict}: {}, {limits}", standing(&pressure))?;
    }
    if ok { Ok(()) } else { Err(CommandError::gate()) }
}

/// Reads a percentage: 85, 84.9 or 85%.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>();
    let percent = number.ok().filter(|it| *it > 0.0 && *it <= 100.0);
    percent.ok_or_else(|| "write a percentage above 0 and up to 100".to_owned())
}

/// What may be filled.
struct Limits {
    percent: Option<f64>,
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
        let window = pressure.window().get() as f64;
        let share = self.percent.map(|percent| (window * percent / 100.0) as u64);
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
        let filled = tokens.get() as f64 * 100.0;
        let within = |percent: f64| filled <= window.get() as f64 * percent;
        self.percent.is_none_or(within) && self.tokens.is_none_or(|most| tokens <= most)
    }
}

impl std::fmt::Display for Limits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = self.percent.map(|percent| format!("{percent}%"));
        let tokens = self.tokens.map(|tokens| format!("{} tokens", thousands(tokens.get())));
        let limits: Vec<String> = percent.into_iter().chain(tokens).collect();
        write!(f, "at most {} allowed", limits.join(" and "))
    }
}

fn standing(pressure: &Pressure) -> String {
    let tokens = thousands(pressure.tokens().get());
    let window = thousands(pressure.window().get());
    format!("~{tokens} of {window} tokens, {}%", pressure.percent_text())
}
