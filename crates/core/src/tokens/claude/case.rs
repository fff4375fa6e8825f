//! Writes a word's case: a marker and the lower-case word, or the word as it is.

use super::class;
use super::stream::{CAPS, SHIFT};

/// Writes a word's case marker, if any, to `marker` and its spelling to `out`.
///
/// A marker stands for a whole word: `Word` is a shift marker and `word`,
/// `WORD` a caps marker and `word`, if the family knows caps and the word has
/// `caps_from` letters. Any other mixture is spelled as it is.
pub(super) fn spell(word: &str, caps_from: Option<usize>, out: &mut Vec<u8>) -> Option<u8> {
    if word.is_ascii() {
        return spell_ascii(word.as_bytes(), caps_from, out);
    }
    let (marker, spelling) = mark(word, caps_from);
    out.extend_from_slice(spelling.as_deref().unwrap_or(word).as_bytes());
    marker
}

fn spell_ascii(word: &[u8], caps_from: Option<usize>, out: &mut Vec<u8>) -> Option<u8> {
    let upper = word.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let caps = upper == word.len() && caps_from.is_some_and(|least| word.len() >= least);
    let shift = upper == 1 && word.first().is_some_and(u8::is_ascii_uppercase);
    if caps || shift {
        out.extend(word.iter().map(u8::to_ascii_lowercase));
        return Some(if caps { CAPS } else { SHIFT });
    }
    out.extend_from_slice(word);
    None
}

/// Returns the marker and, where it differs from the word, the spelling.
fn mark(word: &str, caps_from: Option<usize>) -> (Option<u8>, Option<String>) {
    let mut characters = word.chars();
    let Some(first) = characters.next() else {
        return (None, None);
    };
    let tail = characters;
    if word.contains('ẞ') {
        return (None, None);
    }
    if word.contains('İ') {
        // Transparent inside a word, but it cannot head one.
        let others_low = tail.clone().all(|other| other == 'İ' || !class::is_upper(other));
        if class::is_upper(first) && first != 'İ' && others_low {
            let lowered = tail.flat_map(|other| {
                let kept = (other == 'İ').then_some(other);
                kept.into_iter().chain(class::lower(other).filter(move |_| kept.is_none()))
            });
            return (Some(SHIFT), Some(class::lower(first).chain(lowered).collect()));
        }
        return (None, None);
    }
    let long_enough = caps_from.is_some_and(|least| word.chars().count() >= least);
    if long_enough && is_all_upper(word) && !word.chars().any(class::is_caseless) {
        return (Some(CAPS), Some(lower_all(word).replace('ς', "σ")));
    }
    if class::is_upper(first) && !tail.clone().any(class::is_upper) {
        return (Some(SHIFT), Some(lower_all(word)));
    }
    (None, None)
}

fn is_all_upper(word: &str) -> bool {
    word.chars().any(class::is_upper) && !word.chars().any(class::is_lower)
}

fn lower_all(word: &str) -> String {
    word.chars().flat_map(class::lower).collect()
}
