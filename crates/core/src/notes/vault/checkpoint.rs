//! Snapshots of all notes of a feature, each in one compressed file.
//!
//! A snapshot is a line of JSON that lists the files, followed by their
//! contents one after another: `zstd -d` shows it. It is taken before notes
//! are changed, and when they are close to their limit.

use std::fs;
use std::io::Read;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::disk::Attributes;
use super::error::VaultError;
use super::journal::damaged;
use super::lock::Locked;
use super::recover::clear_staging;
use super::stamp::{Found, Stamp, look, sha256};
use super::time;
use super::{CHECKPOINTS, Vault, kept_name, names_in};
use crate::fsio::IoResultExt;
use crate::{PathError, Remark};

const ENDING: &str = ".zst";

/// Larger files are no notes.
const LARGEST: u64 = 16 << 20;

/// The most bytes of all files in a snapshot.
const LARGEST_SUM: u64 = 128 << 20;

/// The most that a snapshot is unpacked to.
const LARGEST_SNAPSHOT: u64 = 1 << 30;

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
            mode: self.mode,
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
    let vault = locked.vault;
    let (snapshot, bytes) = prepare(vault, trigger, now)?;
    let latest = list(vault)?.pop();
    if let Some(id) = latest
        && let Ok((latest, _)) = read(vault, &id)
        && latest.files == snapshot.files
    {
        return Ok((id, false));
    }
    let (staging, directory) = (vault.staging(), vault.own().join(CHECKPOINTS));
    vault.disk.create_directory(&directory)?;
    vault.disk.create_directory(&staging)?;
    let unnamed = staging.join("snapshot");
    let path = directory.join(format!("{}{ENDING}", snapshot.id));
    vault
        .disk
        .write_new(&unnamed, &bytes, Attributes::default())?;
    vault.disk.rename(&unnamed, &path)?;
    vault.disk.sync_directory(&directory)?;
    clear_staging(vault)?;
    Ok((snapshot.id, true))
}

/// Makes a snapshot and the bytes of its file.
fn prepare(
    vault: &Vault,
    trigger: &str,
    now: Timestamp,
) -> Result<(Checkpoint, Vec<u8>), VaultError> {
    let found = notes_of(vault)?;
    let describe = |(name, found): &(String, Found)| CheckpointFile {
        name: name.clone(),
        size: found.stamp.size,
        sha256: found.stamp.sha256.clone(),
        mode: found.stamp.mode,
        mtime: found.stamp.mtime,
    };
    let snapshot = Checkpoint {
        id: free_id(vault, trigger, now)?,
        trigger: trigger.to_owned(),
        created_at: now,
        files: found.iter().map(describe).collect(),
    };
    let name = format!("{}{ENDING}", snapshot.id);
    let path = vault.kept(CHECKPOINTS, &name);
    let mut bytes = serde_json::to_vec(&snapshot)
        .map_err(|error| PathError::new("write", &path, error.into()))?;
    bytes.push(b'\n');
    for (_, found) in &found {
        bytes.extend_from_slice(&found.bytes);
    }
    let level = zstd::DEFAULT_COMPRESSION_LEVEL;
    let packed = zstd::encode_all(bytes.as_slice(), level).at("compress", &path)?;
    Ok((snapshot, packed))
}

/// Reads all plain files of the directory itself that could be notes.
fn notes_of(vault: &Vault) -> Result<Vec<(String, Found)>, VaultError> {
    let (mut notes, mut sum) = (Vec::new(), 0);
    for name in names_in(vault.directory())? {
        let path = vault.directory().join(&name);
        let size = fs::symlink_metadata(&path).map_or(u64::MAX, |it| it.len());
        if name.starts_with('.') || size > LARGEST || sum + size > LARGEST_SUM {
            continue;
        }
        sum += size;
        if let Some(found) = look(&path)? {
            notes.push((name, found));
        }
    }
    Ok(notes)
}

/// Lists the names of all snapshots, the oldest first.
pub(in super::super) fn list(vault: &Vault) -> Result<Vec<String>, VaultError> {
    let names = names_in(&vault.own().join(CHECKPOINTS))?;
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
    let path = vault.path(&kept_name(CHECKPOINTS, &format!("{id}{ENDING}")))?;
    let Some(found) = look(&path)? else {
        return Err(VaultError::Lost { path });
    };
    let mut bytes = Vec::new();
    zstd::Decoder::new(found.bytes.as_slice())
        .and_then(|decoder| decoder.take(LARGEST_SNAPSHOT).read_to_end(&mut bytes))
        .map_err(|error| damaged(&path, &error.to_string()))?;
    unpack(vault, &bytes).map_err(|reason| damaged(&path, &reason))
}

fn unpack(vault: &Vault, bytes: &[u8]) -> Result<(Checkpoint, Vec<Vec<u8>>), String> {
    let end = memchr::memchr(b'\n', bytes).ok_or("it has no list of files")?;
    let snapshot: Checkpoint =
        serde_json::from_slice(&bytes[..end]).map_err(|error| error.to_string())?;
    let (mut contents, mut rest) = (Vec::new(), &bytes[end + 1..]);
    for file in &snapshot.files {
        vault.path(&file.name).map_err(|error| error.to_string())?;
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

/// Tells which snapshots of all but the latest few are needed by nothing.
pub(super) fn superfluous(
    vault: &Vault,
    keep: usize,
    needed: &[&str],
) -> Result<Vec<String>, VaultError> {
    let ids = list(vault)?;
    let old = ids.len().saturating_sub(keep);
    let ids = ids.into_iter().take(old);
    Ok(ids
        .filter(|id| !needed.contains(&id.as_str()))
        .map(|id| kept_name(CHECKPOINTS, &format!("{id}{ENDING}")))
        .collect())
}

/// Describes all snapshots, the oldest first; what cannot be read is named.
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

fn free_id(vault: &Vault, trigger: &str, now: Timestamp) -> Result<String, VaultError> {
    let taken = list(vault)?;
    let base = format!(
        "{trigger}-{}-{}",
        now.strftime("%Y-%m-%d"),
        now.as_millisecond()
    );
    let mut id = base.clone();
    let mut number = 1;
    while taken.contains(&id) {
        number += 1;
        id = format!("{base}-{number}");
    }
    Ok(id)
}
