//! Keeps the books while an allocation is being spent.
//!
//! Every spending is checked against the total and, where it belongs to one,
//! against its share, before anything is written. What was spent can be given
//! back with the receipt. The ledger decides nothing; what to spend on is the
//! caller's business.

use super::allocation::{Allocation, Leftover};
use super::error::BudgetError;
use crate::Remark;
use crate::tokens::Tokens;

/// An allocation and what has been spent of it.
///
/// ```
/// use loadline::budget::{Allocation, Ledger};
/// use loadline::tokens::Tokens;
///
/// let mut ledger = Ledger::new(Allocation::of(Tokens::new(100_000)));
/// let receipt = ledger.consume(Tokens::new(5_000))?;
/// assert!(ledger.can_fit(Tokens::new(95_000)));
/// assert!(!ledger.can_fit(Tokens::new(95_001)));
/// ledger.rollback(receipt)?;
/// assert_eq!(ledger.remaining(), Tokens::new(100_000));
/// # Ok::<(), loadline::budget::BudgetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ledger {
    allocation: Allocation,
    used: Tokens,
    /// Spent per share, in the order of the allocation's shares.
    used_by_share: Vec<Tokens>,
    lifted: bool,
}

/// Proof of one spending. Hand it back to undo that spending.
///
/// It cannot be copied, so nothing is given back twice.
#[derive(Debug, PartialEq, Eq)]
pub struct Receipt {
    share: Option<usize>,
    tokens: Tokens,
}

impl Receipt {
    /// Returns what was spent.
    pub(crate) fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// A receipt for nothing.
    pub(crate) fn of_nothing() -> Receipt {
        Receipt { share: None, tokens: Tokens::ZERO }
    }
}

/// How one share stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareUse {
    /// The share's name.
    pub name: String,
    /// The most it may take; more can only be used after redistribution.
    pub limit: Tokens,
    /// What it has taken.
    pub used: Tokens,
    /// What it can still take, given the total too.
    pub remaining: Tokens,
}

impl Ledger {
    /// Opens the books on an allocation of which nothing is spent.
    pub fn new(allocation: Allocation) -> Ledger {
        let used_by_share = vec![Tokens::ZERO; allocation.shares().len()];
        Ledger { allocation, used: Tokens::ZERO, used_by_share, lifted: false }
    }

    /// Returns the allocation the books are about.
    pub fn allocation(&self) -> &Allocation {
        &self.allocation
    }

    /// Returns what has been spent in all.
    pub fn used(&self) -> Tokens {
        self.used
    }

    /// Returns what is left of the total.
    pub fn remaining(&self) -> Tokens {
        self.allocation.total().saturating_sub(self.used)
    }

    /// Returns what a share can still take, or `None` if there is no such share.
    pub fn remaining_in(&self, share: &str) -> Option<Tokens> {
        Some(self.room(self.position(share)?))
    }

    /// Tells whether that much is left of the total.
    pub fn can_fit(&self, tokens: Tokens) -> bool {
        tokens <= self.remaining()
    }

    /// Tells whether that much is left of the share and of the total.
    ///
    /// Nothing fits a share that does not exist; the slip goes to `notes`.
    pub fn can_fit_in(&self, share: &str, tokens: Tokens, notes: &mut Vec<Remark>) -> bool {
        match self.remaining_in(share) {
            Some(remaining) => tokens <= remaining,
            None => {
                notes.push(Remark::new(share, "no share of the budget has this name"));
                false
            }
        }
    }

    /// Spends from the total, outside all shares.
    pub fn consume(&mut self, tokens: Tokens) -> Result<Receipt, BudgetError> {
        self.used = self.checked_total(tokens)?;
        Ok(Receipt { share: None, tokens })
    }

    /// Spends from a share, and so from the total.
    pub fn consume_in(&mut self, share: &str, tokens: Tokens) -> Result<Receipt, BudgetError> {
        let Some(position) = self.position(share) else {
            return Err(self.unknown(share));
        };
        let used = self.checked_total(tokens)?;
        let room = self.room(position);
        if tokens > room {
            return Err(BudgetError::ShareExceeded {
                share: share.to_owned(),
                requested: tokens,
                remaining: room,
                limit: self.allocation.shares()[position].limit,
            });
        }
        self.used = used;
        // No more than `used`, whose sum has just been checked.
        self.used_by_share[position] = self.used_by_share[position].saturating_add(tokens);
        Ok(Receipt { share: Some(position), tokens })
    }

