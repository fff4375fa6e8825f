//! What a session holds, as a document.

use std::collections::BTreeMap;

use loadline::budget::{BudgetError, Pressure};
use loadline::session::{Amounts, Compared, SessionStats};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::Session;

#[derive(Serialize)]
pub(super) struct StatsJson<'a> {
    format: &'static str,
    session: Option<&'a str>,
    model: &'a str,
    counter: &'a str,
    window: u64,
    tokens: u64,
    percent: u64,
    next_request: u64,
    next_percent: u64,
    turns: usize,
    user_turns: usize,
    started: Option<String>,
    ended: Option<String>,
    roles: Vec<AmountsJson>,
    kinds: Vec<AmountsJson>,
    tools: Vec<ToolJson<'a>>,
    files: Vec<FileJson<'a>>,
    repeated_tokens: u64,
    largest: Vec<BlockJson<'a>>,
    /// Tokens up to each turn.
    growth: Vec<u64>,
    /// What a request after each turn would send.
    filled: Vec<u64>,
    billed: Option<BilledJson>,
    passed_over: &'a BTreeMap<String, usize>,
    unknown: &'a BTreeMap<String, usize>,
}

#[derive(Serialize)]
struct AmountsJson {
    name: &'static str,
    blocks: usize,
    tokens: u64,
}

#[derive(Serialize)]
struct ToolJson<'a> {
    name: &'a str,
    calls: usize,
    errors: usize,
    call_tokens: u64,
    result_tokens: u64,
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: &'a str,
    reads: usize,
    tokens: u64,
    repeated_tokens: u64,
}

#[derive(Serialize)]
struct BlockJson<'a> {
    turn: usize,
    kind: &'static str,
    tool: Option<&'a str>,
    about: &'a str,
    tokens: u64,
}

#[derive(Serialize)]
struct BilledJson {
    requests: usize,
    sent: u64,
    unseen: u64,
    growth: Option<ComparedJson>,
    replies: Option<ComparedJson>,
    calibration: Option<CalibrationJson>,
}

#[derive(Serialize)]
struct ComparedJson {
    compared: usize,
    billed: u64,
    counted: u64,
    median_error: f64,
    p95_error: f64,
}

#[derive(Serialize)]
struct CalibrationJson {
    factor: f64,
    per_call: f64,
    median_error: f64,
    p95_error: f64,
}

/// Makes the document.
pub(super) fn document<'a>(
    session: &'a Session,
    stats: &'a SessionStats,
    window: Tokens,
) -> Result<StatsJson<'a>, BudgetError> {
    let transcript = &session.transcript;
    let time = |time: jiff::Timestamp| time.to_string();
    Ok(StatsJson {
        format: transcript.format.name(),
        session: transcript.session.as_deref(),
        model: &session.model.name,
        counter: session.counter.name(),
        window: window.get(),
        tokens: stats.tokens.get(),
        percent: Pressure::new(stats.tokens, window)?.percent(),
        next_request: stats.next_request().get(),
        next_percent: stats.pressure(window)?.percent(),
        turns: transcript.turns.len(),
        user_turns: stats.user_turns,
        started: stats.span.map(|(first, _)| time(first)),
        ended: stats.span.map(|(_, last)| time(last)),
        roles: amounts(stats.roles.iter().map(|(it, amounts)| (it.name(), amounts))),
        kinds: amounts(stats.kinds.iter().map(|(it, amounts)| (it.name(), amounts))),
        tools: tools(stats),
        files: files(stats),
        repeated_tokens: stats.repeated().get(),
        largest: largest(stats),
        growth: stats.growth.iter().map(|tokens| tokens.get()).collect(),
        filled: stats.filled().iter().map(|tokens| tokens.get()).collect(),
        billed: billed(stats),
        passed_over: &transcript.passed_over,
        unknown: &transcript.unknown,
    })
}

fn amounts<'a>(rows: impl Iterator<Item = (&'static str, &'a Amounts)>) -> Vec<AmountsJson> {
    let row = |(name, amounts): (&'static str, &Amounts)| AmountsJson {
        name,
        blocks: amounts.blocks,
        tokens: amounts.tokens.get(),
    };
    rows.map(row).collect()
}

fn tools(stats: &SessionStats) -> Vec<ToolJson<'_>> {
    let tools = stats.tools.iter().map(|tool| ToolJson {
        name: &tool.name,
        calls: tool.calls,
        errors: tool.errors,
        call_tokens: tool.call_tokens.get(),
        result_tokens: tool.result_tokens.get(),
    });
    tools.collect()
}

fn files(stats: &SessionStats) -> Vec<FileJson<'_>> {
    let files = stats.files.iter().map(|file| FileJson {
        path: &file.path,
        reads: file.reads,
        tokens: file.tokens.get(),
        repeated_tokens: file.repeated.get(),
    });
    files.collect()
}

fn largest(stats: &SessionStats) -> Vec<BlockJson<'_>> {
    let blocks = stats.largest.iter().map(|block| BlockJson {
        turn: block.turn,
        kind: block.kind.name(),
        tool: block.tool.as_deref(),
        about: &block.about,
        tokens: block.tokens.get(),
    });
    blocks.collect()
}

fn billed(stats: &SessionStats) -> Option<BilledJson> {
    let billed = stats.billed.as_ref()?;
    Some(BilledJson {
        requests: billed.requests,
        sent: billed.sent.get(),
        unseen: billed.unseen.get(),
        growth: billed.growth.map(compared),
        replies: billed.replies.map(compared),
        calibration: billed.calibration.map(|it| CalibrationJson {
            factor: it.factor(),
            per_call: it.per_call(),
            median_error: it.residual().median,
            p95_error: it.residual().p95,
        }),
    })
}

fn compared(it: Compared) -> ComparedJson {
    ComparedJson {
        compared: it.compared,
        billed: it.billed.get(),
        counted: it.counted.get(),
        median_error: it.residual.median,
        p95_error: it.residual.p95,
    }
}
