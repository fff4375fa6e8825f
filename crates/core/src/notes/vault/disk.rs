//! Makes every change on disk, one step at a time.
//!
//! Whatever a vault does to files goes through here, so that tests can stop
//! the program, or let the disk fail, before any single step. Reading is not a
//! step: it changes nothing.

#[cfg(test)]
mod fault;
#[cfg(not(test))]
#[path = "disk/no_fault.rs"]
mod fault;

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::SystemTime;

use super::error::VaultError;
use crate::files::{Directory, set_mode, set_modified};

pub(crate) use fault::Fault;

/// Where changes go, and whether they are made to last.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    sync: bool,
    fault: Fault,
}

/// Permissions and time of a new file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes {
    /// Permissions; `None` is what the system gives a new file.
    pub(crate) mode: Option<u32>,
    /// The time of its last change; `None` is the present.
    pub(crate) modified: Option<SystemTime>,
}

impl Disk {
    /// Returns the real disk: what is written lasts.
    pub(crate) fn real() -> Disk {
        Disk { sync: true, fault: Fault::none() }
    }

    /// Returns a disk for tests, which fails where it is told to and does not wait.
    #[cfg(test)]
    pub(crate) fn testing(fault: Fault) -> Disk {
        Disk { sync: false, fault }
    }

    /// Opens a directory, and creates it where it is missing.
    pub(crate) fn directory(
        &self,
        parent: &Directory,
        name: &str,
    ) -> Result<Directory, VaultError> {
        let path = parent.path().join(name);
        let open = || {
            let opened = parent.directory(name);
            opened.map_err(|error| VaultError::from_io("open", &path, error))
        };
        if let Some(directory) = open()? {
            return Ok(directory);
        }
        self.step("create", &path, || match parent.create_directory(name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            created => created,
        })?;
        self.sync(parent)?;
        let missing = || VaultError::from_io("open", &path, ErrorKind::NotFound.into());
        open()?.ok_or_else(missing)
    }

    /// Writes a file that is not there yet, and lets it last.
    pub(crate) fn write_new(
        &self,
        directory: &Directory,
        name: &str,
        bytes: &[u8],
        attributes: Attributes,
    ) -> Result<(), VaultError> {
        let path = directory.path().join(name);
        let mut file = self.step("create", &path, || directory.create_file(name))?;
        for piece in self.fault.pieces(bytes) {
            self.step("write", &path, || file.write_all(piece))?;
        }
        if let Some(mode) = attributes.mode {
            self.step("write", &path, || set_mode(&file, mode))?;
        }
        if let Some(modified) = attributes.modified {
            self.step("write", &path, || set_modified(&file, modified))?;
        }
        self.step("write", &path, || if self.sync { file.sync_all() } else { Ok(()) })
    }

    /// Moves a file over another one, or to where none is.
    pub(crate) fn rename(
        &self,
        from: (&Directory, &str),
        to: (&Directory, &str),
    ) -> Result<(), VaultError> {
        let path = to.0.path().join(to.1);
        self.step("replace", &path, || from.0.rename(from.1, to.0, to.1))
    }

    /// Removes a file, if it is there.
    pub(crate) fn remove(&self, directory: &Directory, name: &str) -> Result<(), VaultError> {
        let path = directory.path().join(name);
        self.step("remove", &path, || match directory.remove(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        })
    }

    /// Makes names in a directory last. Not every system can do that.
    pub(crate) fn sync(&self, directory: &Directory) -> Result<(), VaultError> {
        self.step("write", directory.path(), || {
            if self.sync {
                directory.sync();
            }
            Ok(())
        })
    }

    fn step<T>(
        &self,
        action: &'static str,
        path: &Path,
        work: impl FnOnce() -> io::Result<T>,
    ) -> Result<T, VaultError> {
        let done = self.fault.before_step().and_then(|()| work());
        done.map_err(|error| VaultError::from_io(action, path, error))
    }
}
