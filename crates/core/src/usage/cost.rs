//! Tokens by kind, and what they cost in dollars.

use std::ops::Add;

use serde::Serialize;

use crate::agents::Spending;
use crate::budget::Prices;

/// Prices of a model that nobody knows, in dollars per million tokens.
const UNKNOWN: Prices = Prices { input: 15.0, output: 75.0, cache_read: None, cache_write: None };

/// What reading from a cache costs, in parts of the price of input.
const CACHE_READ: f64 = 0.1;
/// What writing to a cache costs, in parts of the price of input.
const CACHE_WRITE: f64 = 1.25;
/// What writing to a cache that lasts an hour costs, in parts of the price of input.
const LONG_CACHE_WRITE: f64 = 2.0;

impl Spending {
    /// Returns what it costs; a model without prices costs 15 and 75 dollars a million.
    ///
    /// Where a cache has no price of its own, reading costs a tenth of input and
    /// writing a quarter more than input.
    ///
    /// ```
    /// use loadline::agents::Spending;
    /// let million = Spending { input: 1_000_000, output: 1_000_000, ..Spending::default() };
    /// assert_eq!(million.cost(None).total(), 90.0);
    /// ```
    pub fn cost(&self, prices: Option<&Prices>) -> Cost {
        let prices = prices.unwrap_or(&UNKNOWN);
        let dollars = |tokens: u64, price: f64| tokens as f64 * price / 1_000_000.0;
        let read = prices.cache_read.unwrap_or(prices.input * CACHE_READ);
        let write = prices.cache_write.unwrap_or(prices.input * CACHE_WRITE);
        let long = prices.input * LONG_CACHE_WRITE;
        Cost {
            input: dollars(self.input, prices.input),
            output: dollars(self.output, prices.output),
            cache_read: dollars(self.cache_read, read),
            cache_write: dollars(self.cache_write, write) + dollars(self.cache_write_long, long),
            long_write: dollars(self.cache_write_long, long),
        }
    }

    /// Returns what the cache saved against sending everything anew.
    ///
    /// ```
    /// use loadline::agents::Spending;
    /// let spending = Spending { cache_read: 1_000_000, ..Spending::default() };
    /// let saved = spending.savings(None);
    /// assert_eq!((saved.tokens, saved.dollars, saved.percent), (1_000_000, 13.5, 90.0));
    /// ```
    pub fn savings(&self, prices: Option<&Prices>) -> Savings {
        let cost = self.cost(prices);
        let price = prices.unwrap_or(&UNKNOWN).input;
        let uncached = self.sent() as f64 * price / 1_000_000.0;
        let paid = cost.total() - cost.output;
        Savings {
            tokens: self.cache_read,
            dollars: uncached - paid,
            percent: if uncached > 0.0 { (uncached - paid) / uncached * 100.0 } else { 0.0 },
        }
    }
}

/// Dollars, by what they were paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// Input that was in no cache.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Reading from a cache.
    pub cache_read: f64,
    /// Writing to a cache.
    pub cache_write: f64,
    /// The part of that for writing to a cache that lasts an hour.
    pub long_write: f64,
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            input: self.input + other.input,
            output: self.output + other.output,
            cache_read: self.cache_read + other.cache_read,
            cache_write: self.cache_write + other.cache_write,
            long_write: self.long_write + other.long_write,
        }
    }
}

impl Cost {
    /// Returns all dollars.
    pub fn total(&self) -> f64 {
        self.input + self.output + self.cache_read + self.cache_write
    }
}

/// What a cache saved. Negative where more was written than read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Savings {
    /// Tokens that were read from it.
    pub tokens: u64,
    /// Dollars that it saved.
    pub dollars: f64,
    /// The part of the price of everything sent, in percent.
    pub percent: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f133_caches_have_their_price() {
        let spending =
            Spending { cache_read: 1_000_000, cache_write: 1_000_000, ..Spending::default() };
        let cost = spending.cost(None);
        assert_eq!((cost.cache_read, cost.cache_write), (1.5, 18.75));
        let own =
            Prices { input: 10.0, output: 20.0, cache_read: Some(0.5), cache_write: Some(11.0) };
        let cost = spending.cost(Some(&own));
        assert_eq!((cost.cache_read, cost.cache_write), (0.5, 11.0));
        let long = Spending { cache_write_long: 1_000_000, ..Spending::default() };
        assert_eq!(long.cost(None).cache_write, 30.0);
    }

    #[test]
    fn f133_savings_in_tokens_dollars_and_percent() {
        let spending = Spending {
            input: 100_000,
            cache_read: 800_000,
            cache_write: 100_000,
            ..Spending::default()
        };
        let saved = spending.savings(None);
        assert_eq!(saved.tokens, 800_000);
        // 15.00 without a cache; 1.50 + 1.20 + 1.875 with it.
        assert!((saved.dollars - 10.425).abs() < 1e-9, "{saved:?}");
        assert!((saved.percent - 69.5).abs() < 1e-9, "{saved:?}");
        assert_eq!(Spending::default().savings(None).percent, 0.0);
        let written = Spending { cache_write: 1_000_000, ..Spending::default() };
        assert!(written.savings(None).dollars < 0.0, "a cache that is never read costs");
    }
}
