//! Takes snapshots of all notes of a feature, each in one compressed file.
//!
//! A snapshot is a line of JSON that lists the files, followed by their
//! contents one after another: `zstd -d` shows it. It is taken before notes
//! are changed, and when they are close to their limit.

use std::io::Read;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::disk::Attributes;
use super::error::VaultError;
use super::history::HistoryEntry;
use super::lock::Locked;
use super::stamp::{Found, Stamp, look_in, sha256};
use super::time;
use super::{CHECKPOINTS, TEMPORARY, Vault, kept_name, names_in, note_path, plain_name};
use crate::Remark;
use crate::files::Directory;

const ENDING: &str = ".zst";

/// Larger files are no notes.
const LARGEST: u64 = 16 << 20;

/// The most bytes of all files in a snapshot.
const LARGEST_SUM: u64 = 128 << 20;

/// The most that a snapshot is unpacked to: all files, and the list of them.
const LARGEST_SNAPSHOT: u64 = LARGEST_SUM + (16 << 20);

/// How many snapshots are kept, apart from those that the history needs.
const KEPT: usize = 10;

/// A snapshot of all notes of a feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Checkpoint {
    /// Its name: the trigger, the day and the millisecond.
    pub id: String,
    /// Why it was taken, such as `pre-compaction`.
    pub trigger: String,
    /// When it was taken.
    #[serde(with = "time")]
    pub created_at: Timestamp,
    /// The files, in byte order.
    pub files: Vec<CheckpointFile>,
}

/// One file of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CheckpointFile {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its content.
    pub sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in super::super) mode: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::maybe")]
    pub(in super::super) mtime: Option<Timestamp>,
}

impl CheckpointFile {
    /// Returns what the file was like.
    pub(in super::super) fn stamp(&self) -> Stamp {
        Stamp {
            sha256: self.sha256.clone(),
            size: self.size,
            // Whoever wrote the snapshot must not choose more than these.
            mode: self.mode.map(|mode| mode & 0o777),
            mtime: self.mtime,
        }
    }
}

/// Takes a snapshot now, unless the latest one shows the same.
///
/// Returns its name, and whether it is new.
pub(in super::super) fn take(
    locked: &Locked<'_>,
    trigger: &str,
    now: Timestamp,
) -> Result<(String, bool), VaultError> {
    let (vault, disk) = (locked.vault, &locked.vault.disk);
    let ids = list(vault)?;
    let found = notes_of(&locked.files)?;
    let files = describe(&found);
    if let Some(id) = ids.last()
        && let Ok((latest, _)) = read(vault, id)
        && latest.files == files
    {
        return Ok((id.clone(), false));
    }
    let snapshot = Checkpoint {
        id: free_id(&ids, trigger, now),
        trigger: trigger.to_owned(),
        created_at: now,
        files,
    };
    let name = format!("{}{ENDING}", snapshot.id);
    let path = locked.checkpoints.path().join(&name);
    let failed = |error| VaultError::from_io("write", &path, error);
    let mut bytes = serde_json::to_vec(&snapshot).map_err(|error| failed(error.into()))?;
    bytes.push(b'\n');
    for (_, found) in &found {
        bytes.extend_from_slice(&found.bytes);
    }
    let packed = zstd::encode_all(bytes.as_slice(), zstd::DEFAULT_COMPRESSION_LEVEL);
    let temporary = format!("{TEMPORARY}snapshot");
    let attributes = Attributes::default();
    // One that an interrupted run left is not relied on.
    disk.remove(&locked.own, &temporary)?;
    disk.write_new(&locked.own, &temporary, &packed.map_err(failed)?, attributes)?;
    disk.rename((&locked.own, &temporary), (&locked.checkpoints, &name))?;
    disk.sync(&locked.checkpoints)?;
    Ok((snapshot.id, true))
}

fn describe(found: &[(String, Found)]) -> Vec<CheckpointFile> {
    let file = |(name, found): &(String, Found)| CheckpointFile {
        name: name.clone(),
        size: found.stamp.size,
        sha256: found.stamp.sha256.clone(),
        mode: found.stamp.mode,
        mtime: found.stamp.mtime,
    };
    found.iter().map(file).collect()
}

/// Reads all plain files of the directory itself that could be notes.
fn notes_of(directory: &Directory) -> Result<Vec<(String, Found)>, VaultError> {
    let (mut notes, mut sum) = (Vec::new(), 0);
    for name in names_in(Some(directory))? {
        let size = directory.size(&name).unwrap_or(u64::MAX);
        if name.starts_with('.') || size > LARGEST || sum + size > LARGEST_SUM {
            continue;
        }
        sum += size;
        if let Some(found) = look_in(directory, &name)? {
            notes.push((name, found));
        }
    }
    Ok(notes)
}

