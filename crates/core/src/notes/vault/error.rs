//! Errors of what is kept of a feature.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::files::not_plain_kind;
use crate::{Diagnose, Diagnosis, PathError};

/// Why what is kept of a feature cannot be written or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    /// A file or directory cannot be used.
    #[error(transparent)]
    Io(#[from] PathError),
    /// Another process works on the same feature and does not end.
    #[error("another process has been working in {} for {} seconds", path.display(), waited.as_secs())]
    Busy {
        /// The directory of the feature.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// Files are not as they were when the plan was made.
    #[error("changed since the plan was made: {}", files.join(", "))]
    Changed {
        /// The files.
        files: Vec<String>,
    },
    /// Files are not as the compaction that is to be reverted left them.
    #[error("changed since {id}: {}", files.join(", "))]
    Edited {
        /// The compaction.
        id: String,
        /// The files.
        files: Vec<String>,
        /// What was done later to the same files and is in force, the latest first.
        later: Vec<String>,
    },
    /// Nothing in the history has this name.
    #[error("there is no {id:?} in the history")]
    UnknownId {
        /// The name that was given.
        id: String,
        /// What could be asked for, the latest first.
        known: Vec<String>,
    },
    /// The time in which it could be reverted is over.
    #[error("{id} could be reverted until {until}")]
    Expired {
        /// The compaction.
        id: String,
        /// The end of its time.
        until: Timestamp,
    },
    /// It was reverted before.
    #[error("{id} is reverted already")]
    AlreadyReverted {
        /// The compaction.
        id: String,
        /// What reverted it, where that is known.
        by: Option<String>,
    },
    /// A file would be overwritten.
    #[error("{file} is there and has other content")]
    Exists {
        /// The file.
        file: String,
    },
    /// What was kept is not what it was.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// What was kept is not there any more.
    #[error("{} is not there any more", path.display())]
    Lost {
        /// The file that should be there.
        path: PathBuf,
    },
    /// Something that is no plain file stands where one is needed.
    #[error("{} is {found}, and is neither followed nor replaced", path.display())]
    NotPlain {
        /// The path.
        path: PathBuf,
        /// What it is: `a link`, `a directory`.
        found: &'static str,
    },
    /// A path that does not stay with the feature.
    #[error("{path:?} is no path inside of a feature")]
    OutsidePath {
        /// The path.
        path: String,
    },
    /// A version with another kind of journal was interrupted.
    #[error("an older version of loadline was interrupted: {}", path.display())]
    OldJournal {
        /// The journal that it left.
        path: PathBuf,
    },
    /// The work failed, and so did taking it back.
    #[error("{cause}; files could not all be put back: {rollback}")]
    Stuck {
        /// Why the work failed.
        cause: Box<VaultError>,
        /// Why it could not be taken back.
        rollback: Box<VaultError>,
    },
}

impl VaultError {
    /// Names the path of an I/O error, and tells apart what is not a plain file.
    pub(super) fn from_io(action: &'static str, path: &Path, error: io::Error) -> VaultError {
        match not_plain_kind(&error) {
            Some(found) => VaultError::NotPlain { path: path.to_owned(), found },
            None => PathError::new(action, path, error).into(),
        }
    }

    pub(super) fn damaged(path: &Path, reason: &str) -> VaultError {
        VaultError::Damaged { path: path.to_owned(), reason: reason.to_owned() }
    }
}

impl Diagnose for VaultError {
    fn diagnosis(&self) -> Diagnosis {
        let (code, hint) = match self {
            VaultError::Io(_) => ("LL-MEM-020", "nothing was changed"),
            VaultError::Busy { .. } => ("LL-MEM-021", "wait for it to end, then run this again"),
            VaultError::Changed { .. } => ("LL-MEM-022", "nothing was changed; run it again"),
            VaultError::Edited { later, .. } => {
                let diagnosis = Diagnosis::operation("LL-MEM-023");
                return match later.first() {
                    Some(later) => diagnosis.hint(format!("revert {later} first, or add --force")),
                    None => diagnosis.hint("add --force to replace them; they are archived first"),
                };
            }
            VaultError::UnknownId { known, .. } if known.is_empty() => {
                ("LL-MEM-024", "nothing was compacted or archived there yet")
            }
            VaultError::UnknownId { known, .. } => {
                let (shown, more) = known.split_at(known.len().min(10));
                let more = if more.is_empty() { "" } else { " and older ones" };
                let hint = format!("there are {}{more}", shown.join(", "));
                return Diagnosis::operation("LL-MEM-024").hint(hint);
            }
            VaultError::Expired { .. } => {
                ("LL-MEM-025", "its files are in .compaction/archived; `context prune --restore`")
            }
            VaultError::AlreadyReverted { by, .. } => {
                let hint = by.as_ref().map(|by| format!("revert {by} to restore it"));
                return Diagnosis { hint, ..Diagnosis::operation("LL-MEM-026") };
            }
            VaultError::Exists { .. } => ("LL-MEM-027", "add --force; it is archived first"),
            VaultError::Damaged { .. } => {
                ("LL-MEM-028", "nothing was changed or deleted; put the file right or move it away")
            }
            VaultError::Lost { .. } => ("LL-MEM-029", "nothing was changed"),
            VaultError::NotPlain { .. } => ("LL-MEM-030", "put a plain file in its place"),
            VaultError::OutsidePath { .. } => return Diagnosis::operation("LL-MEM-031"),
            VaultError::Stuck { .. } => {
                ("LL-MEM-032", "free space or allow writing; the next command puts all files back")
            }
            VaultError::OldJournal { .. } => (
                "LL-MEM-033",
                "let that version finish with `loadline feature status`, or move the file \
                 away; originals are in .compaction/archived",
            ),
        };
        Diagnosis::operation(code).hint(hint)
    }
}
