//! Folds what is finished and old; the archive has it whole.
//!
//! Editing alone saves a few percent. Beyond that, old finished lines go, those that are
//! worth least for their tokens first, until a tenth of the notes is saved, and every
//! section that lost some says so in one line with the archive's handle. Whole sections
//! were tried: what later work refers to is spread over all of them, so that the same
//! tokens cost a fifth more evidence. Open tasks, decisions, constraints, files, code, lines
//! that say where the work is and what the settings preserve stay, and so do small notes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use regex::Regex;

use super::super::document::is_document;
use super::super::words::WORDS;
use super::super::worth::Worth;
use super::super::{
    CompactedItem, ItemKind, Notes, NotesOptions, Role, Unit, UnitKind, read_notes,
};
use crate::tokens::Tokens;

/// The share of all tokens that folding may save: one in so many.
const SHARE: u64 = 10;
/// Notes of fewer tokens are read whole at little cost.
const SMALL: u64 = 4_000;
/// From here on, something is the newest.
const NEWEST: f32 = 0.95;
/// What stands between the number of lines and the handle.
const MARK: &str = " older lines: ";

/// Tells whether a line says that others were folded.
pub(in super::super) fn is_mark(line: &str) -> bool {
    marked(line).is_some()
}

/// Returns how many lines a mark stands for.
fn marked(line: &str) -> Option<u64> {
    let (count, _) = line.trim().strip_prefix('[')?.strip_suffix(']')?.split_once(MARK)?;
    count.parse().ok()
}

/// What begins on one line of a note: one unit, or the sentences of a long one.
struct Block {
    file: usize,
    /// The heading it stands under, as a number within the file.
    section: usize,
    lines: Range<usize>,
    tokens: u64,
    worth: f64,
    /// The block it is a detail of.
    parent: Option<usize>,
    may_go: bool,
}

/// Folds lines of notes, given by name and text; returns what each file that changes is to
/// hold, and what was folded.
pub(in super::super) fn fold(
    texts: &[(&str, &str)],
    handle: &str,
    options: &NotesOptions,
) -> BTreeMap<usize, (String, Vec<CompactedItem>)> {
    let lines: Vec<Vec<&str>> =
        texts.iter().map(|it| it.1.split_inclusive('\n').collect()).collect();
    let all: u64 = texts.iter().map(|it| options.counter.count(it.1).get()).sum();
    let room = room(all, &lines);
    if all < SMALL || room == 0 {
        return BTreeMap::new();
    }
    let notes = read_notes(texts);
    let worth = Worth::of(&notes, &options.background);
    let foldable: Vec<bool> = texts.iter().map(|it| is_foldable(it.0, it.1)).collect();
    let blocks = blocks(&notes, &worth, &lines, &foldable, options);
    let mark = options.counter.count(&format!("\n[10{MARK}{handle}]\n")).get();
    let mut gone: BTreeMap<(usize, usize), Vec<&Block>> = BTreeMap::new();
    for block in choose(&blocks, room, mark) {
        gone.entry((block.file, block.section)).or_default().push(block);
    }
    let files: BTreeSet<usize> = gone.keys().map(|it| it.0).collect();
    let write = |file: usize| {
        let sections = gone.range((file, 0)..(file + 1, 0)).map(|(_, blocks)| blocks.as_slice());
        let ends = ends(&notes, file, lines[file].len());
        (file, folded(&lines[file], &ends, sections, handle, options))
    };
    files.into_iter().map(write).collect()
}

/// Tells whether a file may lose lines: not data, and not a document, which was chosen before.
fn is_foldable(name: &str, text: &str) -> bool {
    !name.ends_with(".jsonl") && !is_document(text)
}

/// Returns how many tokens may go, given what went before: a second run takes no more.
fn room(all: u64, lines: &[Vec<&str>]) -> u64 {
    let full = lines.iter().flatten().filter(|it| !it.trim().is_empty()).count().max(1) as u64;
    let gone: u64 = lines.iter().flatten().filter_map(|it| marked(it)).sum();
    let gone = gone * all / full;
    ((all + gone) / SHARE).saturating_sub(gone)
}

/// Takes the blocks apart, in order.
fn blocks(
    notes: &Notes,
    worth: &Worth,
    lines: &[Vec<&str>],
    foldable: &[bool],
    options: &NotesOptions,
) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    // Per unit: its block.
    let mut of: Vec<usize> = Vec::with_capacity(notes.units.len());
    let mut section = 0;
    let mut start = 0;
    for group in notes.units.chunk_by(|one, other| (one.file, one.line) == (other.file, other.line))
    {
        let units = start..start + group.len();
        start = units.end;
        let first = &group[0];
        section += usize::from(first.kind == UnitKind::Heading);
        of.resize(units.end, blocks.len());
        let next = notes.units.get(start).filter(|it| it.file == first.file);
        let text = &lines[first.file];
        let end = next.map_or(text.len(), |it| it.line.saturating_sub(1));
        let own = own_lines(text, first.line.saturating_sub(1)..end);
        let body: String = text[own.clone()].concat();
        let parent = first.parent.map(|it| of[it]).filter(|it| *it != blocks.len());
        blocks.push(Block {
            file: first.file,
            section,
            tokens: options.counter.count(&body).get(),
            worth: units.clone().map(|it| worth.needed[it] + worth.used[it]).sum(),
            parent,
            may_go: foldable[first.file]
                && units.clone().all(|it| is_old(&notes.units[it], it, worth))
                && !is_preserved(&body, &options.preserve),
            lines: own,
        });
    }
    blocks
}

