//! One thing that is done to a feature: archived, carried out and recorded.
//!
//! Compacting, reverting, pruning and restoring differ in what files become.
//! The rest is the same for all, and is here: every file that changes is
//! archived first, and the record says what it was like.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Map;

use super::super::write::whole_second;
use super::archive::Archiving;
use super::disk::Attributes;
use super::error::VaultError;
use super::history::{self, HistoryEntry, HistoryFile};
use super::lock::Locked;
use super::stamp::{Found, Stamp, look, sha256};
use super::tidy::tidy;
use super::transaction::{Backup, Change, commit, mode_only};
use crate::Remark;

/// One thing that is to be done.
#[derive(Debug)]
pub(crate) struct Operation<'a> {
    /// What it is called: a level, `revert`, `prune`, `restore`.
    pub(crate) kind: &'a str,
    /// The tokens before and after, where they are known.
    pub(crate) tokens: Option<(u64, u64)>,
    /// What files are to become.
    pub(crate) targets: Vec<Target>,
    /// Files to add to the archive beside the originals.
    pub(crate) extra: Vec<(String, Vec<u8>)>,
    /// What is reverted by this.
    pub(crate) reverts: Option<HistoryEntry>,
    /// The snapshot that was taken before.
    pub(crate) checkpoint: Option<String>,
    pub(crate) now: Timestamp,
    /// How long it can be reverted.
    pub(crate) window: Duration,
}

/// What one file is to become.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Its name.
    pub(crate) path: String,
    /// What it must hold now for that; `None` is anything.
    pub(crate) expected: Option<Expected>,
    /// What it is to hold; `None` is absent.
    pub(crate) after: Option<Vec<u8>>,
    /// Permissions and time that it is to have, instead of those that follow from now.
    pub(crate) like: Option<Stamp>,
}

/// What a file must hold; `None` is absent.
#[derive(Clone, Debug)]
pub(crate) struct Expected(pub(crate) Option<Vec<u8>>);

/// Does it, or nothing; returns the record and what is worth telling.
pub(crate) fn carry_out(
    locked: &Locked<'_>,
    mut operation: Operation<'_>,
) -> Result<(HistoryEntry, Vec<Remark>), VaultError> {
    let vault = locked.vault;
    let present = operation.now;
    operation.now = whole_second(present);
    let (past, mut notes) = history::load(vault)?;
    let id = history::free_id(vault, &past, operation.kind, operation.now)?;
    let (mut changes, files) = prepare(locked, &id, &mut operation)?;
    let entry = record(&operation, id, files, &past);
    for mark in marks(operation.reverts, &entry, &past) {
        changes.push(mark.rewrite(vault)?);
    }
    changes.push(entry.create(vault)?);
    commit(locked, &entry.id, changes)?;
    notes.extend(tidy(locked, present));
    Ok((entry, notes))
}

/// Makes the changes: originals go to the archive before their files change.
fn prepare(
    locked: &Locked<'_>,
    id: &str,
    operation: &mut Operation<'_>,
) -> Result<(Vec<Change>, Vec<HistoryFile>), VaultError> {
    let targets = std::mem::take(&mut operation.targets);
    let found = look_at_all(locked, &targets)?;
    let mut archiving = Archiving::new(locked.vault, id, operation.now)?;
    let (mut changes, mut files) = (Vec::new(), Vec::new());
    for (target, found) in targets.into_iter().zip(found) {
        let backup = match &found {
            Some(found) => Some(archiving.add(&target.path, found)?),
            None => None,
        };
        let (change, file) = change_of(target, found, backup);
        changes.push(change);
        files.push(file);
    }
    for (name, bytes) in std::mem::take(&mut operation.extra) {
        archiving.add_text(&name, bytes)?;
    }
    let mut all = archiving.finish()?;
    all.append(&mut changes);
    Ok((all, files))
}

