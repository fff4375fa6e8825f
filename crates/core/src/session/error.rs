//! Why a session cannot be read, trimmed or written.

use super::format::{SessionFormat, Violation};
use crate::archive::ArchiveError;
use crate::fit::FitError;
use crate::tokens::Tokens;
use crate::{Diagnose, Diagnosis};

/// Why a session cannot be read, trimmed or written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// There is nothing in it.
    #[error("the session is empty")]
    Empty,
    /// Its format is not known.
    #[error("unrecognised session format: {0}")]
    Unknown(String),
    /// It is not of the format that was named.
    #[error("not a {format} session: {reason}")]
    Malformed {
        /// The format that was asked for or found.
        format: SessionFormat,
        /// What is wrong, with its place.
        reason: String,
    },
    /// No format has this name.
    #[error("unknown session format {0:?}; formats are {names}", names = SessionFormat::names())]
    NoFormat(String),
    /// What would be written is not a session that its agent or provider accepts.
    #[error("nothing was written: the {format} session would be refused: {violation}")]
    Invalid {
        /// The format.
        format: SessionFormat,
        /// What is wrong with it.
        violation: Violation,
    },
    /// The session does not have these turns.
    #[error("{}; the session has {last}", no_turns(turns))]
    NoTurn {
        /// The first and the last that were asked for, counted from 1.
        turns: (usize, usize),
        /// How many there are.
        last: usize,
    },
    /// What must stay does not fit the budget.
    #[error("what must stay needs {needed} tokens; the budget has {available}")]
    OverBudget {
        /// The least that would do.
        needed: Tokens,
        /// The budget.
        available: Tokens,
    },
    /// Nothing can be chosen.
    #[error(transparent)]
    Fit(FitError),
}

impl From<FitError> for SessionError {
    fn from(error: FitError) -> SessionError {
        match error {
            FitError::FrameOverBudget { needed, available }
            | FitError::RequiredOverBudget { needed, available } => {
                SessionError::OverBudget { needed, available }
            }
            error => SessionError::Fit(error),
        }
    }
}

impl Diagnose for SessionError {
    fn diagnosis(&self) -> Diagnosis {
        let name = || format!("name one with --from: {}", SessionFormat::names());
        match self {
            SessionError::Empty => Diagnosis::operation("LL-SES-001"),
            SessionError::Unknown(_) => Diagnosis::operation("LL-SES-002").hint(name()),
            SessionError::Malformed { .. } => Diagnosis::operation("LL-SES-003")
                .hint("leave out --from to detect the format from the content"),
            SessionError::NoFormat(_) => Diagnosis::usage("LL-SES-004").hint(name()),
            SessionError::Invalid { .. } => Diagnosis::operation("LL-SES-013")
                .hint("report this with the session; the original is unchanged"),
            SessionError::NoTurn { .. } => Diagnosis::usage("LL-SES-009"),
            SessionError::OverBudget { needed, .. } => Diagnosis::operation("LL-CTX-003")
                .hint(format!("raise the budget to {needed} or more")),
            SessionError::Fit(error) => error.diagnosis(),
        }
    }
}

fn no_turns((first, last): &(usize, usize)) -> String {
    if first == last {
        format!("there is no turn {first}")
    } else {
        format!("there are no turns {first} to {last}")
    }
}

/// Why the original of a session cannot be kept or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OriginalError {
    /// Nothing in a trimmed session says what was cut.
    #[error("nothing in this session names an original")]
    NoHandle,
    /// The archive cannot keep it, does not have it any more, or cannot read it.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The session cannot be trimmed, or has no such turns.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl Diagnose for OriginalError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            OriginalError::NoHandle => Diagnosis::operation("LL-SES-010")
                .hint("it was not trimmed, or with the cache off; it may be whole"),
            OriginalError::Archive(error) => error.diagnosis(),
            OriginalError::Session(error) => error.diagnosis(),
        }
    }
}
