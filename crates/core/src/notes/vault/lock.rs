//! One process at a time: a lock that ends with the process that holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::error::VaultError;
use super::recover::recover;
use super::stamp::look;
use super::{Vault, VaultError as Error};
use crate::fsio::IoResultExt;
use crate::{PathError, Remark};

/// The file that is locked; it stays, and holds nothing.
const LOCK: &str = "lock";

/// How often a lock is tried.
const PAUSE: Duration = Duration::from_millis(20);

/// A vault that no other process changes meanwhile, and that nothing is unfinished in.
#[derive(Debug)]
pub(crate) struct Locked<'a> {
    pub(super) vault: &'a Vault,
    /// What had to be finished or taken back first.
    pub(crate) notes: Vec<Remark>,
    // The lock goes when the file is closed.
    _file: File,
}

impl Vault {
    /// Locks the vault, waiting for others, and puts right what a crash left.
    pub(crate) fn lock(&self, wait: Duration) -> Result<Locked<'_>, VaultError> {
        let own = self.own();
        self.disk.create_directory(&own)?;
        let path = own.join(LOCK);
        // A link would have a file made where it leads to.
        look(&path)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&path).at("open", &path)?;
        self.wait_for(&file, &path, wait)?;
        Ok(Locked {
            vault: self,
            notes: recover(self)?,
            _file: file,
        })
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
                    return Err(Error::Busy {
                        path: self.directory.clone(),
                        waited,
                    });
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
