//! Keeps the books while an allocation is being spent.
//!
//! Every spending is checked against the total and, where it belongs to one,
//! against its share, before anything is written. What was spent can be given
//! back with the receipt. The ledger decides nothing; what to spend on is the
//! caller's business.

use super::allocation::{Allocation, Leftover};
use super::error::BudgetError;
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
/// ledger.rollback(receipt);
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

    /// Returns what is left of the total.
    pub fn remaining(&self) -> Tokens {
        self.allocation.total().saturating_sub(self.used)
    }

    /// Tells whether that much is left of the total.
    pub fn can_fit(&self, tokens: Tokens) -> bool {
        tokens <= self.remaining()
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

    /// Gives back what a receipt of this ledger was for; receipts may come in any order.
    pub fn rollback(&mut self, receipt: Receipt) {
        self.used = self.used.saturating_sub(receipt.tokens);
        if let Some(used) = receipt.share.and_then(|share| self.used_by_share.get_mut(share)) {
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
        let used = self.used.checked_add(tokens).ok_or(BudgetError::Overflow("what is used"))?;
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
        let mut ledger = shared(100_000, &[60_000], Leftover::Keep);
        let first = ledger.consume(Tokens::new(5_000)).unwrap();
        assert!(ledger.can_fit(Tokens::new(95_000)));
        let error = ledger.consume_in("s0", Tokens::new(60_001)).unwrap_err();
        let want = "60001 tokens do not fit in share \"s0\": 60000 of 60000 are left";
        assert_eq!(error.to_string(), want);
        ledger.consume_in("s0", Tokens::new(60_000)).unwrap();
        ledger.consume(Tokens::new(35_000)).unwrap();
        let error = ledger.consume(Tokens::new(10_000)).unwrap_err();
        assert_eq!(error.to_string(), "10000 tokens do not fit: 0 of 100000 are left");
        ledger.rollback(first);
        assert_eq!(ledger.remaining(), Tokens::new(5_000));
    }

    proptest! {
        #[test]
        fn f028_whatever_is_asked_the_books_stay_within_the_allocation(
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
                let (share, tokens) = (format!("s{share}"), Tokens::new(tokens));
                let before = ledger.report();
                let room = before.iter().find(|line| line.name == share);
                let fits = room.is_some_and(|line| tokens <= line.remaining);
                let receipt = ledger.consume_in(&share, tokens);
                prop_assert_eq!(fits, receipt.is_ok());
                if let (Ok(receipt), true) = (receipt, undo) {
                    ledger.rollback(receipt);
                    prop_assert_eq!(ledger.report(), before);
                }
                prop_assert!(ledger.used <= ledger.allocation().total());
                let sum = Tokens::checked_sum(ledger.report().iter().map(|line| line.used));
                prop_assert_eq!(sum, Some(ledger.used));
                if !redistribute {
                    prop_assert!(ledger.report().iter().all(|line| line.used <= line.limit));
                }
            }
        }
    }
}
