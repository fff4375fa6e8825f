//! Cuts a session into the parts that stay or go together.
//!
//! A call and its results are one unit: a provider refuses one without the
//! other. Everything else is a unit of its own. A session that was read may be broken:
//! calls whose results never came, results of calls that are gone, blank texts. A
//! provider refuses all of these, so they are left out here, once, with a remark.

use std::collections::HashSet;

use super::transcript::{Content, Role, Transcript};
use crate::Remark;

/// Parts of a session that stay or go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// In order; a turn of calls first, then what brings their results. Never empty.
    pub(crate) parts: Vec<Part>,
}

/// Some blocks of one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The number of the turn.
    pub(crate) turn: usize,
    /// The numbers of the blocks, in order. Never empty.
    pub(crate) blocks: Vec<usize>,
}

/// Cuts a session into units, and remarks on what is left out. The instructions of the
/// system belong to none.
pub(crate) fn units(transcript: &Transcript) -> (Vec<Unit>, Vec<Remark>) {
    let mut units: Vec<Unit> = Vec::new();
    // Whether the last unit is a turn of calls that takes results.
    let mut takes_results = false;
    for (number, turn) in transcript.turns.iter().enumerate() {
        if turn.role == Role::System {
            continue;
        }
        let is_result = |it: &usize| matches!(turn.blocks[*it].content, Content::Result(_));
        let mut blocks: Vec<usize> = (0..turn.blocks.len()).collect();
        if let Some(unit) = units.last_mut().filter(|_| takes_results) {
            let (results, rest): (Vec<usize>, _) = blocks.into_iter().partition(is_result);
            if !results.is_empty() {
                unit.parts.push(Part { turn: number, blocks: results });
            }
            blocks = rest;
        }
        if !blocks.is_empty() {
            takes_results = turn.calls().next().is_some();
            units.push(Unit { parts: vec![Part { turn: number, blocks }] });
        }
    }
    let mut remarks = Vec::new();
    for unit in &mut units {
        unit.leave_out_odd(transcript, &mut remarks);
    }
    units.retain(|unit| !unit.parts.is_empty());
    (units, remarks)
}

impl Unit {
    fn leave_out_odd(&mut self, transcript: &Transcript, remarks: &mut Vec<Remark>) {
        let content = |turn: usize, block: usize| &transcript.turns[turn].blocks[block].content;
        let (mut asked, mut answered) = (HashSet::new(), HashSet::new());
        for part in &self.parts {
            for block in &part.blocks {
                match content(part.turn, *block) {
                    Content::Call(call) => asked.insert(call.id.as_str()),
                    Content::Result(result) => answered.insert(result.call.as_str()),
                    _ => false,
                };
            }
        }
        let (mut seen, mut called) = (HashSet::new(), HashSet::new());
        for part in &mut self.parts {
            part.blocks.retain(|block| {
                let odd = match content(part.turn, *block) {
                    Content::Call(call) if !answered.contains(call.id.as_str()) => {
                        "a call has no result"
                    }
                    Content::Call(call) if !called.insert(call.id.as_str()) => {
                        "two calls have one id"
                    }
                    Content::Result(result) if !asked.contains(result.call.as_str()) => {
                        "a result has no call"
                    }
                    Content::Result(result) if !seen.insert(result.call.as_str()) => {
                        "a call has two results"
                    }
                    // Blank texts are left out without a word.
                    Content::Text(text) => return !text.trim().is_empty(),
                    _ => return true,
                };
                let place = format!("turn {}", part.turn + 1);
                remarks.push(Remark::new(place, format!("{odd}; it is left out")));
                false
            });
        }
        self.parts.retain(|part| !part.blocks.is_empty());
    }
}
