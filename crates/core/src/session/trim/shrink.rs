//! Makes a piece of a session smaller without taking it apart.

use std::borrow::Cow;

use regex::Regex;
use serde_json::Value;

use super::piece::{Piece, PieceBlock, PiecePart, Uses, changed_tokens};
use crate::session::compress::{ArgumentRule, Press, ResultLimits, shorten_arguments, tool_uses};
use crate::session::cost::{BLOCK_TOKENS, IMAGE_TOKENS};
use crate::session::draft::{Change, DraftBlock};
use crate::session::marker::Marker;
use crate::session::tool::ToolKind;
use crate::session::transcript::{Block, CallResult, Content, Role, Transcript};
use crate::tokens::{Counter, Tokens};

/// No block is cut below this many tokens: a marker must fit.
const LEAST: u64 = 56;

/// Makes pieces of one session smaller.
pub(super) struct Shrinker<'a> {
    transcript: &'a Transcript,
    counter: &'a Counter,
    preserve: &'a [Regex],
    handle: Option<&'a str>,
    uses: Uses<'a>,
    drops_thinking: bool,
    /// The turn whose thoughts stay: a provider may ask for those of the last answer.
    last_answer: Option<usize>,
}

impl<'a> Shrinker<'a> {
    pub(super) fn new(
        transcript: &'a Transcript,
        counter: &'a Counter,
        preserve: &'a [Regex],
        handle: Option<&'a str>,
    ) -> Shrinker<'a> {
        Shrinker {
            transcript,
            counter,
            preserve,
            handle,
            uses: tool_uses(transcript),
            drops_thinking: transcript.format.adapter().may_drop_thinking(),
            last_answer: transcript
                .turns
                .iter()
                .rposition(|turn| turn.role == Role::Assistant),
        }
    }

    /// Cuts the long results of a piece; `None` where there are none.
    pub(super) fn short_results(&self, piece: &Piece, limits: &ResultLimits) -> Option<Piece> {
        let shorter = self.map(piece, &|turn, block, tokens| match &block.content {
            Content::Result(result) => self.cut_result(turn, result, limits, tokens),
            _ => None,
        });
        (shorter.tokens < piece.tokens).then_some(shorter)
    }

    /// Cuts the largest blocks of a piece until it costs at most `most`.
    pub(super) fn shrink(&self, piece: &Piece, most: Tokens) -> Option<Piece> {
        if piece.tokens <= most {
            return Some(piece.clone());
        }
        let mut cap = level(piece, most);
        for _ in 0..8 {
            let shrunk = self.squeeze(piece, cap);
            if shrunk.tokens <= most {
                return Some(shrunk);
            }
            if cap.get() <= LEAST {
                return None;
            }
            cap = Tokens::new((cap.get() * 4 / 5).max(LEAST));
        }
        None
    }

    /// Cuts a piece as far as it can be cut.
    pub(super) fn least(&self, piece: &Piece) -> Piece {
        self.squeeze(piece, Tokens::new(LEAST))
    }

    /// Cuts every block of a piece to `cap`, as far as it can be. Thoughts go first.
    fn squeeze(&self, piece: &Piece, cap: Tokens) -> Piece {
        let mut piece = Cow::Borrowed(piece);
        if self.drops_thinking {
            piece = Cow::Owned(self.without_thinking(&piece));
        }
        let room = cap.saturating_sub(Tokens::new(BLOCK_TOKENS));
        let limits = ResultLimits::at_most(room);
        self.map(&piece, &|turn, block, tokens| {
            if tokens <= cap {
                return None;
            }
            match &block.content {
                Content::Text(text) => {
                    let press = self.press(turn, "", &Value::Null, &limits);
                    let short = press.compress(text)?;
                    Some(Change::Text(short.text))
                }
                Content::Result(result) => self.cut_result(turn, result, &limits, tokens),
                Content::Call(call) => {
                    let (name, arguments) = (&call.name, &call.arguments);
                    let press = self.press(turn, name, arguments, &limits);
                    let short = shorten_arguments(&press, name, arguments, ArgumentRule::Long)?;
                    Some(Change::Arguments(short.0))
                }
                _ => None,
            }
        })
    }

    fn cut_result(
        &self,
        turn: usize,
        result: &CallResult,
        limits: &ResultLimits,
        tokens: Tokens,
    ) -> Option<Change> {
        let images = IMAGE_TOKENS.saturating_mul(result.images as u64);
        let known = tokens.saturating_sub(Tokens::new(BLOCK_TOKENS.saturating_add(images)));
        let tool = self.uses.get(result.call.as_str());
        let (name, arguments) = tool.copied().unwrap_or(("", &Value::Null));
        let mut press = self.press(turn, name, arguments, limits);
        press.is_error = result.is_error;
        let short = press.compress_known(&result.text, known)?;
        Some(Change::Text(short.text))
    }

    fn press<'b>(
        &'b self,
        turn: usize,
        name: &str,
        arguments: &Value,
        limits: &'b ResultLimits,
    ) -> Press<'b> {
        Press {
            limits: Cow::Borrowed(limits),
            counter: self.counter,
            marker: Marker {
                handle: self.handle,
                turn: Some(turn),
            },
            preserve: self.preserve,
            kind: ToolKind::of(name, arguments).0,
            is_error: false,
        }
    }

    /// Changes blocks where that makes them smaller.
    fn map(
        &self,
        piece: &Piece,
        change: &dyn Fn(usize, &Block, Tokens) -> Option<Change>,
    ) -> Piece {
        let part = |part: &PiecePart| {
            let originals = &self.transcript.turns[part.turn].blocks;
            let blocks = part.blocks.iter().map(|it| {
                let block = &originals[it.draft.block];
                let Some(change) = change(part.turn, block, it.tokens) else {
                    return it.clone();
                };
                let tokens = changed_tokens(self.counter, block, &change);
                if tokens < it.tokens {
                    PieceBlock {
                        draft: DraftBlock::changed(it.draft.block, change),
                        tokens,
                    }
                } else {
                    it.clone()
                }
            });
            PiecePart {
                turn: part.turn,
                blocks: blocks.collect(),
            }
        };
        Piece::new(piece.parts.iter().map(part).collect())
    }

    fn without_thinking(&self, piece: &Piece) -> Piece {
        let part = |part: &PiecePart| {
            let originals = &self.transcript.turns[part.turn].blocks;
            let is_thought = |it: &&PieceBlock| {
                let content = &originals[it.draft.block].content;
                matches!(content, Content::Thinking(_)) && self.last_answer != Some(part.turn)
            };
            PiecePart {
                turn: part.turn,
                blocks: part
                    .blocks
                    .iter()
                    .filter(|it| !is_thought(it))
                    .cloned()
                    .collect(),
            }
        };
        let rest = Piece::new(piece.parts.iter().map(part).collect());
        if rest.parts.is_empty() {
            piece.clone()
        } else {
            rest
        }
    }
}

