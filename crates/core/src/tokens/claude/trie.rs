//! The pieces of one vocabulary, and the cheapest way to tile a text with them.
//!
//! A piece costs one token, and so does any single byte. The trie is laid out
//! by the build script and read in place.

/// The pieces, as a trie in breadth-first order.
#[derive(Debug)]
pub(super) struct Trie {
    /// Per node: the number of its first child; the top bit says that a piece ends here.
    nodes: &'static [[u8; 4]],
    /// Per node: the byte that leads to it.
    labels: &'static [u8],
}

macro_rules! trie {
    ($name:literal) => {
        Trie {
            nodes: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".trie")).as_chunks().0,
            labels: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".labels")),
        }
    };
}

/// Claude 3 to 4.6.
pub(super) static V3: Trie = trie!("claude-3");

/// Claude 4.7 and later.
pub(super) static V4_7: Trie = trie!("claude-4.7");

/// Positions that a piece can reach from here; a power of two above the longest piece.
const REACH: usize = 512;
/// A run of one character longer than this is shortened before it is tiled.
const LONG_RUN: usize = 1 << 15;

impl Trie {
    /// Returns the least number of pieces and bytes that make up `text`.
    pub(super) fn tile(&self, text: &[u8]) -> usize {
        if text.len() > LONG_RUN {
            let (shortened, saved) = self.shorten_runs(text);
            return saved + self.tile_all(&shortened);
        }
        self.tile_all(text)
    }

    /// Dynamic programming from left to right over a ring of costs.
    fn tile_all(&self, text: &[u8]) -> usize {
        let mut costs = [u32::MAX; REACH];
        costs[0] = 0;
        for at in 0..text.len() {
            let cost = std::mem::replace(&mut costs[at % REACH], u32::MAX) + 1;
            let mut node = 1 + usize::from(text[at]);
            let mut end = at + 1;
            lower(&mut costs[end % REACH], cost);
            while let Some(&byte) = text.get(end)
                && let Some(child) = self.child(node, byte)
            {
                node = child;
                end += 1;
                if self.is_piece(node) {
                    lower(&mut costs[end % REACH], cost);
                }
            }
        }
        costs[text.len() % REACH] as usize
    }

    /// Returns what 0, 1, ... `longest` copies of one byte cost.
    pub(super) fn run_costs(&self, byte: u8, longest: usize) -> Vec<u64> {
        let pieces = self.run_pieces(&[byte]);
        let mut costs = vec![0_u64];
        for count in 1..=longest {
            let within = pieces.iter().take_while(|&&copies| copies <= count);
            let best = within.map(|copies| costs[count - copies]).min();
            costs.push(1 + best.unwrap_or(0));
        }
        costs
    }

    /// Returns what `count` copies of one byte cost.
    pub(super) fn run_cost(&self, byte: u8, count: usize) -> u64 {
        let longest = self.run_pieces(&[byte]).pop().unwrap_or(1);
        let (count, saved) = shorten(count, longest);
        saved as u64 + self.run_costs(byte, count).pop().unwrap_or(0)
    }

    /// Cuts the middle out of very long runs of one character.
    fn shorten_runs(&self, text: &[u8]) -> (Vec<u8>, usize) {
        let mut kept = Vec::new();
        let mut saved = 0;
        let mut rest = text;
        while let Some(&first) = rest.first() {
            let character = &rest[..utf8_length(first).min(rest.len())];
            let count =
                rest.chunks(character.len()).take_while(|&chunk| chunk == character).count();
            let mut keep = count;
            if count * character.len() > LONG_RUN {
                let longest = self.run_pieces(character).pop();
                let (shorter, taken) = shorten(count, longest.unwrap_or(1));
                keep = shorter;
                saved += taken * longest.map_or_else(|| self.tile_all(character), |_| 1);
            }
            kept.extend_from_slice(&rest[..keep * character.len()]);
            rest = &rest[count * character.len()..];
        }
        (kept, saved)
    }

    /// Returns how many copies of a character there are pieces of, in rising order; every
    /// single byte is one.
    fn run_pieces(&self, character: &[u8]) -> Vec<usize> {
        let mut pieces = Vec::new();
        let mut node = 0;
        for copies in 1.. {
            let step = character.iter().try_fold(node, |node, &byte| self.child(node, byte));
            let Some(next) = step else { break };
            node = next;
            if self.is_piece(node) || node <= 256 {
                pieces.push(copies);
            }
        }
        pieces
    }

    fn child(&self, node: usize, byte: u8) -> Option<usize> {
        if node == 0 {
            return Some(1 + usize::from(byte));
        }
        let first = (self.node(node) & !(1 << 31)) as usize;
        let last = (self.node(node + 1) & !(1 << 31)) as usize;
        let at = self.labels[first..last].iter().position(|&label| label == byte)?;
        Some(first + at)
    }

    fn is_piece(&self, node: usize) -> bool {
        self.node(node) >> 31 != 0
    }

    fn node(&self, node: usize) -> u32 {
        u32::from_le_bytes(self.nodes[node])
    }
}

fn lower(cost: &mut u32, to: u32) {
    if to < *cost {
        *cost = to;
    }
}

/// Takes whole pieces of `longest` copies out of a run of `count` copies;
/// returns what is left and how many were taken.
///
/// In a cheapest tiling fewer than `longest` of the pieces inside the run are
/// shorter than the longest: of as many as that, some would add up to a
/// multiple of it and could be replaced by fewer. So what exceeds
/// `longest` squared, and one piece reaching in at either end, is made of
/// longest pieces in any case. (A character that no piece covers is its own
/// longest piece, at the price of its bytes.)
fn shorten(count: usize, longest: usize) -> (usize, usize) {
    let needed = longest * longest + 2 * REACH;
    let taken = count.saturating_sub(needed) / longest;
    (count - taken * longest, taken)
}

fn utf8_length(first: u8) -> usize {
    match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    }
}
