//! Knows unchanged files by their stamps, without reading them.
//!
//! A stamp is what the file system says about a file. Equal stamps mean equal
//! content, with one exception that git knows as "racily clean": a file that
//! is written twice within the resolution of its clock keeps its stamp. So a
//! stamp is recorded only when the file had been left alone for two seconds.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::facts::{begin, checksum, insert, insert_kind, is_stale, kind_id, touch};
use super::{Cache, ContentHash};

/// How long a file must have been left alone before its stamp is believed.
/// Two seconds is the coarsest clock among file systems in use (FAT).
const SETTLED_AFTER_NS: i64 = 2_000_000_000;

/// What the file system says about one file, compared field by field.
///
/// The device is left out on purpose: its number changes whenever a container
/// or a network share is mounted anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// The absolute path. A relative one is never recorded and never known.
    pub path: PathBuf,
    /// The length in bytes.
    pub size: u64,
    /// When the content last changed.
    pub modified_ns: i64,
    /// When content or attributes last changed, where the system tells.
    pub changed_ns: Option<i64>,
    /// The number of the file on its device, where the system tells.
    pub inode: Option<u64>,
}

impl FileStamp {
    /// Makes the stamp of `path` from its metadata.
    #[cfg(unix)]
    pub fn new(path: &Path, metadata: &Metadata) -> FileStamp {
        use std::os::unix::fs::MetadataExt;
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        FileStamp {
            path: path.to_owned(),
            size: metadata.len(),
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: Some(nanoseconds(metadata.ctime(), metadata.ctime_nsec())),
            inode: Some(metadata.ino()),
        }
    }

    /// Makes the stamp of `path` from its metadata.
    #[cfg(not(unix))]
    pub fn new(path: &Path, metadata: &Metadata) -> FileStamp {
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .and_then(|duration| i64::try_from(duration.as_nanos()).ok());
        FileStamp {
            path: path.to_owned(),
            size: metadata.len(),
            // An unknown time lies in the future, where no stamp is believed.
            modified_ns: modified.unwrap_or(i64::MAX),
            changed_ns: None,
            inode: None,
        }
    }

    /// Tells whether the stamp will change if the file is written after `now_ns`.
    pub fn is_settled(&self, now_ns: i64) -> bool {
        self.modified_ns.saturating_add(SETTLED_AFTER_NS) <= now_ns
    }

    /// Returns the checksum of a row that says what a file with this stamp holds.
    fn checksum(&self, kind: i64, hash: &ContentHash, value: &[u8]) -> i64 {
        let path = ContentHash::of(self.path.as_os_str().as_encoded_bytes());
        checksum(&[
            &kind.to_le_bytes(),
            path.as_bytes(),
            &self.size.to_le_bytes(),
            &self.modified_ns.to_le_bytes(),
            hash.as_bytes(),
            value,
        ])
    }

    fn key(&self) -> Option<&[u8]> {
        self.path.is_absolute().then(|| self.path.as_os_str().as_encoded_bytes())
    }
}

/// A file that has not changed since it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// The hash of its content, which leads to facts of other kinds.
    pub hash: ContentHash,
    /// The value of the fact.
    pub value: Vec<u8>,
}

/// A file that was read, and what was worked out from its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedFile {
    /// The stamp, taken before the file was read.
    pub stamp: FileStamp,
    /// The hash of the content.
    pub hash: ContentHash,
    /// The value of the fact.
    pub value: Vec<u8>,
}

impl Cache {
    /// Returns what was recorded of this kind about many files, in their order.
    ///
    /// A file that is not known may still have a known content: hash it and ask
    /// [`Cache::facts`]. Costs one to two microseconds per file.
    pub fn lookup_files(
        &self,
        kind: &str,
        stamps: &[FileStamp],
        now_ns: i64,
    ) -> Vec<Option<KnownFile>> {
        let found = self.run(|connection| {
            let (known, stale) = find(connection, kind, stamps, now_ns)?;
            // An entry that cannot be touched is still right.
            let _ = touch_files(connection, kind, &stale, now_ns);
            Ok(known)
        });
        let known = found.unwrap_or_else(|| vec![None; stamps.len()]);
        self.count_answers(known.iter().map(Option::is_some));
        known
    }

