//! Names the format of a binary file.
//!
//! Most formats begin with bytes that no text begins with. Some begin with
//! plain letters, and a note may well begin with `BM` or `MZ`: those count
//! only once the content turned out not to be text.

/// How much a row of the table proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// No text begins like this.
    Enough,
    /// A text could begin like this.
    UnlessText,
}

use Proof::{Enough, UnlessText};

/// The name of a binary file that no row fits.
pub(super) const UNKNOWN: &str = "binary";

/// Offset, bytes, kind, proof. The first row that fits wins.
const ROWS: &[(usize, &[u8], &str, Proof)] = &[
    (0, b"\x89PNG\r\n\x1a\n", "png", Enough),
    (0, b"\xff\xd8\xff", "jpeg", Enough),
    (0, b"%PDF-", "pdf", Enough),
    (0, b"PK\x03\x04", "zip", Enough),
    (0, b"PK\x05\x06", "zip", Enough),
    (0, b"\x1f\x8b", "gzip", Enough),
    (0, b"\x7fELF", "elf", Enough),
    (0, b"\xfe\xed\xfa\xce", "mach-o", Enough),
    (0, b"\xfe\xed\xfa\xcf", "mach-o", Enough),
    (0, b"\xce\xfa\xed\xfe", "mach-o", Enough),
    (0, b"\xcf\xfa\xed\xfe", "mach-o", Enough),
    // The same four bytes begin a Mach-O file for several processors, whose
    // next number is small; a class file has its version there, 45 or more.
    (0, b"\xca\xfe\xba\xbe\x00\x00\x00\x01", "mach-o", Enough),
    (0, b"\xca\xfe\xba\xbe\x00\x00\x00\x02", "mach-o", Enough),
    (0, b"\xca\xfe\xba\xbe\x00\x00\x00\x03", "mach-o", Enough),
    (0, b"\xca\xfe\xba\xbe", "java class", Enough),
    (0, b"\x00asm", "wasm", Enough),
    (0, b"SQLite format 3\x00", "sqlite", Enough),
    (0, b"\xfd7zXZ\x00", "xz", Enough),
    (0, b"\x28\xb5\x2f\xfd", "zstd", Enough),
    (0, b"7z\xbc\xaf\x27\x1c", "7z", Enough),
    (0, b"Rar!\x1a\x07", "rar", Enough),
    (0, b"\xed\xab\xee\xdb", "rpm", Enough),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ms office", Enough),
    (0, b"\x00\x00\x01\x00", "ico", Enough),
    (0, b"\x00\x01\x00\x00\x00", "ttf", Enough),
    (0, b"OTTO\x00", "otf", Enough),
    (0, b"\xff\xfb", "mp3", Enough),
    (0, b"\x1a\x45\xdf\xa3", "matroska", Enough),
    (0, b"\xff\xfe\x00\x00", "utf-32", Enough),
    (0, b"\x00\x00\xfe\xff", "utf-32", Enough),
    (0, b"MM\x00*", "tiff", Enough),
    (0, b"II*\x00", "tiff", Enough),
    (0, b"GIF87a", "gif", UnlessText),
    (0, b"GIF89a", "gif", UnlessText),
    (8, b"WEBP", "webp", UnlessText),
    (8, b"WAVE", "wav", UnlessText),
    (8, b"AVI ", "avi", UnlessText),
    (4, b"ftyp", "mp4", UnlessText),
    (0, b"wOFF", "woff", UnlessText),
    (0, b"wOF2", "woff2", UnlessText),
    (0, b"OggS", "ogg", UnlessText),
    (0, b"fLaC", "flac", UnlessText),
    (0, b"ID3", "mp3", UnlessText),
    (0, b"!<arch>\n", "archive", UnlessText),
    (257, b"ustar", "tar", UnlessText),
    (0, b"BZh", "bzip2", UnlessText),
    (0, b"BM", "bmp", UnlessText),
    (0, b"MZ", "pe", UnlessText),
];

/// Returns the kind of a content that can only be binary.
pub(super) fn certain_kind(bytes: &[u8]) -> Option<&'static str> {
    find(bytes, |proof| proof == Enough)
}

/// Returns the kind of a content that is known not to be plain text.
pub(super) fn likely_kind(bytes: &[u8]) -> Option<&'static str> {
    find(bytes, |proof| proof == UnlessText)
}

/// Finds the name of a kind again that was written down before.
pub(crate) fn static_kind(name: &str) -> Option<&'static str> {
    ROWS.iter().map(|(_, _, kind, _)| *kind).chain([UNKNOWN]).find(|kind| *kind == name)
}

fn find(bytes: &[u8], fits: impl Fn(Proof) -> bool) -> Option<&'static str> {
    ROWS.iter()
        .find(|(offset, magic, _, proof)| {
            fits(*proof) && bytes.get(*offset..).is_some_and(|rest| rest.starts_with(magic))
        })
        .map(|(_, _, kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_reached_and_named_again() {
        for (offset, magic, kind, proof) in ROWS {
            let mut bytes = vec![b'x'; *offset];
            bytes.extend_from_slice(magic);
            bytes.extend_from_slice(b"\x00\x00\x00\x37rest");
            let found = match proof {
                Enough => certain_kind(&bytes),
                UnlessText => likely_kind(&bytes),
            };
            assert_eq!(found, Some(*kind), "{magic:?}");
            assert_eq!(static_kind(kind), Some(*kind));
        }
        assert_eq!(static_kind("binary"), Some("binary"));
        assert_eq!(static_kind("pnG"), None);
    }

    #[test]
    fn letters_alone_prove_nothing() {
        for text in ["BMW", "MZ is a place", "ID3 tags", "RIFF", "", "PK"] {
            assert_eq!(certain_kind(text.as_bytes()), None, "{text}");
        }
    }
}
