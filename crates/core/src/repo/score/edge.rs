//! Finds marks of unfinished work, such as TODO.
//!
//! Marks are whole words in upper case, so that prose such as "note that" is
//! no mark. Letters beyond ASCII do not make a word longer.

use memchr::memmem;

/// The marks that count.
const MARKS: [&[u8]; 4] = [b"TODO", b"FIXME", b"HACK", b"XXX"];

/// The words that the reference implementation takes for marks, in any case.
const COMPAT_MARKS: [&str; 10] = [
    "FIXME",
    "HACK",
    "XXX",
    "TODO",
    "NOTE",
    "WARN",
    "DEPRECATED",
    "TEMP",
    "OPTIMIZE",
    "REVIEW",
];

/// Tells whether a text holds TODO, FIXME, HACK or XXX as a word of its own.
///
/// Costs four passes at the speed of memory.
///
/// ```
/// use loadline::repo::has_edge_case;
/// assert!(has_edge_case("// TODO(ann): later"));
/// assert!(!has_edge_case("a todo list for TODOS"));
/// ```
pub fn has_edge_case(text: &str) -> bool {
    let text = text.as_bytes();
    MARKS.iter().any(|mark| {
        memmem::find_iter(text, mark).any(|start| {
            let before = start.checked_sub(1).and_then(|index| text.get(index));
            let after = text.get(start + mark.len());
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
    })
}

/// Tells whether the reference implementation would see a mark in a text.
///
/// It takes ten words in any case, followed by a colon or white space, so
/// that prose scores too; for comparisons only.
pub fn has_edge_case_compat(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let rest = &bytes[start..];
        let length = rest.iter().take_while(|byte| is_word(byte)).count();
        if length == 0 {
            start += 1;
            continue;
        }
        let end = start + length;
        if text.get(start..end).is_some_and(is_compat_mark) && ends_mark(text.get(end..)) {
            return true;
        }
        start = end;
    }
    false
}

fn is_compat_mark(word: &str) -> bool {
    COMPAT_MARKS
        .iter()
        .any(|mark| mark.eq_ignore_ascii_case(word))
}

fn ends_mark(rest: Option<&str>) -> bool {
    let next = rest.and_then(|rest| rest.chars().next());
    next.is_some_and(|next| next == ':' || next.is_whitespace())
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f036_marks_are_words_in_upper_case() {
        for (text, marked, by_compat) in [
            ("// TODO: x", true, true),
            ("# FIXME", true, false),
            ("/* HACK */", true, true),
            ("XXX", true, false),
            ("TODO(ann): x", true, false),
            ("日本語TODO", true, false),
            ("TODOS and MY_TODO TODO_x", false, false),
            ("note that this works", false, true),
            ("// todo: x", false, true),
            ("deprecated\n", false, true),
            ("notes: reviewed", false, false),
            ("TODOTODO TODO", true, false),
            ("", false, false),
        ] {
            assert_eq!(has_edge_case(text), marked, "{text}");
            assert_eq!(has_edge_case_compat(text), by_compat, "compat: {text}");
        }
    }
}
