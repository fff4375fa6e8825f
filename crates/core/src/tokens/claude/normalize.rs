//! What Claude's tokenizer does to a text before it looks at it.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Composes (NFC), drops control and private-use characters, and folds
/// spaces, quotes and one Thai spelling. Plain ASCII passes untouched.
pub(super) fn normalize(text: &str, fold_quotes: bool) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    if is_nfc_quick(text.chars()) == IsNormalized::Yes {
        fold(text.chars(), fold_quotes, &mut out);
    } else {
        fold(text.nfc(), fold_quotes, &mut out);
    }
    if out.contains("\u{e4d}\u{e32}") {
        out = out.replace("\u{e4d}\u{e32}", "\u{e33}");
    }
    Cow::Owned(out)
}

fn fold(characters: impl Iterator<Item = char>, fold_quotes: bool, out: &mut String) {
    for character in characters {
        match character {
            '\t' | '\n' | ' '..='~' => out.push(character),
            '\0' => out.push(' '),
            '\u{1}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{e000}'..='\u{f8ff}' => {}
            '\u{2018}' | '\u{2019}' if fold_quotes => out.push('\''),
            '\u{201c}' | '\u{201d}' if fold_quotes => out.push('"'),
            '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' => out.push(' '),
            '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' => out.push(' '),
            _ => out.push(character),
        }
    }
}
