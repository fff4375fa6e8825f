//! Where OpenAI's patterns cut a text before merging.
//!
//! Both vocabularies come with a regular expression. Written out by hand they
//! run several times faster than any engine, above all on ASCII, and cannot
//! backtrack without bound. Each function returns where the piece that starts
//! at `at` ends; the alternatives of the pattern are tried in its order.

use super::class::{self, Class};

/// The pattern that belongs to a vocabulary.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pattern {
    O200k,
    Cl100k,
}

impl Pattern {
    /// Returns the end of the piece that starts at `at`, which is inside the text.
    pub(super) fn piece_end(self, text: &str, at: usize) -> usize {
        match self {
            Pattern::O200k => o200k_end(text, at),
            Pattern::Cl100k => cl100k_end(text, at),
        }
    }
}

/// ```text
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// \p{N}{1,3}
///  ?[^\s\p{L}\p{N}]+[\r\n/]*
/// \s*[\r\n]+
/// \s+(?!\S)
/// \s+
/// ```
fn o200k_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    match class::of_ascii(bytes[at]) {
        Some(Class::Upper | Class::Lower) => o200k_ascii_word(text, at),
        Some(Class::Number) => number_end(text, at),
        Some(Class::Newline) => space_end(text, at),
        Some(first) => match bytes.get(at + 1).map(|&byte| class::of_ascii(byte)) {
            Some(Some(Class::Upper | Class::Lower)) => o200k_ascii_word(text, at + 1),
            Some(None) => o200k_any(text, at),
            second => after_words(text, at, first, second.flatten(), b"\r\n/"),
        },
        None => o200k_any(text, at),
    }
}

/// The word at `at`, as long as it and the character after it are ASCII.
fn o200k_ascii_word(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    while bytes.get(end).is_some_and(u8::is_ascii_uppercase) {
        end += 1;
    }
    while bytes.get(end).is_some_and(u8::is_ascii_lowercase) {
        end += 1;
    }
    match bytes.get(end) {
        Some(b'\'') => end + contraction(&text[end..]),
        Some(byte) if !byte.is_ascii() => {
            o200k_word(text, at).map_or(end, |end| end + contraction(&text[end..]))
        }
        _ => end,
    }
}

/// The general case, character by character.
fn o200k_any(text: &str, at: usize) -> usize {
    let (first, length) = class_at(text, at);
    let plain = first.is_letter() || first == Class::Mark;
    let opened = first.opens_word().then_some(at + length);
    let word = opened
        .and_then(|inner| o200k_lower_word(text, inner))
        .or_else(|| plain.then(|| o200k_lower_word(text, at)).flatten())
        .or_else(|| opened.and_then(|inner| o200k_upper_word(text, inner)))
        .or_else(|| plain.then(|| o200k_upper_word(text, at)).flatten());
    if let Some(end) = word {
        return end + contraction(&text[end..]);
    }
    if first == Class::Number {
        return number_end(text, at);
    }
    let second = text[at + length..].chars().next().map(class::of);
    after_words(text, at, first, second, b"\r\n/")
}

/// Either word alternative, without an opening character.
fn o200k_word(text: &str, at: usize) -> Option<usize> {
    o200k_lower_word(text, at).or_else(|| o200k_upper_word(text, at))
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`
///
/// The two sets share letters without case and marks. The first takes all it
/// can; unless a lower-case letter follows, the second is left with the last
/// shared character that the first gives back.
fn o200k_lower_word(text: &str, at: usize) -> Option<usize> {
    let mut after_shared = None;
    let mut end = at;
    let mut lower = false;
    for character in text[at..].chars() {
        match class::of(character) {
            Class::Upper if !lower => {}
            Class::Lower => lower = true,
            Class::Letter | Class::Mark => after_shared = Some(end + character.len_utf8()),
            _ => break,
        }
        end += character.len_utf8();
    }
    if lower { Some(end) } else { after_shared }
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*` where the
/// alternative above has failed: capitals only.
fn o200k_upper_word(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].trim_start_matches(|character| class::of(character) == Class::Upper);
    let end = text.len() - rest.len();
    (end > at).then_some(end)
}

