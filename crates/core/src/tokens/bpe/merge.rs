//! Counts the tokens that byte-pair merging makes of one piece of text.
//!
//! Merging by rank is a global process, yet its result is fixed locally: a
//! sequence of tokens is the right one exactly when each token merges to
//! itself and no two neighbours would have merged across their border in
//! another way. So the text is taken from the left, longest token first,
//! stepping back when a border does not hold. A position that proved to be a
//! dead end is never tried again, which keeps the work linear even on a
//! megabyte of one letter. The method is described in the documentation of
//! the `bpe` crate; a heap of merges, the usual way, needs an order of
//! magnitude more memory and time on long pieces.

use super::vocabulary::Vocabulary;

/// The working memory of a count, kept between pieces.
#[derive(Default)]
pub(super) struct Merger {
    tokens: Vec<u32>,
    dead_ends: DeadEnds,
    borders: Borders,
}

impl Merger {
    /// Counts the tokens of `piece`.
    pub(super) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> usize {
        let Merger { tokens, dead_ends, borders } = self;
        tokens.clear();
        dead_ends.reset(piece.len());
        let mut at = 0;
        let mut candidate = vocabulary.longest_prefix(piece);
        while at < piece.len() {
            let fits = candidate.filter(|&token| {
                let end = at + vocabulary.length(token);
                let last = tokens.last();
                !dead_ends.contains(end)
                    && last.is_none_or(|&last| borders.hold(vocabulary, last, token, piece, at))
            });
            if let Some(token) = fits {
                tokens.push(token);
                at += vocabulary.length(token);
                candidate = vocabulary.longest_prefix(&piece[at..]);
                continue;
            }
            candidate = candidate.and_then(|token| vocabulary.shorter(token));
            if candidate.is_none() {
                dead_ends.insert(at);
                // Every byte is a token, so the first position always has a way on.
                let Some(last) = tokens.pop() else { break };
                at -= vocabulary.length(last);
                candidate = Some(last);
            }
        }
        tokens.len()
    }
}

/// Pairs of tokens asked about lately, with the answer. Whether a border holds
/// depends on the two tokens alone, and long runs ask the same over and over.
struct Borders {
    recent: Vec<(u32, u32, bool)>,
}

impl Default for Borders {
    fn default() -> Borders {
        Borders { recent: vec![(u32::MAX, u32::MAX, false); 1 << Borders::BITS] }
    }
}

impl Borders {
    const BITS: u32 = 12;

    fn hold(
        &mut self,
        vocabulary: &Vocabulary,
        left: u32,
        right: u32,
        text: &[u8],
        border: usize,
    ) -> bool {
        let mixed = (u64::from(left) << 32 | u64::from(right)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = &mut self.recent[(mixed >> (64 - Borders::BITS)) as usize];
        if (slot.0, slot.1) != (left, right) {
            let holds = is_border(vocabulary, left, right, text, border);
            *slot = (left, right, holds);
        }
        slot.2
    }
}

/// Tells whether merging would really leave `left` and `right` as neighbours,
/// by undoing their merges, highest rank first, and asking at each step
/// whether something across the border had been merged before.
fn is_border(vocabulary: &Vocabulary, left: u32, right: u32, text: &[u8], border: usize) -> bool {
    let (mut left, mut right) = (left, right);
    let mut limit = u32::MAX;
    loop {
        let span = &text[border - vocabulary.length(left)..border + vocabulary.length(right)];
        if vocabulary.may_be_token(span)
            && let Some(across) = vocabulary.rank(span)
            && across < limit
            && vocabulary.parts(across) == (left, right)
        {
            return false;
        }
        let undo_left =
            |left: &mut u32, limit: &mut u32| undo(vocabulary.parts(*left).1, left, limit, 0);
        let undo_right =
            |right: &mut u32, limit: &mut u32| undo(vocabulary.parts(*right).0, right, limit, 1);
        // The token with the higher rank was merged last, so it is undone first.
        let left_first = left > right;
        let undone = (left_first && undo_left(&mut left, &mut limit))
            || undo_right(&mut right, &mut limit)
            || (!left_first && undo_left(&mut left, &mut limit));
        if !undone {
            return true;
        }
    }
}

/// Replaces a token by its part at the border and lowers the limit; false for a single byte.
fn undo(part: u32, token: &mut u32, limit: &mut u32, slack: u32) -> bool {
    let merged = part != *token;
    *limit = *token + slack;
    *token = part;
    merged
}

/// Positions from which the text cannot be finished, one bit each.
#[derive(Default)]
struct DeadEnds {
    bits: Vec<u64>,
}

impl DeadEnds {
    fn reset(&mut self, length: usize) {
        self.bits.clear();
        self.bits.resize(length / 64 + 1, 0);
    }

    fn contains(&self, at: usize) -> bool {
        self.bits[at / 64] & 1 << (at % 64) != 0
    }

    fn insert(&mut self, at: usize) {
        self.bits[at / 64] |= 1 << (at % 64);
    }
}
