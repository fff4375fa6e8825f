//! `loadline session undo`: a session as it was before its last trim or compaction.

use std::path::PathBuf;

use serde::Serialize;

use crate::error::{CommandError, RequestError, Result};
use crate::output;
use crate::pins::{Undo, last, remember};
use crate::settings::open_archive;
use crate::ui::Ui;

/// Bring a session back as it was before the last trim in place or compaction.
///
/// Without FILE, the last one of this project. A second undo brings back what the first
/// one replaced.
#[derive(Debug, clap::Args)]
pub(crate) struct UndoArgs {
    /// Session file [default: the last one that was changed in this project].
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// The document of `session undo`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document {
    /// The session that is as before.
    file: String,
    /// Its bytes.
    bytes: usize,
    /// The handle of what it was until now.
    replaced: String,
}

/// Finds what the session was, keeps what it is, and writes the former.
pub(crate) fn run(args: &UndoArgs, ui: &mut Ui) -> Result<()> {
    let Some(undo) = last(args.file.as_deref())? else {
        return Err(RequestError::NothingToUndo.into());
    };
    let archive = open_archive(Some(&undo.directory))?;
    let original = archive.get(&archive.find(&undo.handle)?)?;
    let current = std::fs::read(&undo.path);
    let current = current.map_err(|error| CommandError::at("read", &undo.path, error))?;
    let handle = archive.handle(&archive.put(&current)?)?;
    output::write(&undo.path, &original)?;
    remember(&Undo { handle: handle.clone(), ..undo.clone() })?;
    if ui.wants_json() {
        let file = undo.path.display().to_string();
        return Ok(ui.json(&Document { file, bytes: original.len(), replaced: handle })?);
    }
    ui.say(&format!("{} is as before; what it was is {handle}", undo.path.display()));
    Ok(())
}
