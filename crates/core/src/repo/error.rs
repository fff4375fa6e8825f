//! Why the files of a repository cannot be found at all.
//!
//! Whatever is wrong with a single file on the way is a note, not an error.

use std::path::PathBuf;

use super::display_path;
use crate::{Diagnose, Fault, PathError};

/// Why a walk did not begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepoError {
    /// Nothing has this path.
    #[error("no such file or directory: {:?}", display_path(path))]
    Missing {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// The path exists, but the system does not let us look at it.
    #[error(transparent)]
    Unreadable(#[from] PathError),
    /// A glob to include or exclude makes no sense.
    #[error("{glob:?} is not a glob: {reason}")]
    Glob {
        /// The glob that was asked for.
        glob: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A glob that was typed names no file.
    #[error("{flag} \"{glob}\" matches no file")]
    Unmatched {
        /// The flag that it was typed after.
        flag: &'static str,
        /// The glob as it was typed.
        glob: String,
        /// What may have been meant.
        nearest: Option<String>,
    },
    /// There is nothing to compare with: no repository, or no git.
    #[error("cannot compare: {reason}")]
    Incomparable {
        /// What is missing.
        reason: String,
    },
    /// No commit has this name.
    #[error("unknown revision {name:?}")]
    Revision {
        /// The name that was asked for.
        name: String,
        /// A branch or tag that may have been meant.
        nearest: Option<String>,
    },
}

impl Diagnose for RepoError {
    fn fault(&self) -> Fault {
        match self {
            RepoError::Missing { .. } | RepoError::Unreadable(_) => Fault::Operation,
            _ => Fault::Usage,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            RepoError::Missing { .. } | RepoError::Unreadable(_) => "LL-CTX-004",
            RepoError::Glob { .. } | RepoError::Unmatched { .. } => "LL-CFG-003",
            RepoError::Incomparable { .. } | RepoError::Revision { .. } => "LL-CTX-006",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            RepoError::Missing { .. } => {
                "check the spelling; relative paths start at the current directory".to_owned()
            }
            RepoError::Unreadable(_) => "check the permissions of the path".to_owned(),
            RepoError::Glob { .. } => {
                "write globs as in .gitignore, such as *.rs, src/** or docs/".to_owned()
            }
            RepoError::Incomparable { .. } => {
                "run it in a git repository, or leave out --changed, --since, --staged and --diff"
                    .to_owned()
            }
            RepoError::Unmatched { nearest: None, .. } => {
                "hidden and ignored files need --hidden or --no-ignore, or their full path"
                    .to_owned()
            }
            RepoError::Unmatched { nearest: Some(nearest), .. }
            | RepoError::Revision { nearest: Some(nearest), .. } => {
                // As it is written: marks above letters are not for escaping.
                format!("did you mean \"{nearest}\"?")
            }
            RepoError::Revision { .. } => "`git branch --all` lists the branches".to_owned(),
        })
    }
}
