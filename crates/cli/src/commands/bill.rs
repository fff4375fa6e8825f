//! `loadline bill`: why each token was paid, and what would have cost less.

pub(super) mod tools;

use std::io::Write;

use loadline::usage::{UsageGroup, UsageReport};

use super::usage::show::{Document, NAME, cents, dollars};
use super::usage::{By, LogArgs};
use crate::error::Result;
use crate::ui::{STRONG, Table, Ui, bar, plural, shortened_path, thousands};

/// How many groups of a kind are listed unless asked for.
const LISTED: usize = 10;

/// Show why your agents' sessions cost what they did, and what would have cost less.
///
/// What was paid for input, for writing to and reading from the prompt cache, and for
/// output; and for everything that was written again, why: a pause longer than the cache
/// lives, another model, other tools or another system prompt, an edited prefix, a
/// compaction. Reads the logs that `loadline usage` reads, and remembers those that do not
/// change. Models without prices count their tokens and no money.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  loadline bill --since 2026-01-01
  loadline bill --by project --all
  loadline bill --agent claude-code --by session --json
  loadline bill tools --ask"
)]
pub(crate) struct BillArgs {
    #[command(subcommand)]
    command: Option<BillCommand>,
    /// Group by this; may be repeated [default: project].
    #[arg(long, value_name = "WHAT")]
    by: Vec<By>,
    /// List all groups, not the ten most expensive.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    logs: LogArgs,
}

#[derive(Debug, clap::Subcommand)]
enum BillCommand {
    Tools(tools::ToolsArgs),
}

/// Reads the logs and shows the bill.
pub(crate) fn run(args: &BillArgs, ui: &mut Ui) -> Result<()> {
    if let Some(BillCommand::Tools(args)) = &args.command {
        return tools::run(args, ui);
    }
    let (logs, report) = args.logs.report(ui)?;
    if ui.wants_json() {
        return Ok(ui.json(&Document { logs, report: &report })?);
    }
    let files = plural(logs as u64, "log");
    if report.total.requests == 0 {
        return Ok(writeln!(ui.out(), "No requests in {files}.")?);
    }
    write_total(&report, &files, ui)?;
    write_again(&report, ui)?;
    let by = if args.by.is_empty() { &[By::Project][..] } else { &args.by[..] };
    for by in by {
        let (heading, groups) = by.groups(&report);
        let listed = if args.all { groups.len() } else { LISTED.min(groups.len()) };
        // Days are in the order of time.
        let is_day = matches!(by, By::Day);
        let shown = if is_day { &groups[groups.len() - listed..] } else { &groups[..listed] };
        write_groups(heading, shown, ui)?;
        if shown.len() < groups.len() {
            let rest = plural((groups.len() - shown.len()) as u64, heading);
            writeln!(ui.out(), "{rest} more; --all lists them")?;
        }
    }
    Ok(())
}

/// What was paid for what.
fn write_total(report: &UsageReport, files: &str, ui: &mut Ui) -> Result<()> {
    let total = &report.total;
    let requests = plural(total.requests as u64, "request");
    writeln!(ui.out(), "{STRONG}{}{STRONG:#} for {requests} in {files}\n", dollars(total.cost))?;
    let rows = total.paid_for();
    let mut table = Table::headed("lrrrl", ["paid for", "tokens", "cost", "", ""]);
    let most = rows.iter().map(|(.., cost)| cents(*cost)).max().unwrap_or(0);
    for (name, tokens, cost) in rows {
        let part = percent(cost, total.cost);
        let bar = bar(cents(cost), most);
        table.row([name.to_owned(), thousands(tokens), dollars(cost), part, bar]);
    }
    table.write(ui.out())?;
    if total.unpriced > 0 {
        let requests = plural(total.unpriced as u64, "request");
        writeln!(ui.out(), "{requests} without a price are not in the sums of money")?;
    }
    Ok(writeln!(ui.out())?)
}

/// What was paid again, and what would have cost less.
fn write_again(report: &UsageReport, ui: &mut Ui) -> Result<()> {
    let total = &report.total;
    let again = total.paid_again();
    if total.again.is_empty() {
        return Ok(());
    }
    let mut table =
        Table::headed("lrrrr", ["paid again because of", "requests", "tokens", "cost", ""]);
    for row in &total.again {
        table.row([
            row.cause.title().to_owned(),
            thousands(row.requests as u64),
            thousands(row.tokens),
            dollars(row.cost),
            percent(row.cost, total.cost),
        ]);
    }
    table.write(ui.out())?;
    let part = percent(again, total.cost);
    writeln!(ui.out(), "in all {} ({part}) for what had been sent before\n", dollars(again))?;
    if cents(report.trim_savings) > 0 {
        let part = percent(report.trim_savings, total.cost);
        writeln!(
            ui.out(),
            "Trimming sessions when their cache was cold would have saved about \
             {STRONG}{}{STRONG:#} ({part}), reckoned with a tenth of it read again: `loadline \
             resume` does that.\n",
            dollars(report.trim_savings)
        )?;
    }
    Ok(())
}

fn write_groups(heading: &str, groups: &[UsageGroup], ui: &mut Ui) -> Result<()> {
    let mut table =
        Table::headed("lrrrll", [heading, "requests", "cost", "again", "", "mostly because of"]);
    let most = groups.iter().map(|it| cents(it.cost)).max().unwrap_or(0);
    for group in groups {
        let cause = group.again.first().map_or("", |it| it.cause.title());
        table.row([
            shortened_path(&group.name, NAME),
            thousands(group.requests as u64),
            dollars(group.cost),
            dollars(group.paid_again()),
            bar(cents(group.cost), most),
            cause.to_owned(),
        ]);
    }
    Ok(table.write(ui.out())?)
}

fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.0} %", part / whole * 100.0) } else { String::new() }
}