/// ```text
/// '(?i:[sdmt]|ll|ve|re)
/// [^\r\n\p{L}\p{N}]?+\p{L}++
/// \p{N}{1,3}+
///  ?[^\s\p{L}\p{N}]++[\r\n]*+
/// \s++$
/// \s*[\r\n]
/// \s+(?!\S)
/// \s
/// ```
fn cl100k_end(text: &str, at: usize) -> usize {
    let (first, length) = class_at(text, at);
    if first.is_letter() {
        return letters_end(text, at);
    }
    if first == Class::Number {
        return number_end(text, at);
    }
    let contraction = contraction(&text[at..]);
    if contraction > 0 {
        return at + contraction;
    }
    let second = (at + length < text.len()).then(|| class_at(text, at + length).0);
    if first.opens_word() && second.is_some_and(Class::is_letter) {
        return letters_end(text, at + length);
    }
    if first.is_space() && text[at..].trim_start().is_empty() {
        return text.len();
    }
    after_words(text, at, first, second, b"\r\n")
}

/// `\p{L}+`
fn letters_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    while bytes.get(end).is_some_and(u8::is_ascii_alphabetic) {
        end += 1;
    }
    if bytes.get(end).is_none_or(u8::is_ascii) {
        return end;
    }
    let rest = text[end..].trim_start_matches(|character| class::of(character).is_letter());
    text.len() - rest.len()
}

/// The alternatives behind words and numbers, common to both patterns:
/// symbols with the newlines behind them, then white space.
fn after_words(
    text: &str,
    at: usize,
    first: Class,
    second: Option<Class>,
    closing: &[u8],
) -> usize {
    if first.is_symbol() {
        symbols_end(text, at, closing)
    } else if text.as_bytes()[at] == b' ' && second.is_some_and(Class::is_symbol) {
        symbols_end(text, at + 1, closing)
    } else {
        space_end(text, at)
    }
}

/// `[^\s\p{L}\p{N}]+` and then any of the `closing` bytes.
fn symbols_end(text: &str, at: usize, closing: &[u8]) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    while let Some(&byte) = bytes.get(end) {
        let (class, length) = match class::of_ascii(byte) {
            Some(class) => (class, 1),
            None => class_at(text, end),
        };
        if !class.is_symbol() {
            break;
        }
        end += length;
    }
    while bytes.get(end).is_some_and(|byte| closing.contains(byte)) {
        end += 1;
    }
    end
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`: up to the last newline of the run, else all of
/// it but the last character, which belongs to what follows.
fn space_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    let mut last = at;
    let mut after_newline = None;
    while let Some(&byte) = bytes.get(end) {
        let (class, length) = match class::of_ascii(byte) {
            Some(class) => (class, 1),
            None => class_at(text, end),
        };
        if !class.is_space() {
            break;
        }
        last = end;
        end += length;
        if class == Class::Newline {
            after_newline = Some(end);
        }
    }
    match after_newline {
        Some(end) => end,
        None if end == text.len() || last == at => end,
        None => last,
    }
}

/// `\p{N}{1,3}`
fn number_end(text: &str, at: usize) -> usize {
    let digits = text[at..].chars().take_while(|&character| class::of(character) == Class::Number);
    at + digits.take(3).map(char::len_utf8).sum::<usize>()
}

/// The length of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at the start of `rest`, or 0.
fn contraction(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    if bytes.first() != Some(&b'\'') {
        return 0;
    }
    let letter = |at: usize| bytes.get(at).map(u8::to_ascii_lowercase);
    match (letter(1), letter(2)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
        // U+017F, the long s, folds to `s`.
        (Some(0xC5), Some(0xBF)) => 3,
        _ => 0,
    }
}

/// The class and length of the character at `at`; the text does not end there.
fn class_at(text: &str, at: usize) -> (Class, usize) {
    match text[at..].chars().next() {
        Some(character) => (class::of(character), character.len_utf8()),
        None => (Class::Other, 0),
    }
}
