//! Makes a piece of a session smaller without taking it apart.
//!
//! The largest blocks are cut first, so that small ones, which say what was done, stay.

use std::collections::HashMap;

use super::TrimOptions;
use super::piece::{Piece, PieceBlock, changed_tokens};
use crate::fit::longest;
use crate::session::compress::{
    ArgumentRule, Compressor, ResultLimits, ToolUse, last_answer, shorten_arguments, tool_uses,
};
use crate::session::cost::{BLOCK_TOKENS, IMAGE_TOKENS};
use crate::session::draft::{Change, DraftBlock};
use crate::session::marker::Marker;
use crate::session::transcript::{Block, CallResult, Content, Transcript};
use crate::tokens::Tokens;

/// No block is cut below this many tokens: a marker must fit.
const LEAST: u64 = 56;

/// In how many steps blocks are cut further where the first cut was not enough.
const STEPS: usize = 8;

/// Makes pieces of one session smaller.
pub(super) struct Shrinker<'a> {
    transcript: &'a Transcript,
    options: &'a TrimOptions,
    uses: HashMap<&'a str, ToolUse<'a>>,
    may_drop_thinking: bool,
    /// The turn whose thoughts stay: a provider may ask for those of the last answer.
    last_answer: Option<usize>,
}

impl<'a> Shrinker<'a> {
    pub(super) fn new(transcript: &'a Transcript, options: &'a TrimOptions) -> Shrinker<'a> {
        Shrinker {
            transcript,
            options,
            uses: tool_uses(transcript),
            may_drop_thinking: transcript.format.codec().may_drop_thinking(),
            last_answer: last_answer(transcript),
        }
    }

    /// Cuts the long results of a piece.
    pub(super) fn short_results(&self, piece: &Piece) -> Piece {
        let limits = ResultLimits::short();
        self.map(piece, |turn, block, tokens| match &block.content {
            Content::Result(result) => self.cut_result(turn, result, limits, tokens),
            _ => None,
        })
    }

    /// Cuts the largest blocks of a piece until it costs at most `most`; `None` if it
    /// cannot be cut so far.
    pub(super) fn shrink(&self, piece: &Piece, most: Tokens) -> Option<Piece> {
        if piece.tokens <= most {
            return Some(piece.clone());
        }
        let more = level(piece, most).get() - LEAST;
        let mut best = None;
        longest(STEPS, |step| {
            let cap = LEAST + more * step as u64 / STEPS as u64;
            let capped = self.cap_blocks(piece, Tokens::new(cap));
            let fits = capped.tokens <= most;
            if fits {
                best = Some(capped);
            }
            fits
        });
        best
    }

    /// Cuts a piece as far as it can be cut.
    pub(super) fn smallest(&self, piece: &Piece) -> Piece {
        self.cap_blocks(piece, Tokens::new(LEAST))
    }

    /// Cuts every block of a piece to `cap`, as far as it can be. Thoughts go first.
    fn cap_blocks(&self, piece: &Piece, cap: Tokens) -> Piece {
        let room = cap.saturating_sub(Tokens::new(BLOCK_TOKENS));
        let limits = ResultLimits::at_most(room);
        let cut = |turn: usize, block: &Block, tokens: Tokens| match &block.content {
            _ if tokens <= cap => None,
            Content::Text(text) => {
                let compressor = self.compressor(turn, ToolUse::default(), limits);
                Some(Change::Text(compressor.compress(text)?.text))
            }
            Content::Result(result) => self.cut_result(turn, result, limits, tokens),
            Content::Call(call) => {
                let compressor = self.compressor(turn, ToolUse::of(call), limits);
                let short = shorten_arguments(&compressor, call, ArgumentRule::Long)?;
                Some(Change::Arguments(short.0))
            }
            _ => None,
        };
        self.map(&self.without_thinking(piece), cut)
    }

    fn cut_result(
        &self,
        turn: usize,
        result: &CallResult,
        limits: ResultLimits,
        tokens: Tokens,
    ) -> Option<Change> {
        let images = IMAGE_TOKENS.saturating_mul(result.images as u64);
        let known = tokens.saturating_sub(Tokens::new(BLOCK_TOKENS.saturating_add(images)));
        let tool = ToolUse {
            is_error: result.is_error,
            ..self.uses.get(result.call.as_str()).copied().unwrap_or_default()
        };
        let compressor = self.compressor(turn, tool, limits);
        let short = compressor.compress_known(&result.text, known)?;
        Some(Change::Text(short.text))
    }

    fn compressor(&self, turn: usize, tool: ToolUse<'_>, limits: ResultLimits) -> Compressor<'_> {
        Compressor {
            limits,
            counter: &self.options.counter,
            marker: Marker { handle: self.options.handle.as_deref(), turn: Some(turn) },
            preserve: &self.options.preserve,
            kind: tool.kind(),
            is_error: tool.is_error,
        }
    }

    /// Changes blocks if that makes them smaller.
    fn map(
        &self,
        piece: &Piece,
        change: impl Fn(usize, &Block, Tokens) -> Option<Change>,
    ) -> Piece {
        piece.with_blocks(|turn, it| {
            let block = &self.transcript.turns[turn].blocks[it.draft.block];
            let changed = change(turn, block, it.tokens).and_then(|change| {
                let tokens = changed_tokens(&self.options.counter, block, &change);
                (tokens < it.tokens).then(|| PieceBlock {
                    draft: DraftBlock::changed(it.draft.block, change),
                    tokens,
                })
            });
            Some(changed.unwrap_or_else(|| it.clone()))
        })
    }

    /// Drops thoughts, unless nothing else is there or the format needs them.
    fn without_thinking(&self, piece: &Piece) -> Piece {
        let is_thought = |turn: usize, it: &PieceBlock| {
            let content = &self.transcript.turns[turn].blocks[it.draft.block].content;
            matches!(content, Content::Thinking(_)) && self.last_answer != Some(turn)
        };
        let rest = piece.with_blocks(|turn, it| (!is_thought(turn, it)).then(|| it.clone()));
        if self.may_drop_thinking && !rest.parts.is_empty() { rest } else { piece.clone() }
    }
}

