//! Reads text: lines, words, chunks and repetition.
//!
//! What packs, sessions and notes share about plain text lives here, so that
//! they need not import one another.

pub(crate) mod chunk;
mod duplicates;
pub(crate) mod lines;
mod nearest;
mod nesting;
mod numbers;
pub(crate) mod terms;

pub use chunk::{
    Chunk, ChunkError, ChunkLevel, ChunkOptions, ChunkSource, ChunkStrategy, Chunked, Passage,
    PassageOptions, chunk, chunk_outline, passages,
};
pub use duplicates::{DedupOptions, Deduped, Piece, Removal, Removed, dedup, overlap_ratio};
pub use nearest::nearest;
pub use nesting::Nesting;
pub use numbers::{plural, thousands};
