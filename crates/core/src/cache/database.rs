//! Opens the one SQLite file of a store, and replaces it when it is of no use.
//!
//! Every open database holds a shared lock on a lock file beside it. Whoever
//! wants to create, replace or delete the database takes that lock alone
//! first, so no file is ever pulled from under another process: unlinking a
//! database in use would let its log be mistaken for the log of the next one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::fsio::{create_private_directory, open_private};

/// The version of the tables below. A file of any other version is rebuilt.
pub(super) const SCHEMA_VERSION: i64 = 3;

/// The database, inside the directory of the store.
pub(super) const DATABASE_NAME: &str = "cache.db";

/// The file whose lock says who uses the database; it is never deleted.
pub(super) const LOCK_NAME: &str = "cache.lock";

/// Bytes of a page; the length of the database is a multiple of it. An index of a file is about
/// as large, and one read brings it.
pub(super) const PAGE_SIZE: u64 = 16_384;

/// How long a statement waits for another process's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// One pause while waiting for the lock file.
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Pauses before a shared lock is given up: two seconds in all.
const SHARED_ATTEMPTS: u32 = 200;

/// Rounds of "open, or else repair" before the store is given up. Only a
/// process that keeps an unusable database open makes this run out.
const OPEN_ATTEMPTS: u32 = 25;

/// Both tables are clustered by kind, so that thousands of small counts lie
/// close together and apart from the larger values of other kinds. `files`
/// repeats the value of the fact: rows sorted by path are read in a few pages,
/// where a join would fetch a page per hash (5 ms against 20 for 4,000 files).
/// SQLite does not notice a flipped bit in a value, so every row has a checksum.
const SCHEMA: &str = "
    BEGIN;
    CREATE TABLE kinds (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE facts (
        kind INTEGER NOT NULL,
        hash BLOB NOT NULL,
        value BLOB NOT NULL,
        recorded INTEGER NOT NULL,
        used INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (kind, hash)
    ) WITHOUT ROWID;
    CREATE TABLE files (
        kind INTEGER NOT NULL,
        path BLOB NOT NULL,
        size INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        changed INTEGER,
        inode INTEGER,
        hash BLOB NOT NULL,
        value BLOB NOT NULL,
        used INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (kind, path)
    ) WITHOUT ROWID;
    CREATE TABLE upkeep (written INTEGER NOT NULL);
    INSERT INTO upkeep VALUES (0);
";

/// An open database together with the shared lock that protects it.
#[derive(Debug)]
pub(super) struct Database {
    // Fields drop in order: the connection must close before the lock goes.
    pub(super) connection: Connection,
    _lock: File,
}

/// What opening came to: a database or none, and what there is to tell.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) database: Option<Database>,
    pub(super) messages: Vec<String>,
}

/// Why a database cannot be used as it is.
#[derive(Debug)]
pub(super) enum Fault {
    /// There is none yet.
    Missing,
    /// It was made by another version of this program.
    Version(i64),
    /// Its content makes no sense.
    Damaged(String),
    /// It may be fine, but cannot be reached: permissions, locks, a full disk.
    Unreachable(String),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        let code = error.sqlite_error_code();
        match code {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown)
            | None => Fault::Damaged(error.to_string()),
            Some(_) => Fault::Unreachable(error.to_string()),
        }
    }
}

/// Opens the database of `directory`, making or replacing it where needed.
pub(super) fn open(directory: &Path) -> Opened {
    let mut messages = Vec::new();
    let database = match try_open(directory, &mut messages) {
        Ok(database) => Some(database),
        Err(message) => {
            messages.push(format!("working without it: {message}"));
            None
        }
    };
    Opened { database, messages }
}

fn try_open(directory: &Path, messages: &mut Vec<String>) -> Result<Database, String> {
    let path = directory.join(DATABASE_NAME);
    let mut fault = Fault::Missing;
    for _ in 0..OPEN_ATTEMPTS {
        let lock = lock_shared(directory)?;
        match connect(&path) {
            Ok(connection) => {
                return Ok(Database { connection, _lock: lock });
            }
            Err(Fault::Unreachable(message)) => return Err(message),
            Err(other) => fault = other,
        }
        drop(lock);
        match try_lock_alone(directory)? {
            Some(_alone) => messages.extend(repair(&path)?),
            None => thread::sleep(LOCK_PAUSE),
        }
    }
    Err(match fault {
        Fault::Version(version) => format!("another version ({version}) of it is in use"),
        _ => "it is damaged and still in use by another process".to_owned(),
    })
}

