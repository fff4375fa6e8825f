//! What the selection stage may spend: a total, and limits inside it.
//!
//! A [`Budget`](crate::budget::Budget) says where a number comes from (window,
//! reserves, margin); an allocation is only the numbers, so that selection
//! depends on nothing else. It does not count what was spent; that is the
//! [`Ledger`](crate::budget::Ledger)'s job.

use std::collections::HashSet;

use super::error::BudgetError;
use crate::tokens::Tokens;

/// What may be spent: a total, and optionally a limit per named share.
///
/// ```
/// use loadline::budget::{Allocation, Leftover, ShareLimit};
/// use loadline::tokens::Tokens;
///
/// let half = ShareLimit { name: "files".into(), limit: Tokens::new(500) };
/// let allocation = Allocation::with_shares(Tokens::new(1_000), vec![half], Leftover::Keep)?;
/// assert_eq!(allocation.total(), Tokens::new(1_000));
/// assert_eq!(allocation.shares()[0].limit, Tokens::new(500));
/// # Ok::<(), loadline::budget::BudgetError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    total: Tokens,
    shares: Vec<ShareLimit>,
    leftover: Leftover,
}

/// The most that one share may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareLimit {
    /// The share's name.
    pub name: String,
    /// The most it may take.
    pub limit: Tokens,
}

/// What happens to the part of a share that its items did not need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leftover {
    /// It stays unused.
    #[default]
    Keep,
    /// A second pass gives it to whatever did not fit its own share.
    Redistribute,
}

impl Allocation {
    /// Makes an allocation without shares. A total of zero is allowed: nothing fits.
    pub fn of(total: Tokens) -> Allocation {
        Allocation { total, shares: Vec::new(), leftover: Leftover::Keep }
    }

    /// Makes an allocation with shares.
    ///
    /// Names must be distinct and the limits must not sum to more than the
    /// total. They may sum to less; the rest belongs to no share.
    pub fn with_shares(
        total: Tokens,
        shares: Vec<ShareLimit>,
        leftover: Leftover,
    ) -> Result<Allocation, BudgetError> {
        let mut names = HashSet::new();
        if let Some(twice) = shares.iter().find(|share| !names.insert(&share.name)) {
            return Err(BudgetError::DuplicateShare(twice.name.clone()));
        }
        // The sum bounds each single limit too.
        let sum = Tokens::checked_sum(shares.iter().map(|share| share.limit))
            .ok_or(BudgetError::Overflow("the shares"))?;
        if sum > total {
            return Err(BudgetError::SharesExceedTotal { sum, total });
        }
        Ok(Allocation { total, shares, leftover })
    }

    /// Returns what may be spent in all.
    pub fn total(&self) -> Tokens {
        self.total
    }

    /// Returns the shares in the order they were given.
    pub fn shares(&self) -> &[ShareLimit] {
        &self.shares
    }

    /// Returns what happens to the unused part of a share.
    pub fn leftover(&self) -> Leftover {
        self.leftover
    }

    /// Returns the limit of one share.
    pub fn limit(&self, name: &str) -> Option<Tokens> {
        let share = self.shares.iter().find(|share| share.name == name)?;
        Some(share.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(name: &str, limit: u64) -> ShareLimit {
        ShareLimit { name: name.to_owned(), limit: Tokens::new(limit) }
    }

    fn allocate(total: u64, shares: Vec<ShareLimit>) -> Result<Allocation, BudgetError> {
        Allocation::with_shares(Tokens::new(total), shares, Leftover::Keep)
    }

    #[test]
    fn shares_may_fill_the_total_but_not_pass_it() {
        assert!(allocate(10, vec![share("a", 4), share("b", 6)]).is_ok());
        let error = allocate(10, vec![share("a", 4), share("b", 7)]).unwrap_err();
        assert_eq!(error.to_string(), "the shares sum to 11 tokens; at most 10 are available");
        assert!(allocate(10, vec![share("a", 11)]).is_err());
    }

    #[test]
    fn names_are_distinct() {
        let error = allocate(10, vec![share("a", 1), share("a", 2)]).unwrap_err();
        assert_eq!(error.to_string(), "two shares are called \"a\"");
    }

    #[test]
    fn f012_limits_that_overflow_are_reported() {
        let error = allocate(u64::MAX, vec![share("a", u64::MAX), share("b", 1)]).unwrap_err();
        assert_eq!(error, BudgetError::Overflow("the shares"));
    }
}
