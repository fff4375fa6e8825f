//! Counts for Claude, by an unofficial reconstruction of its tokenizers.
//!
//! Anthropic publishes no vocabulary. The package ctok (MIT, see
//! `data/NOTICE.md`) rebuilt the pieces from `count_tokens` measurements, and
//! this is its method in Rust: normalise the text, write it as a stream of
//! characters and markers for word borders and case, and find the cheapest
//! tiling of that stream with known pieces and bytes. Only the count is
//! claimed, not where one token ends. `docs/counters.md` says how well it fits.

mod case;
mod class;
mod normalize;
mod place;
mod runs;
mod stream;
mod trie;

use std::cell::RefCell;
use std::sync::OnceLock;
use std::thread::LocalKey;

use normalize::normalize;
use stream::{Memory, Stream};
use trie::Trie;

/// One generation of tokenizers.
#[derive(Debug)]
pub(super) struct Family {
    trie: &'static Trie,
    fold_quotes: bool,
    /// From how many letters on a word in capitals is one marker and a word; never, where unset.
    caps_from: Option<usize>,
    /// Whether the frame of a message ends like a space, so that the first word's space is free.
    frame_opens_word: bool,
    runs: OnceLock<[Vec<u64>; 3]>,
    memory: &'static LocalKey<RefCell<Memory>>,
}

thread_local! {
    static V3_MEMORY: RefCell<Memory> = RefCell::default();
    // The two later families price words alike.
    static V4_MEMORY: RefCell<Memory> = RefCell::default();
}

/// Claude 3 up to 4.6.
pub(super) static V3: Family = Family {
    trie: &trie::V3,
    fold_quotes: true,
    caps_from: Some(4),
    frame_opens_word: true,
    runs: OnceLock::new(),
    memory: &V3_MEMORY,
};

/// Claude 4.7.
pub(super) static V4_7: Family = v4(true);

/// Claude 4.8 and later: the same vocabulary in another frame.
pub(super) static V4_8: Family = v4(false);

const fn v4(frame_opens_word: bool) -> Family {
    Family {
        trie: &trie::V4_7,
        fold_quotes: false,
        caps_from: None,
        frame_opens_word,
        runs: OnceLock::new(),
        memory: &V4_MEMORY,
    }
}

/// White-space runs up to this length are priced from a table.
const SHORT_RUN: usize = 256;
const RUN_CHARACTERS: [u8; 3] = *b" \t\n";

impl Family {
    /// Counts the tokens of a message's text until there are more than
    /// `limit` of them; the result is exact up to the limit. An empty text has none.
    pub(super) fn count_to(&self, text: &str, limit: u64) -> u64 {
        if text.is_empty() {
            return 0;
        }
        let normal = normalize(text, self.fold_quotes);
        let body = normal.trim_end_matches('\n');
        let newlines = normal.len() - body.len();
        // The frame's own end is two newlines in one token, and a longer run is tiled with them.
        let tail = match newlines {
            0 => 0,
            newlines => self.run_cost(b'\n', newlines + 2) - 1,
        };
        let is_single = body.starts_with(' ') && !body.starts_with("  ");
        let absorbed = self.frame_opens_word && text.starts_with(' ') && is_single;
        let body = &body[usize::from(absorbed)..];
        self.memory.with_borrow_mut(|memory| tail + Stream::new(self, memory).count_to(body, limit))
    }

    /// Returns the cost of a run of one white-space character.
    fn run_cost(&self, character: u8, length: usize) -> u64 {
        let row = RUN_CHARACTERS.iter().position(|&known| known == character);
        let Some(row) = row.filter(|_| length <= SHORT_RUN) else {
            return self.trie.run_cost(character, length);
        };
        let costs = self
            .runs
            .get_or_init(|| RUN_CHARACTERS.map(|byte| self.trie.run_costs(byte, SHORT_RUN)));
        costs[row][length]
    }
}
