//! Puts items under a budget: the one place that chooses what fits.
//!
//! ```text
//! items + allocation + composer -> required -> floors -> fill -> write, count,
//!     give back or top up -> Fitted
//! ```
//!
//! [`fit`] knows nothing of files or turns. A caller brings items with scores and
//! renditions, an allocation, and a composer ([`Compose`]) that prices a step given
//! what is chosen already and writes the choice. Tokens do not add up exactly, so
//! prices only steer; what was written is counted, and is never over the budget.
//!
//! [`select`] is `fit` for costs that do add up, [`fit_prefix`] and [`longest`] cut a
//! row to what fits, and [`slide_window`] keeps the first and the newest of one.

mod compose;
mod fate;
mod fill;
mod item;
mod search;
mod selection;
mod slide;

pub use compose::{Chosen, Compose, Offer, Place};
pub use fate::{Fate, Reason};
pub use item::Item;
pub use search::{Prefix, fit_prefix, longest};
pub use selection::Selection;
pub(crate) use slide::slide_lazily;
pub use slide::{SlidingWindow, WindowMessage, slide_window, window_marker};

use crate::budget::{Allocation, BudgetError};
use crate::tokens::Tokens;
use crate::{Diagnose, Diagnosis, Fault};
use compose::Plain;
use fill::Filling;

/// How to choose.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Which step comes first.
    pub order: Order,
    /// Items with at least this score get their smallest rendition before
    /// anything gets a larger one.
    pub floor_score: Option<f64>,
    /// Items below this score are dropped.
    pub min_score: Option<f64>,
    /// Stops after so many steps that did not fit. Set it where a cost is
    /// expensive to work out.
    pub max_misses: Option<usize>,
    /// Stops when less than this is left.
    pub least_room: Tokens,
}

/// Which step comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The highest score, each item in the most detail that fits.
    #[default]
    Score,
    /// The highest [`Compose::rate`], asked anew before each step.
    Rate,
}

/// What fits.
#[derive(Clone, Debug)]
#[must_use]
pub struct Fitted<K, W> {
    /// What the composer wrote.
    pub written: W,
    /// What that costs; never more than the budget.
    pub tokens: Tokens,
    /// What became of each item.
    pub selection: Selection<K>,
}

/// Why nothing fits.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
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
    /// What is written around the items alone is over the budget.
    #[error("{needed} tokens are needed before anything is chosen; the budget has {available}")]
    FrameOverBudget {
        /// What is needed.
        needed: Tokens,
        /// What there is.
        available: Tokens,
    },
    /// A required item has no rendition that shows anything, or was excluded.
    #[error("a required item has nothing to show")]
    RequiredEmpty,
    /// An item belongs to a share that the budget does not have.
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

impl Diagnose for FitError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            FitError::RequiredOverBudget { needed, .. }
            | FitError::FrameOverBudget { needed, .. } => Diagnosis::operation("LL-CTX-003")
                .hint(format!("raise the budget to {needed} or more, or require less")),
            FitError::RequiredOverShare { share, needed, .. } => Diagnosis::operation("LL-BUD-002")
                .hint(format!("give share {share:?} at least {needed} tokens, or require less")),
            FitError::RequiredEmpty => Diagnosis::operation("LL-CTX-004"),
            FitError::Budget(error) => Diagnosis { fault: Fault::Operation, ..error.diagnosis() },
        }
    }
}

/// How often a choice is written before the best one so far has to do.
const ATTEMPTS: usize = 16;

/// What is left of a budget that counts as used: one in so many.
const USED: u64 = 100;

