//! `loadline session pressure`: shows how full a session's window is.

use std::io::Write;

use clap::ValueEnum;
use loadline::budget::{BudgetError, Ladder, Pressure, Severity};
use loadline::session::session_stats;
use loadline::settings::{Config, LadderSetting};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::SourceArgs;
use crate::error::Result;
use crate::ui::{Ui, thousands};

/// Show how full a session's window is, and what to do about it.
///
/// Uses the last billed token count plus what was said since, if the session records
/// one; otherwise counts.
#[derive(Debug, clap::Args)]
pub(crate) struct PressureArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Window to measure against [default: the model's].
    #[arg(long, value_name = "TOKENS")]
    window: Option<Tokens>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// One line, and a second one if action is due.
    Text,
    /// Footer of an answer; empty below pressure.show_above.
    Footer,
}

/// The document of `session pressure`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct PressureJson {
    #[serde(flatten)]
    pressure: Pressure,
    percent: u64,
    bar: String,
    /// What a session tells its reader.
    notice: Option<&'static str>,
    severity: Option<Severity>,
    message: Option<String>,
    footer: String,
}

/// Measures and says.
pub(crate) fn run(args: &PressureArgs, ui: &mut Ui) -> Result<()> {
    let session = args.source.open(ui)?;
    let stats = session_stats(&session.transcript, &session.counter);
    let pressure = stats.pressure(session.window(args.window))?;
    let ladder = footer_ladder(&session.config)?;
    let severity = pressure.severity(&levels(&session.config)?);
    if ui.wants_json() {
        return Ok(ui.json(&document(&pressure, &ladder, severity))?);
    }
    match args.format {
        Shape::Footer => Ok(write!(ui.out(), "{}", pressure.footer(&ladder))?),
        Shape::Text => {
            let (bar, percent) = (pressure.bar(), pressure.percent());
            let tokens = thousands(pressure.tokens().get());
            let window = thousands(pressure.window().get());
            writeln!(ui.out(), "{bar} {percent}% of context, ~{tokens} of {window} tokens")?;
            match severity {
                Some(severity) => Ok(writeln!(ui.out(), "{}", severity.message(&pressure))?),
                None => Ok(()),
            }
        }
    }
}

fn document(pressure: &Pressure, ladder: &Ladder, severity: Option<Severity>) -> PressureJson {
    PressureJson {
        pressure: *pressure,
        percent: pressure.percent(),
        bar: pressure.bar(),
        notice: pressure.notice(ladder),
        severity,
        message: severity.map(|it| it.message(pressure)),
        footer: pressure.footer(ladder),
    }
}

/// The rungs of the footer: from where it is shown, then those of `pressure.ladder`.
fn footer_ladder(config: &Config) -> Result<Ladder, BudgetError> {
    let settings = &config.settings().pressure;
    let shown = settings.show_above;
    let ladder = match &settings.ladder {
        LadderSetting::Named(name) => Ladder::named(name)?,
        LadderSetting::Steps(steps) => return own_ladder(steps, shown),
    };
    let mut percents = ladder.percents();
    if settings.ladder == LadderSetting::Named("session".to_owned()) {
        // Above the last rung the footer says more than that turns are summarised.
        let threshold = config.settings().session.compression_threshold * 100.0;
        percents[1] = threshold.min(percents[2] - 0.01);
    }
    let notices = percents.into_iter().skip(1);
    // Whoever shows nothing below 90 wants no notice below it either.
    let notices = notices.filter(|percent| *percent > shown);
    Ladder::from_percents(&std::iter::once(shown).chain(notices).collect::<Vec<_>>())
}

/// On a ladder of the user, turns are summarised from its first rung on, and the window is
/// nearly full from its last.
fn own_ladder(steps: &[f64], shown: f64) -> Result<Ladder, BudgetError> {
    let ends = (steps.first(), steps.last());
    let (Some(first), Some(last)) = ends else {
        return Ladder::from_percents(&[shown]);
    };
    let first = first.max(shown + 0.01).min(last - 0.01);
    let notices = [first, *last].into_iter().filter(|percent| *percent > shown);
    Ladder::from_percents(&std::iter::once(shown).chain(notices).collect::<Vec<_>>())
}

/// The levels at which something is due.
fn levels(config: &Config) -> Result<Ladder, BudgetError> {
    let memory = &config.settings().memory;
    Ladder::from_percents(&[memory.compact, memory.summarize, memory.handoff])
}
