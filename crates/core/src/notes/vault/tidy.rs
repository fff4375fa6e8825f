//! What is kept longer than needed takes less room.
//!
//! Runs after the work, in steps that each leave everything whole. What fails
//! costs a note, and is tried again the next time.

use jiff::Timestamp;

use super::archive::{self, COMPRESSED};
use super::disk::Attributes;
use super::error::VaultError;
use super::history::{self, HistoryEntry};
use super::lock::Locked;
use super::recover::clear_staging;
use super::stamp::look;
use super::{ARCHIVED, ArchivedFile, CHECKPOINTS, Vault, checkpoint};
use crate::Remark;
use crate::fsio::IoResultExt;

/// How many snapshots are kept, beside those that the history needs.
const SNAPSHOTS: usize = 10;

/// Removes old snapshots and compresses originals that nothing can be reverted to.
pub(super) fn tidy(locked: &Locked<'_>, now: Timestamp) -> Vec<Remark> {
    let vault = locked.vault;
    let done = history::load(vault).and_then(|(all, _)| {
        drop_snapshots(vault, &all, now)?;
        compress_expired(vault, &all, now)
    });
    match done {
        Ok(()) => Vec::new(),
        Err(error) => vec![Remark::new(".compaction", format!("not tidied: {error}"))],
    }
}

fn drop_snapshots(vault: &Vault, all: &[HistoryEntry], now: Timestamp) -> Result<(), VaultError> {
    let needed: Vec<&str> = all
        .iter()
        .filter(|entry| entry.can_be_reverted(all, now))
        .filter_map(|entry| entry.checkpoint.as_deref())
        .collect();
    let old = checkpoint::superfluous(vault, SNAPSHOTS, &needed)?;
    for path in &old {
        vault.disk.remove_file(&vault.path(path)?)?;
    }
    if !old.is_empty() {
        vault.disk.sync_directory(&vault.own().join(CHECKPOINTS))?;
    }
    Ok(())
}

fn compress_expired(vault: &Vault, all: &[HistoryEntry], now: Timestamp) -> Result<(), VaultError> {
    let mut any = false;
    for entry in all.iter().filter(|entry| entry.is_expired(all, now)) {
        for file in &entry.files {
            let (Some(path), Some(hash)) = (&file.backup, &file.sha256_before) else {
                continue;
            };
            any |= compress(vault, path, hash, file.size_before.unwrap_or(0))?;
        }
    }
    if any { clear_staging(vault) } else { Ok(()) }
}

/// Compresses one original; returns whether there was something to do.
///
/// A damaged one stays as it is.
fn compress(vault: &Vault, path: &str, hash: &str, size: u64) -> Result<bool, VaultError> {
    let plain = vault.path(path)?;
    let Some(found) = look(&plain)?.filter(|found| found.stamp.sha256 == hash) else {
        return Ok(false);
    };
    let target = vault.path(&format!("{path}{COMPRESSED}"))?;
    let staging = vault.staging();
    vault.disk.create_directory(&staging)?;
    let packed = staging.join("packed");
    let level = zstd::DEFAULT_COMPRESSION_LEVEL;
    let bytes = zstd::encode_all(found.bytes.as_slice(), level).at("compress", &target)?;
    let attributes = Attributes {
        modified: None,
        ..found.stamp.attributes()
    };
    // One that an interrupted run left is not relied on.
    vault.disk.remove_file(&packed)?;
    vault.disk.write_new(&packed, &bytes, attributes)?;
    vault.disk.rename(&packed, &target)?;
    vault.disk.sync_directory(&vault.own().join(ARCHIVED))?;
    // Nothing is given up before what takes its place was read back.
    archive::read_compressed(vault, path, hash, size)?;
    vault.disk.remove_file(&plain)?;
    Ok(true)
}

/// Removes originals for good; the vault must be locked.
pub(in super::super) fn purge(
    locked: &Locked<'_>,
    files: &[ArchivedFile],
) -> Result<(), VaultError> {
    let vault = locked.vault;
    for file in files {
        for name in file.parts() {
            let path = vault.kept(ARCHIVED, &name);
            if path.exists() {
                vault.disk.remove_file(&path)?;
            }
        }
    }
    if files.is_empty() {
        Ok(())
    } else {
        Ok(vault.disk.sync_directory(&vault.own().join(ARCHIVED))?)
    }
}
