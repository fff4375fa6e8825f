//! Changes several notes together, and restores what they were.
//!
//! A vault is the directory of a feature with what is kept in `.compaction` below it.
//! Every operation leaves one record that never changes: which files it changed, what
//! they were, and where their originals are. The record is also the journal:
//!
//! ```text
//! lock -> record as pending.json -> originals -> new files -> record into history/
//! ```
//!
//! The last step, one rename, makes the operation count. A `pending.json` is an operation
//! that did not get there; the next process to lock the vault restores the files that it
//! names. There is no other way back or forward, so a crash, a full disk and a revert all
//! use the same code.

mod archive;
mod checkpoint;
mod disk;
mod error;
mod history;
mod lock;
mod operation;
mod stamp;
#[cfg(test)]
pub(in crate::notes) mod tests;
mod time;

use std::path::{Path, PathBuf};

use super::feature::COMPACTION_DIRECTORY;
use crate::files::{Directory, EntryKind};

pub use archive::ArchivedFile;
pub use checkpoint::{Checkpoint, CheckpointFile};
pub use error::VaultError;
pub use history::{HistoryEntry, HistoryFile};

pub(super) use archive::{
    age as archive_age, list as list_archive, needed as needed_originals, purge,
    read as read_archived,
};
pub(super) use checkpoint::{
    describe_all as describe_checkpoints, read as read_checkpoint, take as take_checkpoint,
};
pub(super) use disk::Disk;
#[cfg(test)]
pub(super) use disk::Fault;
pub(super) use history::{load as load_history, next_id};
pub(super) use lock::Locked;
pub(super) use operation::{Expected, Operation, Target, carry_out};
pub(super) use stamp::look;

/// Originals of files that were changed or removed.
const ARCHIVED: &str = "archived";
/// What was done, one record each.
const HISTORY: &str = "history";
/// Snapshots of all notes.
const CHECKPOINTS: &str = "checkpoints";
/// The record of an operation that is being done, or was interrupted.
const PENDING: &str = "pending.json";
/// How the names of files begin that are being written.
const TEMPORARY: &str = "tmp-";
/// What older versions left when they were interrupted.
const OLD_JOURNALS: [&str; 2] = ["journal.json", "journal.undo.json"];

/// The directory of a feature, and what is kept below it.
#[derive(Clone, Debug)]
pub(super) struct Vault {
    directory: PathBuf,
    disk: Disk,
}

impl Vault {
    /// Names the vault of a directory; touches nothing.
    pub(super) fn new(directory: &Path, disk: Disk) -> Vault {
        Vault { directory: directory.to_owned(), disk }
    }

    /// Returns the directory of the notes.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Opens a directory of what is kept, or all of it; `None` where there is none yet.
    fn open_kept(&self, name: Option<&str>) -> Result<Option<Directory>, VaultError> {
        let own = self.directory.join(COMPACTION_DIRECTORY);
        let failed = |error| VaultError::from_io("read", &own, error);
        let Some(notes) = Directory::open(&self.directory).map_err(failed)? else {
            return Ok(None);
        };
        let kept = notes.directory(COMPACTION_DIRECTORY).map_err(failed)?;
        match (kept, name) {
            (Some(kept), Some(name)) => kept.directory(name).map_err(failed),
            (kept, _) => Ok(kept),
        }
    }

    /// Tells whether an operation was interrupted, or is being done right now.
    pub(super) fn is_unfinished(&self) -> bool {
        let own = self.open_kept(None).ok().flatten();
        let names = own.and_then(|own| own.names().ok()).unwrap_or_default();
        names.iter().any(|(name, _)| {
            name == PENDING || name.starts_with(TEMPORARY) || OLD_JOURNALS.contains(&&**name)
        })
    }
}

/// Returns the path of a kept file as records name it.
fn kept_name(directory: &str, name: &str) -> String {
    format!("{COMPACTION_DIRECTORY}/{directory}/{name}")
}

/// Checks the name of a note in a record, which can come with a repository.
fn note_name(name: &str) -> Result<&str, VaultError> {
    let plain = !name.is_empty() && !name.contains(['/', '\\', '\0']);
    if plain && ![".", "..", COMPACTION_DIRECTORY].contains(&name) {
        Ok(name)
    } else {
        Err(VaultError::OutsidePath { path: name.to_owned() })
    }
}

/// Returns the name of an archived file from its path in a record.
fn archived_name(path: &str) -> Result<&str, VaultError> {
    let prefix = kept_name(ARCHIVED, "");
    let name = path.strip_prefix(&prefix).unwrap_or_default();
    note_name(name).map_err(|_| VaultError::OutsidePath { path: path.to_owned() })
}

/// Lists the names of plain files in a directory, in byte order; none where it is missing.
fn names_in(directory: Option<&Directory>) -> Result<Vec<String>, VaultError> {
    let Some(directory) = directory else {
        return Ok(Vec::new());
    };
    let names =
        directory.names().map_err(|error| VaultError::from_io("list", directory.path(), error))?;
    let plain = names.into_iter().filter(|(_, kind)| *kind == EntryKind::File);
    Ok(plain.map(|(name, _)| name).collect())
}
