//! Writes the chosen pieces of a file in the order of the file.
//!
//! A signature has its line before it, and lines that are shown as they are have a mark
//! with their numbers, so that a reader can ask for what is missing.

use std::sync::Arc;

use super::super::candidate::Candidate;
use super::super::listed::Listed;
use super::super::render::{Block, Tier, numbered};
use super::pieces::What;
use crate::pack::PackOptions;
use crate::syntax::comment;
use crate::text::lines::merged;

/// Gaps of so many lines cost less than the marks around them.
const SMALL_GAP: u32 = 2;

/// Writes a file; none where its text is needed and cannot be read.
pub(super) fn block(
    candidate: &Candidate,
    listed: &Listed,
    chosen: &[What],
    text: impl FnOnce() -> Option<Arc<str>>,
    options: &PackOptions,
) -> Option<Block> {
    let mut ranges = ranges(chosen, candidate.facts.lines);
    let text = if ranges.is_empty() { None } else { Some(text()?) };
    let lines: Vec<&str> = text.iter().flat_map(|text| text.split_inclusive('\n')).collect();
    if ranges != candidate.all_lines() {
        ranges.iter_mut().for_each(|range| trim(range, &lines));
    }
    let is_inside = |line: u32| ranges.iter().any(|it| (it.0..=it.1).contains(&line));
    let entries = listed.with_parents(chosen.iter().filter_map(|it| match it {
        What::Entry(number) => Some(*number),
        What::Lines(..) => None,
    }));
    let count = entries.len();
    let entries = entries.into_iter().map(|number| &listed.entries[number]);
    let entries: Vec<_> = entries.filter(|entry| !entry.line.is_some_and(is_inside)).collect();
    if let Some(text) = &text
        && ranges == candidate.all_lines()
    {
        return Some(candidate.full(text, options));
    }
    let mut body = String::new();
    let mut rest = ranges.iter().peekable();
    let is_marked = ranges.len() > 1 || !entries.is_empty();
    let show = |body: &mut String, &(first, last): &(u32, u32)| {
        if is_marked {
            let mark =
                comment(candidate.language.unwrap_or_default(), &format!("lines {first}-{last}"));
            body.push_str(&format!("{mark}\n"));
        }
        let shown = lines.get(first as usize - 1..last as usize).unwrap_or_default().concat();
        if options.line_numbers {
            body.push_str(&numbered(&shown, first, candidate.facts.lines));
        } else {
            body.push_str(&shown);
        }
        if !body.ends_with('\n') {
            body.push('\n');
        }
    };
    for entry in &entries {
        while let Some(range) = rest.next_if(|range| entry.line.is_some_and(|line| range.0 < line))
        {
            show(&mut body, range);
        }
        body.push_str(&entry.numbered());
    }
    rest.for_each(|range| show(&mut body, range));
    // Parts may be longer than the whole.
    if let Some(text) = text.filter(|text| body.len() >= text.len()) {
        return Some(candidate.full(&text, options));
    }
    let tier = if ranges.is_empty() { Tier::Signatures } else { Tier::Sections };
    let listed = (!entries.is_empty()).then_some((count, listed.entries.len()));
    Some(Block { listed, ..candidate.block(tier, ranges, body) })
}

/// Takes blank lines off both ends of a range, which keeps one line at least.
fn trim(range: &mut (u32, u32), lines: &[&str]) {
    let is_blank = |line: u32| lines.get(line as usize - 1).is_none_or(|it| it.trim().is_empty());
    while range.0 < range.1 && is_blank(range.0) {
        range.0 += 1;
    }
    while range.0 < range.1 && is_blank(range.1) {
        range.1 -= 1;
    }
}

/// The lines that are shown as they are; small gaps between them are closed.
fn ranges(chosen: &[What], lines: u32) -> Vec<(u32, u32)> {
    let ranges = chosen.iter().filter_map(|it| match it {
        What::Lines(first, last) => Some((*first, last.saturating_add(SMALL_GAP))),
        What::Entry(_) => None,
    });
    let ranges = merged(ranges.collect()).into_iter();
    ranges.map(|(first, last)| (first, last.saturating_sub(SMALL_GAP).min(lines))).collect()
}
