//! Archives, changes and records: all of an operation, or nothing of it.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::Map;

use super::super::write::whole_second;
use super::archive::{self, free_name, tidy};
use super::disk::Attributes;
use super::error::VaultError;
use super::history::{self, HistoryEntry, HistoryFile};
use super::lock::Locked;
use super::stamp::{Found, Stamp, look_in, sha256};
use super::{
    ARCHIVED, OLD_JOURNALS, PENDING, TEMPORARY, archived_name, at, kept_name, look_at, names_in,
};
use crate::Remark;
use crate::files::Directory;

/// What is to be done to a vault.
#[derive(Debug)]
pub(crate) struct Operation<'a> {
    /// Its name in the history: a level, or `revert`, `prune`, `restore`.
    pub(crate) kind: &'a str,
    /// The tokens of the feature before and after.
    pub(crate) tokens: Option<(u64, u64)>,
    pub(crate) targets: Vec<Target>,
    /// Texts that go to the archive and are not files: name and content.
    pub(crate) extra: Vec<(String, Vec<u8>)>,
    /// What it reverts.
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

/// An operation that is ready to be done.
struct Prepared {
    entry: HistoryEntry,
    /// What goes to the archive: the name there, and the file.
    originals: Vec<(String, Found)>,
    /// What each file of the entry is to hold, in the same order.
    contents: Vec<Option<(Vec<u8>, Attributes)>>,
}

/// Does it, or nothing; returns the record and what is worth telling.
pub(crate) fn carry_out(
    locked: &Locked<'_>,
    operation: Operation<'_>,
) -> Result<(HistoryEntry, Vec<Remark>), VaultError> {
    let now = operation.now;
    let (past, mut notes) = history::load(locked.vault)?;
    let prepared = prepare(locked, operation, &past)?;
    if let Err(cause) = commit(locked, &prepared) {
        return Err(match take_back(locked, &prepared.entry) {
            Ok(_) => cause,
            Err(rollback) => {
                VaultError::Stuck { cause: Box::new(cause), rollback: Box::new(rollback) }
            }
        });
    }
    notes.extend(tidy(locked, now));
    Ok((prepared.entry, notes))
}

fn prepare(
    locked: &Locked<'_>,
    operation: Operation<'_>,
    past: &[HistoryEntry],
) -> Result<Prepared, VaultError> {
    let now = whole_second(operation.now);
    let found = look_at_all(locked, &operation.targets)?;
    let mut taken = names_in(Some(&locked.archived))?;
    let (mut originals, mut contents) = (Vec::new(), Vec::new());
    let (mut files, mut extra) = (Vec::new(), Vec::new());
    let mut archive = |original: &str, found: Found| {
        let name = free_name(&mut taken, original, now);
        let path = kept_name(ARCHIVED, &name);
        originals.push((name, found));
        path
    };
    for (target, found) in operation.targets.into_iter().zip(found) {
        let attributes = attributes(target.like.as_ref(), found.as_ref());
        let before = found.as_ref().map(|it| it.stamp.clone());
        let backup = found.map(|found| archive(&target.path, found));
        let after = target.after.as_deref();
        files.push(HistoryFile::new(&target.path, before, after, backup));
        contents.push(target.after.map(|bytes| (bytes, attributes)));
    }
    for (name, bytes) in operation.extra {
        let text = Found::new(bytes);
        let stamp = Some(text.stamp.clone());
        let backup = Some(archive(&name, text));
        extra.push(HistoryFile::new(&name, stamp, None, backup));
    }
    let entry = HistoryEntry {
        id: history::free_id(past, operation.kind, now),
        sequence: past.iter().map(|it| it.sequence).max().unwrap_or(0) + 1,
        timestamp: now,
        level: operation.kind.to_owned(),
        tokens_before: operation.tokens.map(|it| it.0),
        tokens_after: operation.tokens.map(|it| it.1),
        saved_tokens: operation.tokens.map(|it| it.0.saturating_sub(it.1)),
        files,
        extra,
        can_revert: true,
        expires_at: now.checked_add(operation.window).unwrap_or(Timestamp::MAX),
        reverted: false,
        reverted_at: None,
        reverted_by: None,
        reverts: operation.reverts.map(|it| it.id),
        checkpoint: operation.checkpoint,
        other: Map::new(),
    };
    Ok(Prepared { entry, originals, contents })
}

