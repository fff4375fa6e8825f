//! The thresholds at which a filling window calls for something.
//!
//! Several scales are in use: a footer in a conversation, a warning after a
//! round, levels of compaction. They are one type with different numbers, so
//! that a user configures them in one way.

use super::error::BudgetError;
use super::pressure::Pressure;
use super::ratio::Ratio;

/// Ascending thresholds, in percent of the window.
///
/// ```
/// use loadline::budget::{Ladder, Pressure};
/// use loadline::tokens::Tokens;
///
/// let pressure = Pressure::new(Tokens::new(85), Tokens::new(100))?;
/// assert_eq!(Ladder::memory().step(&pressure), 2);
/// assert_eq!(Ladder::proactive().step(&pressure), 1);
/// # Ok::<(), loadline::budget::BudgetError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    rungs: Vec<Ratio>,
}

impl Ladder {
    /// Names of the ladders that [`Ladder::named`] knows.
    pub const NAMES: [&'static str; 4] = ["session", "rounds", "memory", "proactive"];

    /// The footer of a session: shown from 30, notice above 60, warning above 80.
    pub fn session() -> Ladder {
        Ladder::of([3_000, 6_000, 8_000])
    }

    /// The warning after a round: 85.
    pub fn rounds() -> Ladder {
        Ladder::of([8_500])
    }

    /// Levels of a feature's notes: compact 70, summarize 85, hand off 95.
    pub fn memory() -> Ladder {
        Ladder::of([7_000, 8_500, 9_500])
    }

    /// The same levels, acted on before the window is dear: 75, 88, 93.
    pub fn proactive() -> Ladder {
        Ladder::of([7_500, 8_800, 9_300])
    }

    /// Returns the ladder of that name.
    pub fn named(name: &str) -> Result<Ladder, BudgetError> {
        match name {
            "session" => Ok(Ladder::session()),
            "rounds" => Ok(Ladder::rounds()),
            "memory" => Ok(Ladder::memory()),
            "proactive" => Ok(Ladder::proactive()),
            _ => Err(BudgetError::out_of_range(
                "ladder",
                format!("{name:?}"),
                format!("one of {}", Ladder::NAMES.join(", ")),
            )),
        }
    }

    /// Makes a ladder of percentages: at least one, each between 0 and 100 and
    /// above the one before. They are exact to two decimals.
    pub fn from_percents(percents: &[f64]) -> Result<Ladder, BudgetError> {
        if percents.is_empty() {
            return Err(BudgetError::out_of_range("ladder", "empty", "at least one percentage"));
        }
        let mut rungs: Vec<Ratio> = Vec::with_capacity(percents.len());
        for (index, percent) in percents.iter().enumerate() {
            let refuse = |allowed: String| {
                BudgetError::out_of_range(format!("ladder[{index}]"), percent, allowed)
            };
            let rung = Ratio::from_percent(*percent)
                .ok_or_else(|| refuse("between 0 and 100".to_owned()))?;
            if let Some(below) = rungs.last().filter(|below| **below >= rung) {
                return Err(refuse(format!("above {}", below.percent())));
            }
            rungs.push(rung);
        }
        Ok(Ladder { rungs })
    }

    /// Returns the thresholds in percent, ascending.
    pub fn percents(&self) -> Vec<f64> {
        self.rungs.iter().map(|rung| rung.percent()).collect()
    }

    /// Returns how many rungs the pressure has reached: 0 is below the first.
    ///
    /// A rung is reached exactly at its percentage, without rounding.
    pub fn step(&self, pressure: &Pressure) -> usize {
        let reached = |rung: &&Ratio| rung.is_reached_by(pressure.tokens(), pressure.window());
        self.rungs.iter().take_while(reached).count()
    }

    /// Returns one rung, counted from 0.
    pub(super) fn rung(&self, index: usize) -> Option<Ratio> {
        self.rungs.get(index).copied()
    }

    /// Makes a ladder of ten-thousandths known to ascend.
    fn of<const N: usize>(parts: [u16; N]) -> Ladder {
        Ladder { rungs: parts.map(Ratio::from_parts).to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diagnose;
    use crate::tokens::Tokens;

    fn step(ladder: &Ladder, tokens: u64, window: u64) -> usize {
        ladder.step(&Pressure::new(Tokens::new(tokens), Tokens::new(window)).unwrap())
    }

    #[test]
    fn f184_one_type_holds_all_scales() {
        assert_eq!(Ladder::session().percents(), [30.0, 60.0, 80.0]);
        assert_eq!(Ladder::rounds().percents(), [85.0]);
        assert_eq!(Ladder::memory().percents(), [70.0, 85.0, 95.0]);
        assert_eq!(Ladder::proactive().percents(), [75.0, 88.0, 93.0]);
        for name in Ladder::NAMES {
            let ladder = Ladder::named(name).unwrap();
            assert_eq!(Ladder::from_percents(&ladder.percents()), Ok(ladder));
        }
    }

    #[test]
    fn steps_are_inclusive_and_exact() {
        let memory = Ladder::memory();
        for (tokens, want) in
            [(0, 0), (69_999, 0), (70_000, 1), (85_000, 2), (94_999, 2), (95_000, 3)]
        {
            assert_eq!(step(&memory, tokens, 100_000), want, "{tokens}");
        }
        assert_eq!(step(&memory, u64::MAX, 1), 3);
    }

    #[test]
    fn bad_ladders_name_the_rung_and_the_value() {
        for (percents, want) in [
            (vec![30.0, 20.0], "ladder[1] is 20; it must be above 30"),
            (vec![30.0, 30.0], "ladder[1] is 30; it must be above 30"),
            (vec![-1.0], "ladder[0] is -1; it must be between 0 and 100"),
            (vec![101.0], "ladder[0] is 101; it must be between 0 and 100"),
            (vec![f64::NAN], "ladder[0] is NaN; it must be between 0 and 100"),
            (vec![], "ladder is empty; it must be at least one percentage"),
        ] {
            let error = Ladder::from_percents(&percents).unwrap_err();
            assert_eq!(error.to_string(), want);
            assert_eq!(error.code(), "LL-BUD-005");
        }
        assert!(Ladder::named("rope").is_err());
    }
}
