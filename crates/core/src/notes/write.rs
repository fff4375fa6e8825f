//! What writing needs to know, and what was written before.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use super::vault::{self, ArchivedFile, Checkpoint, Disk, HistoryEntry, Locked, Vault, VaultError};
use super::{Feature, NotesError};
use crate::Remark;
use crate::settings::MemorySettings;

/// How long another process is waited for.
const WAIT: Duration = Duration::from_secs(10);

/// What writing needs to know beside what is to be written.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// The time.
    pub now: Timestamp,
    /// How long what is done can be reverted.
    pub rollback_window: Duration,
    /// How long another process that works on the same feature is waited for.
    pub wait: Duration,
    pub(super) disk: Disk,
}

impl WriteOptions {
    /// Takes what the settings say; another process is waited for for ten seconds.
    pub fn new(settings: &MemorySettings, now: Timestamp) -> WriteOptions {
        WriteOptions {
            now,
            rollback_window: settings.rollback_window,
            wait: WAIT,
            disk: Disk::real(),
        }
    }

    /// Names the vault of the directory that a file is in.
    pub(super) fn vault_beside(&self, path: &Path) -> Vault {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Vault::new(directory, self.disk.clone())
    }

    /// Names the vault of a feature; touches nothing.
    pub(super) fn vault(&self, feature: &Feature) -> Vault {
        Vault::new(feature.directory(), self.disk.clone())
    }
}

/// Returns a time without what is below a second, as records and documents have it.
pub(super) fn whole_second(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second()).unwrap_or(time)
}

/// Takes a snapshot of all notes of a feature, unless the latest shows the same.
///
/// Returns its name, and whether it is new. The ten latest are kept, and those
/// that something in the history can still be compared with.
pub fn checkpoint(
    feature: &Feature,
    trigger: &str,
    options: &WriteOptions,
) -> Result<(String, bool), NotesError> {
    let vault = options.vault(feature);
    let locked = vault.lock(options.wait)?;
    let taken = snapshot(&locked, trigger, options)?;
    Ok(taken)
}

pub(super) fn snapshot(
    locked: &Locked<'_>,
    trigger: &str,
    options: &WriteOptions,
) -> Result<(String, bool), VaultError> {
    vault::take_checkpoint(locked, trigger, options.now)
}

/// Restores what an interruption left, if there was one.
///
/// Where nothing was, nothing is touched.
pub fn recover(feature: &Feature, options: &WriteOptions) -> Result<Vec<Remark>, NotesError> {
    let vault = options.vault(feature);
    if !vault.is_unfinished() {
        return Ok(Vec::new());
    }
    Ok(vault.lock(options.wait)?.notes)
}

/// Tells whether something was interrupted, or is being done right now.
pub fn is_unfinished(feature: &Feature) -> Result<bool, NotesError> {
    Ok(Vault::new(feature.directory(), Disk::real()).is_unfinished())
}

/// Returns what was done to a feature, the first thing first, and what cannot be read.
pub fn history(feature: &Feature) -> Result<(Vec<HistoryEntry>, Vec<Remark>), NotesError> {
    let vault = Vault::new(feature.directory(), Disk::real());
    Ok(vault::load_history(&vault)?)
}

/// Returns the originals in a feature's archive, the oldest first, and what cannot be read.
pub fn archived(feature: &Feature) -> Result<(Vec<ArchivedFile>, Vec<Remark>), NotesError> {
    let vault = Vault::new(feature.directory(), Disk::real());
    Ok(vault::list_archive(&vault)?)
}

/// Returns the snapshots of a feature, the oldest first, and what cannot be read.
pub fn checkpoints(feature: &Feature) -> Result<(Vec<Checkpoint>, Vec<Remark>), NotesError> {
    let vault = Vault::new(feature.directory(), Disk::real());
    Ok(vault::describe_checkpoints(&vault)?)
}
