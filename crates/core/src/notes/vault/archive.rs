//! Originals: what a file held before it was changed or removed.
//!
//! An original is a plain copy under the day and its name, with a second file
//! beside it that says where it came from, and a line in a log. Nothing is
//! ever overwritten. Once nothing can be reverted to it any more, a copy is
//! compressed in place; reading finds either.

use std::collections::BTreeSet;
use std::io::Read;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::disk::Attributes;
use super::error::VaultError;
use super::journal::damaged;
use super::stamp::{Found, Stamp, look, sha256};
use super::time;
use super::transaction::{Backup, Change};
use super::{ARCHIVED, Vault, kept_name, names_in};
use crate::{PathError, Remark};

/// What follows the name of an original in that of its description.
const META: &str = ".meta.json";
/// What follows the name of an original that is compressed.
pub(super) const COMPRESSED: &str = ".zst";
/// One line for each original, the oldest first.
const LOG: &str = "archive.log";

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
    pub(in super::super) mode: Option<u32>,
    pub(in super::super) mtime: Option<Timestamp>,
}

/// The description beside an original.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    original_path: String,
    #[serde(with = "time")]
    archived_at: Timestamp,
    sha256: String,
    size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::maybe")]
    mtime: Option<Timestamp>,
}

/// Originals that are about to be archived.
pub(super) struct Archiving<'a> {
    vault: &'a Vault,
    operation: &'a str,
    now: Timestamp,
    taken: BTreeSet<String>,
    log: String,
    /// The changes so far.
    pub(super) changes: Vec<Change>,
}

impl<'a> Archiving<'a> {
    pub(super) fn new(
        vault: &'a Vault,
        operation: &'a str,
        now: Timestamp,
    ) -> Result<Archiving<'a>, VaultError> {
        let names = names_in(&vault.own().join(ARCHIVED))?;
        Ok(Archiving {
            vault,
            operation,
            now,
            taken: names.into_iter().collect(),
            log: String::new(),
            changes: Vec::new(),
        })
    }

    /// Archives a text that is no file yet.
    pub(super) fn add_text(&mut self, original: &str, bytes: Vec<u8>) -> Result<(), VaultError> {
        let stamp = Stamp::of(&bytes, Attributes::default());
        self.add(original, &Found { bytes, stamp }).map(drop)
    }

    /// Archives one file, and returns the path of the copy.
    pub(super) fn add(&mut self, original: &str, found: &Found) -> Result<String, VaultError> {
        let name = self.free_name(original);
        let meta = Meta {
            original_path: original.to_owned(),
            archived_at: self.now,
            sha256: found.stamp.sha256.clone(),
            size: found.stamp.size,
            mode: found.stamp.mode,
            mtime: found.stamp.mtime,
        };
        let mut described = serde_json::to_vec_pretty(&meta).map_err(|error| {
            PathError::new("write", self.vault.kept(ARCHIVED, &name), error.into())
        })?;
        described.push(b'\n');
        let path = kept_name(ARCHIVED, &name);
        self.changes.push(Change {
            path: path.clone(),
            before: None,
            after: Some((found.bytes.clone(), found.stamp.attributes())),
            backup: Backup::None,
        });
        let meta_path = kept_name(ARCHIVED, &format!("{name}{META}"));
        self.changes.push(Change::create(meta_path, described));
        let (now, operation, hash) = (self.now, self.operation, &found.stamp.sha256);
        let shown = original.escape_debug();
        self.log
            .push_str(&format!("{now} {operation} {hash} {name} <- {shown}\n"));
        Ok(path)
    }

    /// Returns all changes, the log among them.
    pub(super) fn finish(mut self) -> Result<Vec<Change>, VaultError> {
        if self.log.is_empty() {
            return Ok(self.changes);
        }
        let path = kept_name(ARCHIVED, LOG);
        let found = look(&self.vault.kept(ARCHIVED, LOG))?;
        self.changes.push(match found {
            None => Change::create(path, self.log.into_bytes()),
            Some(found) => {
                let bytes = [found.bytes.as_slice(), self.log.as_bytes()].concat();
                Change::rewrite(path, found, bytes)
            }
        });
        Ok(self.changes)
    }

    /// Finds a name that nothing in the archive has, compressed or not.
    fn free_name(&mut self, original: &str) -> String {
        let date = self.now.strftime("%Y-%m-%d");
        let mut end = original.len().min(LONGEST_NAME);
        while !original.is_char_boundary(end) {
            end -= 1;
        }
        let base = format!("{date}_{}", &original[..end]);
        let mut name = base.clone();
        let mut number = 1;
        while ["", META, COMPRESSED]
            .iter()
            .any(|ending| self.taken.contains(&format!("{name}{ending}")))
        {
            number += 1;
            name = format!("{base}-{number}");
        }
        self.taken.insert(name.clone());
        self.taken.insert(format!("{name}{META}"));
        name
    }
}

