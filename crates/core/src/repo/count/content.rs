//! Facts about a file's content besides its tokens, and how the cache keeps them.

use crate::repo::{Decoded, static_encoding, static_kind};

/// The version of the payload. Raise it when [`crate::repo::decode`] reads something
/// in another way or a built-in counter changes its numbers, so that older
/// entries are worked out again.
const VERSION: u8 = 1;

/// What is worth knowing about a content without looking at it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Text { lines: u64, encoding: &'static str, lossy: bool },
    Binary { kind: &'static str },
}

impl Content {
    pub(super) fn of(decoded: &Decoded<'_>) -> Content {
        match decoded {
            Decoded::Text { text, encoding, lossy } => {
                Content::Text { lines: count_lines(text), encoding, lossy: *lossy }
            }
            Decoded::Binary(kind) => Content::Binary { kind },
        }
    }

    /// Writes the payload: version, form, then lines if any, then the name.
    pub(super) fn to_detail(self) -> Vec<u8> {
        match self {
            Content::Text { lines, encoding, lossy } => {
                let form = if lossy { b'l' } else { b't' };
                let mut detail = vec![VERSION, form];
                detail.extend_from_slice(&lines.to_le_bytes());
                detail.extend_from_slice(encoding.as_bytes());
                detail
            }
            Content::Binary { kind } => [&[VERSION, b'b'], kind.as_bytes()].concat(),
        }
    }

    /// Reads a payload back; `None` for another version.
    pub(super) fn from_detail(detail: &[u8]) -> Option<Content> {
        let ([VERSION, form], rest) = detail.split_first_chunk()? else {
            return None;
        };
        if *form == b'b' {
            let kind = static_kind(std::str::from_utf8(rest).ok()?)?;
            return Some(Content::Binary { kind });
        }
        let (lines, name) = rest.split_first_chunk()?;
        Some(Content::Text {
            lines: u64::from_le_bytes(*lines),
            encoding: static_encoding(std::str::from_utf8(name).ok()?)?,
            lossy: match form {
                b'l' => true,
                b't' => false,
                _ => return None,
            },
        })
    }
}

/// Counts lines; a last one without an end counts too.
fn count_lines(text: &str) -> u64 {
    // Sums of 255 fit a byte, which lets the compiler add many bytes at once.
    let ends: u64 = text
        .as_bytes()
        .chunks(255)
        .map(|chunk| chunk.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>())
        .map(u64::from)
        .sum();
    let unfinished = !text.is_empty() && !text.ends_with('\n');
    ends + u64::from(unfinished)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_people_see_them() {
        for (text, want) in [("", 0), ("a", 1), ("a\n", 1), ("a\r\nb", 2), ("\n\n", 2)] {
            assert_eq!(count_lines(text), want, "{text:?}");
        }
        assert_eq!(count_lines(&"\n".repeat(1_000)), 1_000);
    }

    #[test]
    fn a_payload_reads_back() {
        for content in [
            Content::Text { lines: 70_000, encoding: "UTF-8", lossy: false },
            Content::Text { lines: 0, encoding: "Shift_JIS", lossy: true },
            Content::Text { lines: 1, encoding: "UTF-16LE", lossy: false },
            Content::Binary { kind: "png" },
            Content::Binary { kind: "binary" },
        ] {
            assert_eq!(Content::from_detail(&content.to_detail()), Some(content));
        }
        let other: [&[u8]; 6] =
            [b"", b"\x01", b"\x01t", b"\x02bpng", b"\x01bpNg", b"\x01x12345678UTF-8"];
        for detail in other {
            assert_eq!(Content::from_detail(detail), None, "{detail:?}");
        }
    }
}
