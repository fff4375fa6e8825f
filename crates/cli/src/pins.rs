//! What the user pinned in a project, and what can be undone there.

use std::io::Write;
use std::path::{Path, PathBuf};

use loadline::session::pinned_text;
use loadline::settings::CompactSettings;
use loadline::{PathError, Remark, read_plain_file};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::settings::{archive_directory, project_root};
use crate::ui::Ui;

/// The most bytes of a file that is pinned or has pinned lines.
const MOST: u64 = 1 << 20;

/// Returns what is pinned in the project that holds `directory`, or the working directory.
pub(crate) fn pinned(directory: Option<&Path>, settings: &CompactSettings, ui: &mut Ui) -> String {
    let (text, remarks) = read_pinned(directory, settings);
    ui.remarks(remarks);
    text
}

/// Reads the same; what is odd comes as remarks.
pub(crate) fn read_pinned(
    directory: Option<&Path>,
    settings: &CompactSettings,
) -> (String, Vec<Remark>) {
    let root = project_root(directory);
    let read = |name: &str| {
        let bytes = read_plain_file(&root.join(name), MOST).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let pins = read(&settings.pins).unwrap_or_default();
    let rules: Vec<String> = settings.rules.iter().filter_map(|name| read(name)).collect();
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    pinned_text(&pins, &rules, read)
}

/// A session as it was before it was trimmed or compacted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Undo {
    /// The session's file.
    pub(crate) path: PathBuf,
    /// Recalls what it was.
    pub(crate) handle: String,
    /// The directory whose project the handle belongs to.
    pub(crate) directory: PathBuf,
}

fn undo_file() -> Result<PathBuf> {
    Ok(archive_directory()?.join("undo.jsonl"))
}

/// Remembers what a session was before it changes.
pub(crate) fn remember(undo: &Undo) -> Result<()> {
    let file = undo_file()?;
    let mut line = serde_json::to_vec(undo).map_err(std::io::Error::from)?;
    line.push(b'\n');
    let written = std::fs::OpenOptions::new().create(true).append(true).open(&file);
    let written = written.and_then(|mut it| it.write_all(&line));
    Ok(written.map_err(|error| PathError::new("write", &file, error))?)
}

/// Returns the last change of a session; of any in the project if none is named.
pub(crate) fn last(path: Option<&Path>) -> Result<Option<Undo>> {
    let text = std::fs::read_to_string(undo_file()?).unwrap_or_default();
    let root = project_root(None);
    let path = path.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
    let mut rows = text.lines().rev().filter_map(|it| serde_json::from_str::<Undo>(it).ok());
    Ok(rows.find(|undo| match &path {
        Some(path) => undo.path == *path,
        None => project_root(Some(&undo.directory)) == root,
    }))
}
