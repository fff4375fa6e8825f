//! Takes out what stands there already: lines of logs, items, paragraphs, headings.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ItemKind;
use super::edit::{Edit, in_order};
use super::shape::Shape;
use crate::notes::literal;

/// Shorter paragraphs may be equal by chance.
const LEAST_PARAGRAPH: usize = 30;
/// Shorter items may be equal by chance.
const LEAST_ITEM: usize = 30;

/// The time at the start of a line of a log.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    literal(
        r"^(\s*(?:[-*+]\s+)?)([\[(]?(?:\d{4}-\d\d-\d\d[T ]?)?(?:\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?)?Z?[\])]?)(\s*[-:|]?\s+\S.*)$",
    )
});
/// An item of a list, its indent and what it says.
static ITEM: LazyLock<Regex> = LazyLock::new(|| literal(r"^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(\S.*)$"));

/// Finds what stands there already.
pub(super) fn edits(shape: &Shape<'_>) -> Vec<Edit> {
    let runs = runs(shape);
    if !runs.is_empty() {
        // The rest is looked at once these are gone.
        return runs;
    }
    let mut edits = paragraphs(shape);
    edits.extend(items(shape));
    edits.extend(headings(shape));
    in_order(edits)
}

/// Collapses lines that follow one another and say the same.
fn runs(shape: &Shape<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut line = 0;
    while line < shape.lines.len() {
        let (_, words) = timed(shape.line(line));
        let mut end = line + 1;
        while end < shape.lines.len() && is_same(shape, line, end, words) {
            end += 1;
        }
        if !shape.guards(line) && !words.trim().is_empty() && end > line + 1 {
            edits.extend(collapsed(shape, line, end));
        }
        line = end;
    }
    edits
}

fn is_same(shape: &Shape<'_>, first: usize, other: usize, words: &str) -> bool {
    if shape.guards(first) || shape.guards(other) || words.trim().is_empty() {
        return false;
    }
    let (line, other) = (shape.line(first), shape.line(other));
    let (time, _) = timed(line);
    let (other_time, other_words) = timed(other);
    line == other || (time.is_some() && other_time.is_some() && words == other_words)
}

/// Writes a run as its first line, with how often it was there and until when.
fn collapsed(shape: &Shape<'_>, first: usize, end: usize) -> Option<Edit> {
    let count = end - first;
    let (line, last) = (shape.line(first), shape.line(end - 1));
    let until = match timed(last).0.filter(|_| line != last) {
        Some(time) => format!(", until {}", time.trim_matches(['[', ']', '(', ')'])),
        None => String::new(),
    };
    let start = shape.lines.get(first)?.start + line.trim_end().len();
    let range = start..shape.lines.get(end - 1)?.start + last.len();
    let with = format!(" (×{count}{until})");
    (with.len() < range.len()).then_some(Edit { range, with, kind: ItemKind::Duplicate })
}

/// Takes the time at the start of a line from what it says.
fn timed(line: &str) -> (Option<&str>, &str) {
    let Some(found) = TIME.captures(line) else {
        return (None, line);
    };
    let (time, words) = (found.get(2), found.get(3));
    match (time, words) {
        (Some(time), Some(words)) if time.as_str().contains(['-', ':']) => {
            (Some(time.as_str()), words.as_str())
        }
        _ => (None, line),
    }
}

/// Takes out paragraphs that stand there already.
fn paragraphs(shape: &Shape<'_>) -> Vec<Edit> {
    let mut seen = HashSet::new();
    let mut edits = Vec::new();
    let mut line = 0;
    while line < shape.lines.len() {
        if shape.is_blank(line) {
            line += 1;
            continue;
        }
        let mut end = line + 1;
        while end < shape.lines.len() && !shape.is_blank(end) {
            end += 1;
        }
        if let Some(words) = paragraph(shape, line..end)
            && !seen.insert(words)
            && !is_followed(shape, end)
        {
            edits.extend(without(shape, line..end));
        }
        line = end;
    }
    edits
}

