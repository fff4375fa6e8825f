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
use stamp::{Found, look_in};

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

    /// Reads a note by its path; `None` where there is none.
    pub(super) fn look(&self, path: &str) -> Result<Option<Found>, VaultError> {
        let failed = |error| VaultError::from_io("read", &self.directory, error);
        match Directory::open(&self.directory).map_err(failed)? {
            Some(files) => look_at(&files, path),
            None => Ok(None),
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

/// Checks the name of something that is kept; it can come with a repository.
fn plain_name(name: &str) -> Result<&str, VaultError> {
    let plain = !name.is_empty() && !name.contains(['/', '\\', '\0']);
    if plain && ![".", "..", COMPACTION_DIRECTORY].contains(&name) {
        Ok(name)
    } else {
        Err(VaultError::OutsidePath { path: name.to_owned() })
    }
}

/// Checks the path of a note in a record: its name, or names of directories and its name.
fn note_path(path: &str) -> Result<&str, VaultError> {
    let outside = |_| VaultError::OutsidePath { path: path.to_owned() };
    path.split('/').try_for_each(|it| plain_name(it).map(|_| ())).map_err(outside)?;
    Ok(path)
}

/// Works on a note in the directory that it is in; `None` where that is missing.
///
/// No link is followed on the way. With a disk, missing directories are created.
fn at<T>(
    files: &Directory,
    path: &str,
    create: Option<&Disk>,
    work: impl FnOnce(&Directory, &str) -> Result<T, VaultError>,
) -> Result<Option<T>, VaultError> {
    let Some((first, rest)) = path.split_once('/') else {
        return work(files, plain_name(path)?).map(Some);
    };
    let below = match create {
        Some(disk) => Some(disk.directory(files, plain_name(first)?)?),
        None => files
            .directory(plain_name(first)?)
            .map_err(|error| VaultError::from_io("open", &files.path().join(first), error))?,
    };
    match below {
        Some(below) => at(&below, rest, create, work),
        None => Ok(None),
    }
}

/// Reads a note by its path; `None` where there is none.
fn look_at(files: &Directory, path: &str) -> Result<Option<Found>, VaultError> {
    Ok(at(files, note_path(path)?, None, look_in)?.flatten())
}

/// Returns the name of an archived file from its path in a record.
fn archived_name(path: &str) -> Result<&str, VaultError> {
    let prefix = kept_name(ARCHIVED, "");
    let name = path.strip_prefix(&prefix).unwrap_or_default();
    plain_name(name).map_err(|_| VaultError::OutsidePath { path: path.to_owned() })
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
