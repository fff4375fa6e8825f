//! Why a window cannot be built.

use crate::budget::BudgetError;
use crate::fit::FitError;
use crate::tokens::Tokens;
use crate::{Diagnose, Diagnosis};

/// Why a window cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// The state, or a list of sources, is not what it has to be.
    #[error("{}", misread(place, message))]
    Malformed {
        /// The path of the field, such as `units[2].status`; `.` for the whole.
        place: String,
        /// What is wrong with it.
        message: String,
    },
    /// No phase has this name.
    #[error("unknown phase {name:?}")]
    UnknownPhase {
        /// The name that was given.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A phase is written down wrongly.
    #[error("phase {phase:?}: {message}")]
    BadPhase {
        /// The phase.
        phase: String,
        /// What is wrong.
        message: String,
    },
    /// What must be in the window does not fit it.
    #[error(
        "no room for {part} ({} tokens): what is required needs {} tokens more than the {} available",
        tokens.with_commas(), needed.saturating_sub(*available).with_commas(), available.with_commas()
    )]
    TooLarge {
        /// The largest of the required parts.
        part: String,
        /// What it needs.
        tokens: Tokens,
        /// What all required parts need.
        needed: Tokens,
        /// What there is for them.
        available: Tokens,
    },
    /// A source could not bring what it was asked for.
    #[error("source {name:?}: {message}")]
    Source {
        /// The source.
        name: String,
        /// Why not.
        message: String,
    },
    /// The window leaves no room, or shares do not work out.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// Required items do not fit.
    #[error(transparent)]
    Select(#[from] FitError),
}

impl Diagnose for PromptError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            PromptError::Malformed { .. } => Diagnosis::operation("LL-WIN-001"),
            PromptError::UnknownPhase { known, .. } => {
                Diagnosis::usage("LL-WIN-002").hint(format!(
                    "use one of {}, or define it in loadline.toml under [phases.NAME]",
                    known.join(", ")
                ))
            }
            PromptError::BadPhase { .. } => Diagnosis::usage("LL-WIN-003"),
            PromptError::Source { .. } => Diagnosis::operation("LL-WIN-004"),
            PromptError::TooLarge { part, needed, available, .. } => {
                let over = needed.saturating_sub(*available).with_commas();
                Diagnosis::operation("LL-CTX-003").hint(format!(
                    "shorten {part} by {over} tokens, or raise the window by as many"
                ))
            }
            PromptError::Budget(error) => error.diagnosis(),
            PromptError::Select(error) => error.diagnosis(),
        }
    }
}

fn misread(place: &str, message: &str) -> String {
    match place {
        "" | "." => format!("unexpected JSON: {message}"),
        place => format!("`{place}`: {message}"),
    }
}
