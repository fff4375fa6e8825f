//! `loadline session stats`: what a session holds, and what of it costs most.

mod show;

use std::collections::BTreeMap;

use loadline::budget::{BudgetError, Pressure};
use loadline::session::{SessionStats, session_stats};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::{Session, SourceArgs};
use crate::error::Result;
use crate::ui::Ui;

/// Show what a session contains, by role, kind, tool and file, and how its window filled.
///
/// If the session records billed tokens, counts are compared with them.
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Window to measure against [default: the model's].
    #[arg(long, value_name = "TOKENS")]
    window: Option<Tokens>,
    /// Maximum number of tools, files and blocks to list.
    #[arg(long, value_name = "N", default_value_t = 8)]
    limit: usize,
}

/// The document of `session stats`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct StatsJson<'a> {
    format: &'static str,
    session: Option<&'a str>,
    model: &'a str,
    counter: &'a str,
    window: Tokens,
    percent: u64,
    /// What the next request would send.
    next_request: Tokens,
    next_percent: u64,
    turns: usize,
    #[serde(flatten)]
    stats: &'a SessionStats,
    /// Tokens of files that were read again unchanged.
    repeated_tokens: Tokens,
    /// What a request after each turn would send.
    filled: Vec<Tokens>,
    passed_over: &'a BTreeMap<String, usize>,
    unknown: &'a BTreeMap<String, usize>,
}

/// Measures and shows.
pub(crate) fn run(args: &StatsArgs, ui: &mut Ui) -> Result<()> {
    let session = args.source.open(ui)?;
    let stats = session_stats(&session.transcript, &session.counter);
    let window = session.window(args.window);
    if ui.wants_json() {
        return Ok(ui.json(&document(&session, &stats, window)?)?);
    }
    show::Show { session: &session, stats: &stats, window, limit: args.limit, width: ui.columns() }
        .write(ui.out())
}

fn document<'a>(
    session: &'a Session,
    stats: &'a SessionStats,
    window: Tokens,
) -> Result<StatsJson<'a>, BudgetError> {
    let transcript = &session.transcript;
    Ok(StatsJson {
        format: transcript.format.name(),
        session: transcript.session.as_deref(),
        model: &session.model.name,
        counter: session.counter.name(),
        window,
        percent: Pressure::new(stats.tokens, window)?.percent(),
        next_request: stats.next_request(),
        next_percent: stats.pressure(window)?.percent(),
        turns: transcript.turns.len(),
        stats,
        repeated_tokens: stats.repeated(),
        filled: stats.filled().to_vec(),
        passed_over: &transcript.passed_over,
        unknown: &transcript.unknown,
    })
}
