//! Says why content is not in a pack, or not in full.

use std::fmt;

use crate::fit;
use serde::{Deserialize, Serialize};

/// Why a file or a chunk is not shown, or not in full.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// What was left of the budget did not cover it.
    OverBudget,
    /// What was left of its share did not cover it.
    OverShare,
    /// Another file or chunk has the same content.
    Duplicate {
        /// The one that is shown instead.
        of: String,
    },
    /// Another chunk covers the same lines.
    Overlap {
        /// The one that is shown instead.
        with: String,
    },
    /// Its score is below the threshold.
    BelowThreshold,
    /// Nothing in it matches the task.
    NoMatch,
    /// It must not be shown: credentials, or a path outside the repository.
    Denied,
    /// It is not text.
    Binary {
        /// What it is instead, where that is known.
        kind: Option<String>,
    },
    /// It could not be read.
    Unreadable,
    /// It has nothing to show.
    Empty,
    /// A package manager wrote it.
    LockFile,
    /// It exceeds the size limit for files.
    TooLarge,
    /// It has too many tokens to be shown in full unless it is pinned or changed.
    Oversized,
    /// Only signatures were asked for.
    Compressed,
    /// Only the lines that a task or a review needs are shown.
    ChosenLines,
    /// It is gone; a review lists it.
    Deleted,
}

impl Reason {
    /// Returns the reason without details: `duplicate`, `over budget`.
    pub const fn name(&self) -> &'static str {
        match self {
            Reason::OverBudget => "over budget",
            Reason::OverShare => "over share",
            Reason::Duplicate { .. } => "duplicate",
            Reason::Overlap { .. } => "overlap",
            Reason::BelowThreshold => "below threshold",
            Reason::NoMatch => "no match",
            Reason::Denied => "denied",
            Reason::Binary { .. } => "binary",
            Reason::Unreadable => "unreadable",
            Reason::Empty => "empty",
            Reason::LockFile => "lock file",
            Reason::TooLarge => "too large",
            Reason::Oversized => "oversized",
            Reason::Compressed => "compressed",
            Reason::ChosenLines => "chosen lines",
            Reason::Deleted => "deleted",
        }
    }
}

impl From<fit::Reason<String>> for Reason {
    fn from(reason: fit::Reason<String>) -> Reason {
        match reason {
            fit::Reason::OverBudget => Reason::OverBudget,
            fit::Reason::OverShare => Reason::OverShare,
            fit::Reason::Duplicate(of) => Reason::Duplicate { of },
            fit::Reason::BelowThreshold => Reason::BelowThreshold,
            fit::Reason::Empty => Reason::Empty,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Duplicate { of } => write!(f, "duplicate of {of}"),
            Reason::Overlap { with } => write!(f, "overlaps {with}"),
            Reason::Binary { kind: Some(kind) } => write!(f, "binary ({kind})"),
            reason => f.write_str(reason.name()),
        }
    }
}
