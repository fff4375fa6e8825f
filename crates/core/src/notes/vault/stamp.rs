//! Describes what a file was like: its content by hash, its permissions, its time.

use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::disk::Attributes;
use super::error::VaultError;
use super::time;
use crate::files::{Directory, PlainFile, mode_of, read_plain};

/// Larger files are not notes, and are never read.
pub(super) const LARGEST: u64 = 64 << 20;

/// What a file was like at some moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) sha256: String,
    pub(crate) size: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "time::maybe")]
    pub(crate) mtime: Option<Timestamp>,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) bytes: Vec<u8>,
    pub(crate) stamp: Stamp,
}

impl Stamp {
    /// Returns what is needed to make a file like this one.
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes { mode: self.mode, modified: self.mtime.map(SystemTime::from) }
    }
}

impl Found {
    /// Describes a text that is not a file yet.
    pub(crate) fn new(bytes: Vec<u8>) -> Found {
        let stamp =
            Stamp { sha256: sha256(&bytes), size: bytes.len() as u64, mode: None, mtime: None };
        Found { bytes, stamp }
    }

    fn of(file: PlainFile) -> Found {
        let modified = file.metadata.modified().ok();
        let mut found = Found::new(file.bytes);
        found.stamp.mode = mode_of(&file.metadata);
        found.stamp.mtime = modified.and_then(|it| it.try_into().ok());
        found
    }
}

/// Reads a file by its path; `None` where there is none.
///
/// A link is not followed, and neither a directory nor a device is read.
pub(crate) fn look(path: &Path) -> Result<Option<Found>, VaultError> {
    let read = read_plain(path, LARGEST);
    let read = read.map_err(|error| VaultError::from_io("read", path, error))?;
    Ok(read.map(Found::of))
}

/// Reads a file of an open directory; `None` where there is none.
pub(super) fn look_in(directory: &Directory, name: &str) -> Result<Option<Found>, VaultError> {
    let read = directory.read(name, LARGEST);
    let path = directory.path().join(name);
    let read = read.map_err(|error| VaultError::from_io("read", &path, error))?;
    Ok(read.map(Found::of))
}

/// Returns the SHA-256 of some bytes in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
