//! Every change on disk, one step at a time.
//!
//! Whatever a vault does to files goes through here, so that tests can stop
//! the program, or let the disk fail, before any single step. Reading is not a
//! step: it changes nothing.

#[cfg(test)]
mod fault;
#[cfg(not(test))]
#[path = "disk/no_fault.rs"]
mod fault;

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use crate::PathError;
use crate::fsio::IoResultExt;

pub(crate) use fault::Fault;

/// Where changes go, and whether they are made to last.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    sync: bool,
    fault: Fault,
}

/// What a new file is to be like beside its content.
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
        Disk {
            sync: true,
            fault: Fault::none(),
        }
    }

    /// Returns a disk for tests, which fails where it is told to and does not wait.
    #[cfg(test)]
    pub(crate) fn testing(fault: Fault) -> Disk {
        Disk { sync: false, fault }
    }

    /// Creates one directory; one that is there is fine, a link to one is not.
    pub(crate) fn create_directory(&self, path: &Path) -> Result<(), PathError> {
        if fs::symlink_metadata(path).is_ok_and(|it| it.is_dir()) {
            return Ok(());
        }
        self.step("create", path, || fs::create_dir(path))?;
        match path.parent() {
            Some(parent) => self.sync_directory(parent),
            None => Ok(()),
        }
    }

    /// Writes a file that is not there yet, and lets it last.
    pub(crate) fn write_new(
        &self,
        path: &Path,
        bytes: &[u8],
        attributes: Attributes,
    ) -> Result<(), PathError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = self.step("create", path, || options.open(path))?;
        for piece in self.fault.pieces(bytes) {
            self.step("write", path, || file.write_all(piece))?;
        }
        if let Some(mode) = attributes.mode {
            self.step("write", path, || set_mode(&file, mode))?;
        }
        if let Some(modified) = attributes.modified {
            let times = FileTimes::new().set_modified(modified);
            self.step("write", path, || file.set_times(times))?;
        }
        self.step("write", path, || {
            if self.sync { file.sync_all() } else { Ok(()) }
        })
    }

    /// Moves a file over another one, or to where none is.
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        self.step("replace", to, || fs::rename(from, to))
    }

    /// Removes a file; one that is gone is fine.
    pub(crate) fn remove_file(&self, path: &Path) -> Result<(), PathError> {
        self.step("remove", path, || gone_is_fine(fs::remove_file(path)))
    }

    /// Removes a directory with what is in it; one that is gone is fine.
    pub(crate) fn remove_directory(&self, path: &Path) -> Result<(), PathError> {
        let entries = match fs::read_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.at("read", path)?,
        };
        for entry in entries {
            self.remove_file(&entry.at("read", path)?.path())?;
        }
        self.step("remove", path, || gone_is_fine(fs::remove_dir(path)))
    }

    /// Makes names in a directory last. Not every system can do that.
    pub(crate) fn sync_directory(&self, path: &Path) -> Result<(), PathError> {
        self.step("write", path, || {
            if self.sync
                && let Ok(directory) = File::open(path)
            {
                let _ = directory.sync_all();
            }
            Ok(())
        })
    }

    fn step<T>(
        &self,
        action: &'static str,
        path: &Path,
        work: impl FnOnce() -> io::Result<T>,
    ) -> Result<T, PathError> {
        self.fault
            .before_step()
            .and_then(|()| work())
            .at(action, path)
    }
}

fn gone_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// Elsewhere a file can at most be protected against writing, which would keep us out, too.
#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}
