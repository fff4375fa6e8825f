//! Why a feature's notes cannot be measured or compacted.

use std::path::PathBuf;

use super::vault::VaultError;
use crate::{Diagnose, Diagnosis, Fault, PathError};

/// Why a feature's notes cannot be measured or compacted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotesError {
    /// The name is not one that a feature may have.
    #[error("invalid feature name {name:?}: only letters, digits, - and _ are allowed")]
    BadName {
        /// The name that was given.
        name: String,
    },
    /// There is no directory of that name.
    #[error("unknown feature {name:?} in {}", root.display())]
    NoFeature {
        /// The name that was given.
        name: String,
        /// Where features live.
        root: PathBuf,
        /// The names that are there.
        known: Vec<String>,
    },
    /// The directory is a link that leads out of the features.
    #[error("feature {name:?} leads out of {}", root.display())]
    Outside {
        /// The name that was given.
        name: String,
        /// Where features live.
        root: PathBuf,
    },
    /// The directory of the features is a link, or lies behind one.
    #[error("{} is a link, and is not followed", path.display())]
    LinkedRoot {
        /// The link.
        path: PathBuf,
    },
    /// No level has this name.
    #[error("unknown level {name:?}")]
    NoLevel {
        /// The name that was given.
        name: String,
    },
    /// A pattern of the settings is not a regular expression.
    #[error("invalid regular expression {pattern:?} in {key}: {reason}")]
    Pattern {
        /// The setting, such as `memory.preserve`.
        key: &'static str,
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The percentages of the levels do not ascend.
    #[error("the levels of memory cannot be {compact}, {summarize} and {handoff} percent")]
    Ladder {
        /// Where compaction begins.
        compact: f64,
        /// Where summaries begin.
        summarize: f64,
        /// Where handoffs begin.
        handoff: f64,
    },
    /// A file of budgets says something that makes no sense.
    #[error("the budgets of features are wrong: {key}: {reason}")]
    Budgets {
        /// The key.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file or directory cannot be used.
    #[error(transparent)]
    Io(#[from] PathError),
    /// What is kept of a feature cannot be written or restored.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

impl NotesError {
    pub(super) fn budgets(key: &str, reason: String) -> NotesError {
        NotesError::Budgets { key: key.to_owned(), reason }
    }
}

impl Diagnose for NotesError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            NotesError::BadName { .. } => {
                Diagnosis::usage("LL-MEM-001").hint("rename its directory")
            }
            NotesError::NoFeature { known, .. } => {
                let diagnosis = Diagnosis::operation("LL-MEM-002");
                if known.is_empty() {
                    diagnosis.hint("set memory.root to the directory that holds the features")
                } else {
                    diagnosis.hint(format!("known features: {}", known.join(", ")))
                }
            }
            NotesError::Outside { .. } => {
                Diagnosis::operation("LL-MEM-003").hint("move its notes inside, or set memory.root")
            }
            NotesError::LinkedRoot { .. } => {
                Diagnosis::operation("LL-MEM-003").hint("name the directory by --root")
            }
            NotesError::NoLevel { .. } => {
                Diagnosis::usage("LL-MEM-004").hint("levels are compact, summarize and handoff")
            }
            NotesError::Pattern { key, .. } => {
                Diagnosis::usage("LL-MEM-005").hint(format!("correct {key}"))
            }
            NotesError::Ladder { .. } => Diagnosis::usage("LL-MEM-006")
                .hint("set memory.compact below memory.summarize below memory.handoff"),
            NotesError::Io(_) => Diagnosis::operation("LL-MEM-007"),
            NotesError::Budgets { key, .. } => {
                Diagnosis::usage("LL-MEM-008").hint(format!("correct {key} in that file"))
            }
            NotesError::Vault(error @ VaultError::UnknownId { .. }) => {
                Diagnosis { fault: Fault::Usage, ..error.diagnosis() }
            }
            NotesError::Vault(error) => error.diagnosis(),
        }
    }
}
