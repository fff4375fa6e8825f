//! `loadline feature history`: lists the operations on a feature.

use std::io::Write;

use jiff::Timestamp;
use loadline::notes::{
    Checkpoint, HistoryEntry, checkpoints as feature_checkpoints, history as feature_history,
};
use serde::Serialize;
use serde_json::Value;

use crate::error::Result;
use crate::memory::{Memory, MemoryArgs, snake_keys};
use crate::ui::{Table, Ui, plural, thousands};

/// List the operations on a feature and until when each can be reverted.
#[derive(Debug, clap::Args)]
pub(crate) struct HistoryArgs {
    /// Name of the feature.
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    memory: MemoryArgs,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document {
    feature: String,
    entries: Vec<Value>,
    checkpoints: Vec<CheckpointJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CheckpointJson {
    id: String,
    trigger: String,
    created_at: Timestamp,
    files: usize,
}

/// Lists the history, the latest first.
pub(crate) fn run(args: &HistoryArgs, ui: &mut Ui) -> Result<()> {
    let memory = Memory::open(&args.memory, ui)?;
    let feature = memory.feature(&args.name, ui)?;
    let (entries, notes) = feature_history(&feature)?;
    let (checkpoints, more) = feature_checkpoints(&feature)?;
    ui.remarks(notes.into_iter().chain(more));
    let now = memory.write.now;
    if ui.wants_json() {
        let json = |entry: &HistoryEntry| -> serde_json::Result<Value> {
            let mut value = serde_json::to_value(entry)?;
            // The record says what could be done then, this is about now.
            value["canRevert"] = entry.can_be_reverted(&entries, now).into();
            Ok(snake_keys(value))
        };
        let latest = entries.iter().rev().map(json).collect::<Result<_, _>>();
        return Ok(ui.json(&Document {
            feature: args.name.clone(),
            entries: latest.map_err(std::io::Error::from)?,
            checkpoints: checkpoints.iter().rev().map(described).collect(),
        })?);
    }
    if entries.is_empty() && checkpoints.is_empty() {
        return Ok(writeln!(ui.out(), "{}: nothing was done yet", args.name)?);
    }
    let mut table = Table::new("llrl");
    for entry in entries.iter().rev() {
        let saved = entry.saved_tokens.filter(|saved| *saved > 0);
        table.row([
            entry.id.clone(),
            plural(entry.files.len() as u64, "file"),
            saved.map_or(String::new(), |saved| format!("-{} tokens", thousands(saved))),
            state(entry, &entries, now),
        ]);
    }
    for checkpoint in checkpoints.iter().rev() {
        table.row([
            checkpoint.id.clone(),
            plural(checkpoint.files.len() as u64, "file"),
            String::new(),
            "checkpoint".to_owned(),
        ]);
    }
    Ok(table.write(ui.out())?)
}

fn described(checkpoint: &Checkpoint) -> CheckpointJson {
    CheckpointJson {
        id: checkpoint.id.clone(),
        trigger: checkpoint.trigger.clone(),
        created_at: checkpoint.created_at,
        files: checkpoint.files.len(),
    }
}

fn state(entry: &HistoryEntry, all: &[HistoryEntry], now: jiff::Timestamp) -> String {
    match (&entry.reverted_by, entry.reverted_at) {
        (Some(by), Some(at)) if entry.reverted => format!("reverted {at} by {by}"),
        _ if entry.reverted => "reverted".to_owned(),
        _ if entry.can_be_reverted(all, now) => format!("until {}", entry.expires_at),
        _ => "for good".to_owned(),
    }
}
