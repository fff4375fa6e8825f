//! A part of a whole, in ten-thousandths.
//!
//! Margins, percentages and thresholds are written as decimals, and `f64`
//! cannot hold most of them: 0.29 of 100 would come out as 28. They are turned
//! into whole ten-thousandths once, and all further arithmetic is in integers.

use crate::tokens::Tokens;

/// Ten-thousandths in a whole.
const WHOLE: u16 = 10_000;

/// A part of a whole, from nothing to all of it, exact to four decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ratio(u16);

impl Ratio {
    /// The whole.
    pub(crate) const ONE: Ratio = Ratio(WHOLE);

    /// Reads a fraction between 0 and 1, rounded to four decimals.
    pub(crate) fn from_fraction(fraction: f64) -> Option<Ratio> {
        // Not a number fails this comparison too.
        if !(0.0..=1.0).contains(&fraction) {
            return None;
        }
        // In range by the check above, so the cast cannot wrap.
        Some(Ratio((fraction * f64::from(WHOLE)).round() as u16))
    }

    /// Reads a percentage between 0 and 100, rounded to two decimals.
    pub(crate) fn from_percent(percent: f64) -> Option<Ratio> {
        if !(0.0..=100.0).contains(&percent) {
            return None;
        }
        Some(Ratio((percent * 100.0).round() as u16))
    }

    /// Makes a ratio of ten-thousandths, at most the whole.
    pub(crate) const fn from_parts(parts: u16) -> Ratio {
        Ratio(if parts < WHOLE { parts } else { WHOLE })
    }

    /// Returns the number of ten-thousandths.
    pub(crate) const fn parts(self) -> u16 {
        self.0
    }

    /// Returns the ratio as a fraction.
    pub(crate) fn fraction(self) -> f64 {
        f64::from(self.0) / f64::from(WHOLE)
    }

    /// Returns the ratio as a percentage.
    pub(crate) fn percent(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// Takes this part of `tokens`, rounded down.
    pub(crate) fn of(self, tokens: Tokens) -> Tokens {
        let part = u128::from(tokens.get()) * u128::from(self.0) / u128::from(WHOLE);
        // A part is never more than the whole, so it always fits.
        Tokens::new(u64::try_from(part).unwrap_or(u64::MAX))
    }

    /// Tells whether `tokens` are at least this part of `whole`.
    pub(crate) fn is_reached_by(self, tokens: Tokens, whole: Tokens) -> bool {
        u128::from(tokens.get()) * u128::from(WHOLE) >= u128::from(whole.get()) * u128::from(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_that_binary_cannot_hold_are_exact() {
        let part = |fraction, tokens| {
            Ratio::from_fraction(fraction).unwrap().of(Tokens::new(tokens)).get()
        };
        assert_eq!(part(0.29, 100), 29);
        assert_eq!(part(0.57, 100), 57);
        assert_eq!(part(0.9, 10), 9);
        assert_eq!(part(0.0001, 10_000), 1);
        assert_eq!(Ratio::ONE.of(Tokens::MAX), Tokens::MAX);
    }

    #[test]
    fn values_outside_are_refused() {
        for fraction in [-0.1, 1.01, f64::NAN, f64::INFINITY] {
            assert_eq!(Ratio::from_fraction(fraction), None, "{fraction}");
            assert_eq!(Ratio::from_percent(fraction * 100.0), None, "{fraction}");
        }
    }

    proptest! {
        #[test]
        fn a_part_written_with_four_decimals_is_the_integer_result(
            parts in 0u16..=10_000,
            tokens in 0u64..=u64::MAX,
        ) {
            let ratio = Ratio::from_fraction(f64::from(parts) / 10_000.0).unwrap();
            let want = u128::from(tokens) * u128::from(parts) / 10_000;
            prop_assert_eq!(u128::from(ratio.of(Tokens::new(tokens)).get()), want);
        }
    }
}
