//! Takes off what is only there for the eye: emphasis, wraps, underlines.
//!
//! Every block is read again with its changes; where it does not say exactly
//! the same words in the same structure, the block stays as it was.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use regex::Regex;

use super::super::ItemKind;
use super::edit::{Edit, in_order, weight};
use super::shape::{Shape, reading};
use crate::notes::literal;

/// Shorter lines were not wrapped, but ended.
const WRAPPED: usize = 60;
/// Where no wrap ends a line before: the next word would still have fitted.
const COLUMN: usize = 72;
/// A larger block is kept or changed as a whole: each try reads all of it.
const SEARCHED: usize = 20_000;
/// Words whose emphasis is part of what is said.
const STRESSED: [&str; 16] = [
    "not", "never", "always", "must", "only", "no", "all", "cannot", "don't", "must not", "do not",
    "required", "before", "after", "and", "or",
];

/// A line that begins with a label is a line of its own.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    literal(r"^\s*(?:[*_]{1,3}[^*_]{1,40}[*_]{1,3}\s*:|[*_]{0,3}[\w./ ()-]{1,28}:(?:[*_]|\s|$))")
});

/// Finds changes that take decoration off; the words stay.
pub(super) fn edits(shape: &Shape<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut verified = Vec::new();
    let mut blocks = Blocks::default();
    for (event, range) in &shape.events {
        let top = blocks.depth == 0;
        blocks.step(event);
        if top && !edits.is_empty() {
            // The block before is complete.
            verified.append(&mut checked(shape, std::mem::take(&mut edits), &blocks.range));
        }
        if top {
            blocks.range = range.clone();
        }
        if !shape.is_guarded(range) || matches!(event, Event::Start(Tag::Strong | Tag::Emphasis)) {
            collect(shape, event, range, &blocks, &mut edits);
        }
    }
    verified.append(&mut checked(shape, edits, &blocks.range));
    verified
}

/// Where the walk is.
#[derive(Default)]
struct Blocks {
    depth: usize,
    quotes: usize,
    /// The outermost block.
    range: Range<usize>,
}

impl Blocks {
    fn step(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                self.quotes += usize::from(matches!(tag, Tag::BlockQuote(_)));
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                let quote = matches!(tag, TagEnd::BlockQuote(_));
                self.quotes = self.quotes.saturating_sub(usize::from(quote));
            }
            _ => {}
        }
    }
}

/// Adds the changes that one event calls for.
fn collect(
    shape: &Shape<'_>,
    event: &Event<'_>,
    range: &Range<usize>,
    blocks: &Blocks,
    edits: &mut Vec<Edit>,
) {
    match event {
        Event::Start(Tag::Strong) => strong(shape, range, edits),
        Event::Code(name) if is_name(name) => quoted(shape, range, edits),
        Event::Start(Tag::Emphasis) => whole_line_emphasis(shape, range, edits),
        Event::Start(Tag::Heading { level, .. }) if blocks.depth == 1 => {
            heading(shape, *level, range, edits);
        }
        Event::Start(Tag::Link { dest_url, .. }) => {
            let plain = format!("[{dest_url}]({dest_url})");
            let web = dest_url.starts_with("https://") || dest_url.starts_with("http://");
            if web && shape.text[range.clone()] == plain && !dest_url.contains(['<', '>', ' ']) {
                edits.push(edit(range.clone(), format!("<{dest_url}>")));
            }
        }
        Event::Rule if blocks.depth == 0 => rule(shape, range, edits),
        Event::SoftBreak if blocks.quotes == 0 => unwrap(shape, range, edits),
        _ => {}
    }
}

fn edit(range: Range<usize>, with: String) -> Edit {
    Edit { range, with, kind: ItemKind::Verbose }
}

/// Takes the marks off strong words, unless the stress is part of what is said.
fn strong(shape: &Shape<'_>, range: &Range<usize>, edits: &mut Vec<Edit>) {
    let text = &shape.text[range.clone()];
    let inner = ["**", "__"].iter().find_map(|mark| text.strip_prefix(mark)?.strip_suffix(mark));
    let Some(inner) = inner else {
        return;
    };
    let stressed = STRESSED.contains(&inner.to_lowercase().as_str());
    if !stressed && !begins_block(shape, range.start, inner) && !parts_lines(shape, range.start) {
        take_off(shape, range, 2, edits);
    }
}

/// Tells whether strong words begin one of several lines of prose, which they keep apart:
/// without them `**Goal:** ...` and `**Done when:** ...` would be one paragraph to a reader.
fn parts_lines(shape: &Shape<'_>, start: usize) -> bool {
    let line = shape.line_at(start);
    let first = shape.lines.get(line).map_or(0, |it| it.start);
    let is_prose = |line: usize| {
        let text = shape.line(line).trim_start();
        !text.is_empty() && !text.starts_with(['#', '-', '+', '|', '>'])
    };
    let before = line.checked_sub(1).is_some_and(is_prose);
    let after = line + 1 < shape.lines.len() && is_prose(line + 1);
    shape.text[first..start].trim().is_empty() && (before || after)
}

