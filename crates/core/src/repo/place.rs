//! The root of a walk, and how paths below it are written.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{self, Path, PathBuf};

use super::name::without_dots;
use super::trouble::special_message;
use super::walk::{FoundFile, Walked};
use super::{RepoError, display_path};
use crate::Remark;
use crate::cache::FileStamp;
use crate::fsio::{IoResultExt, PathError};

/// A root: as it was given, and where that really is.
#[derive(Clone, Debug)]
pub(super) struct Place {
    shown: PathBuf,
    pub(super) absolute: PathBuf,
}

impl Place {
    /// Resolves links in the root, so that a file has one path however it is reached.
    pub(super) fn resolve(root: &Path) -> Result<Place, RepoError> {
        let absolute = match fs::canonicalize(root) {
            Ok(absolute) => absolute,
            // A pipe from the shell (`/dev/fd/63`) is a link to no path at all.
            Err(_) if fs::metadata(root).is_ok() => path::absolute(root).at("find", root)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(RepoError::Missing(root.to_owned()));
            }
            Err(error) => return Err(PathError::new("read", root, error).into()),
        };
        Ok(Place { shown: without_dots(root), absolute })
    }

    /// Looks at a root that is not a directory.
    pub(super) fn visit_file(&self, metadata: &Metadata) -> Walked {
        let mut walked = Walked::default();
        if metadata.is_file() {
            walked.files.push(FoundFile {
                relative: self.absolute.file_name().unwrap_or_default().into(),
                stamp: FileStamp::new(&self.absolute, metadata),
                named: true,
            });
        } else {
            let message = special_message(metadata.file_type());
            walked.notes.push(self.note(&self.absolute, message));
        }
        walked
    }

    /// Tells whether the root or a directory above it is a git work tree.
    pub(super) fn is_in_git(&self) -> bool {
        let mut directories = self.absolute.ancestors();
        directories.any(|directory| directory.join(".git").exists())
    }

    /// Returns the part of an absolute path below the root.
    pub(super) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.absolute).unwrap_or(path)
    }

    /// Says what is wrong with a link, if anything.
    pub(super) fn link_message(&self, path: &Path) -> Option<String> {
        match fs::canonicalize(path) {
            Ok(target) if target.starts_with(&self.absolute) => None,
            Ok(_) => Some("link out of the tree, not followed".to_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => Some("link to nothing".to_owned()),
            Err(error) => Some(format!("link that cannot be followed: {error}")),
        }
    }

    /// Makes a note about a path, named as the user named the root.
    pub(super) fn note(&self, path: &Path, message: impl Into<String>) -> Remark {
        let shown = match path.strip_prefix(&self.absolute) {
            Ok(relative) if relative.as_os_str().is_empty() => match self.shown.as_os_str() {
                dots if dots.is_empty() => PathBuf::from("."),
                shown => PathBuf::from(shown),
            },
            Ok(relative) => self.shown.join(relative),
            Err(_) => path.to_owned(),
        };
        Remark::new(display_path(&shown), message)
    }
}
