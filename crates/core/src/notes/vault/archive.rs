//! Keeps originals: what a file held before it was changed or removed.
//!
//! An original is a plain copy under the day and its name, which the record of the
//! operation describes. Nothing is ever overwritten. Once nothing can be reverted to it
//! any more, a copy is compressed in place; reading finds either.

use std::io::Read;
use std::time::Duration;

use jiff::Timestamp;

use super::disk::Attributes;
use super::error::VaultError;
use super::history::{self, HistoryEntry, HistoryFile};
use super::lock::Locked;
use super::stamp::{LARGEST, Stamp, look_in, sha256};
use super::{ARCHIVED, TEMPORARY, Vault, archived_name, checkpoint};
use crate::Remark;
use crate::files::Directory;

/// What follows the name of an original that is compressed.
const COMPRESSED: &str = ".zst";

/// The longest file name that is kept whole; file systems end at 255 bytes.
const LONGEST_NAME: usize = 180;

/// One original in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchivedFile {
    /// The name to ask for it by, such as `2026-01-31_progress.md`.
    pub name: String,
    /// The name that it had.
    pub original: String,
    /// When it was archived.
    pub archived_at: Timestamp,
    /// Its size in bytes.
    pub size: u64,
    /// The bytes that it takes in the archive.
    pub stored: u64,
    /// The SHA-256 of its content.
    pub sha256: String,
    pub(in super::super) record: HistoryFile,
}

impl ArchivedFile {
    /// Returns what the file was like.
    pub(in super::super) fn stamp(&self) -> Option<Stamp> {
        self.record.before()
    }
}

/// Finds a name that nothing in the archive has, compressed or not.
pub(super) fn free_name(taken: &mut Vec<String>, original: &str, now: Timestamp) -> String {
    let date = now.strftime("%Y-%m-%d");
    let mut end = original.len().min(LONGEST_NAME);
    while !original.is_char_boundary(end) {
        end -= 1;
    }
    let base = format!("{date}_{}", original[..end].replace('/', "_"));
    let mut name = base.clone();
    let mut number = 1;
    while taken.contains(&name) || taken.contains(&format!("{name}{COMPRESSED}")) {
        number += 1;
        name = format!("{base}-{number}");
    }
    taken.push(name.clone());
    name
}

/// Reads the original of a file, compressed or not, and checks that it is whole.
pub(in super::super) fn read(vault: &Vault, file: &HistoryFile) -> Result<Vec<u8>, VaultError> {
    match vault.open_kept(Some(ARCHIVED))? {
        Some(archived) => read_from(&archived, file),
        None => Err(VaultError::Lost {
            path: vault.directory().join(file.backup.as_deref().unwrap_or("")),
        }),
    }
}

