//! Splits what is too large for one chunk where the code pauses.

use super::line::Line;
use super::{Piece, Work, document};

/// Cuts pieces that cost too much, between lines.
pub(super) fn split_large(pieces: Vec<Piece>, work: &Work<'_>) -> Vec<Piece> {
    let guarded = document::guarded(work);
    let mut all = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if work.tokens(piece.start, piece.end) <= work.options.max_tokens {
            all.push(piece);
        } else {
            split(piece, work, &guarded, &mut all);
        }
    }
    all
}

fn split(piece: Piece, work: &Work<'_>, guarded: &[bool], all: &mut Vec<Piece>) {
    // The longest marker there can be, so that every part has room for its own.
    let marker = (work.count)(&work.marker((999, 999)));
    let room = work.options.max_tokens.saturating_sub(marker).get().max(1);
    let costs: Vec<u64> =
        (piece.start..piece.end).map(|line| work.tokens(line, line + 1).get().max(1)).collect();
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut start = piece.start;
    while start < piece.end {
        let end = part_end(start, &piece, &costs, room, work, guarded);
        parts.push((start, end));
        start = end;
    }
    let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
    for (number, (start, end)) in parts.into_iter().enumerate() {
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        all.push(Piece {
            start,
            end,
            part: (count > 1).then_some((number, count)),
            ..piece.clone()
        });
    }
}

/// Finds where a part that begins at `start` ends: the best pause in the later
/// half of what fits.
fn part_end(
    start: usize,
    piece: &Piece,
    costs: &[u64],
    room: u64,
    work: &Work<'_>,
    guarded: &[bool],
) -> usize {
    let mut spent = 0u64;
    let mut best: Option<(f64, usize)> = None;
    for line in start..piece.end {
        spent = spent.saturating_add(costs[line - piece.start]);
        if spent > room && line > start {
            break;
        }
        let end = line + 1;
        if end == piece.end {
            return end;
        }
        if guarded.get(end).copied().unwrap_or(false) {
            continue;
        }
        let pause =
            if spent * 2 >= room { pause(end, work) } else { f64::MIN / 2.0 + spent as f64 };
        if best.is_none_or(|(score, _)| pause >= score) {
            best = Some((pause, end));
        }
    }
    // Nothing but a fence or a table: it stays whole.
    let whole = || (start + 1..piece.end).find(|end| !guarded.get(*end).copied().unwrap_or(false));
    best.map(|(_, end)| end).or_else(whole).unwrap_or(piece.end)
}

/// How well a text can be cut before a line.
fn pause(end: usize, work: &Work<'_>) -> f64 {
    let look = |line: usize| {
        let line = work.lines.get(line).copied().unwrap_or_default();
        Line::look(line.trim_end_matches(['\n', '\r']), work.language)
    };
    let (last, next) = (look(end - 1), look(end));
    let mut score = 0.0;
    if last.closes {
        score += 1.0;
    }
    if last.blank && !next.blank {
        score += 1.5;
    }
    if next.closes || next.blank {
        score -= 3.0;
    }
    score - f64::from(next.indent) / 8.0
}