/// Tells whether code is a name that nobody takes for a word: a path, `snake_case`, a name
/// with a digit, a call without arguments.
pub(in crate::notes) fn is_name(code: &str) -> bool {
    let name = code.strip_suffix("()").unwrap_or(code);
    let part = |c: char| c.is_ascii_alphanumeric() || "_./-@:".contains(c);
    let bytes = name.as_bytes();
    let camel =
        || bytes.windows(2).any(|it| it[0].is_ascii_lowercase() && it[1].is_ascii_uppercase());
    let unlike_words = |c: char| c.is_ascii_digit() || "_./@:".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || "/.@".contains(c))
        && name.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '/')
        && name.chars().all(part)
        && name.contains(|c: char| c.is_ascii_alphabetic())
        && !["__", "://", ".."].iter().any(|it| name.contains(it))
        && (name.len() < code.len() || name.contains(unlike_words) || camel())
}

/// Takes the marks off a name that stands by itself.
fn quoted(shape: &Shape<'_>, range: &Range<usize>, edits: &mut Vec<Edit>) {
    let before = shape.text[..range.start].chars().next_back().unwrap_or(' ');
    let after = shape.text[range.end..].chars().next().unwrap_or(' ');
    let apart = |c: char| c.is_whitespace() || "(),:;".contains(c);
    let plain = shape.text[range.clone()].matches('`').count() == 2;
    if plain && apart(before) && (apart(after) || after == '.') {
        take_off(shape, range, 1, edits);
    }
}

/// Takes the marks off emphasis that spans a whole line.
fn whole_line_emphasis(shape: &Shape<'_>, range: &Range<usize>, edits: &mut Vec<Edit>) {
    let line = shape.line_at(range.start);
    let text = &shape.text[range.clone()];
    let whole = shape.line(line).trim() == text;
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    let nested = inner.starts_with(['*', '_']);
    if whole && !nested && !begins_block(shape, range.start, inner) {
        take_off(shape, range, 1, edits);
    }
}

/// Takes marks of a length off both ends, if both lines may change.
fn take_off(shape: &Shape<'_>, range: &Range<usize>, length: usize, edits: &mut Vec<Edit>) {
    let ends = [range.start, range.end.saturating_sub(1)];
    if ends.iter().any(|end| shape.guards(shape.line_at(*end))) {
        return;
    }
    edits.push(edit(range.start..range.start + length, String::new()));
    edits.push(edit(range.end - length..range.end, String::new()));
}

/// Tells whether words without their marks would begin a list, a heading or the like.
fn begins_block(shape: &Shape<'_>, start: usize, inner: &str) -> bool {
    let line = shape.lines.get(shape.line_at(start)).cloned().unwrap_or(0..0);
    let before = &shape.text[line.start..start];
    let at_start =
        before.chars().all(|c| c.is_whitespace() || c.is_ascii_digit() || "-*+>.)".contains(c));
    let first = inner.chars().next().unwrap_or(' ');
    let number = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = first.is_ascii_digit() && number.starts_with(['.', ')']);
    at_start && (numbered || first.is_whitespace() || "-+*#>=|<[`~:_".contains(first))
}

/// Takes underlines and closing marks off headings.
fn heading(shape: &Shape<'_>, level: HeadingLevel, range: &Range<usize>, edits: &mut Vec<Edit>) {
    let text = shape.text[range.clone()].trim_end();
    let indent = text.len() - text.trim_start().len();
    let start = range.start + indent;
    if !text.trim_start().starts_with('#') {
        let Some((title, underline)) = text.split_once('\n') else {
            return;
        };
        let mark = if level == HeadingLevel::H1 { "# " } else { "## " };
        if !underline.contains('\n') && !title.trim_end().ends_with('#') {
            let end = range.start + title.trim_end().len();
            edits.push(edit(start..start, mark.to_owned()));
            edits.push(edit(end..range.start + text.len(), String::new()));
        }
        return;
    }
    let title = text.trim_end_matches('#').trim_end();
    if title.len() < text.len() && !title.ends_with('\\') && title.contains(' ') {
        edits.push(edit(range.start + title.len()..range.start + text.len(), String::new()));
    }
}