    /// Gives back what the receipt was for.
    ///
    /// Receipts may come back in any order. One of another ledger is refused
    /// where the amounts show it.
    pub fn rollback(&mut self, receipt: Receipt) -> Result<(), BudgetError> {
        let tokens = receipt.tokens;
        let foreign = BudgetError::ForeignReceipt { tokens };
        let used = self.used.checked_sub(tokens);
        if let Some(position) = receipt.share {
            let share = self.used_by_share.get_mut(position);
            let rest = share.as_ref().and_then(|share| share.checked_sub(tokens));
            match (share, rest) {
                (Some(share), Some(rest)) if used.is_some() => *share = rest,
                _ => return Err(foreign),
            }
        }
        self.used = used.ok_or(foreign)?;
        Ok(())
    }

    /// Gives back what a receipt of this ledger was for, as far as it still counts.
    pub(crate) fn give_back(&mut self, receipt: Receipt) {
        self.used = self.used.saturating_sub(receipt.tokens);
        if let Some(share) = receipt.share {
            let used = &mut self.used_by_share[share];
            *used = used.saturating_sub(receipt.tokens);
        }
    }

    /// Corrects what was spent in all, once it has been counted.
    pub(crate) fn settle(&mut self, used: Tokens) {
        self.used = used;
    }

    /// Begins the second pass: from here on a share may take what others left.
    ///
    /// Only the total binds then. Does nothing, and returns false, unless the
    /// allocation says [`Leftover::Redistribute`].
    pub fn redistribute(&mut self) -> bool {
        self.lifted = self.allocation.leftover() == Leftover::Redistribute;
        self.lifted
    }

    /// Returns how each share stands, in the order of the allocation.
    pub fn report(&self) -> Vec<ShareUse> {
        let shares = self.allocation.shares().iter().enumerate();
        let lines = shares.map(|(position, share)| ShareUse {
            name: share.name.clone(),
            limit: share.limit,
            used: self.used_by_share[position],
            remaining: self.room(position),
        });
        lines.collect()
    }

    /// Fails unless there is a share of that name.
    pub(crate) fn known(&self, share: &str) -> Result<(), BudgetError> {
        match self.position(share) {
            Some(_) => Ok(()),
            None => Err(self.unknown(share)),
        }
    }

    fn position(&self, share: &str) -> Option<usize> {
        let mut shares = self.allocation.shares().iter();
        shares.position(|candidate| candidate.name == share)
    }

    /// Returns what the share at `position` can still take.
    fn room(&self, position: usize) -> Tokens {
        if self.lifted {
            return self.remaining();
        }
        let limit = self.allocation.shares()[position].limit;
        let own = limit.saturating_sub(self.used_by_share[position]);
        own.min(self.remaining())
    }

    /// Returns what would be spent after `tokens` more, if that is allowed.
    fn checked_total(&self, tokens: Tokens) -> Result<Tokens, BudgetError> {
        let used =
            self.used.checked_add(tokens).ok_or(BudgetError::Overflow { what: "what is used" })?;
        if used > self.allocation.total() {
            return Err(BudgetError::TotalExceeded {
                requested: tokens,
                remaining: self.remaining(),
                total: self.allocation.total(),
            });
        }
        Ok(used)
    }

