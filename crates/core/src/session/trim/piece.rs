//! Units as they are weighed and written: blocks that may be changed, and what they cost.
//!
//! A session that was read may be broken: calls whose results never came,
//! results of calls that are gone, blank texts. A provider refuses all of these,
//! so they are left out here, once, with a remark.

use std::collections::{BTreeMap, HashSet};

use regex::Regex;

use crate::Remark;
use crate::session::cost::{BLOCK_TOKENS, IMAGE_TOKENS, block_tokens, call_text};
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::transcript::{Block, Content, Role, Transcript};
use crate::session::units::{Unit, units};
use crate::tokens::{Counter, Tokens};

/// A unit, or what is left of it.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Blocks by turn, in order.
    pub(super) parts: Vec<PiecePart>,
    pub(super) tokens: Tokens,
}

/// Blocks of one turn.
#[derive(Clone, Debug)]
pub(super) struct PiecePart {
    pub(super) turn: usize,
    pub(super) blocks: Vec<PieceBlock>,
}

/// A block, and what it costs.
#[derive(Clone, Debug)]
pub(super) struct PieceBlock {
    pub(super) draft: DraftBlock,
    pub(super) tokens: Tokens,
}

impl Piece {
    /// Makes a piece of parts that have blocks.
    fn new(mut parts: Vec<PiecePart>) -> Piece {
        parts.retain(|part| !part.blocks.is_empty());
        let blocks = parts.iter().flat_map(|part| &part.blocks);
        let tokens = Tokens::saturating_sum(blocks.map(|block| block.tokens));
        Piece { parts, tokens }
    }

    /// Changes every block, which is given with its turn, or drops it.
    pub(super) fn with_blocks(
        &self,
        change: impl Fn(usize, &PieceBlock) -> Option<PieceBlock>,
    ) -> Piece {
        let part = |part: &PiecePart| PiecePart {
            turn: part.turn,
            blocks: (part.blocks.iter()).filter_map(|block| change(part.turn, block)).collect(),
        };
        Piece::new(self.parts.iter().map(part).collect())
    }

    /// Returns the turn that the piece begins with.
    pub(super) fn first_turn(&self) -> usize {
        self.parts.first().map_or(0, |part| part.turn)
    }

    /// Returns the turn that the piece ends with.
    pub(super) fn last_turn(&self) -> usize {
        self.parts.last().map_or(0, |part| part.turn)
    }

    /// Returns what the blocks said before they were changed.
    pub(super) fn contents<'a>(
        &'a self,
        transcript: &'a Transcript,
    ) -> impl Iterator<Item = &'a Content> {
        self.parts.iter().flat_map(|part| {
            let blocks = &transcript.turns[part.turn].blocks;
            let blocks = part.blocks.iter().map(|it| &blocks[it.draft.block]);
            blocks.map(|block| &block.content)
        })
    }

    /// Returns the lines of texts and results that match one of the patterns.
    pub(super) fn matching<'a>(
        &'a self,
        transcript: &'a Transcript,
        patterns: &'a [Regex],
    ) -> impl Iterator<Item = &'a str> {
        let contents = self.contents(transcript).filter(|_| !patterns.is_empty());
        let texts = contents.filter_map(|content| match content {
            Content::Text(text) => Some(text.as_str()),
            Content::Result(result) => Some(result.text.as_str()),
            _ => None,
        });
        let lines = texts.flat_map(str::lines);
        lines.filter(|line| patterns.iter().any(|it| it.is_match(line)))
    }
}

/// Cuts a session into pieces, whole as far as a provider takes them.
pub(super) fn pieces(transcript: &Transcript, counter: &Counter) -> (Vec<Piece>, Vec<Remark>) {
    let mut remarks = Vec::new();
    let pieces = units(transcript)
        .iter()
        .map(|unit| piece(transcript, counter, unit, &mut remarks))
        .filter(|piece| !piece.parts.is_empty())
        .collect();
    (pieces, remarks)
}

