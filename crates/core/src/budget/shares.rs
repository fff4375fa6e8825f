//! Named parts of a budget, as people write them down.
//!
//! A share is a name and an amount: tokens, a percentage, or whatever the
//! others leave. [`resolve`] turns a list of them into limits in tokens. It
//! rounds every share down, so shares never sum to more than there is.

use super::allocation::ShareLimit;
use super::error::BudgetError;
use super::ratio::Ratio;
use crate::tokens::Tokens;

/// A named part of a budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The share's name, distinct within its budget.
    pub name: String,
    /// How much of the budget it may take.
    pub amount: Amount,
}

/// How much a share may take. Percentages are exact to two decimals.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Amount {
    /// A number of tokens.
    Tokens(Tokens),
    /// A percentage of what is available: window less reserves, times margin.
    ///
    /// When every share of a budget is of this kind, they must sum to 100.
    PercentOfAvailable(f64),
    /// A percentage of the window, reduced by the margin.
    PercentOfWindow(f64),
    /// Whatever the other shares leave of what is available; at most one share.
    Rest,
}

impl Share {
    /// Makes a share of a number of tokens.
    pub fn tokens(name: impl Into<String>, tokens: Tokens) -> Share {
        Share::new(name, Amount::Tokens(tokens))
    }

    /// Makes a share of a percentage of what is available.
    pub fn percent(name: impl Into<String>, percent: f64) -> Share {
        Share::new(name, Amount::PercentOfAvailable(percent))
    }

    /// Makes a share of any amount.
    pub fn new(name: impl Into<String>, amount: Amount) -> Share {
        Share { name: name.into(), amount }
    }

    /// Reads a percentage of this share, naming the share when it is out of range.
    fn ratio(&self, percent: f64) -> Result<Ratio, BudgetError> {
        Ratio::from_percent(percent).ok_or_else(|| {
            BudgetError::out_of_range(
                format!("share {:?}", self.name),
                format!("{percent} %"),
                "between 0 and 100 %",
            )
        })
    }
}

/// What shares are parts of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    /// The window, before reserves.
    pub(super) window: Tokens,
    /// What is left for content.
    pub(super) available: Tokens,
    /// The margin, which `available` already contains.
    pub(super) margin: Ratio,
}

/// Turns shares into limits in tokens, in the same order.
///
/// The sum of the limits is checked by [`Allocation::with_shares`], not here.
///
/// [`Allocation::with_shares`]: super::Allocation::with_shares
pub(super) fn resolve(shares: &[Share], whole: Whole) -> Result<Vec<ShareLimit>, BudgetError> {
    check_percentages(shares)?;
    let fixed = shares
        .iter()
        .map(|share| fixed_limit(share, whole))
        .collect::<Result<Vec<Option<Tokens>>, BudgetError>>()?;
    let rest = rest(&fixed, whole.available)?;
    let limits = shares.iter().zip(fixed).map(|(share, limit)| ShareLimit {
        name: share.name.clone(),
        limit: limit.unwrap_or(rest),
    });
    Ok(limits.collect())
}

/// Checks that a table made of percentages only adds up to 100.
fn check_percentages(shares: &[Share]) -> Result<(), BudgetError> {
    let mut parts = 0_u64;
    for share in shares {
        let Amount::PercentOfAvailable(percent) = share.amount else {
            return Ok(());
        };
        parts += u64::from(share.ratio(percent)?.parts());
    }
    if !shares.is_empty() && parts != u64::from(Ratio::ONE.parts()) {
        // A handful of shares: far below what an f64 holds exactly.
        let sum = parts as f64 / 100.0;
        return Err(BudgetError::PercentSum(sum));
    }
    Ok(())
}