/// Makes a rule a blank line, where what follows cannot become part of what was before.
fn rule(shape: &Shape<'_>, range: &Range<usize>, edits: &mut Vec<Edit>) {
    let line = shape.line_at(range.start);
    let mut after = line + 1..shape.lines.len();
    let next = after.find(|next| !shape.is_blank(*next));
    let indented = next.is_some_and(|next| shape.line(next).starts_with([' ', '\t']));
    if !indented && !shape.guards(line) {
        let start = shape.lines.get(line).map_or(0, |line| line.start);
        edits.push(edit(start..start + shape.line(line).len(), String::new()));
    }
}

/// Joins a line that was wrapped with the next one.
fn unwrap(shape: &Shape<'_>, range: &Range<usize>, edits: &mut Vec<Edit>) {
    let line = shape.line_at(range.start);
    let (this, next) = (shape.line(line), shape.line(line + 1));
    if shape.guards(line) || shape.guards(line + 1) || !was_wrapped(this, next, edits, range) {
        return;
    }
    let indent = next.len() - next.trim_start().len();
    let start = shape.lines.get(line).map_or(0, |line| line.start) + this.trim_end().len();
    let end = shape.lines.get(line + 1).map_or(0, |line| line.start) + indent;
    edits.push(edit(start..end, " ".to_owned()));
}

/// Tells whether a line goes on in the next only because it was full.
///
/// A line that was joined to the one before is full, so that a second run
/// finds nothing more to join.
fn was_wrapped(this: &str, next: &str, edits: &[Edit], place: &Range<usize>) -> bool {
    let length = this.trim_end().chars().count();
    let word = next.split_whitespace().next().unwrap_or_default();
    let mut recent = edits.iter().rev().take(64);
    let joined = recent.find(|edit| edit.with == " ");
    let joined = joined.is_some_and(|edit| edit.range.end + this.len() >= place.start);
    let full = length >= WRAPPED && length + 1 + word.chars().count() > COLUMN;
    let odd = |line: &str| line.contains("$$") || line.contains(['<', '\t']);
    (full || joined)
        && !this.trim_end().ends_with([':', '\\'])
        && !LABEL.is_match(next)
        && !odd(this)
        && !odd(next)
}

/// Keeps the changes of a block with which it says the same.
fn checked(shape: &Shape<'_>, edits: Vec<Edit>, block: &Range<usize>) -> Vec<Edit> {
    let mut kept = Vec::new();
    keep(shape, &in_order(edits), block, &mut kept);
    if says_same(shape, &kept, block) { kept } else { Vec::new() }
}

/// Keeps changes if the block says the same with them, or those of its halves that do: one
/// odd item must not keep the marks of a whole list.
fn keep(shape: &Shape<'_>, edits: &[Edit], block: &Range<usize>, kept: &mut Vec<Edit>) {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else {
        return;
    };
    if says_same(shape, edits, block) {
        return kept.extend_from_slice(edits);
    }
    let (from, to) = (shape.line_at(first.range.start), shape.line_at(last.range.start));
    let middle = edits.partition_point(|it| shape.line_at(it.range.start) <= (from + to) / 2);
    if from < to && block.len() <= SEARCHED {
        keep(shape, &edits[..middle], block, kept);
        keep(shape, &edits[middle..], block, kept);
    }
}

/// Tells whether a block says the same with changes, in less.
fn says_same(shape: &Shape<'_>, edits: &[Edit], block: &Range<usize>) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else {
        return false;
    };
    let range = block.start.min(first.range.start)..block.end.max(last.range.end);
    let before = &shape.text[range.clone()];
    let (mut after, mut from) = (String::with_capacity(before.len()), range.start);
    for edit in edits {
        after.push_str(&shape.text[from..edit.range.start]);
        after.push_str(&edit.with);
        from = edit.range.end;
    }
    after.push_str(&shape.text[from..range.end]);
    said(before) == said(&after) && weight(&after) < weight(before)
}

/// Returns what a text says, without how it is set.
fn said(text: &str) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    let mut words = String::new();
    for event in Parser::new_ext(text, reading()) {
        let part = match event {
            Event::Text(text) => {
                words.push_str(&text);
                continue;
            }
            Event::Code(name) if is_name(&name) => {
                words.push_str(&name);
                continue;
            }
            Event::SoftBreak | Event::HardBreak => {
                words.push(' ');
                continue;
            }
            Event::Start(Tag::Strong | Tag::Emphasis)
            | Event::End(TagEnd::Strong | TagEnd::Emphasis)
            | Event::Rule => continue,
            Event::Start(Tag::Link { dest_url, .. }) => format!("link {dest_url}"),
            other => format!("{other:?}"),
        };
        said.extend(flushed(&mut words));
        said.push(part);
    }
    said.extend(flushed(&mut words));
    said
}

/// Takes the words so far, with single spaces between them.
fn flushed(words: &mut String) -> Option<String> {
    let taken = std::mem::take(words);
    let plain: Vec<&str> = taken.split_whitespace().collect();
    (!plain.is_empty()).then(|| plain.join(" "))
}
