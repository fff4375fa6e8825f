//! What was there before us, so that it can be put back byte for byte.

use std::path::{Path, PathBuf};

use loadline::cache::ContentHash;
use loadline::{PathError, write_atomic};
use serde::{Deserialize, Serialize};

use super::FileEdit;

/// What a file was before, and what we made of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    path: PathBuf,
    before: Option<String>,
    /// The hash of what was written.
    after: String,
}

impl Record {
    /// Keeps what a file was, unless an earlier one is kept; returns where.
    ///
    /// A second installation must not take the first one for the user's own.
    pub(crate) fn keep(directory: &Path, edit: &FileEdit) -> Result<PathBuf, PathError> {
        let place = place(directory, &edit.path);
        let earlier = Record::of(directory, &edit.path);
        let earlier =
            earlier.filter(|it| Some(&it.after) == edit.before.as_deref().map(hash).as_ref());
        let record = Record {
            path: edit.path.clone(),
            before: match earlier {
                Some(earlier) => earlier.before,
                None => edit.before.clone(),
            },
            after: hash(edit.after.as_deref().unwrap_or_default()),
        };
        let bytes = serde_json::to_vec_pretty(&record).unwrap_or_default();
        write_atomic(&place, &bytes)?;
        Ok(place)
    }

    fn of(directory: &Path, path: &Path) -> Option<Record> {
        let bytes = std::fs::read(place(directory, path)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Forgets what a file was.
    pub(crate) fn forget(directory: &Path, path: &Path) {
        // What cannot be removed does no harm: its hash fits nothing any more.
        let _ = std::fs::remove_file(place(directory, path));
    }
}

/// Makes an edit put back what was there before, if nobody changed the file since.
pub(crate) fn restore(directory: &Path, edit: FileEdit) -> FileEdit {
    let record = Record::of(directory, &edit.path);
    let ours = record.filter(|it| Some(&it.after) == edit.before.as_deref().map(hash).as_ref());
    match ours {
        Some(record) => FileEdit { after: record.before, ..edit },
        None => edit,
    }
}

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}

fn place(directory: &Path, path: &Path) -> PathBuf {
    let name = ContentHash::of(path.as_os_str().as_encoded_bytes()).to_string();
    directory.join("install").join(format!("{}.json", &name[..16]))
}
