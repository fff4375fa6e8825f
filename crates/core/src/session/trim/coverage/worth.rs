//! What each atom and each line is worth: how likely the next turns refer to it,
//! times how rare it is.

use super::current::current_lines;
use super::facts::Facts;
use super::material::Material;
use super::trace::traces;

/// The exponent of likelihoods; below 1, what is unlikely counts for more.
const EXPONENT: f64 = 0.8;

/// What each atom and each line is worth.
pub(super) struct Worth {
    /// By atom.
    pub(super) atoms: Vec<f64>,
    /// By text of a line.
    pub(super) lines: Vec<f64>,
}

impl Worth {
    pub(super) fn of(material: &Material<'_>) -> Worth {
        let facts = Facts::of(material);
        let blocks = material.blocks.len() as f64 + 1.0;
        let rarity = |blocks_with: u32| (blocks / (f64::from(blocks_with) + 0.5)).ln().max(0.1);
        let worth = |likelihood: f64, blocks| likelihood.powf(EXPONENT) * rarity(blocks);
        Worth {
            atoms: traces(material, &facts, worth),
            lines: current_lines(material, &facts, |likelihood| worth(likelihood, 1)),
        }
    }
}
