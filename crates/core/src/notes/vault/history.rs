//! What was done to a feature, one record each, and until when it can be undone.
//!
//! Records are never removed. A record that was reverted says so, and the
//! revert has a record of its own, which can be reverted as well.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::STATE_FILE;
use super::super::measure::own_text;
use super::error::VaultError;
use super::journal::damaged;
use super::stamp::{Found, look, sha256};
use super::time;
use super::transaction::Change;
use super::{HISTORY, Vault, kept_name, names_in};
use crate::{PathError, Remark};

const ENDING: &str = ".json";

/// One thing that was done to a feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HistoryEntry {
    /// Its name: the level and the second, such as `compact_1769860800`.
    pub id: String,
    /// Its place in the history, from 1. Clocks may go backwards, this does not.
    #[serde(default)]
    pub sequence: u64,
    /// When it was done.
    #[serde(with = "time")]
    pub timestamp: Timestamp,
    /// What was done: a level, or `revert`, `prune`, `restore`.
    pub level: String,
    /// The tokens of the feature before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_before: Option<u64>,
    /// The tokens of the feature after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_after: Option<u64>,
    /// The tokens that were saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_tokens: Option<u64>,
    /// The files that were changed.
    #[serde(default)]
    pub files: Vec<HistoryFile>,
    /// Whether it could be reverted when it was done.
    pub can_revert: bool,
    /// The last moment at which it can be reverted.
    #[serde(with = "time")]
    pub expires_at: Timestamp,
    /// Whether it is reverted.
    #[serde(default)]
    pub reverted: bool,
    /// When it was reverted.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::maybe")]
    pub reverted_at: Option<Timestamp>,
    /// What reverted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverted_by: Option<String>,
    /// What it reverts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<String>,
    /// The snapshot that was taken before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// The name of its file.
    #[serde(skip)]
    pub(super) file: String,
    /// What other versions of this program know.
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// One file that was changed. What was absent has neither size nor hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HistoryFile {
    /// Its name.
    pub path: String,
    /// Its bytes before.
    pub size_before: Option<u64>,
    /// Its bytes after.
    pub size_after: Option<u64>,
    /// Where its original is kept, below the directory of the feature.
    pub backup: Option<String>,
    /// The SHA-256 of its content before.
    pub sha256_before: Option<String>,
    /// The SHA-256 of its content after.
    pub sha256_after: Option<String>,
    /// Of `state.json`, the SHA-256 after without what Loadline writes there at any time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes_sha256_after: Option<String>,
    /// Its permissions before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_before: Option<u32>,
    /// When it was last changed before.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::maybe")]
    pub mtime_before: Option<Timestamp>,
}

impl HistoryFile {
    /// Tells whether a file is as this left it.
    pub(in super::super) fn is_unchanged(&self, found: Option<&Found>) -> bool {
        let hash = found.map(|found| &found.stamp.sha256);
        let notes = found.and_then(|found| notes_sha256(&self.path, &found.bytes));
        hash == self.sha256_after.as_ref() || (notes.is_some() && notes == self.notes_sha256_after)
    }
}

/// Returns the hash of `state.json` without what Loadline writes there.
pub(super) fn notes_sha256(path: &str, bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes)
        .ok()
        .filter(|_| path == STATE_FILE)?;
    Some(sha256(own_text(path, text).as_bytes()))
}

impl HistoryEntry {
    /// Tells whether it is in force and can still be reverted.
    ///
    /// `all` is the whole history: what was done later was done at a time that
    /// has passed, whatever the clock says now.
    pub fn can_be_reverted(&self, all: &[HistoryEntry], now: Timestamp) -> bool {
        self.can_revert && !self.reverted && !self.is_expired(all, now)
    }

    /// Tells whether the time in which it can be reverted is over.
    pub fn is_expired(&self, all: &[HistoryEntry], now: Timestamp) -> bool {
        let later = all.iter().filter(|it| it.sequence > self.sequence);
        let latest = later.map(|it| it.timestamp).max();
        now.max(latest.unwrap_or(now)) > self.expires_at
    }

    /// Returns the change that makes a file of this record.
    pub(super) fn create(&self, vault: &Vault) -> Result<Change, VaultError> {
        let path = kept_name(HISTORY, &self.file);
        Ok(Change::create(path, self.bytes(vault)?))
    }

    /// Returns the change that replaces the file of this record.
    pub(super) fn rewrite(&self, vault: &Vault) -> Result<Change, VaultError> {
        let path = vault.kept(HISTORY, &self.file);
        match look(&path)? {
            Some(found) => Ok(Change::rewrite(
                kept_name(HISTORY, &self.file),
                found,
                self.bytes(vault)?,
            )),
            None => Err(VaultError::Lost { path }),
        }
    }

    fn bytes(&self, vault: &Vault) -> Result<Vec<u8>, VaultError> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(|error| {
            let path = vault.kept(HISTORY, &self.id);
            PathError::new("write", path, error.into())
        })?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// Returns the name of the file of a record.
pub(super) fn file_name(id: &str) -> String {
    format!("{id}{ENDING}")
}

/// Reads the history, the first entry first; what cannot be read is named and left alone.
pub(in super::super) fn load(
    vault: &Vault,
) -> Result<(Vec<HistoryEntry>, Vec<Remark>), VaultError> {
    let (mut entries, mut notes) = (Vec::new(), Vec::new());
    for name in names_in(&vault.own().join(HISTORY))? {
        if !name.ends_with(ENDING) {
            continue;
        }
        match read_record(vault, &name) {
            Ok(entry) => entries.push(entry),
            Err(error) => notes.push(Remark::new("history", error.to_string())),
        }
    }
    entries.sort_by(|a, b| (a.sequence, &a.id).cmp(&(b.sequence, &b.id)));
    Ok((entries, notes))
}

fn read_record(vault: &Vault, name: &str) -> Result<HistoryEntry, VaultError> {
    let path = vault.kept(HISTORY, name);
    let bytes = look(&path)?.map(|found| found.bytes).unwrap_or_default();
    let mut entry: HistoryEntry =
        serde_json::from_slice(&bytes).map_err(|error| damaged(&path, &error.to_string()))?;
    entry.file = name.to_owned();
    for file in &entry.files {
        vault.path(&file.path)?;
        file.backup
            .iter()
            .try_for_each(|it| vault.path(it).map(drop))?;
    }
    Ok(entry)
}

/// Finds a name for something that is done now: `<level>_<second>`, then `-2`, `-3`.
pub(super) fn free_id(
    vault: &Vault,
    past: &[HistoryEntry],
    level: &str,
    now: Timestamp,
) -> Result<String, VaultError> {
    let taken = names_in(&vault.own().join(HISTORY))?;
    let base = format!("{level}_{}", now.as_second());
    let mut id = base.clone();
    let mut number = 1;
    while taken.contains(&file_name(&id)) || past.iter().any(|it| it.id == id) {
        number += 1;
        id = format!("{base}-{number}");
    }
    Ok(id)
}

/// Returns the end of the time in which something can be reverted.
pub(super) fn expiry(now: Timestamp, window: Duration) -> Timestamp {
    now.checked_add(window).unwrap_or(Timestamp::MAX)
}
