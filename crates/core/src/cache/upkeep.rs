//! Says what the cache holds, and empties it.
//!
//! The directory carries the standard tag that makes backups skip it. The tag
//! is also the claim to the directory: without it nothing is opened among
//! other people's files, and nothing is deleted.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde::Serialize;

use super::Cache;
use super::database::{self, DATABASE_NAME, LOCK_NAME, SCHEMA_VERSION};
use crate::fsio::{IoResultExt, create_private_directory};
use crate::{Diagnose, Diagnosis, PathError, Remark};

const TAG_NAME: &str = "CACHEDIR.TAG";

/// The signature is fixed by the specification at bford.info/cachedir.
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55
# This directory is a cache of loadline. It may be deleted at any time.
";

/// How the names of unfinished temporary files begin.
const TEMPORARY_PREFIX: &str = ".tmp";

/// What else this program keeps in the directory, or once did.
const OTHER_OWN_NAMES: [&str; 5] = ["blobs", "hook.log", "hook.log.old", "install", "statusline"];

/// The ledger that older versions kept here; its log begins with the same name.
const OLD_LEDGER: &str = "ledger.db";

/// What a cache holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheInfo {
    /// The version of its tables.
    pub database_version: i64,
    /// Bytes of the database with its log.
    pub database_bytes: u64,
    /// Stamps of files; a file counts once per kind of fact.
    pub files: u64,
    /// Facts by kind, in the order of their names.
    pub facts: Vec<FactCount>,
}

/// How many facts of a kind there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FactCount {
    /// The kind, such as `count/o200k`.
    pub kind: String,
    /// How many there are.
    pub entries: u64,
}

/// What clearing a store removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Bytes freed.
    pub bytes: u64,
    /// What had to stay, and why.
    pub notes: Vec<Remark>,
}

/// Why a store is not cleared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClearError {
    /// The directory cannot be looked at.
    #[error(transparent)]
    Io(#[from] PathError),
    /// The directory holds something, and nothing says that it is a store.
    #[error("{} is not a store: it has no {TAG_NAME} of loadline", .0.display())]
    NotAStore(PathBuf),
    /// The database is in use and cannot be emptied.
    #[error("cannot empty {}: {message}", database.display())]
    InUse {
        /// The database.
        database: PathBuf,
        /// What the database said.
        message: String,
    },
}

impl Diagnose for ClearError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            ClearError::Io(_) => Diagnosis::operation("LL-STO-011"),
            ClearError::NotAStore(_) => Diagnosis::operation("LL-STO-012")
                .hint("check the directory; delete it by hand if it is meant"),
            ClearError::InUse { .. } => {
                Diagnosis::operation("LL-STO-013").hint("stop other loadline processes first")
            }
        }
    }
}

impl Cache {
    /// Returns what the store holds, or `None` for a disabled one.
    ///
    /// Scans all tables: milliseconds to a second.
    pub fn info(&self) -> Option<CacheInfo> {
        let database = self.directory.as_ref()?.join(DATABASE_NAME);
        let (files, facts) = self.run(|connection| contents(connection))?;
        let size = |suffix| {
            let path = database::with_suffix(&database, suffix);
            fs::metadata(path).map_or(0, |metadata| metadata.len())
        };
        Some(CacheInfo {
            database_version: SCHEMA_VERSION,
            database_bytes: size("") + size("-wal"),
            files,
            facts,
        })
    }

    /// Empties the cache in `directory`, damaged copies included.
    ///
    /// Other processes may use it meanwhile. The database is deleted if nobody
    /// has it open and emptied otherwise. Deletes only files that a store has
    /// written; the tag and the lock file stay.
    pub fn clear(directory: &Path) -> Result<Cleared, ClearError> {
        let mut cleared = Cleared::default();
        if !directory.try_exists().at("look at", directory)? {
            return Ok(cleared);
        }
        if !is_tagged(directory) {
            let mut entries = fs::read_dir(directory).at("list", directory)?;
            return match entries.next() {
                None => Ok(cleared),
                Some(_) => Err(ClearError::NotAStore(directory.to_owned())),
            };
        }
        clear_database(directory, &mut cleared)?;
        Ok(cleared)
    }
}

/// Makes sure that `directory` is ours to write in, and tags it.
///
/// A directory with anything of other people's in it is refused, or a later
/// [`Cache::clear`] could not tell what to spare.
pub(super) fn claim(directory: &Path) -> Result<(), String> {
    if is_tagged(directory) {
        return Ok(());
    }
    create_private_directory(directory).map_err(|error| error.to_string())?;
    let entries =
        fs::read_dir(directory).at("list", directory).map_err(|error| error.to_string())?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        if !is_our_name(&name) {
            let name = name.to_string_lossy();
            return Err(format!("its directory holds a stranger's file, {name:?}"));
        }
    }
    crate::fsio::write_private(&directory.join(TAG_NAME), TAG.as_bytes())
        .map_err(|error| error.to_string())
}

fn is_tagged(directory: &Path) -> bool {
    fs::read(directory.join(TAG_NAME)).is_ok_and(|content| content == TAG.as_bytes())
}

/// Two processes may make a new store at once, so what the other one has just
/// written is no reason to refuse the directory.
fn is_our_name(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    [TAG_NAME, LOCK_NAME].contains(&&*name)
        || OTHER_OWN_NAMES.contains(&&*name)
        || name.starts_with(DATABASE_NAME)
        || name.starts_with(OLD_LEDGER)
        || name.starts_with(TEMPORARY_PREFIX)
}

/// The number of files, and of facts by kind.
type Contents = (u64, Vec<FactCount>);

fn contents(connection: &Connection) -> rusqlite::Result<Contents> {
    let count = |value: i64| u64::try_from(value).unwrap_or(0);
    let files = connection.query_row("SELECT count(*) FROM files", [], |row| row.get(0))?;
    let facts = connection
        .prepare(
            "SELECT kinds.name, count(*) FROM facts JOIN kinds ON kinds.id = facts.kind
             GROUP BY kinds.name ORDER BY kinds.name",
        )?
        .query_map([], |row| Ok(FactCount { kind: row.get(0)?, entries: count(row.get(1)?) }))?
        .collect::<rusqlite::Result<_>>()?;
    Ok((count(files), facts))
}

fn clear_database(directory: &Path, cleared: &mut Cleared) -> Result<(), ClearError> {
    let path = directory.join(DATABASE_NAME);
    let in_use = |message| ClearError::InUse { database: path.clone(), message };
    match database::try_lock_alone(directory).map_err(in_use)? {
        Some(_alone) => cleared.bytes += database::remove(&path),
        None => {
            empty(&path).map_err(|error| in_use(error.to_string()))?;
            let note = Remark::new(path.display().to_string(), "in use: emptied, not deleted");
            cleared.notes.push(note);
        }
    }
    cleared.bytes += database::remove(&database::with_suffix(&path, ".damaged"));
    Ok(())
}

/// Empties the tables of a database that others have open.
///
/// The names of the kinds stay: they are few, and another process may be
/// about to use them.
fn empty(path: &Path) -> rusqlite::Result<()> {
    let connection = database::connect_plainly(path)?;
    connection.execute_batch("BEGIN IMMEDIATE; DELETE FROM facts; DELETE FROM files; COMMIT;")?;
    // Giving the space back needs a quiet moment and may wait for the next clear.
    let _ = connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
    Ok(())
}
