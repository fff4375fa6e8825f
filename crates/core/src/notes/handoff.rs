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
use crate::fit::fit_prefix;
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
        facts.percent = task.as_ref().and_then(|(_, percent)| facts.percent.or(*percent));
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
    pub fn fit(self, most: Tokens, counter: &Counter) -> (Handoff, Option<Remark>) {
        let count = self.facts.context.len() + self.facts.completed.len();
        let fitted =
            fit_prefix(count, most, counter, |taken| write_handoff(&self.with_first(taken)));
        let taken = fitted.as_ref().map_or(0, |fitted| fitted.taken);
        let handoff = self.with_first(taken);
        let remark = fitted.is_none().then(|| {
            let tokens = counter.count(&write_handoff(&handoff));
            let message = format!("has {tokens} tokens, above {most}: all of it must stay");
            Remark::new(super::HANDOFF_FILE, message)
        });
        (handoff, remark)
    }

    /// Returns it with so many of the lines that may go: the first of the context, then
    /// completed tasks from the newest on, then the rest of the context.
    fn with_first(&self, taken: usize) -> Handoff {
        let mut handoff = self.clone();
        let Facts { completed, context, .. } = &mut handoff.facts;
        let telling = taken.min(TELLING).min(context.len());
        let done = (taken - telling).min(completed.len());
        context.truncate(taken - done);
        handoff.omitted += completed.len() - done;
        completed.drain(..completed.len() - done);
        handoff
    }
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
    section(&mut text, "COMPLETED", earlier.into_iter().chain(done).collect(), "None");
    section(&mut text, "IN PROGRESS", marked(&facts.in_progress, "🔄"), "None");
    section(&mut text, "NEXT STEPS", numbered(&facts.next_steps), "None");
    let files = format!("FILES MODIFIED ({})", facts.files.len());
    section(&mut text, &files, marked(&facts.files, "-"), "None");
    section(&mut text, "BLOCKING ISSUES", marked(&facts.blockers, "-"), "None");
    let decisions = numbered(&facts.decisions);
    section(&mut text, "KEY DECISIONS & CONSTRAINTS", decisions, "None");
    section(&mut text, "CONTEXT FOR NEXT SESSION", facts.context.clone(), "None");
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
    items.map(|(index, item)| format!("{}. {item}", index + 1)).collect()
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
