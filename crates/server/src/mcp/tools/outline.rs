//! `outline`: what a file defines, or the best files of a directory.

use std::fmt::Write;

use loadline::pack::{Format, Mapped, MappedFile, map, show_file};
use loadline::syntax::{Outline, outline};
use loadline::tokens::Tokens;

use super::super::answer::{Answer, ToolError};
use super::super::arguments::Arguments;
use super::super::job::Job;
use super::super::page::{Block, FIRST};
use super::{narrow, notes};
use crate::roots::Place;

/// Notes below a map.
const FOOT: u64 = 100;
/// Lines of a file without an outline that are shown instead.
const FIRST_LINES: usize = 40;

pub(super) fn call(job: &Job, arguments: &Arguments) -> Result<Answer, ToolError> {
    let max = arguments.max_tokens()?;
    let cursor = arguments.text("cursor")?;
    let place = job.state.roots.find(arguments.text("path")?.as_deref())?;
    let notes = notes("outline", arguments);
    if !place.absolute().is_dir() {
        let (block, notes) = file(job, &place, notes)?;
        return job.page(vec![block], notes, cursor.as_deref(), max);
    }
    if cursor.is_none() {
        return overview(job, &place, max, notes);
    }
    // All files of a directory with what they define, best first.
    let blocks = mapped(job, &place, None)?.files.iter().map(block).collect();
    job.page(blocks, notes, cursor.as_deref(), max)
}

/// What one file defines, by line.
fn file(
    job: &Job,
    place: &Place,
    mut notes: Vec<String>,
) -> Result<(Block, Vec<String>), ToolError> {
    let shown = show_file(&place.root, &place.relative, &job.pack_options())?;
    let lines = shown.text.lines().count();
    let parsed = shown.language.map(|language| outline(language, &shown.text));
    let text = match parsed {
        Some(Ok(outline)) if !outline.definitions.is_empty() => definitions(&outline),
        _ => {
            notes.push("no outline available; showing the first lines".to_owned());
            let first = shown.text.split_inclusive('\n').take(FIRST_LINES);
            first.collect()
        }
    };
    let title = format!("{} ({lines} lines)", place.shown());
    Ok((Block { title, text, ..Block::default() }, notes))
}

/// One line per definition, members indented.
fn definitions(outline: &Outline) -> String {
    let mut text = String::new();
    let mut depths: Vec<usize> = Vec::with_capacity(outline.definitions.len());
    for definition in &outline.definitions {
        let parent = definition.parent.and_then(|at| depths.get(at));
        let depth = parent.map_or(0, |depth| depth + 1);
        depths.push(depth);
        let line = definition.first_line;
        let indent = "  ".repeat(depth.min(20));
        let signature = definition.signature.lines().next().unwrap_or_default();
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{line} {indent}{}", signature.trim());
    }
    text
}

/// The best files of a directory with their best definitions, in one page.
fn overview(
    job: &Job,
    place: &Place,
    max: Tokens,
    mut notes: Vec<String>,
) -> Result<Answer, ToolError> {
    let mapped = mapped(job, place, Some(max.saturating_sub(Tokens::new(FOOT))))?;
    let (shown, all) = (mapped.files.len(), mapped.files.len() + mapped.omitted);
    if all == 0 {
        let place = place.shown();
        return Ok(format!("No text files below {place}.\n").into());
    }
    let is_whole = mapped.omitted == 0 && mapped.files.iter().all(|file| file.left_out == 0);
    if !is_whole {
        notes.push(format!(
            "{shown} of {all} files; more: a directory as path, or cursor \"{FIRST}\" for all in detail"
        ));
    }
    job.page(vec![Block { text: mapped.content, ..Block::default() }], notes, None, max)
}

fn mapped(job: &Job, place: &Place, budget: Option<Tokens>) -> Result<Mapped, ToolError> {
    let mut options = job.pack_options();
    options.budget = budget;
    options.format = Format::Plain;
    narrow(&mut options, place);
    let store = &job.state.options.store;
    Ok(map(&place.root, &options, store)?)
}

fn block(file: &MappedFile) -> Block {
    let mut text = String::new();
    for entry in &file.entries {
        let indent = "  ".repeat(entry.depth.min(20) + 1);
        let _ = match entry.line {
            Some(line) => writeln!(text, "{indent}{line} {}", entry.text),
            None => writeln!(text, "{indent}{}", entry.text),
        };
    }
    Block { title: format!("{} ({} lines)", file.path, file.lines), text, ..Block::default() }
}
