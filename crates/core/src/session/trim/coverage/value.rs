//! Values each mention and each line: how likely the next turns refer to it, times how
//! rare it is.

use super::current::current_lines;
use super::facts::Facts;
use super::lines::SessionLines;
use super::trace::traces;

/// The exponent of likelihoods; below 1, what is unlikely counts for more.
const EXPONENT: f64 = 0.7;

/// What each mention and each line is worth.
pub(super) struct Values {
    /// By mention.
    pub(super) mentions: Vec<f64>,
    /// By text of a line.
    pub(super) lines: Vec<f64>,
}

impl Values {
    pub(super) fn of(session: &SessionLines<'_>) -> Values {
        let facts = Facts::of(session);
        let blocks = session.blocks.len() as f64 + 1.0;
        let rarity = |blocks_with: u32| (blocks / (f64::from(blocks_with) + 0.5)).ln().max(0.1);
        let value = |likelihood: f64, blocks| likelihood.powf(EXPONENT) * rarity(blocks);
        Values {
            mentions: traces(session, &facts, value),
            lines: current_lines(session, &facts, |likelihood| value(likelihood, 1)),
        }
    }
}
