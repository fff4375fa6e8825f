//! Units as they are weighed and written: blocks that may be changed, and what they cost.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use crate::Remark;
use crate::session::compress::last_answer;
use crate::session::cost::{BLOCK_TOKENS, block_tokens, call_text};
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
    let (units, remarks) = units(transcript);
    let measured = |turn: usize, block: usize| PieceBlock {
        draft: DraftBlock::kept(block),
        tokens: block_tokens(counter, &transcript.turns[turn].blocks[block]),
    };
    // What was thought before a cut is signed for what is cut, and no agent sends it again;
    // only the thoughts of the last answer may be asked for.
    let drops = transcript.format.codec().may_drop_thinking();
    let last_answer = last_answer(transcript);
    let stays = |turn: usize, block: &usize| {
        let content = &transcript.turns[turn].blocks[*block].content;
        !drops || last_answer == Some(turn) || !matches!(content, Content::Thinking(_))
    };
    let piece = |unit: Unit| {
        let parts = unit.parts.into_iter().map(|part| PiecePart {
            turn: part.turn,
            blocks: (part.blocks.into_iter().filter(|it| stays(part.turn, it)))
                .map(|it| measured(part.turn, it))
                .collect(),
        });
        Piece::new(parts.collect())
    };
    let pieces = units.into_iter().map(piece).filter(|piece| !piece.parts.is_empty());
    (pieces.collect(), remarks)
}

/// Returns what a changed block costs.
pub(super) fn changed_tokens(counter: &Counter, block: &Block, change: &Change) -> Tokens {
    let (text, images) = match (change, &block.content) {
        (Change::Text(text), Content::Result(result)) => {
            (counter.count(text), result.images.tokens)
        }
        (Change::Text(text), _) => (counter.count(text), 0),
        (Change::Arguments(arguments), Content::Call(call)) => {
            (counter.count(&call_text(&call.name, arguments)), 0)
        }
        (Change::Arguments(_), _) => return block_tokens(counter, block),
    };
    text.saturating_add(Tokens::new(BLOCK_TOKENS.saturating_add(images)))
}

/// Writes pieces in order, the system's instructions as they are, and words of our own
/// after the first piece; before it where that is not the user's, since no provider takes
/// a session that begins otherwise.
pub(super) fn assemble<'a>(
    transcript: &Transcript,
    pieces: impl IntoIterator<Item = &'a Piece>,
    words: Option<String>,
) -> Draft {
    let mut turns: BTreeMap<usize, Vec<DraftBlock>> = BTreeMap::new();
    let mut pieces = pieces.into_iter().peekable();
    let first = pieces.peek().map(|piece| (piece.first_turn(), piece.last_turn()));
    for part in pieces.flat_map(|piece| &piece.parts) {
        let blocks = part.blocks.iter().map(|it| it.draft.clone());
        turns.entry(part.turn).or_default().extend(blocks);
    }
    let is_user = |turn: usize| transcript.turns[turn].role == Role::User;
    let after = first.filter(|(first, _)| is_user(*first)).map(|(_, last)| last);
    let mut words = words.map(|text| DraftTurn::New { role: Role::User, text });
    let mut draft = Draft::default();
    for (number, turn) in transcript.turns.iter().enumerate() {
        if turn.role == Role::System {
            draft.turns.push(DraftTurn::kept(transcript, number));
            continue;
        }
        draft.turns.extend(words.take_if(|_| after.is_none()));
        if let Some(mut blocks) = turns.remove(&number) {
            blocks.sort_by_key(|block| block.block);
            draft.turns.push(DraftTurn::Of { turn: number, blocks });
        }
        draft.turns.extend(words.take_if(|_| after == Some(number)));
    }
    draft
}

/// Tells whether pieces begin with the user.
pub(super) fn begin_with_user(transcript: &Transcript, pieces: &[Piece]) -> bool {
    pieces.first().is_some_and(|it| transcript.turns[it.first_turn()].role == Role::User)
}

/// How many turns some pieces are parts of.
pub(super) fn turn_count<'a>(pieces: impl IntoIterator<Item = &'a Piece>) -> usize {
    let parts = pieces.into_iter().flat_map(|piece| &piece.parts);
    parts.map(|part| part.turn).collect::<BTreeSet<usize>>().len()
}

/// Returns what the instructions of the system cost.
pub(super) fn system_tokens(transcript: &Transcript, counter: &Counter) -> Tokens {
    let system = transcript.turns.iter().filter(|it| it.role == Role::System);
    let blocks = system.flat_map(|turn| &turn.blocks);
    Tokens::saturating_sum(blocks.map(|block| block_tokens(counter, block)))
}
