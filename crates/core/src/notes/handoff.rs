//! The document with which a new session starts, and the way back from it.
//!
//! [`write_handoff`] and [`parse_handoff`] are each other's inverse, so that
//! nothing is lost when one handoff follows another. Documents of other tools
//! and of people are read as far as they can be understood.

mod parse;

use jiff::Timestamp;

use super::read::{clean, is_none, with_percent};
use super::{Facts, NotesOptions};
use crate::Remark;
use crate::tokens::{Counter, Tokens};

pub use parse::parse_handoff;

/// Lines of context that are worth more than completed tasks.
const TELLING: usize = 5;

/// What a new session has to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handoff {
    /// The name of the feature.
    pub feature: String,
    /// When it was written.
    pub generated: Option<Timestamp>,
    /// The session that is handed over.
    pub session: Option<String>,
    /// The checkpoint that was taken before.
    pub checkpoint: Option<String>,
    /// What the notes say; constraints stand with the decisions.
    pub facts: Facts,
    /// How many completed tasks are only in the archive.
    pub omitted: usize,
}

impl Handoff {
    /// Takes what notes say, each text as one line.
    pub fn new(feature: &str, facts: &Facts, options: &NotesOptions) -> Handoff {
        let facts = facts.clone();
        let line = |text: Option<String>| text.map(|it| clean(&it)).filter(|it| !is_none(it));
        let lines = |list: Vec<String>| -> Vec<String> {
            let lines = list.into_iter().map(|it| clean(&it));
            lines.filter(|it| !is_none(it)).collect()
        };
        let mut decisions = facts.decisions;
        decisions.extend(facts.constraints);
        let mut facts = Facts {
            percent: facts.percent.map(|it| it.min(100)),
            current_task: line(facts.current_task),
            working_file: line(facts.working_file),
            completed: lines(facts.completed),
            in_progress: lines(facts.in_progress),
            next_steps: lines(facts.next_steps),
            files: lines(facts.files),
            blockers: lines(facts.blockers),
            decisions: lines(decisions),
            constraints: Vec::new(),
            context: lines(facts.context),
        }
        .settle();
        let task = facts.current_task.take().map(|task| with_percent(&task));
        let task = task.filter(|(task, _)| !is_none(task));
        facts.percent = task
            .as_ref()
            .and_then(|(_, percent)| facts.percent.or(*percent));
        facts.current_task = task.map(|(task, _)| task);
        Handoff {
            feature: feature.to_owned(),
            // The document holds seconds.
            generated: Timestamp::from_second(options.now.as_second()).ok(),
            session: line(options.session.clone()),
            checkpoint: line(options.checkpoint.clone()),
            facts,
            omitted: 0,
        }
    }

    /// Makes it small enough for a share of a new window.
    ///
    /// Context goes first but for its first lines, then the oldest completed tasks,
    /// then the rest of the context. Decisions, open tasks, blockers and files stay,
    /// and a note says so where they alone are too much.
    pub fn fit(mut self, most: Tokens, counter: &Counter) -> (Handoff, Option<Remark>) {
        let fits = |handoff: &Handoff| counter.count_up_to(&write_handoff(handoff), most).is_some();
        if fits(&self) {
            return (self, None);
        }
        let context = std::mem::take(&mut self.facts.context);
        let completed = std::mem::take(&mut self.facts.completed);
        let with = |base: &Handoff, done: usize, lines: usize| {
            let mut handoff = base.clone();
            handoff.omitted = base.omitted + completed.len() - done;
            handoff.facts.completed = completed[completed.len() - done..].to_vec();
            handoff.facts.context = context[..lines].to_vec();
            handoff
        };
        let telling = context.len().min(TELLING);
        let telling = most_that(telling, |lines| fits(&with(&self, 0, lines)));
        let done = most_that(completed.len(), |done| fits(&with(&self, done, telling)));
        let lines = if done == completed.len() {
            most_that(context.len(), |lines| fits(&with(&self, done, lines)))
        } else {
            telling
        };
        let handoff = with(&self, done, lines);
        let tokens = counter.count(&write_handoff(&handoff));
        let note = (tokens > most).then(|| {
            let message = format!("has {tokens} tokens, above {most}: all of it must stay");
            Remark::new(super::HANDOFF_FILE, message)
        });
        (handoff, note)
    }
}

