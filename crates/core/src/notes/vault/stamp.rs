//! What a file was like: its content by hash, its permissions, its time.

use std::fs::{self, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::disk::Attributes;
use super::error::VaultError;
use super::time;
use crate::PathError;

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
    /// Describes a file that is to be written.
    pub(crate) fn of(bytes: &[u8], attributes: Attributes) -> Stamp {
        Stamp {
            sha256: sha256(bytes),
            size: bytes.len() as u64,
            mode: attributes.mode,
            mtime: attributes.modified.and_then(|it| it.try_into().ok()),
        }
    }

    /// Tells whether both have the same bytes.
    pub(crate) fn same_content(&self, other: &Stamp) -> bool {
        (&self.sha256, self.size) == (&other.sha256, other.size)
    }

    /// Returns what is needed to make a file like this one.
    pub(crate) fn attributes(&self) -> Attributes {
        Attributes {
            mode: self.mode,
            modified: self.mtime.map(SystemTime::from),
        }
    }
}

/// Reads a file; `None` where there is none.
///
/// A link is not followed, and neither a directory nor a device is read.
pub(crate) fn look(path: &Path) -> Result<Option<Found>, VaultError> {
    let io = |error| PathError::new("read", path, error);
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        metadata => metadata.map_err(io)?,
    };
    if !metadata.is_file() {
        return Err(VaultError::NotPlain {
            path: path.to_owned(),
            found: what(&metadata),
        });
    }
    let mut bytes = Vec::new();
    let mut file = fs::File::open(path).map_err(io)?;
    file.read_to_end(&mut bytes).map_err(io)?;
    let attributes = Attributes {
        mode: mode(&metadata),
        modified: metadata.modified().ok(),
    };
    let stamp = Stamp::of(&bytes, attributes);
    Ok(Some(Found { bytes, stamp }))
}

/// Returns the SHA-256 of some bytes in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn what(metadata: &Metadata) -> &'static str {
    match (metadata.is_symlink(), metadata.is_dir()) {
        (true, _) => "a link",
        (_, true) => "a directory",
        _ => "no plain file",
    }
}

#[cfg(unix)]
fn mode(metadata: &Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    Some(metadata.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(_: &Metadata) -> Option<u32> {
    None
}