/// Makes a good database out of whatever is there. Needs the lock alone.
fn repair(path: &Path) -> Result<Option<String>, String> {
    let message = match connect(path) {
        // Another process was quicker.
        Ok(_) => return Ok(None),
        Err(Fault::Missing) => None,
        Err(Fault::Unreachable(message)) => return Err(message),
        Err(Fault::Version(version)) => {
            remove(path);
            Some(format!("rebuilt: its version was {version}"))
        }
        Err(Fault::Damaged(message)) => {
            set_aside(path)?;
            Some(format!("damaged, moved aside and rebuilt: {message}"))
        }
    };
    create(path).map_err(|error| format!("cannot create it: {error}"))?;
    Ok(message)
}

/// Opens an existing database and checks that it is one of ours.
fn connect(path: &Path) -> Result<Connection, Fault> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            return Err(Fault::Damaged("it is a directory".to_owned()));
        }
        // A process that died while creating it leaves an empty file.
        Ok(metadata) if metadata.len() == 0 => return Err(Fault::Missing),
        // SQLite would fill the missing part of a page with zeros.
        Ok(metadata) if metadata.len() % PAGE_SIZE != 0 => {
            return Err(Fault::Damaged("its last page is cut".to_owned()));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Fault::Missing),
        Err(error) => return Err(Fault::Unreachable(error.to_string())),
    }
    let connection = connect_plainly(path)?;
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version != SCHEMA_VERSION {
        return Err(Fault::Version(version));
    }
    // The first statement reads the tables' definitions, and so much of their damage.
    connection.query_row("SELECT written FROM upkeep", [], |_| Ok(()))?;
    // A power cut may cost the last entries, never the database.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// Opens an existing file without a look at what is in it.
pub(super) fn connect_plainly(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Creates the file for the owner's eyes only; its log inherits the mode.
fn create(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(with_suffix(path, suffix));
    }
    open_private(path)?;
    let connection = connect_plainly(path)?;
    connection.pragma_update(None, "page_size", PAGE_SIZE.cast_signed())?;
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection
        .execute_batch(&format!("{SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"))?;
    Ok(())
}

/// Moves a damaged database out of the way, if nobody else has it open.
///
/// The copy is kept for inspection; an older copy makes room for it.
pub(super) fn set_aside_if_unused(directory: &Path) -> bool {
    let Ok(Some(_alone)) = try_lock_alone(directory) else {
        return false;
    };
    let path = directory.join(DATABASE_NAME);
    set_aside(&path).is_ok()
}

fn set_aside(path: &Path) -> Result<(), String> {
    fs::rename(path, with_suffix(path, ".damaged"))
        .map_err(|error| format!("it is damaged and cannot be moved aside: {error}"))?;
    remove(path);
    Ok(())
}

/// Removes a database with its log and index; needs the lock alone.
///
/// Returns how many bytes that freed. What cannot be removed stays.
pub(super) fn remove(path: &Path) -> u64 {
    let mut freed = 0;
    for suffix in ["", "-wal", "-shm"] {
        let path = with_suffix(path, suffix);
        let size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if fs::remove_file(&path).is_ok() {
            freed += size;
        }
    }
    freed
}

/// Appends to the file name, which `with_extension` would cut.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Takes the lock together with others, waiting two seconds at most.
fn lock_shared(directory: &Path) -> Result<File, String> {
    let file = lock_file(directory)?;
    for _ in 0..SHARED_ATTEMPTS {
        match file.try_lock_shared() {
            Ok(()) => return Ok(file),
            Err(fs::TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            Err(fs::TryLockError::Error(error)) => return Err(lock_message(&error)),
        }
    }
    Err("another process keeps it locked".to_owned())
}

/// Takes the lock alone, or returns `None` at once where others hold it.
pub(super) fn try_lock_alone(directory: &Path) -> Result<Option<File>, String> {
    let file = lock_file(directory)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(lock_message(&error)),
    }
}

fn lock_file(directory: &Path) -> Result<File, String> {
    create_private_directory(directory).map_err(|error| error.to_string())?;
    open_private(&directory.join(LOCK_NAME)).map_err(|error| error.to_string())
}

fn lock_message(error: &std::io::Error) -> String {
    format!("cannot lock {LOCK_NAME}: {error}")
}
