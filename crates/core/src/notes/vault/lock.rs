//! Lets one process at a time work on a vault, by a lock that ends with the process.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::error::VaultError;
use super::operation::recover;
use super::{ARCHIVED, CHECKPOINTS, HISTORY, Vault};
use crate::files::Directory;
use crate::notes::COMPACTION_DIRECTORY;
use crate::{PathError, Remark};

/// The file that is locked; it stays, and holds nothing.
const LOCK: &str = "lock";

/// How often a lock is tried.
const PAUSE: Duration = Duration::from_millis(20);

/// A vault that no other process changes meanwhile, and that nothing is unfinished in.
///
/// All of its directories are open: what becomes of their names does not matter any more.
#[derive(Debug)]
pub(crate) struct Locked<'a> {
    pub(super) vault: &'a Vault,
    pub(super) files: Directory,
    pub(super) own: Directory,
    pub(super) archived: Directory,
    pub(super) history: Directory,
    pub(super) checkpoints: Directory,
    /// What was restored after an interruption.
    pub(crate) notes: Vec<Remark>,
    // The lock goes when the file is closed.
    _lock: File,
}

/// Has git pass over what is kept.
const IGNORE: &str = ".gitignore";

impl Vault {
    /// Locks the vault, waiting for others, and restores what an interruption left.
    pub(crate) fn lock(&self, wait: Duration) -> Result<Locked<'_>, VaultError> {
        let directory = self.directory();
        let failed = |error| VaultError::from_io("open", directory, error);
        let files = Directory::open(directory).map_err(failed)?;
        let files = files.ok_or_else(|| failed(ErrorKind::NotFound.into()))?;
        let own = self.disk.directory(&files, COMPACTION_DIRECTORY)?;
        let path = own.path().join(LOCK);
        let lock = own.lock_file(LOCK);
        let lock = lock.map_err(|error| VaultError::from_io("open", &path, error))?;
        self.wait_for(&lock, &path, wait)?;
        ignore(&own);
        let mut locked = Locked {
            archived: self.disk.directory(&own, ARCHIVED)?,
            history: self.disk.directory(&own, HISTORY)?,
            checkpoints: self.disk.directory(&own, CHECKPOINTS)?,
            vault: self,
            files,
            own,
            notes: Vec::new(),
            _lock: lock,
        };
        locked.notes = recover(&locked)?;
        Ok(locked)
    }

    fn wait_for(&self, file: &File, path: &Path, wait: Duration) -> Result<(), VaultError> {
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(error)) => {
                    return Err(PathError::new("lock", path, error).into());
                }
                Err(TryLockError::WouldBlock) if waited >= wait => {
                    return Err(VaultError::Busy { path: self.directory.clone(), waited });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
            waited += PAUSE;
        }
    }
}

impl Locked<'_> {
    /// Returns the directory of the notes.
    pub(crate) fn directory(&self) -> &Path {
        self.vault.directory()
    }
}

/// Keeps the archive out of a repository. Where that fails, nothing is lost.
fn ignore(own: &Directory) {
    if own.size(IGNORE).is_none()
        && let Ok(mut file) = own.create_file(IGNORE)
    {
        let _ = file.write_all(b"*\n");
    }
}
