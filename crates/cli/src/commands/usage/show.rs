//! Shows usage: tables with bars, or JSON.

use std::io::Write;

use loadline::usage::{UsageGroup, UsageReport};
use serde::Serialize;

use super::By;
use crate::error::Result;
use crate::ui::{STRONG, Table, Ui, bar, plural, shortened_path, thousands};

/// How wide a name may be.
pub(in crate::commands) const NAME: usize = 44;

/// The report as JSON.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    pub(in crate::commands) logs: usize,
    #[serde(flatten)]
    pub(in crate::commands) report: &'a UsageReport,
}

/// Writes a table per way to group, and the total.
pub(super) fn write(report: &UsageReport, by: &[By], logs: &str, ui: &mut Ui) -> Result<()> {
    if report.total.requests == 0 {
        return Ok(writeln!(ui.out(), "No requests in {logs}.")?);
    }
    for by in by {
        let (heading, groups) = by.groups(report);
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

impl By {
    /// Returns its name, and the groups of a report.
    pub(in crate::commands) fn groups(self, report: &UsageReport) -> (&'static str, &[UsageGroup]) {
        match self {
            By::Day => ("day", &report.days),
            By::Model => ("model", &report.models),
            By::Project => ("project", &report.projects),
            By::Agent => ("agent", &report.agents),
            By::Session => ("session", &report.sessions),
        }
    }
}

fn table(heading: &str, groups: &[UsageGroup], ui: &mut Ui) -> Result<()> {
    let mut table =
        Table::headed("lrrrrrl", [heading, "requests", "input", "cached", "output", "cost", ""]);
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

pub(in crate::commands) fn dollars(amount: f64) -> String {
    let sign = if amount < 0.0 { "-" } else { "" };
    let cents = cents(amount.abs());
    format!("{sign}${}.{:02}", thousands(cents / 100), cents % 100)
}

/// Rounds to whole cents.
pub(in crate::commands) fn cents(amount: f64) -> u64 {
    (amount * 100.0).round().max(0.0) as u64
}
