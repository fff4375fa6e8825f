//! Joins chunks that are too small with a neighbour.

use super::{Piece, Work};

/// Joins pieces below the least size with a neighbour where both fit in one.
///
/// Sizes are added up, with one token more for each seam, since a text may cost
/// that much more than its parts.
pub(super) fn join_small(pieces: Vec<Piece>, work: &Work<'_>) -> Vec<Piece> {
    let (least, most) = (work.options.min_tokens.get(), work.options.max_tokens.get());
    let mut joined: Vec<(Piece, u64)> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let size = work.tokens(piece.start, piece.end).get();
        match joined.last_mut() {
            Some((last, last_size))
                if (size < least || *last_size < least)
                    && last.part.is_none()
                    && piece.part.is_none()
                    && last_size.saturating_add(size).saturating_add(1) <= most =>
            {
                join(last, piece, *last_size, size);
                *last_size += size + 1;
            }
            _ => joined.push((piece, size)),
        }
    }
    joined.into_iter().map(|(piece, _)| piece).collect()
}

/// The larger one gives its name.
fn join(last: &mut Piece, piece: Piece, last_size: u64, size: u64) {
    last.end = piece.end;
    if size > last_size {
        last.kind = piece.kind;
        last.hierarchy = piece.hierarchy;
    }
}