/// Chooses renditions of items, writes them, and holds what was written under the budget.
///
/// Where everything fits, everything is shown. Otherwise:
///
/// 1. Required items get their smallest rendition; if those do not fit, that is an error.
/// 2. Items at or above the floor score get their smallest rendition, best first.
/// 3. The rest is filled by score or by rate, past what does not fit, in the most
///    detail that does. What shares left over is given to whoever can use it, if the
///    allocation says so.
/// 4. The choice is written and counted. Where it is over, the newest steps are
///    undone; where room is left, more steps are taken.
///
/// The same items in any order give the same choice, unless two have both the same
/// score and the same key; of those only the first can be chosen.
///
/// ```
/// use loadline::budget::Allocation;
/// use loadline::fit::{Chosen, Compose, FitError, Item, Policy, fit};
/// use loadline::tokens::{Counter, Tokens};
///
/// struct List<'a>(&'a [&'a str], Counter);
///
/// impl Compose for List<'_> {
///     type Written = String;
///     type Error = FitError;
///
///     fn write(&mut self, chosen: Chosen<'_>) -> Result<String, FitError> {
///         let lines = chosen.iter().map(|(item, _)| format!("- {}\n", self.0[item]));
///         Ok(lines.collect())
///     }
///
///     fn tokens(&self, written: &String) -> Tokens {
///         self.1.count(written)
///     }
/// }
///
/// let counter: Counter = "o200k".parse()?;
/// let texts = ["read the log", "fix the clock", "write it down"];
/// let items = texts.iter().enumerate().map(|(number, text)| {
///     Item::new(number, -(number as f64)).rendition("full", counter.count(text))
/// });
/// let budget = Allocation::of(Tokens::new(10));
/// let fitted = fit(items.collect(), &budget, &Policy::default(), &mut List(&texts, counter))?;
/// assert_eq!(fitted.written, "- read the log\n- fix the clock\n");
/// assert!(fitted.tokens <= Tokens::new(10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit<K: Ord + Clone, C: Compose>(
    items: Vec<Item<K>>,
    allocation: &Allocation,
    policy: &Policy,
    composer: &mut C,
) -> Result<Fitted<K, C::Written>, C::Error> {
    let mut filling = Filling::new(items, allocation, policy)?;
    let frame = composer.write(filling.chosen())?;
    let needed = composer.tokens(&frame);
    let available = allocation.total();
    if needed > available {
        return Err(FitError::FrameOverBudget { needed, available }.into());
    }
    filling.settle(needed);
    let (written, tokens) = match everything(&mut filling, composer)? {
        Some(all) => all,
        None => {
            filling.settle(needed);
            filling.take_required(composer)?;
            filling.take_floors(composer);
            filling.fill(composer);
            settle(&mut filling, needed, composer)?
        }
    };
    assert!(tokens <= available, "what was fitted exceeds its budget");
    Ok(Fitted { written, tokens, selection: filling.finish(tokens) })
}

/// Writes all items in the most detail they have, if that fits.
fn everything<K: Ord + Clone, C: Compose>(
    filling: &mut Filling<'_, K>,
    composer: &mut C,
) -> Result<Option<(C::Written, Tokens)>, C::Error> {
    if !filling.take_all(composer) {
        return Ok(None);
    }
    let written = composer.write(filling.chosen())?;
    let tokens = composer.tokens(&written);
    if tokens <= filling.budget() {
        return Ok(Some((written, tokens)));
    }
    filling.start_over(composer);
    Ok(None)
}

/// Writes and counts until the choice is under the budget and fills it.
fn settle<K: Ord + Clone, C: Compose>(
    filling: &mut Filling<'_, K>,
    frame: Tokens,
    composer: &mut C,
) -> Result<(C::Written, Tokens), C::Error> {
    let budget = filling.budget();
    // The best that was written so far, and how many steps it has.
    let mut best: Option<(C::Written, Tokens, usize)> = None;
    let mut needed = Tokens::ZERO;
    for attempt in 0.. {
        let written = composer.write(filling.chosen())?;
        let tokens = composer.tokens(&written);
        filling.settle(tokens);
        let is_last = attempt >= ATTEMPTS;
        if let Some(left) = budget.checked_sub(tokens) {
            best = Some((written, tokens, filling.steps_taken()));
            let is_used = left.get().saturating_mul(USED) < budget.get();
            if is_used || is_last || !filling.fill(composer) {
                break;
            }
        } else {
            needed = tokens;
            filling.learn(tokens, frame);
            let known = best.as_ref().map(|(_, _, steps)| *steps);
            // A little more than what is over, for costs are estimates.
            let over = tokens.saturating_sub(budget).saturating_add(Tokens::new(2));
            let goal = if is_last { Tokens::MAX } else { over };
            let undid = filling.give_back(goal, known, composer);
            if !undid || known == Some(filling.steps_taken()) {
                break;
            }
        }
    }
    let Some((written, tokens, _)) = best else {
        let available = budget;
        return Err(FitError::RequiredOverBudget { needed, available }.into());
    };
    filling.settle(tokens);
    Ok((written, tokens))
}

/// Picks at most one rendition per item, for items whose costs add up.
///
/// As [`fit`], with nothing to write.
///
/// ```
/// use loadline::budget::Allocation;
/// use loadline::fit::{FitError, Item, Policy, select};
/// use loadline::tokens::Tokens;
/// let items = vec![
///     Item::new("a.rs", 90.0).rendition("full", Tokens::new(900)),
///     Item::new("b.rs", 80.0)
///         .rendition("full", Tokens::new(800))
///         .rendition("outline", Tokens::new(60)),
///     Item::new("c.rs", 10.0).rendition("full", Tokens::new(40)),
/// ];
/// let selection = select(items, &Allocation::of(Tokens::new(1_000)), &Policy::default())?;
/// assert_eq!(selection.rendition(&"b.rs"), Some("outline"));
/// assert_eq!(selection.tokens(), Tokens::new(1_000));
/// # Ok::<(), FitError>(())
/// ```
pub fn select<K: Ord + Clone>(
    items: Vec<Item<K>>,
    allocation: &Allocation,
    policy: &Policy,
) -> Result<Selection<K>, FitError> {
    let fitted = fit(items, allocation, policy, &mut Plain)?;
    Ok(fitted.selection)
}

#[cfg(test)]
mod tests;