/// Returns the size at which blocks must be cut so that together they cost `most`.
fn level(piece: &Piece, most: Tokens) -> Tokens {
    let blocks = piece.parts.iter().flat_map(|part| &part.blocks);
    let mut sizes: Vec<u64> = blocks.map(|it| it.tokens.get()).collect();
    sizes.sort_unstable();
    let mut left = most.get();
    for (place, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - place) as u64;
        if *size > share {
            return Tokens::new(share.max(LEAST));
        }
        left -= size;
    }
    most.max(Tokens::new(LEAST))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::session::read_session;
    use crate::session::trim::piece::pieces;

    #[test]
    fn the_largest_blocks_are_cut_and_the_small_ones_stay() {
        let options = TrimOptions::new("o200k".parse().unwrap(), Tokens::ZERO);
        let long: String = (0..900).map(|line| format!("line {line} of it\n")).collect();
        let messages = json!([
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "Write",
                    "input": {"file_path": "src/a.rs", "content": long}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": long},
            ]},
        ]);
        let transcript = read_session(messages.to_string().into_bytes(), None).unwrap();
        let (all, remarks) = pieces(&transcript, &options.counter);
        assert!(remarks.is_empty());
        let shrinker = Shrinker::new(&transcript, &options);
        for most in [300, 500, 1_000, 4_000] {
            let most = Tokens::new(most);
            let shrunk = shrinker.shrink(&all[0], most).unwrap();
            assert!(shrunk.tokens <= most);
            assert!(shrunk.tokens.get() * 4 > most.get() * 3, "{} of {most}", shrunk.tokens);
            let first = &shrunk.parts[0].blocks;
            assert_eq!(first[0].draft, DraftBlock::kept(0));
            assert_eq!(first[1].draft, DraftBlock::kept(1));
        }
        assert!(shrinker.shrink(&all[0], Tokens::new(20)).is_none());
        assert!(shrinker.smallest(&all[0]).tokens < Tokens::new(200));
    }
}
