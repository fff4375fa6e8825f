//! The project's context file stays below a number of lines.
//!
//! Headings always stay, so that the outline of the document does. Of the text
//! below them the newest stays; the rest goes to the archive.

use std::path::{Path, PathBuf};

use super::super::vault::{Expected, HistoryEntry, Operation, Target, carry_out, look};
use super::super::{COMPACTION_DIRECTORY, NotesError, WriteOptions};
use crate::Remark;

/// The name of the project's context file.
pub const CONTEXT_FILE: &str = "project-context.md";

/// Where it may be, from the project's root; the first that is there counts.
const PLACES: [&str; 4] = [".claude/memory", ".claude/plans", ".claude", ""];

/// What pruning the project's context file did, or would do.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct ContextPrune {
    /// The file.
    pub path: PathBuf,
    /// Its lines before.
    pub lines_before: usize,
    /// Its lines after.
    pub lines_after: usize,
    /// Its record, which can be reverted; `None` where nothing was written.
    pub entry: Option<HistoryEntry>,
    /// What is worth telling.
    pub notes: Vec<Remark>,
    change: Option<Cut>,
}

/// The two parts of a file that was too long.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    before: Vec<u8>,
    kept: String,
    overflow: String,
}

impl ContextPrune {
    /// Tells whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.change.is_none()
    }
}

/// Finds the project's context file.
pub fn find_context_file(project_root: &Path) -> Option<PathBuf> {
    let paths = PLACES.map(|place| project_root.join(place).join(CONTEXT_FILE));
    paths.into_iter().find(|path| path.is_file())
}

/// Says what would become of the file; writes nothing.
pub fn plan_context(
    path: &Path,
    max_lines: usize,
    options: &WriteOptions,
) -> Result<ContextPrune, NotesError> {
    let mut plan = ContextPrune {
        path: path.to_owned(),
        lines_before: 0,
        lines_after: 0,
        entry: None,
        notes: Vec::new(),
        change: None,
    };
    let Some(found) = look(path)? else {
        return Ok(plan);
    };
    let Ok(text) = std::str::from_utf8(&found.bytes) else {
        let name = path.display().to_string();
        plan.notes.push(Remark::new(name, "not UTF-8, left alone"));
        return Ok(plan);
    };
    plan.lines_before = text.lines().count();
    plan.lines_after = plan.lines_before;
    let marker =
        format!("<!-- older text: {COMPACTION_DIRECTORY}/archived, {} -->", overflow_name(options));
    if let Some((kept, overflow)) = cut(text, max_lines, &marker) {
        plan.lines_after = kept.lines().count();
        if plan.lines_after > max_lines {
            let message = format!("its headings alone are more than {max_lines} lines");
            plan.notes.push(Remark::new(CONTEXT_FILE, message));
        }
        plan.change = Some(Cut { before: found.bytes, kept, overflow });
    }
    Ok(plan)
}

/// Cuts the file to its newest lines; the rest goes to the archive beside it.
pub fn prune_context(
    path: &Path,
    max_lines: usize,
    options: &WriteOptions,
) -> Result<ContextPrune, NotesError> {
    let vault = options.vault_beside(path);
    let mut plan = plan_context(path, max_lines, options)?;
    if plan.is_empty() && !vault.is_unfinished() {
        return Ok(plan);
    }
    let locked = vault.lock(options.wait)?;
    plan = plan_context(path, max_lines, options)?;
    plan.notes.extend(locked.notes.iter().cloned());
    let Some(change) = plan.change.clone() else {
        return Ok(plan);
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let operation = Operation {
        kind: "prune",
        tokens: None,
        targets: vec![Target {
            path: name.into_owned(),
            expected: Some(Expected(Some(change.before))),
            after: Some(change.kept.into_bytes()),
            like: None,
        }],
        extra: vec![(overflow_name(options), change.overflow.into_bytes())],
        reverts: None,
        // Beside the file there may be a whole project.
        checkpoint: None,
        now: options.now,
        window: options.rollback_window,
    };
    let (entry, notes) = carry_out(&locked, operation)?;
    plan.notes.extend(notes);
    plan.entry = Some(entry);
    Ok(plan)
}

fn overflow_name(options: &WriteOptions) -> String {
    format!("archive-{}.md", options.now.as_second())
}

/// A heading with the lines below it. What stands before the first heading has none.
#[derive(Debug, Default)]
struct Part<'a> {
    heading: Option<&'a str>,
    body: Vec<&'a str>,
}

/// Splits a text that is too long into what stays and what goes.
fn cut(text: &str, max_lines: usize, marker: &str) -> Option<(String, String)> {
    if text.lines().count() <= max_lines {
        return None;
    }
    let parts = parts(text);
    let headings = parts.iter().filter(|part| part.heading.is_some()).count();
    let mut room = max_lines.saturating_sub(headings + 1);
    let mut kept = vec![0; parts.len()];
    let order: Vec<usize> = if newest_first(&parts) {
        (0..parts.len()).collect()
    } else {
        (0..parts.len()).rev().collect()
    };
    for index in order {
        let lines = parts[index].body.len();
        kept[index] = lines.min(room);
        room -= kept[index];
        // Part of the one that does not fit, and nothing that is older.
        if kept[index] < lines {
            break;
        }
    }
    let (mut stays, mut goes) = (String::new(), String::new());
    let mut marked = false;
    for (part, kept) in parts.iter().zip(kept) {
        // What is new stands at the end of a section.
        let (old, new) = part.body.split_at(part.body.len() - kept);
        stays.extend(part.heading);
        if !old.is_empty() {
            goes.extend(part.heading);
            goes.extend(old.iter().copied());
            if !marked {
                stays.push_str(marker);
                stays.push('\n');
                marked = true;
            }
        }
        stays.extend(new.iter().copied());
    }
    (!goes.is_empty()).then_some((stays, goes))
}

