//! Records what was done to a feature, and until when it can be reverted.
//!
//! A record is written once and never changed or removed. A revert has a record of its
//! own, which names what it reverts; what is in force follows from all of them.

use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::STATE_FILE;
use super::super::measure::own_text;
use super::error::VaultError;
use super::stamp::{Found, Stamp, look_in, sha256};
use super::time;
use super::{HISTORY, Vault, archived_name, names_in, note_path, plain_name};
use crate::files::Directory;
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
    /// Texts that were archived and are not files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) extra: Vec<HistoryFile>,
    /// Whether it could be reverted when it was done.
    pub can_revert: bool,
    /// The last moment at which it can be reverted.
    #[serde(with = "time")]
    pub expires_at: Timestamp,
    /// Whether it is reverted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
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
    /// What other versions of this program know.
    #[serde(flatten)]
    pub(super) other: Map<String, Value>,
}

/// One file that was changed. What was absent has neither size nor hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Returns what the file was like before; `None` is absent.
    pub(in super::super) fn before(&self) -> Option<Stamp> {
        Some(Stamp {
            sha256: self.sha256_before.clone()?,
            size: self.size_before.unwrap_or(0),
            // Whoever wrote the record must not choose more than these.
            mode: self.mode_before.map(|mode| mode & 0o777),
            mtime: self.mtime_before,
        })
    }

    /// Tells whether a file is as this left it.
    pub(in super::super) fn is_unchanged(&self, found: Option<&Found>) -> bool {
        let hash = found.map(|found| &found.stamp.sha256);
        let notes = found.and_then(|found| notes_sha256(&self.path, &found.bytes));
        hash == self.sha256_after.as_ref() || (notes.is_some() && notes == self.notes_sha256_after)
    }
}

/// Returns the hash of `state.json` without what Loadline writes there.
pub(super) fn notes_sha256(path: &str, bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok().filter(|_| path == STATE_FILE)?;
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

    /// Writes the record as it is kept.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, VaultError> {
        let mut bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| PathError::new("write", file_name(&self.id), error.into()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads a record, which can come with a repository, and checks what it names.
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<HistoryEntry, VaultError> {
        let entry: HistoryEntry = serde_json::from_slice(bytes)
            .map_err(|error| VaultError::damaged(path, &error.to_string()))?;
        plain_name(&entry.id)?;
        for file in entry.files.iter().chain(&entry.extra) {
            note_path(&file.path)?;
            file.backup.as_deref().map(archived_name).transpose()?;
        }
        Ok(entry)
    }
}

/// Returns the name of the file of a record.
pub(super) fn file_name(id: &str) -> String {
    format!("{id}{ENDING}")
}

/// Reads the history, oldest first; what cannot be read is named and left alone.
pub(in super::super) fn load(
    vault: &Vault,
) -> Result<(Vec<HistoryEntry>, Vec<Remark>), VaultError> {
    let (mut entries, mut notes) = (Vec::new(), Vec::new());
    let directory = vault.open_kept(Some(HISTORY))?;
    for name in names_in(directory.as_ref())? {
        let (true, Some(directory)) = (name.ends_with(ENDING), &directory) else {
            continue;
        };
        match read_record(directory, &name) {
            Ok(entry) => entries.push(entry),
            Err(error) => notes.push(Remark::new("history", error.to_string())),
        }
    }
    entries.sort_by(|a, b| (a.sequence, &a.id).cmp(&(b.sequence, &b.id)));
    mark_reverted(&mut entries);
    Ok((entries, notes))
}

fn read_record(directory: &Directory, name: &str) -> Result<HistoryEntry, VaultError> {
    let found = look_in(directory, name)?;
    let bytes = found.map(|found| found.bytes).unwrap_or_default();
    HistoryEntry::parse(&bytes, &directory.path().join(name))
}

/// Says of each record whether it is reverted, latest first.
///
/// A revert that is reverted itself has no effect. Older versions wrote the mark into the
/// records; it counts where the revert has no record.
fn mark_reverted(entries: &mut [HistoryEntry]) {
    for index in (0..entries.len()).rev() {
        let (earlier, rest) = entries.split_at_mut(index);
        let Some((entry, _)) = rest.split_first_mut() else {
            continue;
        };
        let Some(target) = earlier.iter_mut().find(|it| Some(&it.id) == entry.reverts.as_ref())
        else {
            continue;
        };
        if !entry.reverted {
            target.reverted = true;
            target.reverted_at = Some(entry.timestamp);
            target.reverted_by = Some(entry.id.clone());
        } else if target.reverted_by.as_ref() == Some(&entry.id) {
            target.reverted = false;
            target.reverted_at = None;
            target.reverted_by = None;
        }
    }
}

/// Returns the name that something done now will have.
pub(in super::super) fn next_id(
    vault: &Vault,
    level: &str,
    now: Timestamp,
) -> Result<String, VaultError> {
    Ok(free_id(&load(vault)?.0, level, now))
}

/// Finds a name for something that is done now: `<level>_<second>`, then `-2`, `-3`.
pub(super) fn free_id(past: &[HistoryEntry], level: &str, now: Timestamp) -> String {
    let base = format!("{level}_{}", now.as_second());
    let mut id = base.clone();
    let mut number = 1;
    while past.iter().any(|it| it.id == id) {
        number += 1;
        id = format!("{base}-{number}");
    }
    id
}
