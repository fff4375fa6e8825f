//! Names a content by its hash, which keys the cache and the archive.
//!
//! A hash is the 32 bytes of BLAKE3. As text it is base 32 in lower case, so
//! that a short prefix (a handle) says more per character than hex would, and
//! without the letters i, l, o and u, so that it survives being read aloud.

use std::fmt;

/// The digits of the text form, in Crockford's order.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Characters of the whole text form: 256 bits in groups of five.
const TEXT_LENGTH: usize = 52;

/// The BLAKE3 hash of some bytes.
///
/// ```
/// use loadline::cache::ContentHash;
/// let hash = ContentHash::of(b"fn main() {}");
/// assert_eq!(hash, ContentHash::of(b"fn main() {}"));
/// assert_eq!(hash.to_string().len(), 52);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes `bytes`; about a gigabyte a second and more.
    pub fn of(bytes: &[u8]) -> ContentHash {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }

    /// Takes over a hash that was computed before.
    pub const fn from_bytes(bytes: [u8; 32]) -> ContentHash {
        ContentHash(bytes)
    }

    /// Returns the 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads the whole text form back, or returns `None` for anything else.
    pub(crate) fn parse(text: &str) -> Option<ContentHash> {
        if text.len() != TEXT_LENGTH {
            return None;
        }
        let mut bytes = Vec::with_capacity(32);
        let (mut pending, mut bits) = (0_u32, 0);
        for character in text.bytes() {
            let digit = DIGITS.iter().position(|digit| *digit == character)?;
            pending = (pending << 5) | u32::try_from(digit).ok()?;
            bits += 5;
            if bits >= 8 {
                bits -= 8;
                bytes.push(u8::try_from(pending >> bits).ok()?);
                pending &= (1 << bits) - 1;
            }
        }
        // The last digit carries one bit; the padding below it must be empty.
        let bytes = bytes.try_into().ok()?;
        (pending == 0).then_some(ContentHash(bytes))
    }

    /// Brings the beginning of a text form, as somebody typed it, to its digits.
    ///
    /// Case does not matter, `o` is read as zero, `i` and `l` as one. Returns
    /// `None` where a character is not a digit, or where there are too many.
    pub(crate) fn normalize_prefix(typed: &str) -> Option<String> {
        let digit = |character: char| match character.to_ascii_lowercase() {
            'o' => Some('0'),
            'i' | 'l' => Some('1'),
            digit if digit.is_ascii() && DIGITS.contains(&(digit as u8)) => Some(digit),
            _ => None,
        };
        let digits: Option<String> = typed.chars().map(digit).collect();
        digits.filter(|digits| digits.len() <= TEXT_LENGTH)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(TEXT_LENGTH);
        for start in (0..256).step_by(5) {
            let bit = |index: usize| match self.0.get(index / 8) {
                Some(byte) => usize::from(byte >> (7 - index % 8) & 1),
                None => 0,
            };
            let digit = (start..start + 5).fold(0, |digit, index| digit << 1 | bit(index));
            text.push(char::from(DIGITS[digit]));
        }
        f.pad(&text)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn text_and_bytes_say_the_same(bytes: [u8; 32]) {
            let hash = ContentHash::from_bytes(bytes);
            prop_assert_eq!(ContentHash::parse(&hash.to_string()), Some(hash));
        }
    }

    #[test]
    fn the_text_form_is_fixed() {
        // Handles live in transcripts for years, so the digits must never change.
        let empty = ContentHash::of(b"").to_string();
        assert_eq!(empty, "nw9mkefnz6gtd8209qn3dq6996dwp9e9nq0h5dycka9wns0z69h0");
        assert_eq!(ContentHash::parse(&empty[1..]), None);
        assert_eq!(ContentHash::parse(&empty.replace('n', "u")), None);
        assert_eq!(ContentHash::parse(&format!("{}1", &empty[..51])), None);
    }

    #[test]
    fn typed_handles_forgive_case_and_lookalikes() {
        for (typed, digits) in [
            ("K3F9C2", Some("k3f9c2")),
            ("oil", Some("011")),
            ("k3-f9", None),
            ("ümlaut", None),
            (&"0".repeat(53), None),
        ] {
            assert_eq!(ContentHash::normalize_prefix(typed).as_deref(), digits);
        }
    }
}