/// Returns the height at which blocks must be cut so that together they cost `most`.
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
    most
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::session::read_session;
    use crate::session::trim::piece::pieces;

    #[test]
    fn the_largest_blocks_are_cut_and_the_small_ones_stay() {
        let counter: Counter = "o200k".parse().unwrap();
        let long: String = (0..900)
            .map(|line| format!("line {line} of it\n"))
            .collect();
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
        let (all, remarks) = pieces(&transcript, &counter);
        assert!(remarks.is_empty());
        let shrinker = Shrinker::new(&transcript, &counter, &[], None);
        for most in [300, 500, 1_000, 4_000] {
            let most = Tokens::new(most);
            let shrunk = shrinker.shrink(&all[0], most).unwrap();
            assert!(shrunk.tokens <= most);
            assert!(
                shrunk.tokens.get() * 4 > most.get() * 3,
                "{} of {most}",
                shrunk.tokens
            );
            let first: Vec<&DraftBlock> =
                shrunk.parts[0].blocks.iter().map(|it| &it.draft).collect();
            assert_eq!(first[..2], [&DraftBlock::kept(0), &DraftBlock::kept(1)]);
        }
        assert!(shrinker.shrink(&all[0], Tokens::new(20)).is_none());
        assert!(shrinker.least(&all[0]).tokens < Tokens::new(200));
    }
}
