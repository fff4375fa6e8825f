//! Reads handoff documents back, ours exactly and others as well as can be.

use super::super::read::{clean, is_none, listed_paths, with_percent};
use super::{Facts, Handoff};

/// How our documents begin.
const TITLE: &str = "# HANDOFF DOCUMENT:";

/// The parts of a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Head,
    Current,
    Completed,
    InProgress,
    Next,
    Files,
    Blockers,
    Decisions,
    Context,
    Unknown,
}

/// Reads a handoff document.
///
/// In documents that [`write_handoff`](super::write_handoff) did not make,
/// headings may also be lines of capitals, with or without a colon, between
/// `=` signs, or with a list behind them (`FILES: a, b`). What is not
/// understood is left out.
pub fn parse_handoff(text: &str) -> Handoff {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let ours = text.trim_start().starts_with(TITLE);
    let mut handoff = Handoff::default();
    let mut part = Part::Head;
    // Ours always has the task on the first line, whatever it looks like.
    let mut task_is_next = false;
    for line in text.lines() {
        if line.trim().is_empty() {
            continue;
        }
        match heading_of(line, ours) {
            Some((next, rest)) => {
                part = next;
                task_is_next = ours && part == Part::Current;
                if !rest.is_empty() {
                    inline(part, rest, &mut handoff);
                }
            }
            None if task_is_next => {
                task_is_next = false;
                task(line, &mut handoff.facts);
            }
            None => read(part, line, &mut handoff),
        }
    }
    handoff
}

/// Returns the part that a line opens, and what stands behind its name.
fn heading_of(line: &str, ours: bool) -> Option<(Part, &str)> {
    if let Some(title) = line.strip_prefix("## ") {
        return Some((part_of(title).unwrap_or(Part::Unknown), ""));
    }
    if ours {
        return None;
    }
    let plain = line.trim_matches(|c: char| c == '=' || c == '#' || c == '*' || c.is_whitespace());
    let (name, rest) = plain.split_once(':').unwrap_or((plain, ""));
    let name = name.trim_matches(|c: char| c == '*' || c.is_whitespace());
    let capitals = !name.is_empty() && !name.chars().any(char::is_lowercase);
    let marked = line.starts_with('#');
    (capitals || marked).then_some(())?;
    Some((part_of(name)?, rest.trim_matches(['*', ' '])))
}

fn part_of(title: &str) -> Option<Part> {
    let title = title.to_lowercase();
    let title = title.trim_start_matches(|c: char| !c.is_alphanumeric());
    let names = [
        ("current", Part::Current),
        ("completed", Part::Completed),
        ("done", Part::Completed),
        ("in progress", Part::InProgress),
        ("wip", Part::InProgress),
        ("next", Part::Next),
        ("files", Part::Files),
        ("blocking", Part::Blockers),
        ("blockers", Part::Blockers),
        ("issues", Part::Blockers),
        ("key decisions", Part::Decisions),
        ("decisions", Part::Decisions),
        ("constraints", Part::Decisions),
        ("context", Part::Context),
    ];
    let known = names.iter().find(|(name, _)| title.starts_with(name));
    known.map(|(_, part)| *part)
}

/// Reads what stands on the same line as a heading.
fn inline(part: Part, rest: &str, handoff: &mut Handoff) {
    let list = matches!(
        part,
        Part::Files | Part::Completed | Part::Next | Part::InProgress
    );
    match part {
        Part::Files => handoff.facts.files.extend(listed(rest)),
        _ if list => rest.split(',').for_each(|it| read(part, it, handoff)),
        _ => read(part, rest, handoff),
    }
}

fn listed(list: &str) -> Vec<String> {
    let files = list.split(',').map(clean);
    files.filter(|file| !is_none(file)).collect()
}

/// Reads one line of a part.
fn read(part: Part, line: &str, handoff: &mut Handoff) {
    let text = clean(line);
    let facts = &mut handoff.facts;
    match part {
        Part::Head => head(line, handoff),
        Part::Completed => match omitted_of(line) {
            Some(omitted) => handoff.omitted = omitted,
            None => push(&mut facts.completed, text),
        },
        Part::Current => current(line, facts),
        Part::InProgress if line.starts_with([' ', '\t']) => {}
        Part::InProgress => push(&mut facts.in_progress, text),
        Part::Next => push(&mut facts.next_steps, text),
        Part::Files if line.starts_with("- ") => push(&mut facts.files, text),
        Part::Files => facts.files.extend(listed_paths(line)),
        Part::Blockers => push(&mut facts.blockers, text),
        Part::Decisions => push(&mut facts.decisions, text),
        Part::Context => push(&mut facts.context, text),
        Part::Unknown => {}
    }
}

fn push(list: &mut Vec<String>, text: String) {
    if !is_none(&text) {
        list.push(text);
    }
}

fn head(line: &str, handoff: &mut Handoff) {
    let value = |label: &str| Some(line.trim().strip_prefix(label)?.trim().to_owned());
    if let Some(feature) = value(TITLE).or(value("FEATURE:")).or(value("# HANDOFF:")) {
        handoff.feature = feature;
    } else if let Some(time) = value("Generated:") {
        handoff.generated = time.parse().ok();
    } else if let Some(session) = value("Session:") {
        handoff.session = Some(session);
    } else if let Some(checkpoint) = value("Checkpoint:") {
        handoff.checkpoint = Some(checkpoint);
    }
}

fn current(line: &str, facts: &mut Facts) {
    let file = line.trim().strip_prefix("Working file:");
    if let Some(file) = file.filter(|_| facts.working_file.is_none()) {
        facts.working_file = Some(clean(file)).filter(|it| !is_none(it));
    } else if facts.current_task.is_none() {
        task(line, facts);
    }
}

fn task(line: &str, facts: &mut Facts) {
    let (task, percent) = with_percent(line.trim());
    facts.current_task = Some(clean(&task)).filter(|it| !is_none(it));
    facts.percent = facts.current_task.as_ref().and(percent);
}

/// Reads `(12 earlier ones are in the archive)`.
fn omitted_of(line: &str) -> Option<usize> {
    let inside = line.trim().strip_prefix('(')?;
    let number = inside.strip_suffix(" earlier ones are in the archive)")?;
    number.parse().ok()
}
