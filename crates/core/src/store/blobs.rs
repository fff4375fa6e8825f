//! Originals by content hash: what was cut from a context can be had back.
//!
//! A blob is written once, compressed, under the hash of its content, and
//! never changed. Its handle is a short prefix of that hash, which fits into a
//! marker such as `recall k3f9c2td`. Unlike the cache, a blob may be the only
//! copy of something, so nothing here fails quietly.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::hash::{self, ContentHash, TEXT_LENGTH};
use crate::fsio::write_private;
use crate::fsio::{IoResultExt, create_private_directory};
use crate::{Diagnose, PathError};

/// The directory of blobs, inside the directory of the store.
pub(super) const BLOBS_NAME: &str = "blobs";

/// Characters that name the subdirectory of a blob.
const SHARD_LENGTH: usize = 2;

/// Characters of a handle, unless more are needed to tell two blobs apart.
///
/// Handles stay in transcripts while blobs are added. At 40 bits a clash is
/// unlikely (one in two hundred) even among 100,000 blobs; at 30 bits, six
/// characters, several would be certain.
const HANDLE_LENGTH: usize = 8;

/// The fewest characters that are looked up.
const SHORTEST_PREFIX: usize = 6;

/// Why a blob cannot be kept or had back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlobError {
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    Io(#[from] PathError),
    /// No blob has this handle.
    #[error("no blob has the handle {handle:?}")]
    Unknown {
        /// The handle as it was given.
        handle: String,
    },
    /// Several blobs begin with this handle.
    #[error("the handle {handle:?} fits {} blobs: {}", matches.len(), matches.join(", "))]
    Ambiguous {
        /// The handle as it was given.
        handle: String,
        /// Handles that tell the blobs apart, in order.
        matches: Vec<String>,
    },
    /// The text cannot be a handle.
    #[error("{handle:?} is not a handle; write {SHORTEST_PREFIX} or more letters and digits")]
    Malformed {
        /// The handle as it was given.
        handle: String,
    },
    /// The stored bytes are not those that were put.
    #[error("the blob {handle} is damaged: {}", path.display())]
    Damaged {
        /// The handle of the blob.
        handle: String,
        /// The file that holds it.
        path: PathBuf,
    },
}

impl Diagnose for BlobError {
    fn code(&self) -> &'static str {
        match self {
            BlobError::Io(_) => "LL-STO-001",
            BlobError::Unknown { .. } => "LL-STO-002",
            BlobError::Ambiguous { .. } => "LL-STO-003",
            BlobError::Malformed { .. } => "LL-STO-004",
            BlobError::Damaged { .. } => "LL-STO-005",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            BlobError::Ambiguous { .. } => Some("use one of the longer handles".to_owned()),
            BlobError::Unknown { .. } => {
                Some("originals are kept for cache.blob_retention since their last use".to_owned())
            }
            BlobError::Damaged { .. } => {
                Some("putting the same content again repairs it".to_owned())
            }
            _ => None,
        }
    }
}

/// The blobs below one directory.
///
/// Several processes may put and get at once: a blob is there as a whole or
/// not at all, and two that put the same content write the same file.
///
/// ```
/// use loadline::store::Blobs;
/// let directory = tempfile::tempdir()?;
/// let blobs = Blobs::new(directory.path());
/// let hash = blobs.put(b"9,812 lines of output")?;
/// let handle = blobs.handle(&hash)?;
/// assert_eq!(blobs.get(&blobs.find(&handle)?)?, b"9,812 lines of output");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Blobs {
    directory: PathBuf,
}

impl Blobs {
    /// Names the blobs of the store in `directory`; touches nothing yet.
    pub fn new(directory: &Path) -> Blobs {
        Blobs {
            directory: directory.join(BLOBS_NAME),
        }
    }

    /// Keeps `bytes`, on disk when this returns, and returns their hash.
    ///
    /// What is there already is not written again, unless it is damaged.
    pub fn put(&self, bytes: &[u8]) -> Result<ContentHash, BlobError> {
        let hash = ContentHash::of(bytes);
        if self.get(&hash).is_ok() {
            return Ok(hash);
        }
        let path = self.path(&hash);
        if let Some(shard) = path.parent() {
            create_private_directory(shard)?;
        }
        let level = zstd::DEFAULT_COMPRESSION_LEVEL;
        let compressed = zstd::encode_all(bytes, level).at("compress", &path)?;
        // The temporary file behind this is for its owner only, and stays so.
        write_private(&path, &compressed)?;
        Ok(hash)
    }

    /// Returns the bytes with this hash, checked against it.
    pub fn get(&self, hash: &ContentHash) -> Result<Vec<u8>, BlobError> {
        let path = self.path(hash);
        let compressed = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(BlobError::Unknown {
                    handle: short(hash),
                });
            }
            read => read.at("read", &path)?,
        };
        match zstd::decode_all(compressed.as_slice()) {
            Ok(bytes) if ContentHash::of(&bytes) == *hash => Ok(bytes),
            _ => Err(BlobError::Damaged {
                handle: short(hash),
                path,
            }),
        }
    }

    /// Returns the one blob whose hash begins with `handle`.
    ///
    /// Case does not matter, nor does writing `o` for zero or `l` for one.
    pub fn find(&self, handle: &str) -> Result<ContentHash, BlobError> {
        let prefix = hash::normalize(handle)
            .filter(|prefix| (SHORTEST_PREFIX..=TEXT_LENGTH).contains(&prefix.len()))
            .ok_or_else(|| BlobError::Malformed {
                handle: handle.to_owned(),
            })?;
        let mut matches = self.beginning_with(&prefix)?;
        match (matches.pop(), matches.is_empty()) {
            (Some(hash), true) => Ok(hash),
            (None, _) => Err(BlobError::Unknown {
                handle: handle.to_owned(),
            }),
            (Some(last), false) => {
                matches.push(last);
                Err(BlobError::Ambiguous {
                    handle: handle.to_owned(),
                    matches: matches
                        .iter()
                        .map(|hash| self.handle(hash))
                        .collect::<Result<_, _>>()?,
                })
            }
        }
    }

    /// Returns the shortest handle that fits no other blob, eight characters or more.
    pub fn handle(&self, hash: &ContentHash) -> Result<String, BlobError> {
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
    fn beginning_with(&self, prefix: &str) -> Result<Vec<ContentHash>, BlobError> {
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

    /// Returns the directory of all blobs.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn path(&self, hash: &ContentHash) -> PathBuf {
        let text = hash.to_string();
        let (shard, name) = text.split_at(SHARD_LENGTH);
        self.directory.join(shard).join(name)
    }
}