/// Reads an original, compressed or not, and checks that it is whole.
pub(in super::super) fn read(
    vault: &Vault,
    path: &str,
    hash: &str,
    size: u64,
) -> Result<Vec<u8>, VaultError> {
    let plain = vault.path(path)?;
    if let Some(found) = look(&plain)? {
        return if found.stamp.sha256 == hash {
            Ok(found.bytes)
        } else {
            Err(damaged(&plain, "its content is not what was archived"))
        };
    }
    read_compressed(vault, path, hash, size)
}

/// Reads an original that is compressed, and checks that it is whole.
pub(super) fn read_compressed(
    vault: &Vault,
    path: &str,
    hash: &str,
    size: u64,
) -> Result<Vec<u8>, VaultError> {
    let compressed = vault.path(&format!("{path}{COMPRESSED}"))?;
    let Some(found) = look(&compressed)? else {
        let path = vault.path(path)?;
        return Err(VaultError::Lost { path });
    };
    // Not a byte more than was archived, whatever the file claims to hold.
    let mut bytes = Vec::new();
    let read = zstd::Decoder::new(found.bytes.as_slice())
        .and_then(|decoder| decoder.take(size + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if sha256(&bytes) == hash => Ok(bytes),
        Ok(_) => Err(damaged(&compressed, "its content is not what was archived")),
        Err(error) => Err(damaged(&compressed, &error.to_string())),
    }
}

/// Lists the archive, the oldest first; what cannot be read is named and left alone.
pub(in super::super) fn list(
    vault: &Vault,
) -> Result<(Vec<ArchivedFile>, Vec<Remark>), VaultError> {
    let (mut files, mut notes) = (Vec::new(), Vec::new());
    let names = names_in(&vault.own().join(ARCHIVED))?;
    for name in names.iter().filter_map(|name| name.strip_suffix(META)) {
        match describe(vault, name) {
            Ok(file) => files.push(file),
            Err(error) => notes.push(Remark::new(name, error.to_string())),
        }
    }
    files.sort_by(|a, b| (a.archived_at, &a.name).cmp(&(b.archived_at, &b.name)));
    Ok((files, notes))
}

fn describe(vault: &Vault, name: &str) -> Result<ArchivedFile, VaultError> {
    let path = vault.kept(ARCHIVED, &format!("{name}{META}"));
    let bytes = look(&path)?.map(|found| found.bytes).unwrap_or_default();
    let meta: Meta =
        serde_json::from_slice(&bytes).map_err(|error| damaged(&path, &error.to_string()))?;
    // Whoever wrote the description must not choose where it is restored to.
    vault.path(&meta.original_path)?;
    let plain = vault.kept(ARCHIVED, name);
    let places = [
        plain.clone(),
        vault.kept(ARCHIVED, &format!("{name}{COMPRESSED}")),
    ];
    let stored = places.iter().find_map(|path| {
        let metadata = std::fs::symlink_metadata(path).ok()?;
        metadata.is_file().then_some(metadata.len())
    });
    Ok(ArchivedFile {
        name: name.to_owned(),
        original: meta.original_path,
        archived_at: meta.archived_at,
        size: meta.size,
        stored: stored.ok_or(VaultError::Lost { path: plain })?,
        sha256: meta.sha256,
        mode: meta.mode,
        mtime: meta.mtime,
    })
}

impl ArchivedFile {
    /// Returns the path of the copy as records name it.
    pub(in super::super) fn path(&self) -> String {
        kept_name(ARCHIVED, &self.name)
    }

    /// Returns what the file was like.
    pub(in super::super) fn stamp(&self) -> Stamp {
        Stamp {
            sha256: self.sha256.clone(),
            size: self.size,
            mode: self.mode,
            mtime: self.mtime,
        }
    }

    /// Returns every file that belongs to it.
    pub(super) fn parts(&self) -> [String; 3] {
        // The description goes last: without it nothing would be known of the rest.
        ["", COMPRESSED, META].map(|ending| format!("{}{ending}", self.name))
    }
}
