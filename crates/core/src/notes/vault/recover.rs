//! What a crash left is finished or taken back.
//!
//! Both ways may themselves be interrupted at any moment and begun again. A
//! file that somebody changed after the crash is theirs, and stays.

use std::path::Path;

use super::archive;
use super::disk::Attributes;
use super::error::VaultError;
use super::journal::{Entry, Journal, damaged};
use super::stamp::{Found, Stamp, look};
use super::transaction::{put, same, sync};
use super::{JOURNAL, UNDO_JOURNAL, Vault};
use crate::Remark;

/// The file that a content waits in while it is put back.
const RETURNING: &str = "returning";

/// Finishes or takes back what was interrupted; the vault must be locked.
pub(super) fn recover(vault: &Vault) -> Result<Vec<Remark>, VaultError> {
    let mut notes = Vec::new();
    if let Some(journal) = Journal::read(vault, UNDO_JOURNAL)? {
        notes = take_back(vault, &journal)?;
        notes.push(note(&journal, "was interrupted and is taken back"));
    } else if let Some(journal) = Journal::read(vault, JOURNAL)? {
        notes = finish(vault, &journal)?;
    }
    clear_staging(vault)?;
    Ok(notes)
}

/// Goes on where an install ended.
fn finish(vault: &Vault, journal: &Journal) -> Result<Vec<Remark>, VaultError> {
    if !is_complete(vault, journal)? {
        Journal::turn(vault)?;
        let mut notes = take_back(vault, journal)?;
        notes.push(note(journal, "was interrupted, damaged, and is taken back"));
        return Ok(notes);
    }
    let mut notes = Vec::new();
    for entry in &journal.entries {
        let path = vault.path(&entry.path)?;
        let waits = entry.staged_path(vault)?.is_none_or(|it| it.exists());
        if !waits {
            continue;
        }
        let found = look(&path)?.map(|found| found.stamp);
        let found = found.as_ref();
        if same(found, entry.before.as_ref()) || same(found, entry.after.as_ref()) {
            put(vault, entry, &path)?;
        } else {
            notes.push(changed(entry));
        }
    }
    sync(vault, journal)?;
    Journal::remove(vault, JOURNAL)?;
    notes.push(note(journal, "was interrupted and is finished"));
    Ok(notes)
}

/// Tells whether all that waits is what was written.
fn is_complete(vault: &Vault, journal: &Journal) -> Result<bool, VaultError> {
    for entry in &journal.entries {
        let Some(staged) = entry.staged_path(vault)? else {
            continue;
        };
        let found = look(&staged)?.map(|found| found.stamp);
        if found.is_some() && !same(found.as_ref(), entry.after.as_ref()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes back what was installed, the last first, and removes the journal.
pub(super) fn take_back(vault: &Vault, journal: &Journal) -> Result<Vec<Remark>, VaultError> {
    let mut notes = Vec::new();
    for entry in journal.entries.iter().rev() {
        let waits = entry.staged_path(vault)?.is_some_and(|it| it.exists());
        if waits {
            continue;
        }
        let path = vault.path(&entry.path)?;
        let found = look(&path)?;
        let stamp = found.as_ref().map(|found| &found.stamp);
        let ours = same(stamp, entry.after.as_ref());
        match &entry.before {
            Some(before) if ours || same(stamp, Some(before)) => {
                put_back(vault, entry, before, found)?;
            }
            None if ours && stamp.is_some() => vault.disk.remove_file(&path)?,
            None if stamp.is_none() => {}
            _ => notes.push(changed(entry)),
        }
    }
    sync(vault, journal)?;
    Journal::remove(vault, UNDO_JOURNAL)?;
    Ok(notes)
}

/// Gives a file its old content, permissions and time.
fn put_back(
    vault: &Vault,
    entry: &Entry,
    before: &Stamp,
    found: Option<Found>,
) -> Result<(), VaultError> {
    let bytes = match found {
        Some(found) if found.stamp == *before => return Ok(()),
        Some(found) if found.stamp.same_content(before) => found.bytes,
        _ => old_content(vault, entry, before)?,
    };
    let path = vault.path(&entry.path)?;
    write_over(vault, &path, &bytes, before.attributes())
}

/// Finds the old content of a file, wherever it was kept.
fn old_content(vault: &Vault, entry: &Entry, before: &Stamp) -> Result<Vec<u8>, VaultError> {
    if let Some(backup) = &entry.backup {
        return archive::read(vault, backup, &before.sha256, before.size);
    }
    let path = entry.old_path(vault)?.unwrap_or(vault.path(&entry.path)?);
    match look(&path)? {
        Some(found) if found.stamp.same_content(before) => Ok(found.bytes),
        Some(_) => Err(damaged(&path, "its content is not what was kept")),
        None => Err(VaultError::Lost { path }),
    }
}

/// Replaces a file as a whole.
fn write_over(
    vault: &Vault,
    path: &Path,
    bytes: &[u8],
    attributes: Attributes,
) -> Result<(), VaultError> {
    vault.disk.create_directory(&vault.staging())?;
    let returning = vault.staging().join(RETURNING);
    // An earlier attempt may have ended here.
    vault.disk.remove_file(&returning)?;
    vault.disk.write_new(&returning, bytes, attributes)?;
    Ok(vault.disk.rename(&returning, path)?)
}

/// Removes what was prepared and is not needed any more.
pub(super) fn clear_staging(vault: &Vault) -> Result<(), VaultError> {
    Ok(vault.disk.remove_directory(&vault.staging())?)
}

fn note(journal: &Journal, what: &str) -> Remark {
    Remark::new(&journal.operation, what)
}

fn changed(entry: &Entry) -> Remark {
    Remark::new(&entry.path, "changed after the interruption, and stays so")
}
