//! Errors of the archive and its ledger.

use std::path::PathBuf;

use super::originals::SHORTEST_PREFIX;
use crate::{Diagnose, Diagnosis, PathError};

/// Why an original cannot be kept or recalled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// A file or directory cannot be read or written.
    #[error(transparent)]
    Io(#[from] PathError),
    /// No original of this project has this handle.
    #[error("no original has the handle {0:?}")]
    Unknown(String),
    /// Several originals begin with this handle.
    #[error("the handle {handle:?} fits {} originals: {}", matches.len(), matches.join(", "))]
    Ambiguous {
        /// The handle as it was given.
        handle: String,
        /// Handles that tell the originals apart, in order.
        matches: Vec<String>,
    },
    /// The text cannot be a handle.
    #[error("{0:?} is not a handle; write {SHORTEST_PREFIX} or more letters and digits")]
    Malformed(String),
    /// The stored bytes are not those that were put.
    #[error("the original {handle} is damaged: {}", path.display())]
    Damaged {
        /// The handle of the original.
        handle: String,
        /// The file that holds it.
        path: PathBuf,
    },
}

impl Diagnose for ArchiveError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            ArchiveError::Io(_) => Diagnosis::operation("LL-STO-001"),
            ArchiveError::Unknown(_) => Diagnosis::operation("LL-STO-002")
                .hint("handles work in the project they come from, until `loadline archive prune`"),
            ArchiveError::Ambiguous { .. } => {
                Diagnosis::operation("LL-STO-003").hint("use one of the longer handles")
            }
            ArchiveError::Malformed(_) => Diagnosis::operation("LL-STO-004"),
            ArchiveError::Damaged { .. } => {
                Diagnosis::operation("LL-STO-005").hint("putting the same content again repairs it")
            }
        }
    }
}

/// Why the ledger cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// Its directory cannot be made.
    #[error(transparent)]
    Io(#[from] PathError),
    /// The database reports an error.
    #[error("cannot use the ledger {path}: {source}")]
    Database {
        /// Where it is.
        path: String,
        /// What the database says.
        source: rusqlite::Error,
    },
}

impl Diagnose for LedgerError {
    fn diagnosis(&self) -> Diagnosis {
        let code = match self {
            LedgerError::Io(_) => "LL-LED-001",
            LedgerError::Database { .. } => "LL-LED-002",
        };
        Diagnosis::operation(code).hint("LOADLINE_DATA_DIR names another directory")
    }
}
