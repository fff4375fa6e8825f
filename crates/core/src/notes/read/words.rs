//! The words of one line: without markers, as a path, with the share that is done.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::topic::SIGNS;
use crate::notes::literal;

/// An item of a list: its indent, its box if it has one, and its words.
static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    literal(r"^([\s>]*)(?:[-*+•]|\d{1,9}[.)])\s+(?:\[([^\]\[])\](?:\s+|$))?(.*)$")
});
/// A share that is done.
static PERCENT: LazyLock<Regex> =
    LazyLock::new(|| literal(r"\s*\(?\b(\d{1,3})\s*%(?:\s+(?:complete|done))?\)?\s*$"));
/// Strong words; two stars after a slash are a glob.
static STRONG: LazyLock<Regex> =
    LazyLock::new(|| literal(r"(^|[^/*\w])\*\*([^\s*](?:[^*]*[^\s*])?)\*\*"));

/// Reads an item of a list.
pub(super) fn item_of(line: &str) -> Option<Captures<'_>> {
    ITEM.captures(line)
}

/// Takes a share that is done from the end of a task.
pub(in crate::notes) fn with_percent(text: &str) -> (String, Option<u8>) {
    if let Some(found) = PERCENT.captures(text)
        && let Ok(percent @ 0..=100) = found[1].parse()
    {
        let task = &text[..text.len() - found[0].len()];
        if !task.is_empty() {
            return (clean(task), Some(percent));
        }
    }
    (text.to_owned(), None)
}

/// Returns the path that an item names.
pub(super) fn path_in(words: &str) -> Option<String> {
    if let Some((_, rest)) = words.split_once('`') {
        let (path, _) = rest.split_once('`')?;
        return is_path(path).then(|| path.to_owned());
    }
    let words = clean(words);
    let first = words.split([' ', '\t']).next().unwrap_or_default();
    let path = first.trim_end_matches([':', ',', ';']);
    is_path(path).then(|| path.to_owned())
}

/// Returns the paths of a line such as `Core: src/a.rs, src/b.rs`.
pub(in crate::notes) fn listed_paths(line: &str) -> Vec<String> {
    let line = clean(line).replace('`', "");
    let (_, list) = line.split_once(": ").unwrap_or(("", &line));
    let paths = list.split(',').map(str::trim).filter(|path| is_path(path));
    paths.map(str::to_owned).collect()
}

fn is_path(text: &str) -> bool {
    let last = text.rsplit('/').next().unwrap_or_default();
    let has_extension = last.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.chars().all(char::is_alphanumeric)
    });
    !text.is_empty()
        && !text.contains(char::is_whitespace)
        && !text.contains("://")
        && (text.contains('/') || has_extension)
}

/// Makes one line of a text: no markers before it, no emphasis, single spaces.
pub(in crate::notes) fn clean(text: &str) -> String {
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = STRONG.replace_all(&spaced.replace('\u{fe0f}', ""), "$1$2").into_owned();
    loop {
        let rest = without_marker(&text).trim();
        if rest.len() == text.len() {
            return text;
        }
        text = rest.to_owned();
    }
}

/// Takes one marker off the start of a line.
fn without_marker(text: &str) -> &str {
    let is_sign = |c: char| SIGNS.iter().any(|(sign, _)| *sign == c) || "#>•".contains(c);
    if let Some(rest) = text.strip_prefix(is_sign) {
        return rest;
    }
    if let Some(rest) = text.strip_prefix("__").and_then(|it| it.strip_suffix("__")) {
        return rest;
    }
    match item_of(text).and_then(|item| item.get(3)) {
        Some(words) => &text[words.start()..],
        None if matches!(text, "-" | "*" | "+") => "",
        None => text,
    }
}

/// Tells whether a text says that there is nothing.
pub(in crate::notes) fn is_none(text: &str) -> bool {
    let plain = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let nothing = [
        "",
        "none",
        "n/a",
        "na",
        "nothing",
        "none blocking",
        "nil",
        "none currently",
        "none yet",
        "tbd",
    ];
    nothing.contains(&plain.to_lowercase().as_str())
}