fn change_of(
    target: Target,
    found: Option<Found>,
    backup: Option<String>,
) -> (Change, HistoryFile) {
    let attributes = attributes(target.like.as_ref(), found.as_ref());
    let before = found.map(|found| found.stamp);
    let written = target.after.as_deref();
    let file = recorded(&target.path, before.as_ref(), written, backup.clone());
    let change = Change {
        path: target.path,
        before,
        after: target.after.map(|bytes| (bytes, attributes)),
        backup: backup.map_or(Backup::None, Backup::Archived),
    };
    (change, file)
}

fn record(
    operation: &Operation<'_>,
    id: String,
    files: Vec<HistoryFile>,
    past: &[HistoryEntry],
) -> HistoryEntry {
    HistoryEntry {
        file: history::file_name(&id),
        id,
        sequence: past.iter().map(|it| it.sequence).max().unwrap_or(0) + 1,
        timestamp: operation.now,
        level: operation.kind.to_owned(),
        tokens_before: operation.tokens.map(|it| it.0),
        tokens_after: operation.tokens.map(|it| it.1),
        saved_tokens: operation.tokens.map(|it| it.0.saturating_sub(it.1)),
        files,
        can_revert: true,
        expires_at: history::expiry(operation.now, operation.window),
        reverted: false,
        reverted_at: None,
        reverted_by: None,
        reverts: operation.reverts.as_ref().map(|it| it.id.clone()),
        checkpoint: operation.checkpoint.clone(),
        other: Map::new(),
    }
}

/// Reads all files that are to change, and finds those that are not as expected.
fn look_at_all(locked: &Locked<'_>, targets: &[Target]) -> Result<Vec<Option<Found>>, VaultError> {
    let (mut all, mut changed) = (Vec::new(), Vec::new());
    for target in targets {
        let found = look(&locked.vault.path(&target.path)?)?;
        let bytes = found.as_ref().map(|found| &found.bytes);
        if let Some(Expected(expected)) = &target.expected
            && expected.as_ref() != bytes
        {
            changed.push(target.path.clone());
        }
        all.push(found);
    }
    if changed.is_empty() {
        Ok(all)
    } else {
        Err(VaultError::Changed { files: changed })
    }
}

fn attributes(like: Option<&Stamp>, found: Option<&Found>) -> Attributes {
    match (like, found) {
        (Some(like), _) => like.attributes(),
        (None, Some(found)) => mode_only(&found.stamp),
        (None, None) => Attributes::default(),
    }
}

fn recorded(
    path: &str,
    before: Option<&Stamp>,
    after: Option<&[u8]>,
    backup: Option<String>,
) -> HistoryFile {
    HistoryFile {
        path: path.to_owned(),
        size_before: before.map(|it| it.size),
        size_after: after.map(|it| it.len() as u64),
        backup,
        sha256_before: before.map(|it| it.sha256.clone()),
        sha256_after: after.map(sha256),
        notes_sha256_after: after.and_then(|it| history::notes_sha256(path, it)),
        mode_before: before.and_then(|it| it.mode),
        mtime_before: before.and_then(|it| it.mtime),
    }
}

/// Returns the records that say something else now.
///
/// What is reverted says so. Where that was a revert, what it had reverted is
/// in force again, and so on.
fn marks(
    reverts: Option<HistoryEntry>,
    by: &HistoryEntry,
    past: &[HistoryEntry],
) -> Vec<HistoryEntry> {
    let mut marked: Vec<HistoryEntry> = Vec::new();
    let (mut next, mut by) = (reverts, Some(by.clone()));
    while let Some(mut entry) = next {
        entry.reverted = by.is_some();
        entry.reverted_at = by.as_ref().map(|it| it.timestamp);
        entry.reverted_by = by.map(|it| it.id);
        by = (!entry.reverted).then(|| entry.clone());
        // A damaged history could lead round in a circle.
        let id = entry.reverts.as_ref().filter(|_| marked.len() < past.len());
        next = id
            .and_then(|id| past.iter().find(|it| it.id == *id))
            .cloned();
        marked.push(entry);
    }
    marked
}
