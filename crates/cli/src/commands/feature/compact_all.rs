//! `loadline feature compact --all`: one budget over all features.

use std::io::Write;

use loadline::Remark;
use loadline::notes::{self, CompactionPlan, HistoryEntry, Level, measure_features, plan_features};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::compact::{CompactArgs, CompactionJson, show};
use crate::error::Result;
use crate::memory::Memory;
use crate::ui::{Ui, thousands};

/// The document of `feature compact --all`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct AllJson<'a> {
    budget: Tokens,
    original_tokens: u64,
    compacted_tokens: u64,
    features: Vec<CompactionJson<'a>>,
}

/// Compacts what saves most until all features fit the budget.
pub(super) fn run(args: &CompactArgs, budget: Tokens, memory: &Memory, ui: &mut Ui) -> Result<()> {
    let before = total(memory, ui)?;
    let plans = plan_features(&memory.features, budget, &memory.options)?;
    let mut done: Vec<(CompactionPlan, Option<HistoryEntry>)> = Vec::new();
    for plan in plans {
        if args.dry_run {
            done.push((plan, None));
            continue;
        }
        // Planned again once no other process is at work.
        let feature = memory.feature(&plan.feature, ui)?;
        let level: Option<Level> = Some(plan.level);
        let compaction = notes::compact(&feature, level, &memory.options, &memory.write)?;
        ui.remarks(compaction.notes);
        done.push((compaction.plan, compaction.entry));
    }
    let saved: u64 = done.iter().map(|(plan, _)| plan.saved().get()).sum();
    let after = before.saturating_sub(saved);
    if after > budget.get() {
        let message = format!("{} tokens are more than that", thousands(after));
        ui.remarks([Remark::new("--budget", message)]);
    }
    ui.remarks(memory.store.take_notes());
    if ui.wants_json() {
        return Ok(ui.json(&AllJson {
            budget,
            original_tokens: before,
            compacted_tokens: after,
            features: done
                .iter()
                .map(|(plan, entry)| CompactionJson::of(plan, entry.as_ref(), args.dry_run, memory))
                .collect(),
        })?);
    }
    for (plan, entry) in &done {
        show(plan, entry.as_ref(), args.dry_run, ui)?;
    }
    let (before, after) = (thousands(before), thousands(after));
    Ok(writeln!(ui.out(), "All features: {before} → {after} tokens")?)
}

/// Adds up all features; one that cannot be measured costs a note.
fn total(memory: &Memory, ui: &mut Ui) -> Result<u64> {
    let measured = measure_features(&memory.features, &memory.options, &memory.store)?;
    let mut total = 0;
    for (name, status) in measured {
        match status {
            Ok(status) => total += status.tokens.get(),
            Err(error) => ui.remarks([Remark::new(name, error.to_string())]),
        }
    }
    Ok(total)
}