/// Reads all files that are to change, and names those that are not as expected.
fn look_at_all(locked: &Locked<'_>, targets: &[Target]) -> Result<Vec<Option<Found>>, VaultError> {
    let (mut all, mut changed) = (Vec::new(), Vec::new());
    for target in targets {
        let found = look_at(&locked.files, &target.path)?;
        let bytes = found.as_ref().map(|found| &found.bytes);
        if let Some(Expected(expected)) = &target.expected
            && expected.as_ref() != bytes
        {
            changed.push(target.path.clone());
        }
        all.push(found);
    }
    if changed.is_empty() { Ok(all) } else { Err(VaultError::Changed { files: changed }) }
}

/// A changed file keeps its permissions and gets a new time.
fn attributes(like: Option<&Stamp>, found: Option<&Found>) -> Attributes {
    match (like, found) {
        (Some(like), _) => like.attributes(),
        (None, Some(found)) => Attributes { mode: found.stamp.mode, modified: None },
        (None, None) => Attributes::default(),
    }
}

/// Takes all steps up to the one that makes the operation count.
fn commit(locked: &Locked<'_>, prepared: &Prepared) -> Result<(), VaultError> {
    let disk = &locked.vault.disk;
    let Prepared { entry, originals, contents } = prepared;
    let temporary = |name: &str| format!("{TEMPORARY}{name}");
    let record = entry.bytes()?;
    // The record comes first: whatever follows can be found by it, and cleared away.
    disk.write_new(&locked.own, &temporary(PENDING), &record, Attributes::default())?;
    disk.rename((&locked.own, &temporary(PENDING)), (&locked.own, PENDING))?;
    disk.sync(&locked.own)?;
    for (name, found) in originals {
        let attributes = found.stamp.attributes();
        disk.write_new(&locked.archived, name, &found.bytes, attributes)?;
    }
    disk.sync(&locked.archived)?;
    // A disk that is full says so here, before any file has changed.
    for (index, content) in contents.iter().enumerate() {
        if let Some((bytes, attributes)) = content {
            disk.write_new(&locked.own, &temporary(&index.to_string()), bytes, *attributes)?;
        }
    }
    for (index, (file, content)) in entry.files.iter().zip(contents).enumerate() {
        let from = temporary(&index.to_string());
        match content {
            Some(_) => put(locked, &from, &file.path)?,
            None => remove(locked, &file.path)?,
        }
    }
    disk.sync(&locked.files)?;
    let name = history::file_name(&entry.id);
    disk.rename((&locked.own, PENDING), (&locked.history, &name))?;
    // It counts from here on; at worst a power cut takes it back as a whole.
    let _ = disk.sync(&locked.history).and_then(|()| disk.sync(&locked.own));
    Ok(())
}

/// Restores what an interrupted operation left; the vault must be locked.
pub(super) fn recover(locked: &Locked<'_>) -> Result<Vec<Remark>, VaultError> {
    let names = names_in(Some(&locked.own))?;
    if let Some(old) = names.iter().find(|it| OLD_JOURNALS.contains(&&***it)) {
        let path = locked.own.path().join(old);
        return Err(VaultError::OldJournal { path });
    }
    if let Some(found) = look_in(&locked.own, PENDING)? {
        let path = locked.own.path().join(PENDING);
        let entry = HistoryEntry::parse(&found.bytes, &path)?;
        let mut notes = take_back(locked, &entry)?;
        notes.push(Remark::new(&entry.id, "was interrupted and is taken back"));
        return Ok(notes);
    }
    clear_temporary(locked)?;
    Ok(Vec::new())
}