/// Returns the words of lines that are a paragraph of prose.
fn paragraph(shape: &Shape<'_>, lines: Range<usize>) -> Option<String> {
    let text = shape.line(lines.start);
    let is_prose = text.starts_with(|c: char| !c.is_whitespace() && !"#-*+>|=[`~".contains(c));
    let numbered = text.starts_with(|c: char| c.is_ascii_digit());
    let underlined = shape.heading_of(lines.end - 1).is_some_and(|it| it.line >= lines.start);
    let leads = shape.line(lines.end - 1).trim_end().ends_with(':');
    let free = lines.clone().all(|line| !shape.guards(line));
    if !is_prose || numbered || underlined || leads || !free {
        return None;
    }
    let words = lines.flat_map(|line| shape.line(line).split_whitespace());
    let words = words.collect::<Vec<_>>().join(" ");
    (words.len() >= LEAST_PARAGRAPH).then_some(words)
}

/// Tells whether what comes next belongs to what was before: code, or something indented.
fn is_followed(shape: &Shape<'_>, line: usize) -> bool {
    let mut after = line..shape.lines.len();
    let next = after.find(|next| !shape.is_blank(*next));
    next.is_some_and(|next| {
        let code = shape.guards(next) && shape.heading_of(next).is_none_or(|it| it.line != next);
        code || shape.line(next).starts_with([' ', '\t'])
    })
}

/// Takes out items that the same section, or one of the same name, has already.
fn items(shape: &Shape<'_>) -> Vec<Edit> {
    let mut seen: HashMap<&str, HashSet<(String, String)>> = HashMap::new();
    let mut edits = Vec::new();
    // What the items above say is part of an item's meaning.
    let mut above = String::new();
    for line in 0..shape.lines.len() {
        let Some(found) = ITEM.captures(shape.line(line)) else {
            continue;
        };
        let part = |index| found.get(index).map_or("", |it| it.as_str());
        let (indent, words) = (part(1), part(2).trim_end());
        if indent.is_empty() {
            above = words.to_owned();
        }
        let context = if indent.is_empty() { String::new() } else { above.clone() };
        let long = words.len() >= LEAST_ITEM && !words.ends_with(':');
        if !long || shape.guards(line) || goes_on(shape, line, indent.len()) {
            continue;
        }
        let title = shape.heading_of(line).map_or("", |it| it.title.as_str());
        if !seen.entry(title).or_default().insert((context, words.to_owned())) {
            edits.extend(without(shape, line..line + 1));
        }
    }
    edits
}

/// Tells whether something below a line is part of its item.
fn goes_on(shape: &Shape<'_>, line: usize, indent: usize) -> bool {
    let mut after = line + 1..shape.lines.len();
    let Some(next) = after.find(|next| !shape.is_blank(*next)) else {
        return false;
    };
    let text = shape.line(next);
    let deeper = text.len() - text.trim_start().len() > indent;
    let item = ITEM.is_match(text);
    let lazy = next == line + 1 && !item && !text.starts_with('#');
    deeper || lazy
}

/// Takes out a heading that stands there already and has nothing below it.
fn headings(shape: &Shape<'_>) -> Vec<Edit> {
    let mut seen = HashSet::new();
    let mut edits = Vec::new();
    for (index, heading) in shape.headings.iter().enumerate() {
        let known = !seen.insert((heading.level, heading.title.as_str()));
        let next = shape.headings.get(index + 1);
        let end = next.map_or(shape.lines.len(), |next| next.line);
        let ends = next.is_none_or(|next| next.level <= heading.level);
        let empty = (heading.line + 1..end).all(|line| shape.is_blank(line));
        let plain = shape.line(heading.line).starts_with('#') && !shape.guards(heading.line);
        if known && ends && empty && plain {
            edits.extend(without(shape, heading.line..heading.line + 1));
        }
    }
    edits
}

/// Takes out lines.
fn without(shape: &Shape<'_>, lines: Range<usize>) -> Option<Edit> {
    let start = shape.lines.get(lines.start)?.start;
    let end = shape.lines.get(lines.end.checked_sub(1)?)?.end;
    Some(Edit::cut(start..end, ItemKind::Duplicate))
}
