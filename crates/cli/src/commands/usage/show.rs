//! How usage is shown: tables with bars, or a document.

use std::io::Write;

use loadline::usage::{UsageGroup, UsageReport};
use serde::Serialize;

use super::By;
use crate::error::CommandError;
use crate::ui::{Align, STRONG, Table, Ui, bar, plural, shortened_path, thousands};

/// How wide a name may be.
const NAME: usize = 44;

#[derive(Serialize)]
pub(super) struct Document<'a> {
    logs: usize,
    total: GroupJson<'a>,
    days: Vec<GroupJson<'a>>,
    models: Vec<GroupJson<'a>>,
    projects: Vec<GroupJson<'a>>,
    agents: Vec<GroupJson<'a>>,
}

#[derive(Serialize)]
struct GroupJson<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    requests: usize,
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    tokens: u64,
    cost: f64,
    saved: SavedJson,
}

#[derive(Serialize)]
struct SavedJson {
    tokens: u64,
    dollars: f64,
    percent: f64,
}

/// Makes the document of all groups.
pub(super) fn document(report: &UsageReport, logs: usize) -> Document<'_> {
    let all = |groups| -> Vec<GroupJson<'_>> {
        let groups: &[UsageGroup] = groups;
        groups.iter().map(json).collect()
    };
    Document {
        logs,
        total: json(&report.total),
        days: all(&report.days),
        models: all(&report.models),
        projects: all(&report.projects),
        agents: all(&report.agents),
    }
}

fn json(group: &UsageGroup) -> GroupJson<'_> {
    let spending = &group.spending;
    let written = spending
        .cache_write
        .saturating_add(spending.cache_write_long);
    GroupJson {
        name: &group.name,
        requests: group.requests,
        input: spending.input,
        output: spending.output,
        cache_read: spending.cache_read,
        cache_write: written,
        tokens: spending.total(),
        cost: group.cost,
        saved: SavedJson {
            tokens: group.savings.tokens,
            dollars: group.savings.dollars,
            percent: group.savings.percent,
        },
    }
}

/// Writes a table per way to group, and the total.
pub(super) fn write(
    report: &UsageReport,
    by: &[By],
    logs: &str,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    if report.total.requests == 0 {
        return Ok(writeln!(ui.out(), "No requests in {logs}.")?);
    }
    for by in by {
        let (heading, groups) = match by {
            By::Day => ("day", &report.days),
            By::Model => ("model", &report.models),
            By::Project => ("project", &report.projects),
            By::Agent => ("agent", &report.agents),
        };
        table(heading, groups, ui)?;
        writeln!(ui.out())?;
    }
    let total = &report.total;
    writeln!(
        ui.out(),
        "{STRONG}{}{STRONG:#} for {} in {logs}: {} sent, {} received; caches saved {} ({:.0} %)",
        dollars(total.cost),
        plural(total.requests as u64, "request"),
        thousands(total.spending.sent()),
        thousands(total.spending.output),
        dollars(total.savings.dollars),
        total.savings.percent
    )?;
    Ok(())
}

fn table(heading: &str, groups: &[UsageGroup], ui: &mut Ui) -> Result<(), CommandError> {
    let columns = [
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
    ];
    let mut table = Table::new(columns);
    let heads = [heading, "requests", "input", "cached", "output", "cost", ""];
    table.head(heads.map(str::to_owned));
    let most = groups.iter().map(|it| cents(it.cost)).max().unwrap_or(0);
    for group in groups {
        let spending = &group.spending;
        let sent = spending.sent().saturating_sub(spending.cache_read);
        table.row([
            shortened_path(&group.name, NAME),
            thousands(group.requests as u64),
            thousands(sent),
            thousands(spending.cache_read),
            thousands(spending.output),
            dollars(group.cost),
            bar(cents(group.cost), most),
        ]);
    }
    Ok(table.write(ui.out())?)
}

fn dollars(amount: f64) -> String {
    let sign = if amount < 0.0 { "-" } else { "" };
    let cents = cents(amount.abs());
    format!("{sign}${}.{:02}", thousands(cents / 100), cents % 100)
}

/// Rounds to whole cents.
fn cents(amount: f64) -> u64 {
    (amount * 100.0).round().max(0.0) as u64
}