/// Cuts a text at its headings; those inside of fences are none.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = vec![Part::default()];
    let mut fence: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        match fence {
            Some(open) if trimmed.starts_with(open) => fence = None,
            None if trimmed.starts_with("```") => fence = Some("```"),
            None if trimmed.starts_with("~~~") => fence = Some("~~~"),
            None if is_heading(line) => {
                parts.push(Part { heading: Some(line), body: Vec::new() });
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.body.push(line);
        }
    }
    parts
}

fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    let depth = line.len() - rest.len();
    (1..=6).contains(&depth) && rest.starts_with([' ', '\t', '\n', '\r'])
}

/// Tells whether dates in the headings descend; notes without dates grow at their end.
fn newest_first(parts: &[Part<'_>]) -> bool {
    let headings = parts.iter().filter_map(|part| part.heading);
    let dates: Vec<&str> = headings.filter_map(date_in).collect();
    matches!((dates.first(), dates.last()), (Some(first), Some(last)) if first > last)
}

/// Finds a date such as `2026-01-31` in a line.
fn date_in(line: &str) -> Option<&str> {
    let is_date = |text: &&str| {
        text.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
    };
    let starts = line.char_indices().map(|(index, _)| index);
    let words = starts.filter_map(|start| line.get(start..start + 10));
    words.into_iter().find(is_date)
}

#[cfg(test)]
mod tests {
    use super::super::super::vault::tests::{World, options};
    use super::*;

    fn pruned(text: &str, most: usize) -> (World, ContextPrune) {
        let world = World::new(&[(CONTEXT_FILE, text)]);
        let path = world.feature.path(CONTEXT_FILE);
        let done = prune_context(&path, most, &options(0)).unwrap();
        (world, done)
    }

    fn sections(count: usize, heading: impl Fn(usize) -> String) -> String {
        let section = |number| format!("## {}\n\ntext {number}\nmore\n\n", heading(number));
        format!("# Project\n\n{}", (0..count).map(section).collect::<String>())
    }

    #[test]
    fn f210_headings_and_the_newest_text_stay() {
        let text = sections(10, |number| format!("Part {number}"));
        let (world, done) = pruned(&text, 30);
        let kept = world.read(CONTEXT_FILE);
        assert_eq!((done.lines_before, done.lines_after), (52, 30));
        assert_eq!(kept.lines().filter(|line| line.starts_with('#')).count(), 11);
        assert!(kept.starts_with("# Project\n<!-- older text: "), "{kept}");
        assert!(kept.ends_with("## Part 9\n\ntext 9\nmore\n\n"), "{kept}");
        assert!(!kept.contains("text 4"), "{kept}");
        let overflow = world.read(".compaction/archived/2026-01-31_archive-1769860800.md");
        assert!(overflow.contains("## Part 4\n\ntext 4\nmore\n"), "{overflow}");
        assert!(!overflow.contains("text 9"), "{overflow}");
        assert_eq!(world.read(".compaction/archived/2026-01-31_project-context.md"), text);
        world.revert(&done.entry.unwrap().id, 1).unwrap();
        assert_eq!(world.read(CONTEXT_FILE), text);
    }

    #[test]
    fn f210_dates_tell_which_end_is_new() {
        let text = sections(10, |number| format!("2026-01-{}", 30 - number));
        let (world, _) = pruned(&text, 30);
        let kept = world.read(CONTEXT_FILE);
        assert!(kept.contains("text 0") && !kept.contains("text 9"), "{kept}");
    }

    #[test]
    fn f210_what_fits_is_left_alone_and_headings_are_not_cut() {
        let text = sections(3, |number| number.to_string());
        let (world, done) = pruned(&text, 17);
        assert!(done.is_empty() && done.entry.is_none());
        assert!(!world.feature.path(".compaction").exists());
        let (world, done) = pruned(&text, 2);
        assert_eq!(world.read(CONTEXT_FILE).matches('#').count(), 7);
        assert!(done.notes[0].message.contains("headings alone"), "{:?}", done.notes);
        // Twice is no more than once.
        let path = world.feature.path(CONTEXT_FILE);
        let again = prune_context(&path, 5, &options(9)).unwrap();
        assert!(again.is_empty(), "{again:?}");
    }

    #[test]
    fn f210_a_heading_in_a_fence_is_text() {
        let fence = "```sh\n# no heading\n```\n".repeat(10);
        let (world, done) = pruned(&format!("# One\n{fence}# Two\nlast\n"), 8);
        assert_eq!(done.lines_after, 8);
        assert!(world.read(CONTEXT_FILE).ends_with("# Two\nlast\n"));
    }

    #[test]
    fn f210_the_file_is_found_where_projects_keep_it() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(find_context_file(directory.path()), None);
        for place in ["", ".claude/memory"] {
            let path = directory.path().join(place).join(CONTEXT_FILE);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "x").unwrap();
            assert_eq!(find_context_file(directory.path()), Some(path));
        }
    }
}
