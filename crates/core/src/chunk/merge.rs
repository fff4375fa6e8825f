//! What is too small for a chunk joins its neighbour.

use super::split::fits;
use super::{Piece, Work};

/// Joins pieces below the least size with a neighbour where both fit in one.
pub(super) fn join_small(pieces: Vec<Piece>, work: &Work<'_>) -> Vec<Piece> {
    let mut joined: Vec<(Piece, bool)> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let small = work.tokens(piece.start, piece.end) < work.options.min_tokens;
        match joined.last_mut() {
            Some((last, last_small))
                if (small || *last_small)
                    && last.part.is_none()
                    && piece.part.is_none()
                    && fits(work.tokens(last.start, piece.end), work) =>
            {
                *last_small = work.tokens(last.start, piece.end) < work.options.min_tokens;
                join(last, piece, small);
            }
            _ => joined.push((piece, small)),
        }
    }
    joined.into_iter().map(|(piece, _)| piece).collect()
}

/// The larger one gives its name; what both are part of stays.
fn join(last: &mut Piece, piece: Piece, small: bool) {
    if !small {
        last.kind = piece.kind;
        last.hierarchy = piece.hierarchy;
    } else if last.hierarchy != piece.hierarchy {
        let common = last
            .hierarchy
            .iter()
            .zip(&piece.hierarchy)
            .take_while(|(left, right)| left == right)
            .count();
        let keeps = last.end - last.start >= piece.end - piece.start;
        if !keeps {
            last.kind = piece.kind;
            last.hierarchy.truncate(common);
        }
    }
    last.end = piece.end;
}
