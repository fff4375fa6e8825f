//! Says how far a count may be from what the provider bills.

use std::fmt;

use serde::Serialize;

/// How sure a count is. Ordered from surest to least sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// The model's own published vocabulary, or its provider's count.
    Exact,
    /// A vocabulary rebuilt from measurements; right to about one token in a thousand.
    Reconstructed,
    /// An estimate fitted to billed counts.
    Calibrated,
    /// A rule of thumb over the length of the text.
    Heuristic,
}

impl Precision {
    /// Returns the part of a budget that may be filled when counting this way.
    ///
    /// The rest absorbs the error of the count: nothing for exact and
    /// reconstructed counts, 3 % for calibrated and 10 % for heuristic ones.
    pub const fn margin(self) -> f64 {
        match self {
            Precision::Exact | Precision::Reconstructed => 1.0,
            Precision::Calibrated => 0.97,
            Precision::Heuristic => 0.9,
        }
    }

    /// Returns the name used in output: `exact`, `reconstructed`, `calibrated`, `heuristic`.
    pub const fn name(self) -> &'static str {
        match self {
            Precision::Exact => "exact",
            Precision::Reconstructed => "reconstructed",
            Precision::Calibrated => "calibrated",
            Precision::Heuristic => "heuristic",
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
