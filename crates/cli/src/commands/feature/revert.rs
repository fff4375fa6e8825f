//! `loadline feature compact --revert`: what was done is taken back.

use std::io::Write;

use loadline::notes::{self, Edits, HistoryEntry, RevertPlan, plan_revert};
use serde::Serialize;

use super::compact::CompactArgs;
use crate::error::CommandError;
use crate::memory::Memory;
use crate::ui::{Ui, plural};

/// What a revert did or would do.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(in super::super) struct RevertJson {
    feature: String,
    reverted: String,
    dry_run: bool,
    history_id: Option<String>,
    expires_at: Option<String>,
    files: Vec<FileJson>,
}

#[derive(Serialize)]
struct FileJson {
    path: String,
    size: Option<u64>,
    edited: bool,
}

/// Takes something back, or shows what that would do.
pub(super) fn run(
    args: &CompactArgs,
    name: &str,
    id: &str,
    memory: &Memory,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let feature = memory.features.feature(name)?;
    let edits = edits(args.force);
    if args.dry_run {
        let plan = plan_revert(&feature, id, edits, &memory.write)?;
        ui.notes(plan.notes.iter().cloned());
        return show(name, &plan, None, "taken back", ui);
    }
    let done = notes::revert(&feature, id, edits, &memory.write)?;
    ui.notes(done.notes.iter().cloned());
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
) -> Result<(), CommandError> {
    if ui.wants_json() {
        let file = |file: &loadline::notes::RevertFile| FileJson {
            path: file.name.clone(),
            size: file.size,
            edited: file.edited,
        };
        return Ok(ui.json(&RevertJson {
            feature: name.to_owned(),
            reverted: plan.id.clone(),
            dry_run: done.is_none(),
            history_id: done.map(|done| done.id.clone()),
            expires_at: done.map(|done| done.expires_at.to_string()),
            files: plan.files.iter().map(file).collect(),
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