/// Reads a hash from the names of its directory and its file.
pub(super) fn parse_name(shard: &str, name: &str) -> Option<ContentHash> {
    (shard.len() == SHARD_LENGTH)
        .then(|| ContentHash::parse(&format!("{shard}{name}")))
        .flatten()
}

/// Returns the handle of a blob that nothing else is known about.
fn short(hash: &ContentHash) -> String {
    format!("{hash:.HANDLE_LENGTH$}")
}

fn common_length(left: &str, right: &str) -> usize {
    let pairs = left.bytes().zip(right.bytes());
    pairs.take_while(|(left, right)| left == right).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blobs() -> (tempfile::TempDir, Blobs) {
        let directory = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(directory.path());
        (directory, blobs)
    }

    /// Puts an empty file where the blob with this text would lie.
    fn plant(blobs: &Blobs, text: &str) -> ContentHash {
        let hash = ContentHash::parse(text).unwrap();
        write_private(&blobs.path(&hash), b"").unwrap();
        hash
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_was_put_comes_back(bytes: Vec<u8>) {
            let (_directory, blobs) = blobs();
            let hash = blobs.put(&bytes).unwrap();
            prop_assert_eq!(blobs.put(&bytes).unwrap(), hash);
            prop_assert_eq!(blobs.get(&hash).unwrap(), bytes);
            let handle = blobs.handle(&hash).unwrap();
            prop_assert_eq!(blobs.find(&handle.to_uppercase()).unwrap(), hash);
        }
    }

    #[test]
    fn a_damaged_blob_is_named_and_can_be_put_again() {
        let (_directory, blobs) = blobs();
        let hash = blobs.put(b"something long enough to damage").unwrap();
        let path = blobs.path(&hash);
        let whole = fs::read(&path).unwrap();
        let other = zstd::encode_all(&b"something else"[..], 3).unwrap();
        for damage in [&whole[..whole.len() - 3], b"random bytes", b"", &other] {
            fs::write(&path, damage).unwrap();
            let error = blobs.get(&hash).unwrap_err();
            assert!(matches!(error, BlobError::Damaged { .. }), "{error}");
            assert!(error.to_string().contains(&short(&hash)), "{error}");
        }
        blobs.put(b"something long enough to damage").unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn handles_grow_where_two_blobs_begin_alike() {
        let (_directory, blobs) = blobs();
        let first = plant(&blobs, &format!("k3f9c2td{}", "0".repeat(44)));
        assert_eq!(blobs.handle(&first).unwrap(), "k3f9c2td");
        let second = plant(&blobs, &format!("k3f9c2td0z{}", "0".repeat(42)));
        assert_eq!(blobs.handle(&first).unwrap(), "k3f9c2td00");
        assert_eq!(blobs.handle(&second).unwrap(), "k3f9c2td0z");
        assert_eq!(blobs.find("k3f9c2td0z").unwrap(), second);
        let error = blobs.find("k3f9c2").unwrap_err().to_string();
        assert_eq!(
            error,
            "the handle \"k3f9c2\" fits 2 blobs: k3f9c2td00, k3f9c2td0z"
        );
    }

    #[test]
    fn unknown_and_malformed_handles_are_told_apart() {
        let (_directory, blobs) = blobs();
        for (handle, code) in [
            ("k3f9c2", "LL-STO-002"),
            ("k3f9c", "LL-STO-004"),
            ("../../etc", "LL-STO-004"),
            ("", "LL-STO-004"),
        ] {
            let error = blobs.find(handle).unwrap_err();
            assert_eq!(error.code(), code, "{error}");
            assert!(error.to_string().contains(&format!("{handle:?}")));
        }
        let error = blobs.get(&ContentHash::of(b"never put")).unwrap_err();
        assert_eq!(error.code(), "LL-STO-002");
    }

    #[test]
    fn leftovers_of_a_crash_are_no_blobs() {
        let (_directory, blobs) = blobs();
        let hash = blobs.put(b"whole").unwrap();
        let shard = blobs.path(&hash).parent().unwrap().to_owned();
        fs::write(shard.join(".tmpAbCdEf"), b"half").unwrap();
        assert_eq!(blobs.find(&short(&hash)).unwrap(), hash);
    }

    #[cfg(unix)]
    #[test]
    fn blobs_are_for_their_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let (directory, blobs) = blobs();
        let path = blobs.path(&blobs.put(b"secret").unwrap());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        assert_eq!(mode(&directory.path().join(BLOBS_NAME)), 0o700);
    }

    #[test]
    fn an_unwritable_place_is_an_error_with_its_path() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, b"").unwrap();
        let error = Blobs::new(&file).put(b"x").unwrap_err();
        assert_eq!(error.code(), "LL-STO-001");
        assert!(error.to_string().contains("file"), "{error}");
    }
}
