//! The kinds of numbers: tokens, counts, weights, ratios, percentages.
//!
//! Ratios and percentages are written in several ways, all of which are
//! accepted where they cannot be mistaken for one another: `"40%"` always
//! means 40 %, a ratio of `0.4` and a percentage of `40` do too.

use std::fmt;
use std::marker::PhantomData;

use toml::Value;

use crate::settings::kind::{Kind, Misfit, text};
use crate::tokens::Tokens;

/// The numbers allowed: from `min` to `max`, both included unless `above`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    min: f64,
    max: f64,
    above: bool,
}

impl Span {
    /// Both bounds included.
    pub(super) const fn new(min: f64, max: f64) -> Span {
        let above = false;
        Span { min, max, above }
    }

    /// The lower bound excluded.
    pub(super) const fn above(min: f64, max: f64) -> Span {
        let above = true;
        Span { min, max, above }
    }

    /// Returns the number if it is allowed; never NaN, which compares to nothing.
    pub(super) fn check(self, number: f64) -> Result<f64, Misfit> {
        let low = number > self.min || (!self.above && number == self.min);
        (low && number <= self.max).then_some(number).ok_or(Misfit::Range)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { min, max, above } = self;
        match (above, max.is_finite()) {
            (true, true) => write!(f, "above {min} and up to {max}"),
            (true, false) => write!(f, "above {min}"),
            (false, true) => write!(f, "from {min} to {max}"),
            (false, false) => write!(f, "{min} or more"),
        }
    }
}

/// A number of tokens, at least as many as named.
pub(super) struct TokenCount(pub(super) u64);

impl Kind for TokenCount {
    type Output = Tokens;

    fn read(&self, value: &Value) -> Result<Tokens, Misfit> {
        let tokens = match value {
            Value::Integer(count) => Tokens::new(u64::try_from(*count).map_err(|_| Misfit::Range)?),
            other => text(other)?.parse().map_err(|_| Misfit::Type)?,
        };
        (tokens.get() >= self.0).then_some(tokens).ok_or(Misfit::Range)
    }

    fn allowed(&self) -> String {
        format!("a number of tokens, {} or more, such as 8000 or \"8k\"", self.0)
    }
}

/// A whole number between two bounds, both included.
pub(super) struct Whole<T> {
    min: i64,
    max: i64,
    output: PhantomData<fn() -> T>,
}

/// Makes the kind of whole numbers from `min` to `max`.
pub(super) const fn whole<T>(min: i64, max: i64) -> Whole<T> {
    let output = PhantomData;
    Whole { min, max, output }
}

impl<T: TryFrom<i64>> Kind for Whole<T> {
    type Output = T;

    fn read(&self, value: &Value) -> Result<T, Misfit> {
        let number = value.as_integer().ok_or(Misfit::Type)?;
        if !(self.min..=self.max).contains(&number) {
            return Err(Misfit::Range);
        }
        T::try_from(number).map_err(|_| Misfit::Range)
    }

    fn allowed(&self) -> String {
        format!("a whole number from {} to {}", self.min, self.max)
    }
}

/// A number, such as a weight.
pub(super) struct Number(pub(super) Span);

impl Kind for Number {
    type Output = f64;

    fn read(&self, value: &Value) -> Result<f64, Misfit> {
        self.0.check(number(value)?)
    }

    fn allowed(&self) -> String {
        format!("a number {}", self.0)
    }
}

/// A part of a whole between 0 and 1: `0.4` or `"40%"`.
pub(super) struct Ratio(pub(super) Span);

impl Kind for Ratio {
    type Output = f64;

    fn read(&self, value: &Value) -> Result<f64, Misfit> {
        self.0.check(match percent_text(value)? {
            Some(percent) => percent / 100.0,
            None => number(value)?,
        })
    }

    fn allowed(&self) -> String {
        format!("a ratio {}, such as 0.4 or \"40%\"", self.0)
    }
}

/// A percentage: `40`, `"40%"`, or a fraction written with a point, `0.4`.
///
/// A number with a decimal point up to 1.0 is a fraction, so `1.0` is 100 %
/// while `1` is 1 %.
pub(super) struct Percent(pub(super) Span);

impl Kind for Percent {
    type Output = f64;

    fn read(&self, value: &Value) -> Result<f64, Misfit> {
        self.0.check(match (percent_text(value)?, value) {
            (Some(percent), _) => percent,
            (None, Value::Float(fraction)) if *fraction <= 1.0 => from_fraction(*fraction),
            (None, other) => number(other)?,
        })
    }

    fn allowed(&self) -> String {
        format!("a percentage {}, such as 40 or \"40%\"", self.0)
    }
}

/// A percentage that may well be below 1: `0.5` is half a percent.
pub(super) struct SmallPercent(pub(super) Span);

impl Kind for SmallPercent {
    type Output = f64;

    fn read(&self, value: &Value) -> Result<f64, Misfit> {
        let percent = percent_text(value)?;
        self.0.check(percent.map_or_else(|| number(value), Ok)?)
    }

    fn allowed(&self) -> String {
        format!("a percentage {}, such as 2 or \"2%\"", self.0)
    }
}

/// Returns a number written with or without a decimal point.
fn number(value: &Value) -> Result<f64, Misfit> {
    match value {
        // Settings are small; above 2^53 the nearest float is near enough to refuse.
        Value::Integer(number) => Ok(*number as f64),
        Value::Float(number) => Ok(*number),
        _ => Err(Misfit::Type),
    }
}

/// Reads `"40%"` as 40; any other text is the wrong type, and a number is not a text.
pub(super) fn percent_text(value: &Value) -> Result<Option<f64>, Misfit> {
    let Value::String(text) = value else {
        return Ok(None);
    };
    let digits = text.trim().strip_suffix('%').ok_or(Misfit::Type)?.trim();
    let number: f64 = digits.parse().map_err(|_| Misfit::Type)?;
    number.is_finite().then_some(Some(number)).ok_or(Misfit::Type)
}

/// Turns 0.7 into 70, not into 70.00000000000001.
pub(super) fn from_fraction(fraction: f64) -> f64 {
    (fraction * 100.0 * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(toml: &str) -> Value {
        let table: toml::Table = format!("v = {toml}").parse().unwrap();
        table["v"].clone()
    }

    #[test]
    fn percentages_and_ratios_agree_about_the_percent_sign() {
        let percent = Percent(Span::new(0.0, 100.0));
        for written in ["70", "70.0", "'70%'", "'70.0 %'", "0.7"] {
            assert_eq!(percent.read(&value(written)), Ok(70.0), "{written}");
        }
        assert_eq!(percent.read(&value("1")), Ok(1.0));
        assert_eq!(percent.read(&value("1.0")), Ok(100.0));
        assert_eq!(percent.read(&value("101")), Err(Misfit::Range));
        assert_eq!(percent.read(&value("'70'")), Err(Misfit::Type));

        let ratio = Ratio(Span::above(0.0, 1.0));
        assert_eq!(ratio.read(&value("'40%'")), Ok(0.4));
        assert_eq!(ratio.read(&value("1")), Ok(1.0));
        assert_eq!(ratio.read(&value("0")), Err(Misfit::Range));
        assert_eq!(ratio.read(&value("nan")), Err(Misfit::Range));
        assert_eq!(ratio.read(&value("'inf%'")), Err(Misfit::Type));
    }
}
