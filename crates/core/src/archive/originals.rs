//! Originals by content hash, below one directory.
//!
//! An original is written once, compressed, under the hash of its content, and
//! never changed. Its handle is a short prefix of that hash, which fits into a
//! marker such as `recall k3f9c2td`.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::error::ArchiveError;
use crate::cache::ContentHash;
use crate::fsio::{IoResultExt, create_private_directory, write_private};

/// Characters that name the subdirectory of an original.
const SHARD_LENGTH: usize = 2;

/// Characters of a handle, unless more are needed to tell two originals apart.
///
/// Handles stay in transcripts while originals are added. At 40 bits a clash is
/// unlikely (one in two hundred) even among 100,000 originals; at 30 bits, six
/// characters, several would be certain.
const HANDLE_LENGTH: usize = 8;

/// The fewest characters that are looked up.
pub(super) const SHORTEST_PREFIX: usize = 6;

/// The most that one original is unpacked to; nothing larger is ever put.
const LARGEST: u64 = 4 << 30;

/// How the names of unfinished temporary files begin.
const TEMPORARY_PREFIX: &str = ".tmp";

/// The originals below one directory.
#[derive(Clone, Debug)]
pub(super) struct Originals {
    directory: PathBuf,
}

/// One file below the directory.
#[derive(Debug)]
pub(super) struct OriginalFile {
    pub(super) path: PathBuf,
    /// Whether it is a whole original, and not what a crash left.
    pub(super) is_whole: bool,
}

impl Originals {
    pub(super) fn new(directory: PathBuf) -> Originals {
        Originals { directory }
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn put(&self, bytes: &[u8]) -> Result<ContentHash, ArchiveError> {
        let hash = ContentHash::of(bytes);
        let path = self.path(&hash);
        if let Some(shard) = path.parent() {
            create_private_directory(shard)?;
        }
        let level = zstd::DEFAULT_COMPRESSION_LEVEL;
        let compressed = zstd::encode_all(bytes, level).at("compress", &path)?;
        write_private(&path, &compressed)?;
        Ok(hash)
    }

    pub(super) fn get(&self, hash: &ContentHash) -> Result<Vec<u8>, ArchiveError> {
        let path = self.path(hash);
        let compressed = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ArchiveError::Unknown(short(hash)));
            }
            read => read.at("read", &path)?,
        };
        let mut bytes = Vec::new();
        let read = zstd::Decoder::new(compressed.as_slice())
            .and_then(|decoder| decoder.take(LARGEST).read_to_end(&mut bytes));
        if read.is_ok() && ContentHash::of(&bytes) == *hash {
            return Ok(bytes);
        }
        Err(ArchiveError::Damaged { handle: short(hash), path })
    }

    pub(super) fn find(&self, handle: &str) -> Result<ContentHash, ArchiveError> {
        let prefix = ContentHash::normalize_prefix(handle)
            .filter(|prefix| prefix.len() >= SHORTEST_PREFIX)
            .ok_or_else(|| ArchiveError::Malformed(handle.to_owned()))?;
        let handle = handle.to_owned();
        match self.beginning_with(&prefix)?.as_slice() {
            [] => Err(ArchiveError::Unknown(handle)),
            [hash] => Ok(*hash),
            several => Err(ArchiveError::Ambiguous {
                handle,
                matches: several.iter().map(|hash| self.handle(hash)).collect::<Result<_, _>>()?,
            }),
        }
    }

    pub(super) fn handle(&self, hash: &ContentHash) -> Result<String, ArchiveError> {
        let text = hash.to_string();
        let rivals = self.beginning_with(&text[..HANDLE_LENGTH])?;
        let shared = rivals
            .iter()
            .filter(|rival| *rival != hash)
            .map(|rival| common_length(&rival.to_string(), &text))
            .max();
        let length = shared.map_or(HANDLE_LENGTH, |shared| shared + 1);
        Ok(text[..length].to_owned())
    }

    /// Returns all hashes that begin with `prefix`, in order.
    fn beginning_with(&self, prefix: &str) -> Result<Vec<ContentHash>, ArchiveError> {
        let (shard, rest) = prefix.split_at(SHARD_LENGTH);
        let directory = self.directory.join(shard);
        let entries = match fs::read_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.at("list", &directory)?,
        };
        let mut hashes = Vec::new();
        for entry in entries {
            let name = entry.at("list", &directory)?.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(rest) {
                hashes.extend(parse_name(shard, &name));
            }
        }
        hashes.sort();
        Ok(hashes)
    }

    /// Lists whole originals and what crashes left; other people's files are not among them.
    pub(super) fn files(&self) -> Vec<OriginalFile> {
        let mut files = Vec::new();
        for shard in directories_in(&self.directory) {
            let shard_name = shard.file_name().unwrap_or_default().to_string_lossy();
            for entry in fs::read_dir(&shard).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let is_whole = parse_name(&shard_name, &name).is_some();
                if is_whole || name.starts_with(TEMPORARY_PREFIX) {
                    let path = entry.path();
                    files.push(OriginalFile { path, is_whole });
                }
            }
        }
        files
    }

    pub(super) fn path(&self, hash: &ContentHash) -> PathBuf {
        let text = hash.to_string();
        let (shard, name) = text.split_at(SHARD_LENGTH);
        self.directory.join(shard).join(name)
    }
}

/// Lists the directories inside `path`, without following a link.
pub(super) fn directories_in(path: &Path) -> Vec<PathBuf> {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let entries = is_directory.then(|| fs::read_dir(path).ok()).flatten();
    let entries = entries.into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

/// Reads a hash from the names of its directory and its file.
fn parse_name(shard: &str, name: &str) -> Option<ContentHash> {
    (shard.len() == SHARD_LENGTH).then(|| ContentHash::parse(&format!("{shard}{name}"))).flatten()
}

/// Returns the handle of an original that nothing else is known about.
fn short(hash: &ContentHash) -> String {
    format!("{hash:.HANDLE_LENGTH$}")
}

fn common_length(left: &str, right: &str) -> usize {
    let pairs = left.bytes().zip(right.bytes());
    pairs.take_while(|(left, right)| left == right).count()
}
