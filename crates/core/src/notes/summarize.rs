//! The document that takes the place of notes which are too long.
//!
//! By rule: everything in it stands in the notes. A caller may bring prose of
//! a summarizer, which is added and replaces nothing.

use super::handoff::{marked, numbered, section};
use super::{Facts, NotesOptions};
use crate::fit::fit_prefix;
use crate::tokens::{Counter, Tokens};

/// Writes a summary: what is done, what is not, what was decided, which files.
///
/// Sections without content are left out, but for those that a reader looks
/// for. `most` bounds completed tasks and context; what must stay is kept
/// even where that is more.
///
/// ```
/// use loadline::notes::{Facts, write_summary};
/// use loadline::tokens::{Counter, Tokens};
/// let facts = Facts { decisions: vec!["PostgreSQL".to_owned()], ..Facts::default() };
/// let counter: Counter = "o200k".parse().unwrap();
/// let text = write_summary("login", "2024-01-25", &facts, None, Tokens::MAX, &counter);
/// assert!(text.starts_with("# Summary: login (2024-01-25)\n"));
/// assert!(text.contains("\n## Key Decisions\n1. PostgreSQL\n"));
/// ```
pub fn write_summary(
    feature: &str,
    date: &str,
    facts: &Facts,
    prose: Option<&str>,
    most: Tokens,
    counter: &Counter,
) -> String {
    // What is taken first goes last: completed tasks from the newest on, then context.
    let done = facts.completed.len();
    let write = |taken: usize| {
        let lines = taken.saturating_sub(done);
        written(feature, date, facts, prose, (taken.min(done), lines))
    };
    let fitted = fit_prefix(done + facts.context.len(), most, counter, write);
    fitted.map_or_else(|| write(0), |fitted| fitted.text)
}

fn written(
    feature: &str,
    date: &str,
    facts: &Facts,
    prose: Option<&str>,
    (done, lines): (usize, usize),
) -> String {
    let mut text = format!("# Summary: {feature} ({date})\n");
    if let Some(prose) = prose.map(str::trim).filter(|it| !it.is_empty()) {
        section(&mut text, "Overview", vec![prose.to_owned()], "");
    }
    let omitted = facts.completed.len() - done;
    let mut completed = marked(&facts.completed[omitted..], "-");
    if omitted > 0 {
        completed.insert(0, format!("({omitted} earlier ones are in the archive)"));
    }
    section(&mut text, "Completed", completed, "None");
    let mut begun = marked(&facts.in_progress, "-");
    if let (Some(task), Some(percent)) = (&facts.current_task, facts.percent) {
        begun.retain(|it| it.strip_prefix("- ") != Some(task.as_str()));
        begun.insert(0, format!("- {task} ({percent}% complete)"));
    }
    section(&mut text, "In Progress", begun, "None");
    let others: [(&str, Vec<String>); 4] = [
        ("Next Steps", marked(&facts.next_steps, "-")),
        ("Blocking Issues", marked(&facts.blockers, "-")),
        ("Constraints", marked(&facts.constraints, "-")),
        ("Context", facts.context[..lines].to_vec()),
    ];
    for (title, lines) in others.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        section(&mut text, title, lines, "");
    }
    section(&mut text, "Key Decisions", numbered(&facts.decisions), "None");
    let files = format!("Files Modified ({} total)", facts.files.len());
    section(&mut text, &files, marked(&facts.files, "-"), "None");
    text
}

/// Returns how many tokens a summary may have: a share of the notes.
pub(super) fn room(before: Tokens, options: &NotesOptions) -> Tokens {
    let share = Tokens::new(before.get() / 8);
    let least = options.counter.count("# Summary").get().saturating_mul(40);
    share.max(Tokens::new(least))
}
