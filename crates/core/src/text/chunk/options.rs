//! Options for chunking: sizes, and which structure is followed.

use crate::settings::ChunkSettings;
use crate::tokens::Tokens;
use crate::{Diagnose, Diagnosis};

/// What a chunk of code is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChunkLevel {
    /// Whole types and functions outside of types.
    Class,
    /// Heads of types, then each function of its own.
    #[default]
    Method,
    /// As by methods, and their blocks where they have several.
    Block,
}

/// How a text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkOptions {
    /// The most that a chunk may cost.
    pub max_tokens: Tokens,
    /// Smaller chunks join a neighbour.
    pub min_tokens: Tokens,
    /// Whether structure is followed where there is one.
    pub prefer_structural: bool,
    /// What a chunk of code is.
    pub level: ChunkLevel,
    /// Lines per chunk where there is no structure.
    pub lines: usize,
    /// Lines that such chunks share with the one before.
    pub overlap: usize,
}

impl Default for ChunkOptions {
    fn default() -> ChunkOptions {
        ChunkOptions {
            max_tokens: Tokens::new(2_000),
            min_tokens: Tokens::new(100),
            prefer_structural: true,
            level: ChunkLevel::Method,
            lines: 50,
            overlap: 5,
        }
    }
}

impl From<&ChunkSettings> for ChunkOptions {
    fn from(settings: &ChunkSettings) -> ChunkOptions {
        ChunkOptions {
            max_tokens: settings.max_tokens,
            min_tokens: settings.min_tokens,
            prefer_structural: settings.prefer_structural,
            level: ChunkLevel::default(),
            lines: settings.lines,
            overlap: settings.overlap,
        }
    }
}

/// Why a text cannot be cut as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkError {
    /// The largest chunk would be smaller than the smallest.
    #[error("chunks of at most {max} tokens cannot have {min} at least")]
    Sizes {
        /// The most.
        max: u64,
        /// The least.
        min: u64,
    },
    /// Windows would not move on.
    #[error("windows of {lines} lines cannot share {overlap} with the next")]
    Overlap {
        /// Lines of a window.
        lines: usize,
        /// Lines that are shared.
        overlap: usize,
    },
}

impl Diagnose for ChunkError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            ChunkError::Sizes { .. } => Diagnosis::usage("LL-CTX-010")
                .hint("raise chunk.max_tokens or lower chunk.min_tokens"),
            ChunkError::Overlap { .. } => {
                Diagnosis::usage("LL-CTX-011").hint("set chunk.overlap below chunk.lines")
            }
        }
    }
}

impl ChunkOptions {
    pub(super) fn check(&self) -> Result<(), ChunkError> {
        if self.max_tokens < self.min_tokens || self.max_tokens.is_zero() {
            return Err(ChunkError::Sizes {
                max: self.max_tokens.get(),
                min: self.min_tokens.get(),
            });
        }
        if self.overlap >= self.lines {
            return Err(ChunkError::Overlap { lines: self.lines, overlap: self.overlap });
        }
        Ok(())
    }
}
