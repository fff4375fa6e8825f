//! A number of tokens, as a type of its own.
//!
//! Bytes, characters, lines and tokens are all counted in this crate and must
//! not be mixed by accident. Arithmetic that could wrap is either checked or
//! says that it saturates; there is no plain `+`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A number of tokens.
///
/// Parses the way people write budgets: `8000`, `8_000`, `8k`, `1.5m`
/// (k = 1,000, m = 1,000,000). Displays as plain digits.
///
/// ```
/// use loadline::tokens::Tokens;
/// assert_eq!("1.5k".parse(), Ok(Tokens::new(1_500)));
/// assert_eq!(Tokens::new(10).checked_sub(Tokens::new(11)), None);
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tokens(u64);

impl Tokens {
    /// No tokens.
    pub const ZERO: Tokens = Tokens(0);
    /// The largest amount; the neutral element of `min`.
    pub const MAX: Tokens = Tokens(u64::MAX);

    /// Makes an amount from a plain number.
    pub const fn new(count: u64) -> Tokens {
        Tokens(count)
    }

    /// Returns the plain number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Tells whether this is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Adds, or returns `None` where the sum does not fit 64 bits.
    pub const fn checked_add(self, other: Tokens) -> Option<Tokens> {
        match self.0.checked_add(other.0) {
            Some(sum) => Some(Tokens(sum)),
            None => None,
        }
    }

    /// Subtracts, or returns `None` where the result would be negative.
    pub const fn checked_sub(self, other: Tokens) -> Option<Tokens> {
        match self.0.checked_sub(other.0) {
            Some(rest) => Some(Tokens(rest)),
            None => None,
        }
    }

    /// Adds, stopping at [`Tokens::MAX`].
    pub const fn saturating_add(self, other: Tokens) -> Tokens {
        Tokens(self.0.saturating_add(other.0))
    }

    /// Subtracts, stopping at zero.
    pub const fn saturating_sub(self, other: Tokens) -> Tokens {
        Tokens(self.0.saturating_sub(other.0))
    }

    /// Writes the amount with commas between thousands: `9,812`.
    ///
    /// ```
    /// assert_eq!(loadline::tokens::Tokens::new(1_234_567).with_commas(), "1,234,567");
    /// ```
    pub fn with_commas(self) -> String {
        let digits = self.0.to_string();
        let mut text = String::with_capacity(digits.len() + digits.len() / 3);
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        text
    }

    /// Sums amounts, or returns `None` where the sum does not fit 64 bits.
    pub fn checked_sum(amounts: impl IntoIterator<Item = Tokens>) -> Option<Tokens> {
        amounts.into_iter().try_fold(Tokens::ZERO, Tokens::checked_add)
    }

    /// Sums amounts, stopping at [`Tokens::MAX`].
    pub fn saturating_sum(amounts: impl IntoIterator<Item = Tokens>) -> Tokens {
        amounts.into_iter().fold(Tokens::ZERO, Tokens::saturating_add)
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Why a text is not an amount of tokens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{value:?} is not a number of tokens; write 8000, 8k or 1.5m")]
pub struct ParseTokensError {
    value: String,
}

impl FromStr for Tokens {
    type Err = ParseTokensError;

    fn from_str(text: &str) -> Result<Tokens, ParseTokensError> {
        parse(text).ok_or_else(|| ParseTokensError { value: text.to_owned() })
    }
}

/// Parses in integer arithmetic, so that `1.1k` is 1100 and not 1100.0000000000002.
fn parse(text: &str) -> Option<Tokens> {
    let text = text.trim();
    let (digits, scale) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1_000),
        b'm' | b'M' => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if digits.ends_with('.') || whole.starts_with('_') || fraction.len() > 6 {
        return None;
    }
    let whole = number(&whole.replace('_', ""))?.checked_mul(scale)?;
    let fraction = match fraction {
        "" => 0,
        fraction => {
            let unit = 10_u64.pow(u32::try_from(fraction.len()).ok()?);
            let scaled = number(fraction)?.checked_mul(scale)?;
            // A budget is a whole number of tokens: `1.5` and `1.00001k` are slips.
            (scaled % unit == 0).then_some(scaled / unit)?
        }
    };
    whole.checked_add(fraction).map(Tokens)
}

/// Parses decimal digits only; `u64::from_str` would also take a plus sign.
fn number(digits: &str) -> Option<u64> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_parse_as_people_write_them() {
        for (text, want) in [
            ("0", 0),
            ("8000", 8_000),
            ("8_000", 8_000),
            ("8k", 8_000),
            ("8K", 8_000),
            (" 100k ", 100_000),
            ("1.5m", 1_500_000),
            ("1.1k", 1_100),
            ("0.001k", 1),
        ] {
            assert_eq!(text.parse(), Ok(Tokens::new(want)), "{text}");
        }
    }

    #[test]
    fn slips_are_refused_with_the_value() {
        for text in [
            "",
            "k",
            "-1",
            "+1",
            "1.5",
            "8kk",
            "1.2345k",
            "eight",
            "1.",
            ".5k",
            "_1",
            "1e3",
            "99999999999999999999",
            "99999999999999999k",
        ] {
            let error = text.parse::<Tokens>().unwrap_err();
            assert!(error.to_string().contains(&format!("{text:?}")), "{error}");
        }
    }

    #[test]
    fn f012_sums_report_overflow() {
        let halves = [Tokens::new(u64::MAX - 1), Tokens::new(1)];
        assert_eq!(Tokens::checked_sum(halves), Some(Tokens::MAX));
        let over = [Tokens::MAX, Tokens::new(1)];
        assert_eq!(Tokens::checked_sum(over), None);
        assert_eq!(Tokens::new(1).checked_sub(Tokens::new(2)), None);
    }
}
