//! `loadline feature compact --revert`: reverts an operation.

use std::io::Write;

use jiff::Timestamp;
use loadline::notes::{self, Edits, HistoryEntry, RevertFile, RevertPlan, plan_revert};
use serde::Serialize;

use super::compact::CompactArgs;
use crate::error::Result;
use crate::memory::Memory;
use crate::ui::{Ui, plural};

/// What a revert did or would do.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct RevertJson<'a> {
    feature: &'a str,
    reverted: &'a str,
    dry_run: bool,
    history_id: Option<&'a str>,
    expires_at: Option<Timestamp>,
    files: &'a [RevertFile],
}

/// Takes something back, or shows what that would do.
pub(super) fn run(
    args: &CompactArgs,
    name: &str,
    id: &str,
    memory: &Memory,
    ui: &mut Ui,
) -> Result<()> {
    let feature = memory.find(name)?;
    let edits = edits(args.force);
    if args.dry_run {
        let plan = plan_revert(&feature, id, edits, &memory.write)?;
        ui.remarks(plan.notes.iter().cloned());
        return show(name, &plan, None, "taken back", ui);
    }
    let done = notes::revert(&feature, id, edits, &memory.write)?;
    ui.remarks(done.notes.iter().cloned());
    show(name, &done.plan, Some(&done.entry), "taken back", ui)
}

pub(in super::super) fn edits(force: bool) -> Edits {
    if force { Edits::Replace } else { Edits::Refuse }
}

/// Says what was done or would be, in words or as a document.
pub(in super::super) fn show(
    name: &str,
    plan: &RevertPlan,
    done: Option<&HistoryEntry>,
    verb: &str,
    ui: &mut Ui,
) -> Result<()> {
    if ui.wants_json() {
        return Ok(ui.json(&RevertJson {
            feature: name,
            reverted: &plan.id,
            dry_run: done.is_none(),
            history_id: done.map(|done| done.id.as_str()),
            expires_at: done.map(|done| done.expires_at),
            files: &plan.files,
        })?);
    }
    let (id, count) = (&plan.id, plural(plan.files.len() as u64, "file"));
    let is = if done.is_some() { "is" } else { "would be" };
    writeln!(ui.out(), "{name}: {id} {is} {verb}, {count}")?;
    for file in &plan.files {
        let state = match file.size {
            Some(size) => plural(size, "byte"),
            None => "removed".to_owned(),
        };
        let edited = if file.edited { ", changed since" } else { "" };
        let file = crate::ui::escape_control(&file.name);
        writeln!(ui.out(), "  {file}: {state}{edited}")?;
    }
    if let Some(done) = done {
        let command = format!("loadline feature compact {name} --revert {}", done.id);
        writeln!(ui.out(), "Until {}: {command}", done.expires_at)?;
    }
    Ok(())
}
