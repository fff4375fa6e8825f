//! Keeps what must not get lost: originals of what was cut, and a ledger of the cuts.
//!
//! The archive lies in the user's data directory, apart from the
//! [cache](crate::cache), because it may hold the only copy of something. Only
//! [`Archive::prune`] removes anything from it. Originals are kept by project, so
//! that a handle in one project's transcript never leads to another project's text;
//! the ledger holds sizes and handles only, and is shared by all projects.
//!
//! ```text
//! ledger.db                          one row per cut
//! projects/<key>/path                the project's root directory
//! projects/<key>/originals/ab/cdef…  one compressed original
//! unbound/ab/cdef…                   originals of a version that did not record projects
//! ```

mod error;
mod ledger;
mod originals;
mod prune;
mod take_over;

use std::fs;
use std::path::{Path, PathBuf};

use crate::PathError;
use crate::cache::ContentHash;
use crate::fsio::{create_private_directory, write_private};
use originals::Originals;

pub use error::{ArchiveError, LedgerError};
pub use ledger::{Cut, CutKind, CutLedger, CutTotal};
pub use prune::{ArchiveSize, ArchivedProject, Pruned, Retention};

/// Originals of all projects, one directory each.
const PROJECTS: &str = "projects";
/// Originals of a version that did not record which project they come from.
const UNBOUND: &str = "unbound";
/// The originals of one project.
const ORIGINALS: &str = "originals";
/// The file that names a project's root, for people who look.
const PROJECT_PATH: &str = "path";
/// Characters of a project's key: 80 bits of the hash of its root.
const KEY_LENGTH: usize = 16;

/// The archive as one project sees it.
///
/// Several processes may put and get at once: an original is there as a whole or
/// not at all, and two that put the same content write the same file.
///
/// ```
/// use loadline::archive::Archive;
/// let directory = tempfile::tempdir()?;
/// let archive = Archive::new(directory.path(), "/work/shop".as_ref());
/// let hash = archive.put(b"9,812 lines of output")?;
/// let handle = archive.handle(&hash)?;
/// assert_eq!(archive.get(&archive.find(&handle)?)?, b"9,812 lines of output");
///
/// let other = Archive::new(directory.path(), "/work/blog".as_ref());
/// assert!(other.find(&handle).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Archive {
    directory: PathBuf,
    root: PathBuf,
    own: Originals,
    unbound: Originals,
}

impl Archive {
    /// Names the archive in `directory` for the project at `root`; touches nothing yet.
    ///
    /// Two spellings of one root are the same project: links in it are resolved.
    pub fn new(directory: &Path, root: &Path) -> Archive {
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let hash = ContentHash::of(root.as_os_str().as_encoded_bytes()).to_string();
        let project = directory.join(PROJECTS).join(&hash[..KEY_LENGTH]);
        Archive {
            own: Originals::new(project.join(ORIGINALS)),
            unbound: Originals::new(directory.join(UNBOUND)),
            directory: directory.to_owned(),
            root,
        }
    }

    /// Leaves out the originals of an older version that did not record projects, of which
    /// nobody knows whether they are this project's.
    #[must_use]
    pub fn without_unbound(self) -> Archive {
        Archive { unbound: self.own.clone(), ..self }
    }

    /// Returns the directory of the archive, which is also that of its ledger.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Keeps `bytes` for this project, on disk when this returns, and returns their hash.
    ///
    /// What is there already is written again: its age counts from its last use.
    pub fn put(&self, bytes: &[u8]) -> Result<ContentHash, ArchiveError> {
        self.name_project()?;
        self.own.put(bytes)
    }

    /// Returns the original with this hash, checked against it.
    pub fn get(&self, hash: &ContentHash) -> Result<Vec<u8>, ArchiveError> {
        match self.own.get(hash) {
            Err(ArchiveError::Unknown { .. }) => self.unbound.get(hash),
            found => found,
        }
    }

    /// Returns the one original of this project whose hash begins with `handle`.
    ///
    /// Case does not matter, nor does writing `o` for zero or `l` for one. Originals
    /// of an older version, which did not record projects, are found in all of them.
    pub fn find(&self, handle: &str) -> Result<ContentHash, ArchiveError> {
        match self.own.find(handle) {
            Err(ArchiveError::Unknown { .. }) => self.unbound.find(handle),
            found => found,
        }
    }

    /// Returns the shortest handle that fits no other original, eight characters or more.
    pub fn handle(&self, hash: &ContentHash) -> Result<String, ArchiveError> {
        self.own.handle(hash)
    }

    /// Leaves the project's path with its originals.
    fn name_project(&self) -> Result<(), PathError> {
        let Some(project) = self.own.directory().parent() else {
            return Ok(());
        };
        let path = project.join(PROJECT_PATH);
        if path.is_file() {
            return Ok(());
        }
        create_private_directory(project)?;
        write_private(&path, self.root.as_os_str().as_encoded_bytes())
    }
}

#[cfg(test)]
mod tests;