/// Gives all files of an operation back what they held before it, and clears its traces.
///
/// May itself be interrupted at any moment and begun again. A file that somebody changed
/// meanwhile stays, and so does its original.
fn take_back(locked: &Locked<'_>, entry: &HistoryEntry) -> Result<Vec<Remark>, VaultError> {
    let disk = &locked.vault.disk;
    clear_temporary(locked)?;
    let (mut notes, mut originals) = (Vec::new(), Vec::new());
    for file in entry.files.iter().rev() {
        if take_back_file(locked, file)? {
            originals.extend(&file.backup);
        } else {
            let message = match &file.backup {
                Some(backup) => format!("changed after the interruption; its original is {backup}"),
                None => "changed after the interruption, and stays".to_owned(),
            };
            notes.push(Remark::new(&file.path, message));
        }
    }
    disk.sync(&locked.files)?;
    originals.extend(entry.extra.iter().filter_map(|it| it.backup.as_ref()));
    for backup in originals {
        disk.remove(&locked.archived, archived_name(backup)?)?;
    }
    disk.remove(&locked.own, PENDING)?;
    disk.sync(&locked.own)?;
    Ok(notes)
}

/// Restores one file; returns whether it is as it was before.
fn take_back_file(locked: &Locked<'_>, file: &HistoryFile) -> Result<bool, VaultError> {
    let disk = &locked.vault.disk;
    let found = look_at(&locked.files, &file.path)?;
    let hash = found.as_ref().map(|it| &it.stamp.sha256);
    let before = file.before();
    if found.as_ref().map(|it| &it.stamp) == before.as_ref() {
        return Ok(true);
    }
    if hash != file.sha256_after.as_ref() && hash != file.sha256_before.as_ref() {
        return Ok(false);
    }
    let Some(before) = before else {
        remove(locked, &file.path)?;
        return Ok(true);
    };
    let bytes = match found.filter(|it| it.stamp.sha256 == before.sha256) {
        Some(found) => found.bytes,
        None => archive::read_from(&locked.archived, file)?,
    };
    let temporary = format!("{TEMPORARY}returning");
    disk.write_new(&locked.own, &temporary, &bytes, before.attributes())?;
    put(locked, &temporary, &file.path)?;
    Ok(true)
}

/// Moves what was written to the place of a note.
fn put(locked: &Locked<'_>, temporary: &str, path: &str) -> Result<(), VaultError> {
    let disk = &locked.vault.disk;
    at(&locked.files, path, Some(disk), |directory, name| {
        disk.rename((&locked.own, temporary), (directory, name))?;
        sync_below(locked, directory, path)
    })?;
    Ok(())
}

/// Removes a note, if it is there.
fn remove(locked: &Locked<'_>, path: &str) -> Result<(), VaultError> {
    let disk = &locked.vault.disk;
    at(&locked.files, path, None, |directory, name| {
        disk.remove(directory, name)?;
        sync_below(locked, directory, path)
    })?;
    Ok(())
}

/// Makes names last in a directory below that of the notes, which itself is synced at the end.
fn sync_below(locked: &Locked<'_>, directory: &Directory, path: &str) -> Result<(), VaultError> {
    if path.contains('/') { locked.vault.disk.sync(directory) } else { Ok(()) }
}

/// Removes what was being written when the program ended.
fn clear_temporary(locked: &Locked<'_>) -> Result<(), VaultError> {
    for name in names_in(Some(&locked.own))? {
        if name.starts_with(TEMPORARY) {
            locked.vault.disk.remove(&locked.own, &name)?;
        }
    }
    Ok(())
}

impl HistoryFile {
    fn new(
        path: &str,
        before: Option<Stamp>,
        after: Option<&[u8]>,
        backup: Option<String>,
    ) -> HistoryFile {
        HistoryFile {
            path: path.to_owned(),
            size_before: before.as_ref().map(|it| it.size),
            size_after: after.map(|it| it.len() as u64),
            backup,
            sha256_after: after.map(sha256),
            notes_sha256_after: after.and_then(|it| history::notes_sha256(path, it)),
            mode_before: before.as_ref().and_then(|it| it.mode),
            mtime_before: before.as_ref().and_then(|it| it.mtime),
            sha256_before: before.map(|it| it.sha256),
        }
    }
}
