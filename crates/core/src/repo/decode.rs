//! Decodes the bytes of a file into text.
//!
//! Nearly all of it is UTF-8, which is checked first and not copied. The rest
//! is UTF-16, or one of the encodings from before Unicode, which can only be
//! guessed. Binary content is named after its format. A byte order mark is
//! not part of the text.

use std::borrow::Cow;
use std::str::Utf8Error;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::magic::{UNKNOWN, certain_kind, likely_kind};

/// How far to look for NUL bytes: as far as git does.
const HEAD: usize = 8 * 1024;

/// How much an old encoding is guessed from.
const SAMPLE: usize = 256 * 1024;

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decoded<'a> {
    /// The content is text.
    Text {
        /// The text, without a byte order mark; borrowed if it was UTF-8.
        text: Cow<'a, str>,
        /// The encoding as the Encoding Standard names it: `UTF-8`, `windows-1252`.
        encoding: &'static str,
        /// Some bytes made no sense and became U+FFFD.
        lossy: bool,
    },
    /// The content is binary: of a common format, such as `png`, or else `binary`.
    Binary(&'static str),
}

/// Reads bytes as text, or says what they are instead.
///
/// A content is binary if it begins like a known binary format, or has NUL
/// bytes in its first 8 KiB and is not UTF-16. Malformed UTF-8 is read with
/// U+FFFD in place of what is broken where most of it is sound, or else in the
/// older encoding that fits best. Never fails. Valid UTF-8 costs one pass.
///
/// ```
/// use loadline::repo::{Decoded, decode};
/// assert!(matches!(decode("naïve".as_bytes()), Decoded::Text { encoding: "UTF-8", .. }));
/// assert!(matches!(decode(b"na\xefve, caf\xe9"), Decoded::Text { encoding: "windows-1252", .. }));
/// assert_eq!(decode(b"\x89PNG\r\n\x1a\n"), Decoded::Binary("png"));
/// ```
pub fn decode(bytes: &[u8]) -> Decoded<'_> {
    if let Some(kind) = certain_kind(bytes) {
        return Decoded::Binary(kind);
    }
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return text_in(encoding, bytes.get(length..).unwrap_or_default());
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    if head.contains(&0) {
        return wide(bytes, head).unwrap_or(Decoded::Binary(likely_kind(bytes).unwrap_or(UNKNOWN)));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            Decoded::Text { text: Cow::Borrowed(text), encoding: UTF_8.name(), lossy: false }
        }
        Err(error) => malformed(bytes, error),
    }
}

/// Finds the name of an encoding again that was written down before.
pub(crate) fn static_encoding(name: &str) -> Option<&'static str> {
    Encoding::for_label(name.as_bytes()).map(Encoding::name).filter(|found| *found == name)
}

fn text_in<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, lossy) = encoding.decode_without_bom_handling(bytes);
    Decoded::Text { text, encoding: encoding.name(), lossy }
}

/// Reads UTF-16 without a mark: every other byte of western text is NUL.
fn wide<'a>(bytes: &'a [u8], head: &[u8]) -> Option<Decoded<'a>> {
    let nuls = |offset: usize| {
        let places = head.iter().skip(offset).step_by(2);
        places.filter(|byte| **byte == 0).count()
    };
    let pairs = head.len() / 2;
    let encoding = match (nuls(0), nuls(1)) {
        (0, odd) if odd * 4 > pairs => UTF_16LE,
        (even, 0) if even * 4 > pairs => UTF_16BE,
        _ => return None,
    };
    let decoded = text_in(encoding, bytes);
    // Small numbers look like this as well, but not like text.
    match &decoded {
        Decoded::Text { text, lossy: false, .. } if !has_many_controls(text.as_bytes()) => {
            Some(decoded)
        }
        _ => None,
    }
}

/// Reads what is neither UTF-8 nor marked as anything else.
fn malformed(bytes: &[u8], error: Utf8Error) -> Decoded<'_> {
    if let Some(kind) = likely_kind(bytes) {
        return Decoded::Binary(kind);
    }
    let start = first_high_byte(bytes, error.valid_up_to());
    let sample = &bytes[start..bytes.len().min(start.saturating_add(SAMPLE))];
    if sample.contains(&0) || has_many_controls(sample) {
        return Decoded::Binary(UNKNOWN);
    }
    if is_mostly_utf8(sample) {
        return text_in(UTF_8, bytes);
    }
    // Escapes of ISO-2022-JP are ASCII, so such a text never comes here.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, true);
    text_in(detector.guess(None, Utf8Detection::Deny), bytes)
}

