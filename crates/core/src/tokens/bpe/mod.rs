//! Exact counts for OpenAI's vocabularies.
//!
//! `split` cuts the text into pieces as the vocabulary's pattern says, and
//! each piece is merged on its own: most are one token, found by one look-up;
//! the rest go through `merge`. Short pieces repeat all the time, so each
//! thread remembers the recent ones.
//!
//! No crate does both: of those that are exact, `bpe-openai` builds its tables
//! for half a second at start-up, and `tiktoken-rs` counts at a fifth of the
//! speed (the bench `speed` repeats the comparison). Both read their vocabulary
//! at run time; here the build script lays it out.

mod class;
mod merge;
mod split;
mod vocabulary;

use std::cell::RefCell;

use super::recent::Recent;
use merge::Merger;
use split::Pattern;
use vocabulary::Vocabulary;

/// A byte-pair vocabulary with its split pattern.
#[derive(Debug)]
pub(super) struct Bpe {
    vocabulary: &'static Vocabulary,
    pattern: Pattern,
    memory: &'static std::thread::LocalKey<RefCell<Memory>>,
}

thread_local! {
    static O200K_MEMORY: RefCell<Memory> = RefCell::default();
    static CL100K_MEMORY: RefCell<Memory> = RefCell::default();
}

/// `o200k_base`.
pub(super) static O200K: Bpe =
    Bpe { vocabulary: &vocabulary::O200K, pattern: Pattern::O200k, memory: &O200K_MEMORY };

/// `cl100k_base`.
pub(super) static CL100K: Bpe =
    Bpe { vocabulary: &vocabulary::CL100K, pattern: Pattern::Cl100k, memory: &CL100K_MEMORY };

impl Bpe {
    /// Counts tokens until there are more than `limit` of them; the result is
    /// exact up to the limit and only "more" beyond it.
    pub(super) fn count_to(&self, text: &str, limit: u64) -> u64 {
        self.memory.with_borrow_mut(|memory| {
            let mut count = 0;
            let mut at = 0;
            while at < text.len() && count <= limit {
                let end = self.pattern.piece_end(text, at);
                count += memory.count(self.vocabulary, &text.as_bytes()[at..end]);
                at = end;
            }
            count
        })
    }
}

/// What one thread keeps from piece to piece.
#[derive(Default)]
struct Memory {
    recent: Recent,
    merger: Merger,
}

impl Memory {
    fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> u64 {
        let Memory { recent, merger } = self;
        let count = recent.count(piece, |hash| match vocabulary.rank_hashed(piece, hash) {
            Some(_) => 1,
            None => merger.count(vocabulary, piece),
        });
        count as u64
    }
}