/// Returns the limit of one share, or `None` for the one that takes the rest.
fn fixed_limit(share: &Share, whole: Whole) -> Result<Option<Tokens>, BudgetError> {
    let limit = match share.amount {
        Amount::Tokens(tokens) if tokens > whole.available => {
            return Err(BudgetError::out_of_range(
                format!("share {:?}", share.name),
                format!("{tokens} tokens"),
                format!("at most the {} available", whole.available),
            ));
        }
        Amount::Tokens(tokens) => tokens,
        Amount::PercentOfAvailable(percent) => share.ratio(percent)?.of(whole.available),
        Amount::PercentOfWindow(percent) => whole.margin.of(share.ratio(percent)?.of(whole.window)),
        Amount::Rest => return Ok(None),
    };
    Ok(Some(limit))
}

/// Returns what the fixed shares leave, and refuses a second taker.
fn rest(fixed: &[Option<Tokens>], available: Tokens) -> Result<Tokens, BudgetError> {
    let takers = fixed.iter().filter(|limit| limit.is_none()).count();
    if takers > 1 {
        return Err(BudgetError::out_of_range(
            "the number of shares that take the rest",
            takers,
            "at most 1",
        ));
    }
    let sum = Tokens::checked_sum(fixed.iter().flatten().copied())
        .ok_or(BudgetError::Overflow("the shares"))?;
    if sum > available {
        return Err(BudgetError::SharesExceedTotal { sum, total: available });
    }
    Ok(available.saturating_sub(sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limits(available: u64, shares: &[Share]) -> Result<Vec<u64>, String> {
        let whole = Whole {
            window: Tokens::new(available),
            available: Tokens::new(available),
            margin: Ratio::ONE,
        };
        let limits = resolve(shares, whole).map_err(|error| error.to_string())?;
        Ok(limits.iter().map(|share| share.limit.get()).collect())
    }

    #[test]
    fn f025_percentages_truncate() {
        let shares = [Share::percent("a", 33.33), Share::percent("b", 66.67)];
        assert_eq!(limits(100, &shares), Ok(vec![33, 66]));
        let shares = [Share::percent("all", 100.0)];
        assert_eq!(limits(7, &shares), Ok(vec![7]));
    }

    #[test]
    fn a_mixed_table_need_not_sum_to_100() {
        let shares = [
            Share::percent("a", 25.0),
            Share::tokens("b", Tokens::new(10)),
            Share::new("c", Amount::Rest),
        ];
        assert_eq!(limits(100, &shares), Ok(vec![25, 10, 65]));
    }

    #[test]
    fn impossible_shares_name_the_share_and_the_value() {
        let error = "share \"a\" is 101 tokens; it must be at most the 100 available";
        let shares = [Share::tokens("a", Tokens::new(101))];
        assert_eq!(limits(100, &shares), Err(error.to_owned()));
        let error = "share \"a\" is -1 %; it must be between 0 and 100 %";
        assert_eq!(limits(100, &[Share::percent("a", -1.0)]), Err(error.to_owned()));
        let two = [Share::new("a", Amount::Rest), Share::new("b", Amount::Rest)];
        assert!(limits(100, &two).is_err());
        let over = [Share::tokens("a", Tokens::new(60)), Share::tokens("b", Tokens::new(60))];
        assert!(limits(100, &over).is_err());
    }

    proptest! {
        #[test]
        fn percentages_never_sum_above_what_is_available(
            available in 0u64..=u64::MAX,
            cuts in proptest::collection::vec(0u16..=10_000, 0..8),
        ) {
            // Cutting 100 % at random places gives percentages that sum to 100.
            let mut cuts = cuts;
            cuts.push(10_000);
            cuts.sort_unstable();
            let mut previous = 0;
            let mut shares = Vec::new();
            for cut in cuts {
                shares.push(Share::percent(format!("to {cut}"), f64::from(cut - previous) / 100.0));
                previous = cut;
            }
            let limits = limits(available, &shares).unwrap();
            let sum: u128 = limits.iter().map(|limit| u128::from(*limit)).sum();
            prop_assert!(sum <= u128::from(available));
        }
    }
}
