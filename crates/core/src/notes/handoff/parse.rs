//! Reads handoff documents back, ours exactly and others as well as can be.

use super::super::read::{Topic, clean, is_none, listed_paths, with_percent};
use super::{Facts, Handoff};

/// How our documents begin.
const TITLE: &str = "# HANDOFF DOCUMENT:";

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
    let mut section: Option<Topic> = None;
    // Ours always has the task on the first line, whatever it looks like.
    let mut task_is_next = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match (heading_of(line, ours), section) {
            (Some((topic, rest)), _) => {
                section = Some(topic);
                task_is_next = ours && topic == Topic::Current;
                inline(topic, rest, &mut handoff);
            }
            (None, None) => head(line, &mut handoff),
            (None, Some(_)) if task_is_next => {
                task_is_next = false;
                task(line, &mut handoff.facts);
            }
            (None, Some(topic)) => read(topic, line, &mut handoff),
        }
    }
    handoff
}

/// Returns the topic of the section that a line opens, and what stands behind its name.
fn heading_of(line: &str, ours: bool) -> Option<(Topic, &str)> {
    if let Some(title) = line.strip_prefix("## ") {
        return Some((topic_of(title), ""));
    }
    if ours {
        return None;
    }
    let plain = line.trim_matches(|c: char| "=#*".contains(c) || c.is_whitespace());
    let (name, rest) = plain.split_once(':').unwrap_or((plain, ""));
    let name = name.trim_matches(|c: char| c == '*' || c.is_whitespace());
    let capitals = !name.is_empty() && !name.chars().any(char::is_lowercase);
    let topic = topic_of(name);
    let is_heading = (capitals || line.starts_with('#')) && topic != Topic::Other;
    is_heading.then_some((topic, rest.trim_matches(['*', ' '])))
}

/// In a handoff, constraints stand with the decisions.
fn topic_of(title: &str) -> Topic {
    match Topic::of_heading(title) {
        Topic::Decision => Topic::Other,
        Topic::Constraints => Topic::Decisions,
        topic => topic,
    }
}

/// Reads what stands on the same line as a heading, such as `FILES: a, b`.
fn inline(topic: Topic, rest: &str, handoff: &mut Handoff) {
    match topic {
        _ if rest.is_empty() => {}
        Topic::Files | Topic::Completed | Topic::Next | Topic::InProgress => {
            for text in rest.split(',') {
                add(topic, text, &mut handoff.facts);
            }
        }
        _ => read(topic, rest, handoff),
    }
}

/// Reads one line of a section.
fn read(topic: Topic, line: &str, handoff: &mut Handoff) {
    let facts = &mut handoff.facts;
    match (topic, omitted_of(line)) {
        (Topic::Completed, Some(omitted)) => handoff.omitted = omitted,
        (Topic::Current, _) => current(line, facts),
        (Topic::InProgress, _) if line.starts_with([' ', '\t']) => {}
        (Topic::Files, _) if !line.starts_with("- ") => facts.files.extend(listed_paths(line)),
        _ => add(topic, line, facts),
    }
}

fn add(topic: Topic, line: &str, facts: &mut Facts) {
    let text = clean(line);
    if !is_none(&text) {
        facts.add(topic, text);
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
