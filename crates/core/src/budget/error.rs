//! What can be wrong with a budget, a share, a ladder or a model entry.
//!
//! Two kinds: spending more than there is (LL-BUD-001 to -003), which happens
//! while working, and impossible settings (LL-BUD-005), which name the key, the
//! value and what would be allowed.

use crate::tokens::Tokens;
use crate::{Diagnose, Diagnosis};

/// Why a budget cannot be made, or cannot be spent that way.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// More was asked for than the whole budget still has.
    #[error("{requested} tokens do not fit: {remaining} of {total} are left")]
    TotalExceeded {
        /// What was asked for.
        requested: Tokens,
        /// What is left of the total.
        remaining: Tokens,
        /// The whole budget.
        total: Tokens,
    },
    /// More was asked for than one share still has.
    #[error("{requested} tokens do not fit in share {share:?}: {remaining} of {limit} are left")]
    ShareExceeded {
        /// The share's name.
        share: String,
        /// What was asked for.
        requested: Tokens,
        /// What is left of the share.
        remaining: Tokens,
        /// The share's limit.
        limit: Tokens,
    },
    /// The budget has no share of that name.
    #[error("no share is called {share:?}")]
    UnknownShare {
        /// The name that was asked for.
        share: String,
        /// The names there are, in their order.
        known: Vec<String>,
    },
    /// A sum of tokens does not fit 64 bits.
    #[error("the sum of {0} does not fit 64 bits")]
    Overflow(&'static str),
    /// The reserves (or the margin) leave nothing to spend.
    #[error(
        "no budget available for content: window {window}, reserves {reserved}, margin {margin}"
    )]
    NoRoom {
        /// The window.
        window: Tokens,
        /// The sum of the reserves.
        reserved: Tokens,
        /// The margin that was applied.
        margin: f64,
    },
    /// A setting has a value that is not allowed.
    #[error("{key} is {value}; it must be {allowed}")]
    OutOfRange {
        /// The setting.
        key: String,
        /// The value it has.
        value: String,
        /// What it may be.
        allowed: String,
    },
    /// A full table of percentages does not add up to the whole.
    #[error("the percentages of the shares sum to {0}; they must sum to 100")]
    PercentSum(f64),
    /// The shares together are more than there is to spend.
    #[error("the shares sum to {sum} tokens; at most {total} are available")]
    SharesExceedTotal {
        /// The sum of the shares.
        sum: Tokens,
        /// What is available.
        total: Tokens,
    },
    /// Two shares have the same name.
    #[error("two shares are called {0:?}")]
    DuplicateShare(String),
    /// A model entry lacks something that a new model needs.
    #[error("model {model:?} has no {key}, and no known model of that name supplies one")]
    ModelIncomplete {
        /// The entry's name.
        model: String,
        /// The missing key.
        key: &'static str,
        /// The nearest known names, which the entry may have meant.
        nearest: Vec<String>,
    },
    /// A table of models is not what it should be.
    #[error("the table of models cannot be read: {0}")]
    ModelTable(String),
}

impl BudgetError {
    /// Makes an error about a setting, its value and what is allowed.
    pub(crate) fn out_of_range(
        key: impl Into<String>,
        value: impl ToString,
        allowed: impl Into<String>,
    ) -> BudgetError {
        BudgetError::OutOfRange {
            key: key.into(),
            value: value.to_string(),
            allowed: allowed.into(),
        }
    }
}

impl Diagnose for BudgetError {
    fn diagnosis(&self) -> Diagnosis {
        let code = match self {
            BudgetError::TotalExceeded { .. } => "LL-BUD-001",
            BudgetError::ShareExceeded { .. } | BudgetError::UnknownShare { .. } => "LL-BUD-002",
            BudgetError::Overflow(_) => "LL-BUD-003",
            _ => "LL-BUD-005",
        };
        let diagnosis = Diagnosis::usage(code);
        match self {
            BudgetError::TotalExceeded { .. } => {
                diagnosis.hint("raise the budget, or choose a smaller rendition")
            }
            BudgetError::ShareExceeded { share, .. } => diagnosis
                .hint(format!("raise the share {share:?}, or let leftovers be redistributed")),
            BudgetError::UnknownShare { known, .. } if known.is_empty() => {
                diagnosis.hint("this budget has no shares")
            }
            BudgetError::UnknownShare { known, .. } => {
                diagnosis.hint(format!("the shares are {}", known.join(", ")))
            }
            BudgetError::NoRoom { .. } => diagnosis.hint("use a larger window or smaller reserves"),
            BudgetError::SharesExceedTotal { .. } => {
                diagnosis.hint("lower the shares, or give them as percentages")
            }
            BudgetError::ModelIncomplete { nearest, key, .. } if nearest.is_empty() => {
                diagnosis.hint(format!("add {key} to the entry"))
            }
            BudgetError::ModelIncomplete { nearest, key, .. } => diagnosis.hint(format!(
                "add {key} to the entry, or name a known model: {}",
                nearest.join(", ")
            )),
            _ => diagnosis,
        }
    }
}
