//! The tokens of one vocabulary, searchable without any start-up work.
//!
//! The tables are laid out by the build script and live in the binary as
//! read-only bytes. A token's id is its rank: lower ranks are merged first.

use crate::tokens::hash;

/// A vocabulary: where each token's bytes are, what it is merged from, and an index.
#[derive(Debug)]
pub(super) struct Vocabulary {
    spans: &'static [[u8; 4]],
    slots: &'static [[u8; 4]],
    lengths: &'static [[u8; 16]],
    shorter: &'static [u8],
    merges: &'static [u8],
}

macro_rules! table {
    ($name:expr) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name)).as_chunks().0
    };
}

macro_rules! vocabulary {
    ($name:literal) => {
        Vocabulary {
            spans: table!(concat!($name, ".spans")),
            slots: table!(concat!($name, ".slots")),
            lengths: table!(concat!($name, ".lengths")),
            shorter: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".shorter")),
            merges: include_bytes!(concat!("../../../data/", $name, ".merges")),
        }
    };
}

/// The bytes of all tokens of both vocabularies.
static POOL: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pool.bytes"));

/// `o200k_base`: GPT-4o and everything of OpenAI's since.
pub(super) static O200K: Vocabulary = vocabulary!("o200k");
/// `cl100k_base`: GPT-4 and GPT-3.5.
pub(super) static CL100K: Vocabulary = vocabulary!("cl100k");

impl Vocabulary {
    /// Returns the rank of the token that is exactly `bytes`.
    pub(super) fn rank(&self, bytes: &[u8]) -> Option<u32> {
        self.rank_hashed(bytes, hash::hash(bytes))
    }

    /// The same, for a caller that has the hash already.
    pub(super) fn rank_hashed(&self, bytes: &[u8], hash: u64) -> Option<u32> {
        let mut at = hash::slot(hash, self.spans.len());
        loop {
            let slot = u32::from_le_bytes(self.slots[at]);
            if slot == 0 {
                return None;
            }
            if slot >> 18 == hash as u32 & 0x3FFF {
                let rank = (slot & 0x3_FFFF) - 1;
                if self.token(rank) == bytes {
                    return Some(rank);
                }
            }
            at += 1;
        }
    }

    /// Returns the bytes of a token.
    pub(super) fn token(&self, rank: u32) -> &'static [u8] {
        let span = u32::from_le_bytes(self.spans[rank as usize]);
        &POOL[(span & 0xFF_FFFF) as usize..][..(span >> 24) as usize]
    }

    /// Returns the length of a token.
    pub(super) fn length(&self, rank: u32) -> usize {
        usize::from(self.spans[rank as usize][3])
    }

    /// Returns the longest token that `bytes` begins with.
    pub(super) fn longest_prefix(&self, bytes: &[u8]) -> Option<u32> {
        let mut lengths = self.lengths(bytes);
        while lengths != 0 {
            let last = lengths.ilog2() as usize;
            if let Some(rank) = bytes.get(..=last).and_then(|prefix| self.rank(prefix)) {
                return Some(rank);
            }
            lengths ^= 1 << last;
        }
        None
    }

    /// Returns the longest other token that a token begins with.
    pub(super) fn shorter(&self, rank: u32) -> Option<u32> {
        let length = usize::from(self.shorter[rank as usize]);
        self.rank(&self.token(rank)[..length])
    }

    /// Tells whether a token of this length and beginning may exist; a `false` is certain.
    pub(super) fn may_be_token(&self, bytes: &[u8]) -> bool {
        (1..=128).contains(&bytes.len()) && self.lengths(bytes) >> (bytes.len() - 1) & 1 != 0
    }

    /// Returns the lengths that tokens with this beginning have: bit 0 for length 1, and so on.
    /// No token of either vocabulary is longer than 128 bytes.
    fn lengths(&self, bytes: &[u8]) -> u128 {
        if bytes.len() < 3 {
            return 0b11;
        }
        u128::from_le_bytes(self.lengths[hash::beginning(bytes)]) | 0b11
    }

    /// Returns the two tokens that a token is merged from, or the token itself twice.
    pub(super) fn parts(&self, rank: u32) -> (u32, u32) {
        let Some(at) = (rank as usize).checked_sub(256) else {
            return (rank, rank);
        };
        let pair = &self.merges[256 + at * 6..][..6];
        (three_bytes(pair), three_bytes(&pair[3..]))
    }
}

fn three_bytes(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_under_its_own_bytes() {
        for (vocabulary, size) in [(&O200K, 199_998), (&CL100K, 100_256)] {
            assert_eq!(vocabulary.spans.len(), size);
            for rank in 0..size as u32 {
                assert!(vocabulary.may_be_token(vocabulary.token(rank)));
                assert_eq!(vocabulary.rank(vocabulary.token(rank)), Some(rank));
            }
        }
    }

    #[test]
    fn parts_spell_their_token() {
        for rank in [256, 1_000, 50_000, 199_997] {
            let (left, right) = O200K.parts(rank);
            let spelled = [O200K.token(left), O200K.token(right)].concat();
            assert_eq!(spelled, O200K.token(rank));
            assert!(left < rank && right < rank);
        }
    }
}
