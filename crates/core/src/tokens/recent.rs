//! Remembers the short strings that a thread counted last.
//!
//! Words and symbols repeat all the time, and a look-up in this small table
//! is cheaper than one in a vocabulary of several megabytes. Direct-mapped: a
//! new string simply replaces the one in its place.

use super::hash;

const BITS: u32 = 13;
/// What `hash::ends` tells apart.
const LONGEST: usize = 16;

/// Counts by string.
pub(super) struct Recent {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    ends: (u64, u64),
    length: u32,
    count: u32,
}

impl Default for Recent {
    fn default() -> Recent {
        Recent { slots: vec![Slot::default(); 1 << BITS] }
    }
}

impl Recent {
    /// Returns the count of `string`; `compute` gets its hash and is called where it is not known.
    pub(super) fn count(&mut self, string: &[u8], compute: impl FnOnce(u64) -> usize) -> usize {
        if string.len() > LONGEST {
            return compute(hash::hash(string));
        }
        let ends = hash::ends(string);
        let hash = hash::mix(ends, string.len());
        let slot = &mut self.slots[(hash >> (64 - BITS)) as usize];
        // A short string has a short count, so neither cast loses anything.
        if (slot.ends, slot.length) != (ends, string.len() as u32) {
            *slot = Slot { ends, length: string.len() as u32, count: compute(hash) as u32 };
        }
        slot.count as usize
    }
}