fn piece(
    transcript: &Transcript,
    counter: &Counter,
    unit: &Unit,
    remarks: &mut Vec<Remark>,
) -> Piece {
    let content = |turn: usize, block: usize| &transcript.turns[turn].blocks[block].content;
    let all = unit.parts.iter();
    let all = all.flat_map(|part| part.blocks.clone().map(|it| content(part.turn, it)));
    let (mut asked, mut answered) = (HashSet::new(), HashSet::new());
    for content in all {
        match content {
            Content::Call(call) => asked.insert(call.id.as_str()),
            Content::Result(result) => answered.insert(result.call.as_str()),
            _ => false,
        };
    }
    let mut seen = HashSet::new();
    let mut is_sound = |turn: usize, block: usize| {
        let odd = match content(turn, block) {
            Content::Call(call) if !answered.contains(call.id.as_str()) => "a call has no result",
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
        remarks.push(Remark::new(format!("turn {}", turn + 1), format!("{odd}; it is left out")));
        false
    };
    let mut parts = Vec::with_capacity(unit.parts.len());
    for part in &unit.parts {
        let blocks: Vec<usize> =
            part.blocks.clone().filter(|it| is_sound(part.turn, *it)).collect();
        let measured = blocks.into_iter().map(|block| PieceBlock {
            draft: DraftBlock::kept(block),
            tokens: block_tokens(counter, &transcript.turns[part.turn].blocks[block]),
        });
        parts.push(PiecePart { turn: part.turn, blocks: measured.collect() });
    }
    Piece::new(parts)
}

/// Returns what a changed block costs.
pub(super) fn changed_tokens(counter: &Counter, block: &Block, change: &Change) -> Tokens {
    let (text, images) = match (change, &block.content) {
        (Change::Text(text), Content::Result(result)) => (counter.count(text), result.images),
        (Change::Text(text), _) => (counter.count(text), 0),
        (Change::Arguments(arguments), Content::Call(call)) => {
            (counter.count(&call_text(&call.name, arguments)), 0)
        }
        (Change::Arguments(_), _) => return block_tokens(counter, block),
    };
    let images = IMAGE_TOKENS.saturating_mul(images as u64);
    text.saturating_add(Tokens::new(BLOCK_TOKENS.saturating_add(images)))
}

/// Writes pieces and new turns in order, and the system's instructions as they are.
///
/// A new turn goes after the turn whose number it comes with.
pub(super) fn assemble<'a>(
    transcript: &Transcript,
    pieces: impl IntoIterator<Item = &'a Piece>,
    new: Option<(usize, DraftTurn)>,
) -> Draft {
    let mut turns: BTreeMap<usize, Vec<DraftBlock>> = BTreeMap::new();
    for part in pieces.into_iter().flat_map(|piece| &piece.parts) {
        let blocks = part.blocks.iter().map(|it| it.draft.clone());
        turns.entry(part.turn).or_default().extend(blocks);
    }
    let mut draft = Draft::default();
    let mut new = new;
    for (number, turn) in transcript.turns.iter().enumerate() {
        if turn.role == Role::System {
            draft.turns.push(DraftTurn::kept(transcript, number));
        } else if let Some(mut blocks) = turns.remove(&number) {
            blocks.sort_by_key(|block| block.block);
            draft.turns.push(DraftTurn::Of { turn: number, blocks });
        }
        if let Some((_, turn)) = new.take_if(|(behind, _)| *behind == number) {
            draft.turns.push(turn);
        }
    }
    draft
}

/// Returns what the instructions of the system cost.
pub(super) fn system_tokens(transcript: &Transcript, counter: &Counter) -> Tokens {
    let system = transcript.turns.iter().filter(|it| it.role == Role::System);
    let blocks = system.flat_map(|turn| &turn.blocks);
    Tokens::saturating_sum(blocks.map(|block| block_tokens(counter, block)))
}
