//! Why the files of a repository cannot be found at all.
//!
//! Whatever is wrong with a single file on the way is a note, not an error.

use std::path::PathBuf;

use super::display_path;
use crate::{Diagnose, Diagnosis, PathError};

/// Why a walk did not begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RepoError {
    /// Nothing has this path.
    #[error("no such file or directory: {:?}", display_path(.0))]
    Missing(PathBuf),
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
    #[error("cannot compare: {0}")]
    Incomparable(String),
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
    fn diagnosis(&self) -> Diagnosis {
        // As it is written: marks above letters are not for escaping.
        let meant = |nearest: &String| format!("did you mean \"{nearest}\"?");
        match self {
            RepoError::Missing(_) => Diagnosis::operation("LL-CTX-004")
                .hint("check the spelling; relative paths start at the current directory"),
            RepoError::Unreadable(_) => {
                Diagnosis::operation("LL-CTX-004").hint("check the permissions of the path")
            }
            RepoError::Glob { .. } => Diagnosis::usage("LL-CFG-003")
                .hint("write globs as in .gitignore, such as *.rs, src/** or docs/"),
            RepoError::Unmatched { nearest, .. } => Diagnosis::usage("LL-CFG-003").hint(
                nearest.as_ref().map_or(
                    "hidden and ignored files need --hidden or --no-ignore, or their full path"
                        .to_owned(),
                    meant,
                ),
            ),
            RepoError::Incomparable(_) => Diagnosis::usage("LL-CTX-006").hint(
                "run it in a git repository, or leave out --changed, --since, --staged and --diff",
            ),
            RepoError::Revision { nearest, .. } => Diagnosis::usage("LL-CTX-006").hint(
                nearest.as_ref().map_or("`git branch --all` lists the branches".to_owned(), meant),
            ),
        }
    }
}
