//! Finds marks of unfinished work, such as TODO.
//!
//! Marks are whole words in upper case, so that prose such as "note that" is
//! no mark. Letters beyond ASCII do not make a word longer.

use memchr::memmem;

/// The marks that count.
const MARKS: [&[u8]; 4] = [b"TODO", b"FIXME", b"HACK", b"XXX"];

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

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f036_marks_are_words_in_upper_case() {
        for (text, marked) in [
            ("// TODO: x", true),
            ("# FIXME", true),
            ("/* HACK */", true),
            ("XXX", true),
            ("TODO(ann): x", true),
            ("日本語TODO", true),
            ("TODOS and MY_TODO TODO_x", false),
            ("note that this works", false),
            ("// todo: x", false),
            ("deprecated\n", false),
            ("notes: reviewed", false),
            ("TODOTODO TODO", true),
            ("", false),
        ] {
            assert_eq!(has_edge_case(text), marked, "{text}");
        }
    }
}
