//! The hash of a byte string.
//!
//! Shared by the build script, which lays out the vocabulary tables, and the
//! library, which looks tokens up in them, so it imports nothing of the crate.

/// Returns two words that, with the length, tell any two strings of up to 16 bytes apart.
pub(crate) fn ends(bytes: &[u8]) -> (u64, u64) {
    if let (Some(head), Some(tail)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (u64::from_le_bytes(*head), u64::from_le_bytes(*tail))
    } else if let (Some(head), Some(tail)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (head, tail) = (u32::from_le_bytes(*head), u32::from_le_bytes(*tail));
        (u64::from(head), u64::from(tail))
    } else {
        match *bytes {
            [] => (0, 0),
            [first] => (u64::from(first), 0),
            [first, last] => (u64::from(first) | u64::from(last) << 8, 0),
            [first, middle, last, ..] => {
                let word = u64::from(first) | u64::from(middle) << 8 | u64::from(last) << 16;
                (word, 0)
            }
        }
    }
}

/// Mixes the two words and the length of a string into its hash.
pub(crate) fn mix((head, tail): (u64, u64), length: usize) -> u64 {
    let left = head ^ 0x9E37_79B9_7F4A_7C15;
    let right = tail ^ 0xD1B5_4A32_D192_ED03 ^ (length as u64) << 56;
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ (product >> 64) as u64
}

/// Returns the hash of any byte string.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut words = ends(bytes);
    if bytes.len() > 16 {
        for chunk in bytes[8..bytes.len() - 8].chunks(8) {
            words.0 = mix((words.0, ends(chunk).0), chunk.len());
        }
    }
    mix(words, bytes.len())
}

/// Returns where the search for a hash begins in the table of so many tokens.
pub(crate) fn slot(hash: u64, tokens: usize) -> usize {
    (((hash >> 32) * (tokens as u64 * 5 / 3)) >> 32) as usize
}

/// Returns which of 2^14 entries tells of strings that begin like `bytes`, three bytes at least.
pub(crate) fn beginning(bytes: &[u8]) -> usize {
    let word = u32::from(bytes[0]) | u32::from(bytes[1]) << 8 | u32::from(bytes[2]) << 16;
    (word.wrapping_mul(0x9E37_79B1) >> 18) as usize
}