    /// Records stamps and facts of many files in one transaction.
    ///
    /// `now_ns` is the time at which the stamps were taken, or earlier. The
    /// facts are kept in any case, a stamp only if it [is
    /// settled](FileStamp::is_settled).
    pub fn record_files(&self, kind: &str, files: &[RecordedFile], now_ns: i64) {
        self.write(files.len(), |transaction| {
            insert_kind(transaction, kind)?;
            for file in files {
                insert(transaction, kind, &file.hash, &file.value, now_ns)?;
                insert_file(transaction, kind, file, now_ns)?;
            }
            Ok(())
        });
    }
}

/// A row's key and hash, to be touched.
type Stale<'a> = (&'a [u8], ContentHash);

fn find<'a>(
    connection: &mut Connection,
    kind: &str,
    stamps: &'a [FileStamp],
    now_ns: i64,
) -> rusqlite::Result<(Vec<Option<KnownFile>>, Vec<Stale<'a>>)> {
    // One read transaction: the lock is taken once, not per row.
    let transaction = connection.transaction()?;
    let mut statement = transaction.prepare_cached(
        "SELECT hash, value, used, checksum FROM files
         WHERE kind = ?1 AND path = ?2
         AND size = ?3 AND modified = ?4 AND changed IS ?5 AND inode IS ?6",
    )?;
    let kind = kind_id(kind);
    let mut stale = Vec::new();
    let mut known = Vec::with_capacity(stamps.len());
    for stamp in stamps {
        let Some(key) = stamp.key() else {
            known.push(None);
            continue;
        };
        let values = params![
            kind,
            key,
            stamp.size.cast_signed(),
            stamp.modified_ns,
            stamp.changed_ns,
            stamp.inode.map(u64::cast_signed),
        ];
        let row = statement
            .query_row(values, |row| {
                let file =
                    KnownFile { hash: ContentHash::from_bytes(row.get(0)?), value: row.get(1)? };
                let expected = stamp.checksum(kind, &file.hash, &file.value);
                if row.get::<_, i64>(3)? != expected {
                    return Ok(None);
                }
                if is_stale(row.get(2)?, now_ns) {
                    stale.push((key, file.hash));
                }
                Ok(Some(file))
            })
            .optional()?;
        known.push(row.flatten());
    }
    Ok((known, stale))
}

/// Writes down that these files, and the facts behind them, were used now.
fn touch_files(
    connection: &mut Connection,
    kind: &str,
    stale: &[Stale<'_>],
    now_ns: i64,
) -> rusqlite::Result<()> {
    if stale.is_empty() {
        return Ok(());
    }
    let transaction = begin(connection)?;
    let kind_id = kind_id(kind);
    for (key, _) in stale {
        transaction
            .prepare_cached("UPDATE files SET used = ?3 WHERE kind = ?1 AND path = ?2")?
            .execute(params![kind_id, key, now_ns])?;
    }
    transaction.commit()?;
    let hashes: Vec<ContentHash> = stale.iter().map(|(_, hash)| *hash).collect();
    touch(connection, kind, &hashes, now_ns)
}

fn insert_file(
    transaction: &Transaction<'_>,
    kind: &str,
    file: &RecordedFile,
    now_ns: i64,
) -> rusqlite::Result<()> {
    let stamp = &file.stamp;
    let Some(key) = stamp.key().filter(|_| stamp.is_settled(now_ns)) else {
        return Ok(());
    };
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO files
             (kind, path, size, modified, changed, inode, hash, value, used, checksum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            kind_id(kind),
            key,
            stamp.size.cast_signed(),
            stamp.modified_ns,
            stamp.changed_ns,
            stamp.inode.map(u64::cast_signed),
            file.hash.as_bytes(),
            file.value,
            now_ns,
            stamp.checksum(kind_id(kind), &file.hash, &file.value),
        ])?;
    Ok(())
}
