//! Writes the one-line signature of a definition: its text without the body.

use super::capture::Found;
use super::extract::Placed;
use super::language::Language;
use super::script;
use super::source::Source;
use super::style::SignatureStyle;

/// Longest signature of a function or type in characters; what is longer ends
/// in dots.
const LONGEST: usize = 1000;
/// The same for all else: aliases, constants, keys.
const LONGEST_TEXT: usize = 240;
/// Longest name in characters.
const LONGEST_NAME: usize = 100;
/// Longest signature that still shows the value of a constant.
const LONGEST_WITH_VALUE: usize = 100;

/// Writes the signature of a definition whose own text begins at `start`.
pub(super) fn signature(
    language: &Language,
    source: &Source<'_>,
    placed: &Placed<'_, '_>,
    start: usize,
    prefix: Option<&str>,
    exported: bool,
) -> String {
    let line = match language.signatures {
        SignatureStyle::Script => script::signature(source, placed, exported)
            .unwrap_or_else(|| text_signature(language, source, placed, start)),
        SignatureStyle::Text => text_signature(language, source, placed, start),
    };
    let line = match prefix {
        Some(prefix) if !line.starts_with(prefix) => format!("{prefix} {line}"),
        _ => line,
    };
    let kind = placed.found.kind;
    let longest = if kind.is_function() || kind.is_type() { LONGEST } else { LONGEST_TEXT };
    shortened(line, longest)
}

/// The name of a definition; what is exported without one is the default.
pub(super) fn name(source: &Source<'_>, found: &Found<'_>) -> String {
    if found.name.is_empty() {
        return "default".to_owned();
    }
    shortened(one_line(source.text(&found.name)), LONGEST_NAME)
}

/// The text up to the body, or up to a value that is long.
fn text_signature(
    language: &Language,
    source: &Source<'_>,
    placed: &Placed<'_, '_>,
    start: usize,
) -> String {
    let found = placed.found;
    let end = found.body.unwrap_or(placed.range.end).max(start);
    let mut whole = trimmed(language, source, start, end);
    if found.name.start >= end && found.body.is_some() {
        // A C typedef has its name after the body.
        whole = format!("{whole} {}", name(source, found));
    }
    match found.value {
        Some(value) if whole.len() > LONGEST_WITH_VALUE || spans_lines(source, value, end) => {
            trimmed(language, source, start, value.max(start))
        }
        _ => whole,
    }
}

fn spans_lines(source: &Source<'_>, start: usize, end: usize) -> bool {
    source.text(&(start..end)).trim_end().contains('\n')
}

fn trimmed(language: &Language, source: &Source<'_>, start: usize, end: usize) -> String {
    let line = one_line(&source.without_omitted(start..end));
    let mut rest = line.as_str();
    while let Some(shorter) = language.trim.iter().find_map(|end| rest.strip_suffix(end)) {
        rest = shorter.trim_end();
    }
    rest.to_owned()
}

/// Collapses white space, and the space that a list over several lines leaves
/// inside its brackets.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(LONGEST_TEXT));
    for word in text.split_whitespace() {
        let after_open = line.ends_with(['(', '[']);
        let before_close = word.starts_with([')', ']']);
        if before_close && line.ends_with(',') {
            line.pop();
        }
        if !line.is_empty() && !after_open && !before_close && !word.starts_with([',', ';']) {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Cuts a line to a number of characters, dots included.
pub(super) fn shortened(line: String, longest: usize) -> String {
    if line.chars().nth(longest).is_none() {
        return line;
    }
    let kept: String = line.chars().take(longest.saturating_sub(3)).collect();
    format!("{}...", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_collapses_to_one_line() {
        for (text, want) in [
            ("fn  a(\n    b: B,\n    c: C,\n) -> D", "fn a(b: B, c: C) -> D"),
            ("a ( b )", "a (b)"),
            ("x[\n  1,\n]", "x[1]"),
            (" \n ", ""),
        ] {
            assert_eq!(one_line(text), want);
        }
        assert_eq!(shortened("abcdefgh".to_owned(), 6), "abc...");
        assert_eq!(shortened("äöü".to_owned(), 3), "äöü");
    }
}
