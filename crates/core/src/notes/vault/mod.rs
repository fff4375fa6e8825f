//! How do several files change together, and how does everything come back?
//!
//! A vault is the directory of a feature with what is kept in `.compaction`
//! below it: originals in `archived`, what was done in `history`, snapshots in
//! `checkpoints`. Every change goes
//!
//! ```text
//! lock -> recover -> stage -> journal -> install -> remove the journal
//! ```
//!
//! Up to the journal nothing is changed; from then on everything will be. A
//! crash leaves a journal, and whoever locks the vault next finishes the work,
//! or takes it back where it was being taken back. See [`transaction`].

mod archive;
mod checkpoint;
mod disk;
mod error;
mod history;
mod journal;
mod lock;
mod operation;
mod recover;
mod stamp;
#[cfg(test)]
pub(in crate::notes) mod tests;
mod tidy;
mod time;
mod transaction;

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use super::feature::COMPACTION_DIRECTORY;
use crate::PathError;

pub use archive::ArchivedFile;
pub use checkpoint::{Checkpoint, CheckpointFile};
pub use error::VaultError;
pub use history::{HistoryEntry, HistoryFile};

pub(super) use archive::{list as list_archive, read as read_archived};
pub(super) use checkpoint::{
    describe_all as describe_checkpoints, read as read_checkpoint, take as take_checkpoint,
};
pub(super) use disk::Disk;
#[cfg(test)]
pub(super) use disk::Fault;
pub(super) use history::load as load_history;
pub(super) use lock::Locked;
pub(super) use operation::{Expected, Operation, Target, carry_out};
pub(super) use stamp::{Stamp, look};
pub(super) use tidy::purge;

/// Originals of files that were changed or removed.
const ARCHIVED: &str = "archived";
/// What was done, one file each.
const HISTORY: &str = "history";
/// Snapshots of all notes.
const CHECKPOINTS: &str = "checkpoints";
/// What a transaction has prepared.
const STAGING: &str = "staging";
/// The transaction that is being finished.
const JOURNAL: &str = "journal.json";
/// The transaction that is being taken back.
const UNDO_JOURNAL: &str = "journal.undo.json";

/// The directory of a feature, and what is kept below it.
#[derive(Clone, Debug)]
pub(super) struct Vault {
    directory: PathBuf,
    disk: Disk,
}

impl Vault {
    /// Names the vault of a directory; touches nothing.
    ///
    /// Links among its own directories are refused: they would lead out of it.
    pub(super) fn new(directory: &Path, disk: Disk) -> Result<Vault, VaultError> {
        let vault = Vault {
            directory: directory.to_owned(),
            disk,
        };
        let own = vault.own();
        must_not_lead_away(&own)?;
        for name in [ARCHIVED, HISTORY, CHECKPOINTS, STAGING] {
            must_not_lead_away(&own.join(name))?;
        }
        Ok(vault)
    }

    /// Returns the directory of the notes.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the directory that holds all that is kept.
    fn own(&self) -> PathBuf {
        self.directory.join(COMPACTION_DIRECTORY)
    }

    fn staging(&self) -> PathBuf {
        self.own().join(STAGING)
    }

    /// Returns where a file of a kept directory is.
    fn kept(&self, directory: &str, name: &str) -> PathBuf {
        self.own().join(directory).join(name)
    }

    /// Turns a path of a journal or a record into one on disk.
    ///
    /// Such files can come with a repository, so nothing but a note of the
    /// feature and what is kept below it may be named.
    fn path(&self, relative: &str) -> Result<PathBuf, VaultError> {
        let outside = || VaultError::OutsidePath {
            path: relative.to_owned(),
        };
        let mut names = Vec::new();
        for component in Path::new(relative).components() {
            match component {
                Component::Normal(name) => names.push(name.to_str().ok_or_else(outside)?),
                _ => return Err(outside()),
            }
        }
        // What Rust reads as the same path would not be the same text in a record.
        let plain = names.join("/") == relative && !relative.contains('\0');
        let inside = match names.as_slice() {
            [name] => *name != COMPACTION_DIRECTORY,
            [own, directory, _] => {
                *own == COMPACTION_DIRECTORY && [ARCHIVED, HISTORY, CHECKPOINTS].contains(directory)
            }
            _ => false,
        };
        if plain && inside {
            Ok(self.directory.join(relative))
        } else {
            Err(outside())
        }
    }

    /// Tells whether a transaction was interrupted.
    pub(super) fn is_unfinished(&self) -> bool {
        let own = self.own();
        let names = [JOURNAL, UNDO_JOURNAL, STAGING];
        names.iter().any(|name| own.join(name).exists())
    }
}

/// Returns the path of a kept file as records and journals name it.
fn kept_name(directory: &str, name: &str) -> String {
    format!("{COMPACTION_DIRECTORY}/{directory}/{name}")
}

/// Refuses a link or a file where a directory belongs; nothing at all is fine.
fn must_not_lead_away(path: &Path) -> Result<(), VaultError> {
    let found = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(metadata) if metadata.is_symlink() => "a link",
        Ok(_) => "a file",
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(PathError::new("read", path, error).into()),
    };
    Err(VaultError::NotPlain {
        path: path.to_owned(),
        found,
    })
}

/// Lists the names of plain files in a directory, in byte order; none where it is missing.
///
/// Names that are not UTF-8 are none of ours.
fn names_in(directory: &Path) -> Result<Vec<String>, VaultError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| PathError::new("read", directory, error))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| PathError::new("read", directory, error))?;
        let plain = entry.file_type().is_ok_and(|kind| kind.is_file());
        if let (true, Ok(name)) = (plain, entry.file_name().into_string()) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
