//! Joins or trims pieces of one file that share lines.

use super::{DedupOptions, Placed, Removal, Removed, better, overlap_ratio};
use crate::tokens::Tokens;

/// Reads lines of a file.
type Read<'a> = &'a mut dyn FnMut(&str, (u32, u32)) -> Option<String>;

/// What a sweep over the lines of files needs.
pub(super) struct Sweep<'a> {
    pub(super) options: &'a DedupOptions,
    pub(super) read: Read<'a>,
    pub(super) count: &'a mut dyn FnMut(&str) -> Tokens,
    pub(super) removed: &'a mut Vec<Removed>,
}

impl Sweep<'_> {
    /// Goes through the pieces of each file from top to bottom.
    pub(super) fn run(&mut self, mut pieces: Vec<Placed>) -> Vec<Placed> {
        pieces.sort_by(|left, right| {
            let path = left.piece.path.cmp(&right.piece.path);
            let lines = left.piece.first.cmp(&right.piece.first);
            path.then(lines).then_with(|| better(left, right))
        });
        let mut kept: Vec<Placed> = Vec::with_capacity(pieces.len());
        for next in pieces {
            self.add(&mut kept, next);
        }
        kept
    }

    /// Adds the next piece; those before it end where they may still meet it.
    fn add(&mut self, kept: &mut Vec<Placed>, next: Placed) {
        let meets = kept.last().is_some_and(|last| {
            last.piece.path == next.piece.path && last.piece.last >= next.piece.first
        });
        let Some(last) = meets.then(|| kept.pop()).flatten() else {
            kept.push(next);
            return;
        };
        match self.union(&last, &next) {
            Some(union) => kept.push(union),
            None => self.part(kept, last, next),
        }
    }

    /// Joins two pieces where their union is small enough.
    fn union(&mut self, last: &Placed, next: &Placed) -> Option<Placed> {
        let lines = (last.piece.first, last.piece.last.max(next.piece.last));
        let text = (self.read)(&last.piece.path, lines)?;
        let tokens = (self.count)(&text);
        if tokens > self.options.max_tokens {
            return None;
        }
        let (best, other) = match better(last, next) {
            std::cmp::Ordering::Greater => (next, last),
            _ => (last, next),
        };
        self.remove(other, Removal::Merged, best);
        let mut union = best.clone();
        (union.piece.first, union.piece.last) = lines;
        (union.piece.text, union.piece.tokens) = (text, tokens);
        Some(union)
    }

    /// Drops or trims the lower ranked of two pieces that cannot be one.
    fn part(&mut self, kept: &mut Vec<Placed>, last: Placed, next: Placed) {
        let lines = |placed: &Placed| (placed.piece.first, placed.piece.last);
        let ratio = overlap_ratio(lines(&last), lines(&next));
        let last_wins = better(&last, &next).is_le();
        if ratio >= self.options.overlap || ratio >= 1.0 {
            let (winner, loser) = if last_wins { (last, next) } else { (next, last) };
            self.remove(&loser, Removal::Overlap, &winner);
            kept.push(winner);
            return;
        }
        let (mut last, mut next) = (last, next);
        if last_wins {
            let from = last.piece.last + 1;
            let to = next.piece.last;
            self.trim(&mut next, (from, to));
        } else {
            let to = next.piece.first - 1;
            let from = last.piece.first;
            self.trim(&mut last, (from, to));
        }
        kept.push(last);
        kept.push(next);
    }

    /// Cuts a piece down to fewer lines, if they can be read.
    fn trim(&mut self, placed: &mut Placed, lines: (u32, u32)) {
        if let Some(text) = (self.read)(&placed.piece.path, lines) {
            (placed.piece.first, placed.piece.last) = lines;
            placed.piece.tokens = (self.count)(&text);
            placed.piece.text = text;
        }
    }

    fn remove(&mut self, placed: &Placed, why: Removal, by: &Placed) {
        self.removed.push(Removed { piece: placed.place, why, by: by.place });
    }
}
