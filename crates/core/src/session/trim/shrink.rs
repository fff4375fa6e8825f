//! Makes a piece of a session smaller without taking it apart.
//!
//! The largest blocks are cut first, so that small ones, which say what was done, stay.

use super::TrimOptions;
use super::piece::{Piece, PieceBlock, changed_tokens};
use crate::fit::longest;
use crate::session::compress::{
    ArgumentRule, Compressor, ResultLimits, ToolUse, shorten_arguments,
};
use crate::session::cost::BLOCK_TOKENS;
use crate::session::draft::{Change, DraftBlock};
use crate::session::marker::Marker;
use crate::session::transcript::{Block, ById, CallResult, Content, Transcript};
use crate::tokens::Tokens;

/// No block is cut below this many tokens: a marker must fit.
const LEAST: u64 = 56;

/// In how many steps blocks are cut further where the first cut was not enough.
const STEPS: usize = 8;

/// Makes pieces of one session smaller.
pub(super) struct Shrinker<'a> {
    transcript: &'a Transcript,
    options: &'a TrimOptions,
    uses: ById<'a, ToolUse<'a>>,
}

impl<'a> Shrinker<'a> {
    pub(super) fn new(transcript: &'a Transcript, options: &'a TrimOptions) -> Shrinker<'a> {
        Shrinker { transcript, options, uses: ById::of(transcript, ToolUse::of) }
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

    /// Cuts every block of a piece to `cap`, as far as it can be.
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
        self.map(piece, cut)
    }

    fn cut_result(
        &self,
        turn: usize,
        result: &CallResult,
        limits: ResultLimits,
        tokens: Tokens,
    ) -> Option<Change> {
        let frame = BLOCK_TOKENS.saturating_add(result.images.tokens);
        let known = tokens.saturating_sub(Tokens::new(frame));
        let tool = ToolUse {
            is_error: result.is_error,
            ..self.uses.get(turn, &result.call).copied().unwrap_or_default()
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