/// Returns the largest number up to `most` for which something holds, or 0.
fn most_that(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if holds(middle) {
            low = middle
        } else {
            high = middle - 1
        }
    }
    low
}

/// Writes a handoff document.
///
/// ```
/// use loadline::notes::{Facts, Handoff, parse_handoff, write_handoff};
/// let handoff = Handoff {
///     feature: "login".to_owned(),
///     facts: Facts { next_steps: vec!["add logout".to_owned()], ..Facts::default() },
///     ..Handoff::default()
/// };
/// let text = write_handoff(&handoff);
/// assert!(text.starts_with("# HANDOFF DOCUMENT: login\n"));
/// assert!(text.contains("\n## NEXT STEPS\n1. add logout\n"));
/// assert_eq!(parse_handoff(&text), handoff);
/// ```
pub fn write_handoff(handoff: &Handoff) -> String {
    let facts = &handoff.facts;
    let mut text = format!("# HANDOFF DOCUMENT: {}\n", handoff.feature);
    let generated = handoff.generated.map(|time| time.to_string());
    for (label, value) in [
        ("Generated", &generated),
        ("Session", &handoff.session),
        ("Checkpoint", &handoff.checkpoint),
    ] {
        if let Some(value) = value {
            text.push_str(&format!("{label}: {value}\n"));
        }
    }
    section(&mut text, "CURRENT TASK", current(facts), "");
    let omitted = handoff.omitted;
    let earlier = (omitted > 0).then(|| format!("({omitted} earlier ones are in the archive)"));
    let done = facts.completed.iter().map(|it| format!("✅ {it}"));
    section(
        &mut text,
        "COMPLETED",
        earlier.into_iter().chain(done).collect(),
        "None",
    );
    section(
        &mut text,
        "IN PROGRESS",
        marked(&facts.in_progress, "🔄"),
        "None",
    );
    section(&mut text, "NEXT STEPS", numbered(&facts.next_steps), "None");
    let files = format!("FILES MODIFIED ({})", facts.files.len());
    section(&mut text, &files, marked(&facts.files, "-"), "None");
    section(
        &mut text,
        "BLOCKING ISSUES",
        marked(&facts.blockers, "-"),
        "None",
    );
    let decisions = numbered(&facts.decisions);
    section(&mut text, "KEY DECISIONS & CONSTRAINTS", decisions, "None");
    section(
        &mut text,
        "CONTEXT FOR NEXT SESSION",
        facts.context.clone(),
        "None",
    );
    text
}

fn current(facts: &Facts) -> Vec<String> {
    let percent = facts.percent.map(|it| format!(" ({it}% complete)"));
    let task = match &facts.current_task {
        Some(task) => format!("{task}{}", percent.unwrap_or_default()),
        None => "None".to_owned(),
    };
    let file = facts.working_file.as_ref();
    let file = file.map(|file| format!("Working file: {file}"));
    std::iter::once(task).chain(file).collect()
}

pub(super) fn marked(items: &[String], mark: &str) -> Vec<String> {
    items.iter().map(|item| format!("{mark} {item}")).collect()
}

pub(super) fn numbered(items: &[String]) -> Vec<String> {
    let items = items.iter().enumerate();
    items
        .map(|(index, item)| format!("{}. {item}", index + 1))
        .collect()
}

/// Appends a heading and its lines.
pub(super) fn section(text: &mut String, title: &str, lines: Vec<String>, nothing: &str) {
    text.push_str(&format!("\n## {title}\n"));
    if lines.is_empty() && !nothing.is_empty() {
        text.push_str(nothing);
        text.push('\n');
    }
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
}

#[cfg(test)]
mod tests;
