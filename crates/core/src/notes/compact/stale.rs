//! Folds old finished sections into one line each; the archive has them whole.
//!
//! Editing alone saves a few percent. Beyond that, sections in which everything is done
//! go, those that are worth least first, until a fifth of the notes is saved. Open tasks,
//! decisions, constraints, blockers and what the settings preserve keep a section whole,
//! and so does being the newest.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::worth::Worth;
use super::super::{CompactedItem, ItemKind, Notes, NotesOptions, Role, UnitKind, read_notes};
use crate::tokens::Tokens;

/// The share of all tokens that folding may save: one in so many.
const SHARE: u64 = 5;
/// Sections with fewer tokens are not worth a line about them.
const LEAST: u64 = 40;

/// One section that could go.
struct Candidate {
    file: usize,
    /// Its lines below the heading, counted from 0.
    lines: Range<usize>,
    tokens: u64,
    worth: f64,
}

/// Folds sections of notes, given by name and text; returns what each file that changes is
/// to hold, and what was folded.
pub(in super::super) fn fold(
    texts: &[(&str, &str)],
    handle: &str,
    options: &NotesOptions,
) -> BTreeMap<usize, (String, Vec<CompactedItem>)> {
    let notes = read_notes(texts);
    let worth = Worth::of(&notes, &options.background);
    let lines: Vec<Vec<&str>> =
        texts.iter().map(|it| it.1.split_inclusive('\n').collect()).collect();
    let mut found = candidates(&notes, &worth, &lines, options);
    found.sort_by(|left, right| {
        let worth = left.worth.total_cmp(&right.worth);
        worth.then((left.file, left.lines.start).cmp(&(right.file, right.lines.start)))
    });
    let all: u64 = texts.iter().map(|it| options.counter.count(it.1).get()).sum();
    let mut left = all / SHARE;
    let mut folded: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
    for it in found {
        if left == 0 {
            break;
        }
        left = left.saturating_sub(it.tokens);
        folded.entry(it.file).or_default().push(it);
    }
    let write = |(file, sections): (usize, Vec<Candidate>)| {
        (file, folded_text(&lines[file], sections, handle, options))
    };
    folded.into_iter().map(write).collect()
}

/// Finds sections in which everything is done.
fn candidates(
    notes: &Notes,
    worth: &Worth,
    lines: &[Vec<&str>],
    options: &NotesOptions,
) -> Vec<Candidate> {
    let newest = notes.sections.iter().filter_map(|it| it.date).max();
    let starts: Vec<usize> =
        (0..notes.units.len()).filter(|it| notes.units[*it].kind == UnitKind::Heading).collect();
    let mut found = Vec::new();
    for (index, &start) in starts.iter().enumerate() {
        let heading = &notes.units[start];
        let end = starts.get(index + 1).copied().unwrap_or(notes.units.len());
        let units = start + 1..end;
        let inside = || notes.units[units.clone()].iter().filter(|it| it.file == heading.file);
        let done = inside().filter(|it| it.role == Role::Done).count();
        let stays = inside().any(|it| {
            let open = it.role.is_open() || matches!(it.role, Role::Decision | Role::Constraint);
            open || it.state.is_some_and(|state| state == ' ')
        });
        let date = notes.section(heading).and_then(|it| it.date);
        let is_newest = date.is_some() && date == newest;
        if stays || is_newest || done * 2 < inside().count() || done == 0 {
            continue;
        }
        // A heading over other headings has no lines of its own.
        let text = &lines[heading.file];
        let next = notes.units.get(end).filter(|it| it.file == heading.file);
        let below = heading.line..next.map_or(text.len(), |it| it.line.saturating_sub(1));
        let body: String = text.get(below.clone()).unwrap_or_default().concat();
        let tokens = options.counter.count(&body).get();
        let preserved = body.lines().any(|it| options.preserve.iter().any(|by| by.is_match(it)));
        if tokens < LEAST || preserved {
            continue;
        }
        let value: f64 = units.clone().map(|it| worth.values[it]).sum();
        let worth = value / tokens as f64;
        found.push(Candidate { file: heading.file, lines: below, tokens, worth });
    }
    found
}

fn folded_text(
    lines: &[&str],
    mut sections: Vec<Candidate>,
    handle: &str,
    options: &NotesOptions,
) -> (String, Vec<CompactedItem>) {
    sections.sort_by_key(|it| it.lines.start);
    let (mut text, mut items, mut from) = (String::new(), Vec::new(), 0);
    for section in sections {
        text.push_str(&lines[from..section.lines.start].concat());
        let count = lines[section.lines.clone()].iter().filter(|it| !it.trim().is_empty()).count();
        let line = format!("[{count} lines done: {handle}]\n\n");
        items.push(CompactedItem {
            kind: ItemKind::OldContent,
            line: section.lines.start + 1,
            original_size: Tokens::new(section.tokens),
            compacted_size: options.counter.count(&line),
        });
        text.push_str(&line);
        from = section.lines.end;
    }
    text.push_str(&lines[from..].concat());
    (text, items)
}
