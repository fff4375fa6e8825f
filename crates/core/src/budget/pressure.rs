//! How full is the window, and what should be said about it?
//!
//! The texts are those that users of the older tools know, so they are kept
//! word for word. All arithmetic is in integers: a window of any size and any
//! overfill has a percentage, a bar and a footer.

use serde::Serialize;

use super::error::BudgetError;
use super::ladder::Ladder;
use crate::tokens::Tokens;

/// Cells of the bar; each stands for five percent.
const CELLS: u64 = 20;

/// What a session says above its third rung.
const NEARLY_FULL: &str = "⚠️ Context is nearly full. Consider starting a new issue for fresh context, or I'll start compressing older conversation turns.";

/// What a session says above its second rung.
const SUMMARIZING: &str =
    "ℹ️ Older conversation turns are being summarized to preserve context quality.";

/// How much of a window is in use. More than all of it is possible.
///
/// ```
/// use loadline::budget::{Ladder, Pressure};
/// use loadline::tokens::Tokens;
///
/// let pressure = Pressure::new(Tokens::new(90_000), Tokens::new(200_000))?;
/// assert_eq!(pressure.percent(), 45);
/// assert_eq!(
///     pressure.footer(&Ladder::session()),
///     "\n\n<sub>📊 Context: █████████░░░░░░░░░░░ 45%</sub>",
/// );
/// # Ok::<(), loadline::budget::BudgetError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pressure {
    tokens: Tokens,
    window: Tokens,
}

impl Pressure {
    /// Measures tokens against a window, which must not be zero.
    pub fn new(tokens: Tokens, window: Tokens) -> Result<Pressure, BudgetError> {
        if window.is_zero() {
            return Err(BudgetError::out_of_range("window", window, "at least 1 token"));
        }
        Ok(Pressure { tokens, window })
    }

    /// Returns the tokens in use.
    pub fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// Returns the window.
    pub fn window(&self) -> Tokens {
        self.window
    }

    /// Returns the percentage in use, rounded to a whole number, halves up.
    pub fn percent(&self) -> u64 {
        self.rounded(100)
    }

    /// Returns the percentage in use with one decimal, such as `78.5`.
    pub fn percent_text(&self) -> String {
        let tenths = self.rounded(1_000);
        format!("{}.{}", tenths / 10, tenths % 10)
    }

    /// Draws a bar of 20 cells, one for every full five percent of
    /// [`percent`](Pressure::percent). An overfull window fills all cells.
    pub fn bar(&self) -> String {
        let filled = (self.percent() / 5).min(CELLS);
        let cells = (0..CELLS).map(|cell| if cell < filled { '█' } else { '░' });
        cells.collect()
    }

    /// Returns what a session tells its reader, if anything.
    ///
    /// The rounded percentage decides, since the reader sees that one: above
    /// the ladder's third rung that the window is nearly full, above its second
    /// that turns are being summarized. Exactly on a rung is not above it.
    pub fn notice(&self, ladder: &Ladder) -> Option<&'static str> {
        let above =
            |index| ladder.rung(index).is_some_and(|rung| self.hundredths() > rung.parts().into());
        if above(2) { Some(NEARLY_FULL) } else { above(1).then_some(SUMMARIZING) }
    }

    /// Returns the footer of an answer, or nothing below the ladder's first rung.
    ///
    /// The notice, where there is one, stands on a line of its own inside the
    /// footer.
    pub fn footer(&self, ladder: &Ladder) -> String {
        let shown = ladder.rung(0).is_some_and(|rung| self.hundredths() >= rung.parts().into());
        if !shown {
            return String::new();
        }
        let notice = self.notice(ladder).map(|notice| format!("\n{notice}")).unwrap_or_default();
        let (bar, percent) = (self.bar(), self.percent());
        format!("\n\n<sub>📊 Context: {bar} {percent}%{notice}</sub>")
    }

    /// Returns how serious it is on a ladder of levels, or `None` below the first.
    pub fn severity(&self, ladder: &Ladder) -> Option<Severity> {
        match ladder.step(self) {
            0 => None,
            1 => Some(Severity::Warning),
            2 => Some(Severity::Critical),
            _ => Some(Severity::Emergency),
        }
    }

    /// Returns the rounded percentage in hundredths of a percent, as rungs are held.
    fn hundredths(&self) -> u128 {
        u128::from(self.percent()) * 100
    }

    /// Returns tokens / window × `scale`, rounded, halves up.
    fn rounded(&self, scale: u128) -> u64 {
        let window = u128::from(self.window.get());
        let rounded = (2 * scale * u128::from(self.tokens.get()) + window) / (2 * window);
        u64::try_from(rounded).unwrap_or(u64::MAX)
    }
}

/// How serious a pressure is: one step of a ladder of levels each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// First rung: compaction is worth considering.
    Warning,
    /// Second rung: a summary is due.
    Critical,
    /// Third rung: hand over to a new session.
    Emergency,
}

impl Severity {
    /// Returns the sentence to show for a pressure this serious.
    pub fn message(self, pressure: &Pressure) -> String {
        let percent = pressure.percent_text();
        match self {
            Severity::Warning => format!("Context at {percent}%. Consider compaction."),
            Severity::Critical => format!("Context at {percent}%. Summarization recommended."),
            Severity::Emergency => "Context limit reached. Creating handoff document.".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn pressure(tokens: u64, window: u64) -> Pressure {
        Pressure::new(Tokens::new(tokens), Tokens::new(window)).unwrap()
    }

    proptest! {
        #[test]
        fn any_pressure_has_a_bar_of_twenty_cells(tokens: u64, window in 1u64..=u64::MAX) {
            let pressure = pressure(tokens, window);
            prop_assert_eq!(pressure.bar().chars().count(), 20);
            let _ = pressure.footer(&Ladder::session());
            let _ = pressure.percent_text();
        }
    }
}
