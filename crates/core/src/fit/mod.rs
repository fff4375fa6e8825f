//! Which items go in, and in how much detail?
//!
//! [`select`] is the one way to make a [`Selection`], and a `Selection` never
//! exceeds its budget or a share. It knows nothing of files or turns: what an
//! item is, how it is scored and how it is written are the caller's business.

mod fate;
mod fill;
mod gain;
mod item;
mod selection;
mod slide;

pub use fate::{Fate, Reason};
pub use gain::Gain;
pub use item::{Item, Rendition};
pub use selection::Selection;
pub(crate) use slide::slide_lazily;
pub use slide::{SlidingWindow, WindowMessage, slide_window, window_marker};

use crate::Diagnose;
use crate::budget::{Allocation, BudgetError};
use crate::tokens::Tokens;
use fill::Filling;

/// How to choose.
#[derive(Default)]
pub struct Policy<'a> {
    /// Whom to serve first.
    pub order: Order<'a>,
    /// Items with at least this score get their smallest rendition before
    /// anything gets a larger one.
    pub floor_score: Option<f64>,
    /// Items below this score are dropped.
    pub min_score: Option<f64>,
}

/// Whom to serve first.
#[derive(Default)]
pub enum Order<'a> {
    /// The highest score first, each in the most detail that fits.
    #[default]
    Score,
    /// The highest gain per token first, asked anew after each choice.
    Gain(&'a mut dyn Gain),
}

/// Why nothing can be selected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// The required items do not fit, even in their smallest renditions.
    #[error("the required items need {needed} tokens; the budget has {available}")]
    RequiredOverBudget {
        /// What the required items need at least.
        needed: Tokens,
        /// What there is.
        available: Tokens,
    },
    /// The required items of one share do not fit it.
    #[error("the required items of share {share:?} need {needed} tokens; it has {available}")]
    RequiredOverShare {
        /// The share.
        share: String,
        /// What its required items need at least.
        needed: Tokens,
        /// What it has.
        available: Tokens,
    },
    /// A required item has no rendition that shows anything, or was excluded.
    #[error("a required item has nothing to show")]
    RequiredEmpty,
    /// An item belongs to a share that the budget does not have.
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

impl Diagnose for SelectError {
    fn code(&self) -> &'static str {
        match self {
            SelectError::RequiredOverBudget { .. } => "LL-CTX-003",
            SelectError::RequiredOverShare { .. } => "LL-BUD-002",
            SelectError::RequiredEmpty => "LL-CTX-004",
            SelectError::Budget(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            SelectError::RequiredOverBudget { needed, .. } => Some(format!(
                "raise the budget to {needed} or more, or require less"
            )),
            SelectError::RequiredOverShare { share, needed, .. } => Some(format!(
                "give share {share:?} at least {needed} tokens, or require less"
            )),
            SelectError::RequiredEmpty => None,
            SelectError::Budget(error) => error.hint(),
        }
    }
}

/// Picks at most one rendition per item, within the allocation.
///
/// 1. Required items get their smallest rendition; if those do not fit, that is the only error.
/// 2. Items at or above the floor score get their smallest rendition, best first.
/// 3. The rest is filled by score or by gain, past what does not fit, in the
///    most detail that does.
/// 4. What shares left over is given to whoever can use it, if the allocation says so.
///
/// The same items in any order give the same selection, unless two have both
/// the same score and the same key; of those only the first can be chosen.
///
/// ```
/// use loadline::budget::Allocation;
/// use loadline::fit::{Item, Policy, select};
/// use loadline::tokens::Tokens;
/// let items = vec![
///     Item::new("a.rs", 90.0).rendition("full", Tokens::new(900)),
///     Item::new("b.rs", 80.0)
///         .rendition("full", Tokens::new(800))
///         .rendition("outline", Tokens::new(60)),
///     Item::new("c.rs", 10.0).rendition("full", Tokens::new(40)),
/// ];
/// let selection = select(items, &Allocation::of(Tokens::new(1_000)), Policy::default())?;
/// assert_eq!(selection.rendition(&"b.rs"), Some("outline"));
/// assert_eq!(selection.tokens(), Tokens::new(1_000));
/// # Ok::<(), loadline::fit::SelectError>(())
/// ```
pub fn select<K: Ord + Clone>(
    items: Vec<Item<K>>,
    allocation: &Allocation,
    policy: Policy<'_>,
) -> Result<Selection<K>, SelectError> {
    let mut filling = Filling::new(items, allocation, &policy)?;
    filling.take_required()?;
    if let Some(score) = policy.floor_score {
        filling.reserve_floors(score);
    }
    match policy.order {
        Order::Score => {
            filling.fill_by_score();
            if filling.lift_shares() {
                filling.fill_by_score();
            }
        }
        Order::Gain(gain) => {
            filling.tell(gain);
            filling.fill_by_gain(gain);
            if filling.lift_shares() {
                filling.fill_by_gain(gain);
            }
        }
    }
    Ok(filling.finish())
}

#[cfg(test)]
mod tests;