    fn unknown(&self, share: &str) -> BudgetError {
        let shares = self.allocation.shares().iter();
        BudgetError::UnknownShare {
            share: share.to_owned(),
            known: shares.map(|share| share.name.clone()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diagnose;
    use crate::budget::ShareLimit;
    use proptest::prelude::*;

    fn shared(total: u64, limits: &[u64], leftover: Leftover) -> Ledger {
        let shares = limits.iter().enumerate().map(|(index, limit)| ShareLimit {
            name: format!("s{index}"),
            limit: Tokens::new(*limit),
        });
        let allocation = Allocation::with_shares(Tokens::new(total), shares.collect(), leftover);
        Ledger::new(allocation.unwrap())
    }

    #[test]
    fn f028_exact_fit_then_nothing_more() {
        let mut ledger = Ledger::new(Allocation::of(Tokens::new(100_000)));
        ledger.consume(Tokens::new(5_000)).unwrap();
        assert!(ledger.can_fit(Tokens::new(95_000)));
        ledger.consume(Tokens::new(95_000)).unwrap();
        assert!(!ledger.can_fit(Tokens::new(10_000)));
        let error = ledger.consume(Tokens::new(10_000)).unwrap_err();
        assert_eq!(error.code(), "LL-BUD-001");
        assert_eq!(error.to_string(), "10000 tokens do not fit: 0 of 100000 are left");
    }

    #[test]
    fn f028_an_unknown_share_fits_nothing_and_is_noted() {
        let mut ledger = shared(10, &[10], Leftover::Keep);
        let mut notes = Vec::new();
        assert!(!ledger.can_fit_in("nope", Tokens::ZERO, &mut notes));
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].subject, "nope");
        let error = ledger.consume_in("nope", Tokens::ZERO).unwrap_err();
        assert_eq!(error.code(), "LL-BUD-002");
        assert_eq!(error.hint().as_deref(), Some("the shares are s0"));
    }

    #[test]
    fn f028_shares_bind_and_are_reported() {
        let mut ledger = shared(100, &[60, 30], Leftover::Keep);
        ledger.consume_in("s0", Tokens::new(50)).unwrap();
        let error = ledger.consume_in("s0", Tokens::new(11)).unwrap_err();
        assert_eq!(error.code(), "LL-BUD-002");
        // Spending outside the shares narrows what a share can still take.
        ledger.consume(Tokens::new(45)).unwrap();
        let report = ledger.report();
        let line = |index: usize| (report[index].used.get(), report[index].remaining.get());
        assert_eq!(line(0), (50, 5));
        assert_eq!(line(1), (0, 5));
    }

    #[test]
    fn f028_rollback_restores_the_books() {
        let mut ledger = shared(100, &[60], Leftover::Keep);
        let first = ledger.consume_in("s0", Tokens::new(40)).unwrap();
        let second = ledger.consume(Tokens::new(10)).unwrap();
        ledger.rollback(first).unwrap();
        assert_eq!(ledger.remaining_in("s0"), Some(Tokens::new(60)));
        assert_eq!(ledger.used(), Tokens::new(10));
        ledger.rollback(second).unwrap();
        assert_eq!(ledger.remaining(), Tokens::new(100));
    }

    #[test]
    fn f028_a_receipt_of_another_ledger_changes_nothing() {
        let mut other = shared(100, &[60, 40], Leftover::Keep);
        let receipt = other.consume_in("s1", Tokens::new(5)).unwrap();
        let mut ledger = shared(100, &[60], Leftover::Keep);
        ledger.consume(Tokens::new(50)).unwrap();
        assert_eq!(ledger.rollback(receipt).unwrap_err().code(), "LL-BUD-003");
        assert_eq!(ledger.used(), Tokens::new(50));
    }

    #[test]
    fn f025_the_second_pass_may_use_leftovers() {
        let mut ledger = shared(100, &[60, 40], Leftover::Redistribute);
        ledger.consume_in("s0", Tokens::new(60)).unwrap();
        assert!(ledger.consume_in("s0", Tokens::new(1)).is_err());
        ledger.redistribute();
        ledger.consume_in("s0", Tokens::new(40)).unwrap();
        assert_eq!(ledger.remaining(), Tokens::ZERO);

        let mut kept = shared(100, &[60, 40], Leftover::Keep);
        kept.redistribute();
        assert!(kept.consume_in("s0", Tokens::new(61)).is_err());
    }

    #[test]
    fn f012_an_overflowing_sum_is_reported() {
        let mut ledger = Ledger::new(Allocation::of(Tokens::MAX));
        ledger.consume(Tokens::MAX).unwrap();
        let error = ledger.consume(Tokens::new(1)).unwrap_err();
        assert_eq!(error.code(), "LL-BUD-003");
    }

    proptest! {
        #[test]
        fn whatever_is_asked_the_books_stay_within_the_allocation(
            limits in proptest::collection::vec(0u64..1_000, 1..5),
            spare in 0u64..500,
            asks in proptest::collection::vec((0usize..6, 0u64..700, any::<bool>()), 0..40),
            redistribute in any::<bool>(),
        ) {
            let total = limits.iter().sum::<u64>() + spare;
            let leftover = if redistribute { Leftover::Redistribute } else { Leftover::Keep };
            let mut ledger = shared(total, &limits, leftover);
            for (index, (share, tokens, undo)) in asks.into_iter().enumerate() {
                if index == 20 {
                    ledger.redistribute();
                }
                let before = ledger.report();
                let tokens = Tokens::new(tokens);
                let fits = ledger.can_fit_in(&format!("s{share}"), tokens, &mut Vec::new());
                let receipt = ledger.consume_in(&format!("s{share}"), tokens);
                prop_assert_eq!(fits, receipt.is_ok());
                if let (Ok(receipt), true) = (receipt, undo) {
                    ledger.rollback(receipt).unwrap();
                    prop_assert_eq!(ledger.report(), before);
                }
                prop_assert!(ledger.used() <= ledger.allocation().total());
                let sum = Tokens::checked_sum(ledger.report().iter().map(|line| line.used));
                prop_assert_eq!(sum, Some(ledger.used()));
                if !redistribute {
                    prop_assert!(ledger.report().iter().all(|line| line.used <= line.limit));
                }
            }
        }
    }
}
