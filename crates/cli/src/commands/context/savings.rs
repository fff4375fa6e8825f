//! What compactions of all features saved over time.

use std::io::{self, Write};

use loadline::notes::{FeatureStatus, Saving, measure_features, read_savings};
use serde::Serialize;

use super::super::feature::SavingJson;
use super::json::Report;
use crate::error::Result;
use crate::memory::{Memory, clock};
use crate::ui::{STRONG, Ui, escape_control, plural, thousands};

/// The compactions of all features, the oldest first, and how full the features are.
pub(super) struct Savings {
    pub(super) list: Vec<Saving>,
    pub(super) statuses: Vec<FeatureStatus>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct ReportJson<'a> {
    #[serde(flatten)]
    pack: Option<Report<'a>>,
    savings: SavingsJson<'a>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SavingsJson<'a> {
    saved_tokens: u64,
    compactions: Vec<SavingJson<'a>>,
}

impl Savings {
    /// Reads the history of every feature.
    pub(super) fn of(memory: &Memory, ui: &mut Ui) -> Result<Savings> {
        let (mut list, mut statuses) = (Vec::new(), Vec::new());
        for (name, status) in measure_features(&memory.features, &memory.options, &memory.store)? {
            match status {
                Ok(status) => statuses.push(status),
                Err(error) => {
                    ui.remarks([loadline::Remark::new(name, error.to_string())]);
                    continue;
                }
            }
            let (savings, notes) = read_savings(&memory.features.feature(&name)?);
            ui.remarks(notes);
            list.extend(savings);
        }
        list.sort_by(|left, right| {
            let key = |it: &Saving| (it.time, it.feature.clone(), it.id.clone());
            key(left).cmp(&key(right))
        });
        Ok(Savings { list, statuses })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.statuses.is_empty()
    }

    /// Returns what all of them saved.
    pub(super) fn total(&self) -> u64 {
        self.list.iter().map(|it| it.saved().get()).fold(0, u64::saturating_add)
    }

    /// Puts them behind the report of a pack.
    pub(super) fn document<'a>(&'a self, pack: Option<Report<'a>>) -> ReportJson<'a> {
        ReportJson {
            pack,
            savings: SavingsJson {
                saved_tokens: self.total(),
                compactions: self.list.iter().map(SavingJson::new).collect(),
            },
        }
    }

    pub(super) fn show(&self, below: bool, out: &mut impl Write) -> io::Result<()> {
        if self.list.is_empty() && below {
            return Ok(());
        }
        if below {
            writeln!(out)?;
        }
        let count = plural(self.list.len() as u64, "compaction");
        let saved = plural(self.total(), "token");
        writeln!(out, "{STRONG}{count} of notes, {saved} saved{STRONG:#}")?;
        for saving in &self.list {
            let (before, after) = (saving.tokens_before.get(), saving.tokens_after.get());
            let state = if saving.reverted { ", reverted" } else { "" };
            let line = format!(
                "{}  {}: {}, {} → {}{state}",
                clock(saving.time),
                saving.feature,
                saving.level,
                thousands(before),
                thousands(after)
            );
            writeln!(out, "  {}", escape_control(&line))?;
        }
        Ok(())
    }
}
