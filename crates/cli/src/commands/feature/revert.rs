//! `loadline feature compact --revert`: reverts an operation.

use std::io::Write;

use jiff::Timestamp;
use loadline::notes::{
    Edits, HistoryEntry, NotesError, RevertFile, RevertPlan, WayBack, WriteOptions,
};
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
    let typed = Typed { id, force: args.force, dry_run: args.dry_run };
    let (plan, done) = typed.go_back(WayBack::Revert(&feature), &memory.write)?;
    ui.remarks(plan.notes.iter().cloned());
    show(name, &plan, done.as_ref(), "taken back", ui)
}

/// What was typed about a way back.
pub(in super::super) struct Typed<'a> {
    pub(in super::super) id: &'a str,
    pub(in super::super) force: bool,
    pub(in super::super) dry_run: bool,
}

impl Typed<'_> {
    /// Goes back, or plans it; returns what came back, and the record of that.
    pub(in super::super) fn go_back(
        &self,
        way: WayBack<'_>,
        write: &WriteOptions,
    ) -> Result<(RevertPlan, Option<HistoryEntry>), NotesError> {
        let edits = if self.force { Edits::Replace } else { Edits::Refuse };
        if self.dry_run {
            return Ok((way.plan(self.id, edits, write)?, None));
        }
        let mut done = way.go(self.id, edits, write)?;
        done.plan.notes = done.notes;
        Ok((done.plan, Some(done.entry)))
    }
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