/// Lists the names of all snapshots, oldest first.
pub(in super::super) fn list(vault: &Vault) -> Result<Vec<String>, VaultError> {
    let names = names_in(vault.open_kept(Some(CHECKPOINTS))?.as_ref())?;
    let ids = names.iter().filter_map(|name| name.strip_suffix(ENDING));
    let mut ids: Vec<(u64, String)> = ids.map(|id| (moment(id), id.to_owned())).collect();
    ids.sort();
    Ok(ids.into_iter().map(|(_, id)| id).collect())
}

/// Reads a snapshot: what it lists, and the contents in the same order.
pub(in super::super) fn read(
    vault: &Vault,
    id: &str,
) -> Result<(Checkpoint, Vec<Vec<u8>>), VaultError> {
    let name = format!("{id}{ENDING}");
    let path = vault.directory().join(kept_name(CHECKPOINTS, &name));
    let found = match vault.open_kept(Some(CHECKPOINTS))? {
        Some(directory) => look_in(&directory, plain_name(&name)?)?,
        None => None,
    };
    let Some(found) = found else {
        return Err(VaultError::Lost { path });
    };
    let mut bytes = Vec::new();
    zstd::Decoder::new(found.bytes.as_slice())
        .and_then(|decoder| decoder.take(LARGEST_SNAPSHOT).read_to_end(&mut bytes))
        .map_err(|error| VaultError::damaged(&path, &error.to_string()))?;
    unpack(&bytes).map_err(|reason| VaultError::damaged(&path, &reason))
}

fn unpack(bytes: &[u8]) -> Result<(Checkpoint, Vec<Vec<u8>>), String> {
    let end = memchr::memchr(b'\n', bytes).ok_or("it has no list of files")?;
    let snapshot: Checkpoint =
        serde_json::from_slice(&bytes[..end]).map_err(|error| error.to_string())?;
    let (mut contents, mut rest) = (Vec::new(), &bytes[end + 1..]);
    for file in &snapshot.files {
        note_path(&file.name).map_err(|error| error.to_string())?;
        let size = usize::try_from(file.size).unwrap_or(usize::MAX);
        let (content, after) = rest.split_at_checked(size).ok_or("it is cut short")?;
        if sha256(content) != file.sha256 {
            return Err(format!("{} is not what it was", file.name));
        }
        contents.push(content.to_owned());
        rest = after;
    }
    Ok((snapshot, contents))
}

/// Removes all but the latest snapshots and those that a revert can be compared with.
pub(super) fn drop_old(
    locked: &Locked<'_>,
    all: &[HistoryEntry],
    now: Timestamp,
) -> Result<(), VaultError> {
    let needed: Vec<&str> = all
        .iter()
        .filter(|entry| entry.can_be_reverted(all, now))
        .filter_map(|entry| entry.checkpoint.as_deref())
        .collect();
    let ids = list(locked.vault)?;
    let old = ids.iter().take(ids.len().saturating_sub(KEPT));
    for id in old.filter(|id| !needed.contains(&id.as_str())) {
        let disk = &locked.vault.disk;
        disk.remove(&locked.checkpoints, &format!("{id}{ENDING}"))?;
    }
    Ok(())
}

/// Describes all snapshots, oldest first; what cannot be read is named.
pub(in super::super) fn describe_all(
    vault: &Vault,
) -> Result<(Vec<Checkpoint>, Vec<Remark>), VaultError> {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    for id in list(vault)? {
        match read(vault, &id) {
            Ok((snapshot, _)) => all.push(snapshot),
            Err(error) => notes.push(Remark::new("checkpoints", error.to_string())),
        }
    }
    Ok((all, notes))
}

/// Returns the millisecond in a name.
fn moment(id: &str) -> u64 {
    let parts = id.split('-').filter_map(|part| part.parse().ok());
    // A year, a month and a day are smaller than any moment since 1970.
    parts.max().unwrap_or(0)
}

fn free_id(taken: &[String], trigger: &str, now: Timestamp) -> String {
    let base = format!("{trigger}-{}-{}", now.strftime("%Y-%m-%d"), now.as_millisecond());
    let mut id = base.clone();
    let mut number = 1;
    while taken.contains(&id) {
        number += 1;
        id = format!("{base}-{number}");
    }
    id
}
