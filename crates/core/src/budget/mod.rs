//! How many tokens may be spent, and on what?
//!
//! ```text
//! model ── window ─┐
//! reserves ────────┼─> Budget ──> Allocation ──> Ledger
//! margin ──────────┤   available  total, shares  what was spent
//! shares ──────────┘
//! ```
//!
//! A budget is a window minus named reserves, times a margin that absorbs the
//! error of the count, optionally cut into shares. Every step is checked: a
//! budget that exists can be spent. Which model has which window is in
//! `models`, how full a window feels in `pressure`. Nothing here counts tokens
//! or chooses what to keep.

mod allocation;
mod error;
mod ladder;
mod ledger;
mod model;
mod model_name;
mod models;
mod pressure;
mod ratio;
mod shares;

pub use allocation::{Allocation, Leftover, ShareLimit};
pub use error::BudgetError;
pub use ladder::Ladder;
pub use ledger::{Ledger, Receipt, ShareUse};
pub use model::{Model, ModelEntry, PriceEntry, Prices};
pub use models::Models;
pub use pressure::{Pressure, Severity};
pub use shares::{Amount, Share};

use crate::tokens::{Precision, Tokens};
use ratio::Ratio;
use shares::Whole;

/// A window minus named reserves, times a margin, optionally cut into shares.
///
/// ```
/// use loadline::budget::Budget;
/// use loadline::tokens::{Precision, Tokens};
///
/// let budget = Budget::of(Tokens::new(100_000))
///     .reserve("prompt", Tokens::new(3_000))
///     .reserve("response", Tokens::new(4_096))
///     .precision(Precision::Heuristic)
///     .build()?;
/// assert_eq!(budget.available(), Tokens::new(83_613));
/// # Ok::<(), loadline::budget::BudgetError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    window: Tokens,
    reserves: Vec<Reserve>,
    margin: Ratio,
    allocation: Allocation,
}

/// Tokens of the window that content may not use, and what they are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserve {
    /// What is kept free: `response`, `system`.
    pub name: String,
    /// How much is kept free.
    pub tokens: Tokens,
}

impl Budget {
    /// Begins a budget over a window of that size.
    pub fn of(window: Tokens) -> BudgetBuilder {
        BudgetBuilder {
            window,
            reserves: Vec::new(),
            margin: None,
            precision: Precision::Exact,
            shares: Vec::new(),
            leftover: Leftover::Keep,
        }
    }

    /// Returns the window.
    pub fn window(&self) -> Tokens {
        self.window
    }

    /// Returns the reserves in the order they were made.
    pub fn reserves(&self) -> &[Reserve] {
        &self.reserves
    }

    /// Returns the margin, between 0 and 1.
    pub fn margin(&self) -> f64 {
        self.margin.fraction()
    }

    /// Returns what content may use: window less reserves, times margin, rounded down.
    pub fn available(&self) -> Tokens {
        self.allocation.total()
    }

    /// Returns the numbers the selection stage works with.
    pub fn allocate(&self) -> Allocation {
        self.allocation.clone()
    }
}

/// Collects the parts of a [`Budget`]; [`build`](BudgetBuilder::build) checks them.
#[derive(Clone, Debug)]
#[must_use]
pub struct BudgetBuilder {
    window: Tokens,
    reserves: Vec<Reserve>,
    margin: Option<f64>,
    precision: Precision,
    shares: Vec<Share>,
    leftover: Leftover,
}

impl BudgetBuilder {
    /// Keeps tokens free; a second reserve of the same name replaces the first.
    pub fn reserve(mut self, name: impl Into<String>, tokens: Tokens) -> BudgetBuilder {
        let name = name.into();
        match self.reserves.iter_mut().find(|old| old.name == name) {
            Some(old) => old.tokens = tokens,
            None => self.reserves.push(Reserve { name, tokens }),
        }
        self
    }

    /// Sets the margin, above 0 and at most 1, exact to four decimals.
    ///
    /// Without it the margin follows the precision of the count.
    pub fn margin(mut self, margin: f64) -> BudgetBuilder {
        self.margin = Some(margin);
        self
    }

    /// Says how sure the counts are [default: exact].
    pub fn precision(mut self, precision: Precision) -> BudgetBuilder {
        self.precision = precision;
        self
    }

    /// Cuts the budget into shares, replacing any there were.
    pub fn shares(mut self, shares: Vec<Share>, leftover: Leftover) -> BudgetBuilder {
        self.shares = shares;
        self.leftover = leftover;
        self
    }

    /// Checks everything and makes the budget.
    ///
    /// Fails when the reserves leave nothing, when the margin or a share is
    /// out of range, and when the shares do not fit what is available.
    pub fn build(self) -> Result<Budget, BudgetError> {
        let margin = self.checked_margin()?;
        let available = self.available(margin)?;
        let whole = Whole { window: self.window, available, margin };
        let limits = shares::resolve(&self.shares, whole)?;
        let allocation = Allocation::with_shares(available, limits, self.leftover)?;
        Ok(Budget { window: self.window, reserves: self.reserves, margin, allocation })
    }

    fn checked_margin(&self) -> Result<Ratio, BudgetError> {
        let margin = self.margin.unwrap_or(self.precision.margin());
        Ratio::from_fraction(margin).filter(|ratio| ratio.parts() > 0).ok_or_else(|| {
            BudgetError::out_of_range("margin", margin, "above 0 and at most 1, as 0.9")
        })
    }

    fn available(&self, margin: Ratio) -> Result<Tokens, BudgetError> {
        let reserved = Tokens::checked_sum(self.reserves.iter().map(|reserve| reserve.tokens))
            .ok_or(BudgetError::Overflow("the reserves"))?;
        let available = margin.of(self.window.saturating_sub(reserved));
        if available.is_zero() {
            return Err(BudgetError::NoRoom {
                window: self.window,
                reserved,
                margin: margin.fraction(),
            });
        }
        Ok(available)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn files(window: u64, prompt: u64, response: u64, margin: f64) -> Result<u64, BudgetError> {
        let budget = Budget::of(Tokens::new(window))
            .reserve("prompt", Tokens::new(prompt))
            .reserve("response", Tokens::new(response))
            .margin(margin)
            .build()?;
        Ok(budget.available().get())
    }

    proptest! {
        #[test]
        fn available_and_reserves_never_pass_the_window(
            window in 0u64..=u64::MAX,
            prompt in 0u64..1_000_000,
            response in 0u64..1_000_000,
            parts in 1u16..=10_000,
        ) {
            if let Ok(available) = files(window, prompt, response, f64::from(parts) / 10_000.0) {
                prop_assert!(available > 0);
                prop_assert!(available.checked_add(prompt + response).unwrap() <= window);
            }
        }
    }
}
