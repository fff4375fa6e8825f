//! Cuts texts without structure into windows of lines.

use super::{ChunkStrategy, Piece, Work};

/// Cuts by a number of lines; each window repeats the end of the one before.
pub(super) fn windows(work: &Work<'_>) -> Vec<Piece> {
    let total = work.lines.len();
    let step = work.options.lines.saturating_sub(work.options.overlap).max(1);
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < total {
        let end = (start + work.options.lines).min(total);
        pieces.push(Piece {
            start,
            end,
            strategy: ChunkStrategy::LineBased,
            kind: "lines",
            hierarchy: Vec::new(),
            part: None,
        });
        // A window that only repeats the last one would say nothing new.
        if end == total {
            break;
        }
        start += step;
    }
    pieces
}
