//! What a transaction is about to do, in one file.
//!
//! Written as a whole before the first file changes, removed after the last
//! one. Under its second name the same file says that the transaction is being
//! taken back: renaming needs no space on a full disk.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::disk::Attributes;
use super::error::VaultError;
use super::stamp::Stamp;
use super::{JOURNAL, UNDO_JOURNAL, Vault};
use crate::PathError;

/// The version of journals that this program writes and reads.
const VERSION: u32 = 1;

/// The name of a journal while it is written.
const UNNAMED: &str = "journal";

/// What a transaction does, file by file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Journal {
    version: u32,
    /// What it is called in the history.
    pub(super) operation: String,
    pub(super) entries: Vec<Entry>,
}

/// One file of a transaction.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Its path below the directory of the notes.
    pub(super) path: String,
    /// What it was like; `None` is absent.
    pub(super) before: Option<Stamp>,
    /// What it is to be like; `None` is absent.
    pub(super) after: Option<Stamp>,
    /// Where its new content waits: the name of a file among those staged.
    pub(super) staged: Option<String>,
    /// Where its old content is kept: the path of an archived file.
    pub(super) backup: Option<String>,
    /// The same for a file that is not archived: the name of a file among those staged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) old: Option<String>,
}

impl Journal {
    pub(super) fn new(operation: &str, entries: Vec<Entry>) -> Journal {
        Journal {
            version: VERSION,
            operation: operation.to_owned(),
            entries,
        }
    }

    /// Puts the journal in its place; from here on the transaction will be finished.
    pub(super) fn write(&self, vault: &Vault) -> Result<(), VaultError> {
        let own = vault.own();
        let (unnamed, path) = (vault.staging().join(UNNAMED), own.join(JOURNAL));
        let bytes = serde_json::to_vec(self)
            .map_err(|error| PathError::new("write", &path, error.into()))?;
        vault
            .disk
            .write_new(&unnamed, &bytes, Attributes::default())?;
        vault.disk.rename(&unnamed, &path)?;
        Ok(vault.disk.sync_directory(&own)?)
    }

    /// Takes the journal away: what it says is done.
    pub(super) fn remove(vault: &Vault, name: &str) -> Result<(), VaultError> {
        let own = vault.own();
        vault.disk.remove_file(&own.join(name))?;
        // A journal that comes back says what is done already.
        let _ = vault.disk.sync_directory(&own);
        Ok(())
    }

    /// Turns round: from here on the transaction will be taken back.
    ///
    /// Returns whether there was a journal, without which nothing was changed.
    pub(super) fn turn(vault: &Vault) -> Result<bool, VaultError> {
        let own = vault.own();
        if !own.join(JOURNAL).exists() {
            return Ok(false);
        }
        let undo = own.join(UNDO_JOURNAL);
        vault.disk.rename(&own.join(JOURNAL), &undo)?;
        vault.disk.sync_directory(&own)?;
        Ok(true)
    }

    /// Reads the journal of that name, if there is one, and checks what it names.
    pub(super) fn read(vault: &Vault, name: &str) -> Result<Option<Journal>, VaultError> {
        let path = vault.own().join(name);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(|error| PathError::new("read", &path, error))?,
        };
        let journal: Journal =
            serde_json::from_slice(&bytes).map_err(|error| damaged(&path, &error.to_string()))?;
        if journal.version != VERSION {
            let reason = format!("its version is {}, not {VERSION}", journal.version);
            return Err(damaged(&path, &reason));
        }
        for entry in &journal.entries {
            vault.path(&entry.path)?;
            entry
                .backup
                .iter()
                .try_for_each(|it| vault.path(it).map(drop))?;
            entry.staged_path(vault)?;
            entry.old_path(vault)?;
        }
        Ok(Some(journal))
    }
}

impl Entry {
    /// Returns where the new content waits, if there is any.
    pub(super) fn staged_path(&self, vault: &Vault) -> Result<Option<PathBuf>, VaultError> {
        let name = self.staged.as_deref();
        name.map(|name| staged(vault, name)).transpose()
    }

    /// Returns where the old content of a file that is not archived waits.
    pub(super) fn old_path(&self, vault: &Vault) -> Result<Option<PathBuf>, VaultError> {
        let name = self.old.as_deref();
        name.map(|name| staged(vault, name)).transpose()
    }
}

fn staged(vault: &Vault, name: &str) -> Result<PathBuf, VaultError> {
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(vault.staging().join(name))
    } else {
        Err(VaultError::OutsidePath {
            path: name.to_owned(),
        })
    }
}

pub(super) fn damaged(path: &Path, reason: &str) -> VaultError {
    VaultError::Damaged {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}