/// Returns the lines of a unit: up to a blank one, or to one that begins something else.
fn own_lines(text: &[&str], range: Range<usize>) -> Range<usize> {
    let starts = |line: &&str| {
        let line = line.trim();
        line.is_empty()
            || line.starts_with(['|', '<', '#', '='])
            || line.starts_with("```")
            || line.starts_with("~~~")
    };
    let range = range.start.min(text.len())..range.end.min(text.len());
    let rest = text.get(range.start + 1..range.end).unwrap_or_default();
    let more = rest.iter().position(starts).unwrap_or(rest.len());
    range.start..(range.start + 1 + more).min(range.end)
}

fn is_preserved(body: &str, patterns: &[Regex]) -> bool {
    body.lines().any(|line| patterns.iter().any(|it| it.is_match(line)))
}

/// Tells whether a unit is finished, or belongs to a time that is over.
///
/// A list of what works that has no date may be the state of the project, which later work
/// edits; in files that say where the work is, only dates and ticks tell.
fn is_old(unit: &Unit, number: usize, worth: &Worth) -> bool {
    let signals = worth.signals(number);
    let age = signals.recent();
    if age.is_some_and(|it| it >= NEWEST)
        || signals.says_state()
        || matches!(unit.kind, UnitKind::Heading | UnitKind::Code | UnitKind::Field)
        || unit.cue.is_some_and(Role::is_open)
        || unit.text.contains('?')
        || WORDS.is_stamp(&unit.text)
    {
        return false;
    }
    match unit.role {
        Role::Done => age.is_some() || unit.state.is_some() || !signals.is_in_live_file(),
        Role::Context | Role::Other => age.is_some() && !signals.is_in_reference(),
        _ => false,
    }
}

/// Chooses blocks with all their details, until enough tokens are saved.
fn choose(blocks: &[Block], room: u64, mark: u64) -> Vec<&Block> {
    // Per block: whether it and all its details may go, their worth and tokens.
    let mut trees: Vec<(bool, f64, u64)> =
        blocks.iter().map(|it| (it.may_go, it.worth, it.tokens)).collect();
    for (at, block) in blocks.iter().enumerate().rev() {
        if let Some(parent) = block.parent {
            let (may_go, worth, tokens) = trees[at];
            let above = &mut trees[parent];
            *above = (above.0 && may_go, above.1 + worth, above.2 + tokens);
        }
    }
    let rate = |at: &usize| trees[*at].1 / trees[*at].2.max(1) as f64;
    let mut order: Vec<usize> = (0..blocks.len()).filter(|it| trees[*it].0).collect();
    order.sort_by(|one, other| rate(one).total_cmp(&rate(other)).then(one.cmp(other)));
    let mut gone = vec![false; blocks.len()];
    let mut marks = BTreeSet::new();
    let mut left = room;
    for at in order {
        let tree = (at..blocks.len()).take_while(|it| *it == at || is_below(blocks, *it, at));
        let new: Vec<usize> = tree.filter(|it| !gone[*it]).collect();
        let tokens: u64 = new.iter().map(|it| blocks[*it].tokens).sum();
        let place = (blocks[at].file, blocks[at].section);
        let price = if marks.contains(&place) { 0 } else { mark };
        if left == 0 {
            break;
        }
        if tokens > price {
            marks.insert(place);
            new.iter().for_each(|it| gone[*it] = true);
            left = left.saturating_sub(tokens - price);
        }
    }
    blocks.iter().zip(gone).filter(|(_, gone)| *gone).map(|(it, _)| it).collect()
}

/// Tells whether a block is a detail of another, at any depth.
fn is_below(blocks: &[Block], block: usize, above: usize) -> bool {
    let mut parents = std::iter::successors(blocks[block].parent, |it| blocks[*it].parent);
    parents.any(|it| it == above)
}

/// Returns where the sections of a file end, by line.
fn ends(notes: &Notes, file: usize, last: usize) -> Vec<usize> {
    let heading = |it: &&Unit| it.file == file && it.kind == UnitKind::Heading;
    let starts = notes.units.iter().filter(heading).map(|it| it.line.saturating_sub(1));
    starts.chain([last]).collect()
}

fn folded<'a>(
    lines: &[&str],
    ends: &[usize],
    sections: impl Iterator<Item = &'a [&'a Block]>,
    handle: &str,
    options: &NotesOptions,
) -> (String, Vec<CompactedItem>) {
    let (mut text, mut items, mut from) = (String::new(), Vec::new(), 0);
    for blocks in sections {
        let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
            continue;
        };
        let count: usize = blocks.iter().map(|it| it.lines.len()).sum();
        let end = ends.iter().copied().find(|it| *it >= last.lines.end).unwrap_or(lines.len());
        let blank = |it: &&&str| it.trim().is_empty();
        let end = end - lines[last.lines.end..end].iter().rev().take_while(blank).count();
        for block in blocks {
            text.push_str(&lines[from..block.lines.start].concat());
            from = block.lines.end;
        }
        text.push_str(&lines[from..end].concat());
        from = end;
        let mark = format!("[{count}{MARK}{handle}]\n");
        items.push(CompactedItem {
            kind: ItemKind::OldContent,
            line: first.lines.start + 1,
            original_size: Tokens::new(blocks.iter().map(|it| it.tokens).sum()),
            compacted_size: options.counter.count(&mark),
        });
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if !text.is_empty() && !text.ends_with("\n\n") {
            text.push('\n');
        }
        text.push_str(&mark);
    }
    text.push_str(&lines[from..].concat());
    (text, items)
}
