//! The document of `session stats --json`.

use std::collections::BTreeMap;

use loadline::budget::{BudgetError, Pressure};
use loadline::session::SessionStats;
use loadline::tokens::Tokens;
use serde::Serialize;

use super::Session;

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

/// Makes the document.
pub(super) fn document<'a>(
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
