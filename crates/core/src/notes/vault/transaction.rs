//! Several files change together or not at all.
//!
//! First all new contents are written beside their places. Then a journal
//! names them, and the files are renamed into place one by one, which needs no
//! space. Where a step fails, the journal is turned round and what was done is
//! taken back from the backups.

use std::collections::BTreeSet;
use std::path::Path;

use super::disk::Attributes;
use super::error::VaultError;
use super::journal::{Entry, Journal};
use super::lock::Locked;
use super::recover::{clear_staging, take_back};
use super::stamp::{Found, Stamp, look};
use super::{ARCHIVED, CHECKPOINTS, HISTORY, JOURNAL, UNDO_JOURNAL, Vault};

/// One file that is to change.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// Its path below the directory of the notes.
    pub(crate) path: String,
    /// What it is like now; `None` is absent.
    pub(crate) before: Option<Stamp>,
    /// What it is to hold; `None` is absent.
    pub(crate) after: Option<(Vec<u8>, Attributes)>,
    pub(crate) backup: Backup,
}

/// Where the present content of a file is found when a change is taken back.
#[derive(Clone, Debug)]
pub(crate) enum Backup {
    /// It has none.
    None,
    /// In an archived file, which may be written by an earlier change.
    Archived(String),
    /// Nowhere yet: these are its bytes.
    Bytes(Vec<u8>),
}

impl Change {
    /// A file that is not there yet.
    pub(crate) fn create(path: String, bytes: Vec<u8>) -> Change {
        Change {
            path,
            before: None,
            after: Some((bytes, Attributes::default())),
            backup: Backup::None,
        }
    }

    /// A file of our own that gets another content.
    pub(crate) fn rewrite(path: String, found: Found, bytes: Vec<u8>) -> Change {
        Change {
            path,
            after: Some((bytes, mode_only(&found.stamp))),
            before: Some(found.stamp),
            backup: Backup::Bytes(found.bytes),
        }
    }
}

/// A changed file keeps its permissions and gets a new time.
pub(crate) fn mode_only(stamp: &Stamp) -> Attributes {
    Attributes {
        mode: stamp.mode,
        modified: None,
    }
}

/// Carries out all changes, in order, or none.
pub(crate) fn commit(
    locked: &Locked<'_>,
    operation: &str,
    changes: Vec<Change>,
) -> Result<(), VaultError> {
    let vault = locked.vault;
    let done = stage(vault, operation, changes).and_then(|journal| {
        journal.write(vault)?;
        install(vault, &journal)?;
        Journal::remove(vault, JOURNAL)
    });
    match done {
        Ok(()) => {
            // What is left there is cleared by whoever locks the vault next.
            let _ = clear_staging(vault);
            Ok(())
        }
        Err(cause) => Err(roll_back(vault, cause)),
    }
}

/// Takes back what was done, and returns why.
fn roll_back(vault: &Vault, cause: VaultError) -> VaultError {
    let taken_back = Journal::turn(vault).and_then(|turned| {
        if turned && let Some(journal) = Journal::read(vault, UNDO_JOURNAL)? {
            take_back(vault, &journal)?;
        }
        Ok(())
    });
    match taken_back {
        Ok(()) => {
            let _ = clear_staging(vault);
            cause
        }
        Err(rollback) => VaultError::Stuck {
            cause: Box::new(cause),
            rollback: Box::new(rollback),
        },
    }
}

/// Writes all new contents beside their places.
fn stage(vault: &Vault, operation: &str, changes: Vec<Change>) -> Result<Journal, VaultError> {
    let staging = vault.staging();
    let own = vault.own();
    let kept = [ARCHIVED, CHECKPOINTS, HISTORY].map(|name| own.join(name));
    for directory in kept.iter().chain([&staging]) {
        vault.disk.create_directory(directory)?;
    }
    let mut entries = Vec::with_capacity(changes.len());
    for (number, change) in changes.into_iter().enumerate() {
        entries.push(stage_one(vault, number, change)?);
    }
    vault.disk.sync_directory(&staging)?;
    Ok(Journal::new(operation, entries))
}

fn stage_one(vault: &Vault, number: usize, change: Change) -> Result<Entry, VaultError> {
    vault.path(&change.path)?;
    let staging = vault.staging();
    let mut entry = Entry {
        path: change.path,
        before: change.before,
        after: None,
        staged: None,
        backup: None,
        old: None,
    };
    match change.backup {
        Backup::None => {}
        Backup::Archived(path) => entry.backup = Some(path),
        Backup::Bytes(bytes) => {
            let name = format!("{number:04}0");
            let path = staging.join(&name);
            vault.disk.write_new(&path, &bytes, Attributes::default())?;
            entry.old = Some(name);
        }
    }
    if let Some((bytes, attributes)) = change.after {
        let name = format!("{number:04}1");
        let path = staging.join(&name);
        vault.disk.write_new(&path, &bytes, attributes)?;
        entry.after = Some(Stamp::of(&bytes, attributes));
        entry.staged = Some(name);
    }
    Ok(entry)
}

/// Puts every file in its place, if what is there is what was expected.
fn install(vault: &Vault, journal: &Journal) -> Result<(), VaultError> {
    for entry in &journal.entries {
        let path = vault.path(&entry.path)?;
        let found = look(&path)?.map(|found| found.stamp);
        if !same(found.as_ref(), entry.before.as_ref()) {
            return Err(VaultError::Changed {
                files: vec![entry.path.clone()],
            });
        }
        put(vault, entry, &path)?;
    }
    sync(vault, journal)
}

/// Puts one file in its place, or takes it away.
pub(super) fn put(vault: &Vault, entry: &Entry, path: &Path) -> Result<(), VaultError> {
    match entry.staged_path(vault)? {
        Some(staged) => Ok(vault.disk.rename(&staged, path)?),
        None => Ok(vault.disk.remove_file(path)?),
    }
}

/// Makes the names in all directories that a journal touches last.
pub(super) fn sync(vault: &Vault, journal: &Journal) -> Result<(), VaultError> {
    let mut directories = BTreeSet::new();
    for entry in &journal.entries {
        let path = vault.path(&entry.path)?;
        directories.extend(path.parent().map(Path::to_owned));
    }
    for directory in directories {
        vault.disk.sync_directory(&directory)?;
    }
    Ok(())
}

/// Tells whether two files have the same content, or are both absent.
pub(super) fn same(left: Option<&Stamp>, right: Option<&Stamp>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => left.same_content(right),
        (None, None) => true,
        _ => false,
    }
}
