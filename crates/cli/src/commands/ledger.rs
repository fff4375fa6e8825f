//! `loadline ledger`: what was cut before a model saw it, and what was asked for again.

use std::time::Duration;

use loadline::archive::{Cut, CutKind, CutLedger, CutTotal};
use loadline::settings::parse_duration;
use serde::Serialize;

use crate::error::{CommandError, Result};
use crate::settings::{now_ns, open_archive};
use crate::ui::{Table, Ui, percent, thousands};

/// List and total what was cut: by hooks, by the server, by trimming.
///
/// A row per output that was shortened, with the rule that did it and the handle
/// that brings it back. A recall counts against the rule that cut too much.
#[derive(Debug, clap::Args)]
pub(crate) struct LedgerArgs {
    /// Show the rows of this handle.
    #[arg(value_name = "HANDLE")]
    handle: Option<String>,
    /// Only what is younger, such as 24h or 7d.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    since: Option<Duration>,
    /// List this many rows below the totals, the newest first.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    limit: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document {
    /// Tokens that no model was sent.
    saved: u64,
    /// Tokens before cuts.
    before: u64,
    /// Tokens after cuts.
    after: u64,
    /// How many cuts were recalled.
    recalls: u64,
    totals: Vec<CutTotal>,
    rows: Vec<Cut>,
}

/// Reads the ledger and prints it.
pub(crate) fn run(args: &LedgerArgs, ui: &mut Ui) -> Result<()> {
    let ledger = CutLedger::open(open_archive(None)?.directory())?;
    let since = match args.since {
        Some(since) => {
            let nanoseconds = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
            now_ns(ui).saturating_sub(nanoseconds)
        }
        None => i64::MIN,
    };
    let (totals, rows) = match &args.handle {
        Some(handle) => (Vec::new(), ledger.of_handle(handle)?),
        None => (ledger.totals(since)?, ledger.rows(since, args.limit)?),
    };
    if args.handle.is_some() && rows.is_empty() {
        return Err(CommandError::no_match());
    }
    if ui.wants_json() {
        return Ok(ui.json(&document(totals, rows))?);
    }
    if args.handle.is_none() {
        write_totals(&totals, ui)?;
    }
    write_rows(&rows, ui)
}

fn write_totals(totals: &[CutTotal], ui: &mut Ui) -> Result<()> {
    use std::io::Write;
    let sum = |of: fn(&CutTotal) -> u64| totals.iter().map(of).sum::<u64>();
    let (before, after) = (sum(|it| it.before), sum(|it| it.after));
    let saved = before.saturating_sub(after);
    writeln!(
        ui.out(),
        "{} tokens not sent ({} of {}); {} of {} asked for again",
        thousands(saved),
        percent(saved, before),
        thousands(before),
        thousands(sum(|it| it.recalled)),
        thousands(sum(|it| it.rows)),
    )?;
    if totals.is_empty() {
        return Ok(());
    }
    let mut table =
        Table::headed("lllrrrr", ["by", "tool", "rule", "cuts", "before", "after", "recalled"]);
    for total in totals {
        table.row([
            total.what.name().to_owned(),
            total.tool.clone(),
            total.rule.clone(),
            thousands(total.rows),
            thousands(total.before),
            thousands(total.after),
            thousands(total.recalled),
        ]);
    }
    writeln!(ui.out())?;
    table.write(ui.out())?;
    Ok(writeln!(ui.out())?)
}

fn write_rows(rows: &[Cut], ui: &mut Ui) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut table =
        Table::headed("llllrrl", ["when", "by", "tool", "rule", "before", "after", "handle"]);
    for row in rows {
        let is_recall = row.what == CutKind::Recall;
        let size = |tokens: u64| {
            if is_recall { String::new() } else { thousands(tokens) }
        };
        table.row([
            row.time(),
            row.what.name().to_owned(),
            row.tool.clone(),
            row.rule.clone(),
            size(row.before),
            size(row.after),
            row.handle.clone(),
        ]);
    }
    Ok(table.write(ui.out())?)
}

fn document(totals: Vec<CutTotal>, rows: Vec<Cut>) -> Document {
    let sum = |of: fn(&CutTotal) -> u64| totals.iter().map(of).sum::<u64>();
    let (before, after) = (sum(|it| it.before), sum(|it| it.after));
    let recalls = sum(|it| it.recalled);
    Document { saved: before.saturating_sub(after), before, after, recalls, totals, rows }
}