/// Reads an original from the open archive.
pub(super) fn read_from(archived: &Directory, file: &HistoryFile) -> Result<Vec<u8>, VaultError> {
    let name = archived_name(file.backup.as_deref().unwrap_or_default())?;
    let is_whole = |bytes: &[u8]| file.sha256_before.as_ref() == Some(&sha256(bytes));
    let path = archived.path().join(name);
    if let Some(found) = look_in(archived, name)? {
        return if is_whole(&found.bytes) {
            Ok(found.bytes)
        } else {
            Err(VaultError::damaged(&path, "its content is not what was archived"))
        };
    }
    let Some(found) = look_in(archived, &format!("{name}{COMPRESSED}"))? else {
        return Err(VaultError::Lost { path });
    };
    // Not a byte more than was archived, whatever the file claims to hold.
    let size = file.size_before.unwrap_or(0).min(LARGEST);
    let mut bytes = Vec::new();
    let read = zstd::Decoder::new(found.bytes.as_slice())
        .and_then(|decoder| decoder.take(size + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if is_whole(&bytes) => Ok(bytes),
        Ok(_) => Err(VaultError::damaged(&path, "its content is not what was archived")),
        Err(error) => Err(VaultError::damaged(&path, &error.to_string())),
    }
}

/// Lists the archive, oldest first, as the history describes it.
pub(in super::super) fn list(
    vault: &Vault,
) -> Result<(Vec<ArchivedFile>, Vec<Remark>), VaultError> {
    let (history, notes) = history::load(vault)?;
    let Some(archived) = vault.open_kept(Some(ARCHIVED))? else {
        return Ok((Vec::new(), notes));
    };
    let mut files = Vec::new();
    for entry in history {
        for record in entry.files.into_iter().chain(entry.extra) {
            let name = record.backup.as_deref().map(archived_name).transpose()?;
            let Some(name) = name.map(str::to_owned) else {
                continue;
            };
            let packed = format!("{name}{COMPRESSED}");
            // One that was purged is in the history still.
            let Some(stored) = archived.size(&name).or_else(|| archived.size(&packed)) else {
                continue;
            };
            files.push(ArchivedFile {
                name,
                original: record.path.clone(),
                archived_at: entry.timestamp,
                size: record.size_before.unwrap_or(0),
                stored,
                sha256: record.sha256_before.clone().unwrap_or_default(),
                record,
            });
        }
    }
    files.sort_by(|a, b| (a.archived_at, &a.name).cmp(&(b.archived_at, &b.name)));
    Ok((files, notes))
}

/// Removes originals for good; the vault must be locked.
pub(in super::super) fn purge(
    locked: &Locked<'_>,
    files: &[ArchivedFile],
) -> Result<(), VaultError> {
    let disk = &locked.vault.disk;
    for file in files {
        for ending in ["", COMPRESSED] {
            disk.remove(&locked.archived, &format!("{}{ending}", file.name))?;
        }
    }
    if files.is_empty() { Ok(()) } else { disk.sync(&locked.archived) }
}

/// Removes old snapshots and compresses originals that nothing can be reverted to.
///
/// Runs after the work, in steps that each leave everything whole. What fails costs a
/// remark, and is tried again the next time.
pub(super) fn tidy(locked: &Locked<'_>, now: Timestamp) -> Option<Remark> {
    let done = history::load(locked.vault).and_then(|(all, _)| {
        checkpoint::drop_old(locked, &all, now)?;
        let expired = all.iter().filter(|entry| entry.is_expired(&all, now));
        for file in expired.flat_map(|entry| &entry.files) {
            compress(locked, file)?;
        }
        Ok(())
    });
    let error = done.err()?;
    Some(Remark::new(".compaction", format!("not tidied: {error}")))
}

/// Compresses one original. A damaged one stays as it is.
fn compress(locked: &Locked<'_>, file: &HistoryFile) -> Result<(), VaultError> {
    let (disk, archived) = (&locked.vault.disk, &locked.archived);
    let Some(name) = file.backup.as_deref().map(archived_name).transpose()? else {
        return Ok(());
    };
    let found = look_in(archived, name)?;
    let Some(found) = found.filter(|it| Some(&it.stamp.sha256) == file.sha256_before.as_ref())
    else {
        return Ok(());
    };
    let packed = format!("{name}{COMPRESSED}");
    let bytes = zstd::encode_all(found.bytes.as_slice(), zstd::DEFAULT_COMPRESSION_LEVEL)
        .map_err(|error| VaultError::from_io("compress", &archived.path().join(name), error))?;
    let attributes = Attributes { mode: found.stamp.mode, modified: None };
    let temporary = format!("{TEMPORARY}packed");
    // One that an interrupted run left is not relied on.
    disk.remove(&locked.own, &temporary)?;
    disk.write_new(&locked.own, &temporary, &bytes, attributes)?;
    disk.rename((&locked.own, &temporary), (archived, &packed))?;
    disk.sync(archived)?;
    disk.remove(archived, name)
}

/// Returns how long ago something was archived; nothing for what is still to come.
pub(in super::super) fn age(file: &ArchivedFile, now: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(file.archived_at)).unwrap_or_default()
}

/// Returns the originals that something in the history can still be reverted to.
pub(in super::super) fn needed(
    history: &[HistoryEntry],
    now: Timestamp,
) -> impl Iterator<Item = &str> {
    let in_force = history.iter().filter(move |entry| entry.can_be_reverted(history, now));
    let files = in_force.flat_map(|entry| &entry.files);
    files.filter_map(|file| archived_name(file.backup.as_deref()?).ok())
}