/// Returns where the text stops being ASCII; guesses begin there.
fn first_high_byte(bytes: &[u8], valid: usize) -> usize {
    bytes.iter().take(valid).position(|byte| !byte.is_ascii()).unwrap_or(valid)
}

/// Tells whether sound sequences outnumber broken ones.
///
/// Text in an older encoding hardly ever forms a sound sequence by chance.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut sound, mut broken) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        sound += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    sound > broken
}

/// Tells whether more than one byte in 32 of the beginning is a control that
/// text does not use. Of random bytes, one in ten is.
fn has_many_controls(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let controls =
        head.iter().filter(|byte| matches!(byte, 0..=6 | 14..=26 | 28..=31 | 127)).count();
    controls * 32 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> (String, &'static str, bool) {
        match decode(bytes) {
            Decoded::Text { text, encoding, lossy } => (text.into_owned(), encoding, lossy),
            Decoded::Binary(kind) => panic!("{kind}"),
        }
    }

    fn kind(bytes: &[u8]) -> Option<&'static str> {
        match decode(bytes) {
            Decoded::Text { .. } => None,
            Decoded::Binary(kind) => Some(kind),
        }
    }

    #[test]
    fn utf8_is_not_copied() {
        for bytes in ["", "ascii\r\n", "naïve 日本語 🎉", "\u{1b}[31mred"] {
            let decoded = decode(bytes.as_bytes());
            let Decoded::Text { text, encoding, lossy } = decoded else {
                panic!("{bytes:?} is text");
            };
            assert!(matches!(text, Cow::Borrowed(text) if text == bytes));
            assert_eq!((encoding, lossy), ("UTF-8", false));
        }
    }

    #[test]
    fn older_encodings_are_recognised() {
        let cases: [(&str, &'static Encoding); 9] = [
            ("Les élèves français reçoivent des gâteaux à Noël.", encoding_rs::WINDOWS_1252),
            ("これは日本語の文章です。漢字とカナが混ざっています。", encoding_rs::SHIFT_JIS),
            ("これは日本語の文章です。漢字とカナが混ざっています。", encoding_rs::EUC_JP),
            ("这是一个简体中文的句子，用来测试编码识别。", encoding_rs::GBK),
            ("這是一個繁體中文的句子，用來測試編碼識別。", encoding_rs::BIG5),
            ("이것은 한국어 문장입니다. 인코딩을 시험합니다.", encoding_rs::EUC_KR),
            ("Это предложение на русском языке для проверки.", encoding_rs::KOI8_U),
            ("Это предложение на русском языке для проверки.", encoding_rs::WINDOWS_1251),
            ("Zażółć gęślą jaźń, proszę państwa, już wkrótce.", encoding_rs::WINDOWS_1250),
        ];
        for (want, encoding) in cases {
            let (bytes, _, unmappable) = encoding.encode(want);
            assert!(!unmappable);
            // A guess needs only the foreign part, however late it comes.
            let mut late = "// plain comment\n".repeat(20_000).into_bytes();
            late.extend_from_slice(&bytes);
            assert_eq!(text(&bytes), (want.to_owned(), encoding.name(), false));
            assert_eq!(text(&late).1, encoding.name());
            assert_eq!(static_encoding(encoding.name()), Some(encoding.name()));
        }
    }

    #[test]
    fn f076_nul_bytes_mean_binary() {
        assert_eq!(kind(b"text with a\0nul"), Some("binary"));
        assert_eq!(kind(b"\0"), Some("binary"));
        let numbers: Vec<u8> = (3..2000_u16).flat_map(|n| (n % 20).to_le_bytes()).collect();
        assert_eq!(kind(&numbers), Some("binary"));
        // Far down a sound text, a NUL is only a strange character.
        let late = ["x".repeat(HEAD).as_bytes(), b"\0"].concat();
        assert_eq!(kind(&late), None);
    }

    #[test]
    fn binary_formats_are_named() {
        assert_eq!(kind(b"\x1f\x8b\x08\x08abcd"), Some("gzip"));
        assert_eq!(kind(b"MZ\x90\x00\x03"), Some("pe"));
        assert_eq!(kind(b"RIFF\xff\xff\xff\xffWEBPVP8 "), Some("webp"));
        assert_eq!(kind(b"GIF89a"), None);
        let noise: Vec<u8> = (1..4000_u32).map(|n| (n * n % 255) as u8 | 1).collect();
        assert_eq!(kind(&noise), Some("binary"));
    }
}
