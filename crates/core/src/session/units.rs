//! Cuts a session into the parts that stay or go together.
//!
//! A call and its results are one unit: a provider refuses one without the
//! other. Everything else is a unit of its own.

use std::ops::Range;

use super::transcript::{Block, Content, Role, Transcript};

/// Parts of a session that stay or go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// In order; a turn of calls first, then what brings their results.
    pub(crate) parts: Vec<Part>,
}

/// Some blocks of one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The number of the turn.
    pub(crate) turn: usize,
    /// The numbers of the blocks.
    pub(crate) blocks: Range<usize>,
}

/// Cuts a session into units. The instructions of the system belong to none.
pub(crate) fn units(transcript: &Transcript) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    // Whether the last unit is a turn of calls that takes results.
    let mut takes_results = false;
    for (number, turn) in transcript.turns.iter().enumerate() {
        if turn.role == Role::System {
            continue;
        }
        let is_result = |block: &&Block| matches!(block.content, Content::Result(_));
        let results = turn.blocks.iter().take_while(is_result).count();
        let rest = match units.last_mut() {
            Some(unit) if takes_results && results > 0 => {
                let (turn, blocks) = (number, 0..results);
                unit.parts.push(Part { turn, blocks });
                results..turn_len(transcript, number)
            }
            _ => 0..turn_len(transcript, number),
        };
        if rest.is_empty() {
            continue;
        }
        takes_results = turn.calls().next().is_some();
        let parts = vec![Part { turn: number, blocks: rest }];
        units.push(Unit { parts });
    }
    units
}

fn turn_len(transcript: &Transcript, turn: usize) -> usize {
    transcript.turns[turn].blocks.len()
}
