//! Takes out white space, banners, badges and words that say nothing.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Tag, TagEnd};
use regex::{Captures, Regex};

use super::super::ItemKind;
use super::edit::{Edit, in_order};
use super::shape::Shape;
use crate::notes::literal;
use crate::notes::words::WORDS;

static PHRASE: LazyLock<Regex> = LazyLock::new(|| {
    let mut phrases: Vec<&str> = WORDS.phrases.keys().map(String::as_str).collect();
    // The first that fits is taken, so the longest comes first.
    phrases.sort_by_key(|it| std::cmp::Reverse(it.len()));
    literal(&format!(r"(?i)\b(?:({})(\w)|({})\b)", all(&phrases, true), all(&phrases, false)))
});
/// A line that is nothing but pictures of badges.
static BADGES: LazyLock<Regex> = LazyLock::new(|| {
    literal(r"^\s*(?:\[?!\[[^\]]*\]\([^)]*(?:badge|shields\.io)[^)]*\)(?:\]\([^)]*\))?\s*)+$")
});
/// A line that is nothing but a drawn line.
static BANNER: LazyLock<Regex> =
    LazyLock::new(|| literal(r"^\s*(?:={4,}|~{4,}|_{4,}|\*{4,}|[─━═]{3,}|#{7,}|-{4,})\s*$"));

/// Joins phrases as alternatives: those that end with a space, or the others.
fn all(phrases: &[&str], spaced: bool) -> String {
    let chosen = phrases.iter().filter(|it| it.ends_with(' ') == spaced);
    chosen.map(|it| regex::escape(it)).collect::<Vec<_>>().join("|")
}

/// Finds what can go without a word being missed.
pub(super) fn edits(shape: &Shape<'_>) -> Vec<Edit> {
    let mut edits = white_space(shape);
    edits.extend(ornaments(shape));
    edits.extend(phrases(shape));
    in_order(edits)
}

fn verbose(range: Range<usize>, with: String) -> Edit {
    Edit { range, with, kind: ItemKind::Verbose }
}

/// Finds blank lines after blank lines, and spaces at the ends of lines.
fn white_space(shape: &Shape<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (line, range) in shape.lines.iter().enumerate() {
        let text = shape.line(line);
        let blank = text.trim().is_empty();
        if shape.guards(line) {
            continue;
        }
        let after_blank = line > 0 && shape.is_blank(line - 1) && !shape.guards(line - 1);
        if blank && after_blank {
            edits.push(Edit::cut(range.clone(), ItemKind::Verbose));
            continue;
        }
        // Two spaces at the end of a line break it.
        let breaks = !blank && text.ends_with("  ");
        let kept = text.trim_end().len() + if breaks { 2 } else { 0 };
        if kept < text.len() {
            let cut = range.start + kept..range.start + text.len();
            edits.push(Edit::cut(cut, ItemKind::Verbose));
        }
    }
    edits
}

/// Finds banners, rows of badges, and pictures in headings.
fn ornaments(shape: &Shape<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut headings = shape.headings.iter().peekable();
    for (line, range) in shape.lines.iter().enumerate() {
        while headings.next_if(|it| it.range.end <= range.start).is_some() {}
        let in_heading = headings.peek().is_some_and(|it| it.range.start < range.end);
        if shape.guards(line) {
            continue;
        }
        let text = shape.line(line);
        if in_heading {
            edits.extend(pictures(text, range.start));
            continue;
        }
        let ornament =
            BADGES.is_match(text) || (BANNER.is_match(text) && stands_alone(shape, line));
        if ornament {
            edits.push(verbose(range.start..range.start + text.len(), String::new()));
        }
    }
    edits
}

/// Tells whether a line has no neighbour that it could be part of.
fn stands_alone(shape: &Shape<'_>, line: usize) -> bool {
    let free = |line: usize| shape.is_blank(line) || shape.line(line).starts_with('#');
    let before = line == 0 || free(line - 1);
    let after = line + 1 >= shape.lines.len() || free(line + 1);
    // An indented line after it could become part of a list before it.
    let mut rest = line + 1..shape.lines.len();
    let next = rest.find(|next| !shape.is_blank(*next));
    before && after && next.is_none_or(|next| !shape.line(next).starts_with([' ', '\t']))
}

/// Finds pictures in a heading that say nothing about a state.
fn pictures(text: &str, start: usize) -> Vec<Edit> {
    let Some(words) = text.find(' ') else {
        return Vec::new();
    };
    let mut edits: Vec<Edit> = Vec::new();
    for (place, letter) in text.char_indices().filter(|(place, _)| *place > words) {
        let continues = edits.last().is_some_and(|last| last.range.end == start + place)
            && matches!(letter, '\u{fe0f}' | '\u{200d}' | ' ');
        if !is_picture(letter) && !continues {
            continue;
        }
        let range = start + place..start + place + letter.len_utf8();
        match edits.last_mut().filter(|last| last.range.end == range.start) {
            Some(last) => last.range.end = range.end,
            None => edits.push(Edit::cut(range, ItemKind::Verbose)),
        }
    }
    // A heading of pictures alone would be gone.
    let cut: usize = edits.iter().map(|edit| edit.range.len()).sum();
    let rest = text.len().saturating_sub(words + 1 + cut);
    if rest == 0 { Vec::new() } else { edits }
}

/// Tells whether a character is a picture that stands for no state.
fn is_picture(letter: char) -> bool {
    let picture = matches!(letter, '\u{1f300}'..='\u{1f5ff}' | '\u{1f680}'..='\u{1f6c4}' | '\u{1f900}'..='\u{1faff}' | '✨' | '⭐');
    let state = matches!(
        letter,
        '🔄' | '🔴'
            | '🔶'
            | '🔵'
            | '🔜'
            | '🔥'
            | '🚧'
            | '🚨'
            | '🛑'
            | '🚫'
            | '🔒'
            | '🔓'
            | '🐛'
            | '🐞'
    );
    picture && !state
}

/// Finds phrases that shorter words stand for.
fn phrases(shape: &Shape<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut linked = 0_usize;
    for (event, range) in &shape.events {
        match event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => linked += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => linked = linked.saturating_sub(1),
            Event::Text(_) if linked == 0 && !shape.is_guarded(range) => {
                shorter(shape, range, &mut edits);
            }
            _ => {}
        }
    }
    edits
}

fn shorter(shape: &Shape<'_>, range: &Range<usize>, edits: &mut Vec<Edit>) {
    for found in PHRASE.captures_iter(&shape.text[range.clone()]) {
        if let (Some(whole), Some(with)) = (found.get(0), replacement(&found)) {
            let place = range.start + whole.start()..range.start + whole.end();
            edits.push(verbose(place, with));
        }
    }
}

/// Returns what says the same, beginning with a capital where the phrase did.
fn replacement(found: &Captures<'_>) -> Option<String> {
    let capital = found.get(0)?.as_str().starts_with(|c: char| c.is_uppercase());
    let raised = |text: &str| {
        let mut letters = text.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    };
    let phrase = found.get(1).or(found.get(3))?.as_str().to_lowercase();
    let letter = found.get(2).map_or("", |it| it.as_str());
    let with = format!("{}{letter}", WORDS.phrases.get(&phrase)?);
    Some(if capital { raised(&with) } else { with })
}
