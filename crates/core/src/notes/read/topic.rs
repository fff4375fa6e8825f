//! Says what a section is about by its heading, and which facts its lines are.

use super::Facts;
use crate::notes::compact::is_decision_title;

/// What the lines under a heading are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::notes) enum Topic {
    Current,
    Completed,
    InProgress,
    Next,
    Files,
    Blockers,
    Decisions,
    /// The section of one decision.
    Decision,
    Constraints,
    Context,
    Other,
}

/// Signs that say the state of the line they begin.
pub(super) const SIGNS: [(char, Topic); 11] = [
    ('✅', Topic::Completed),
    ('☑', Topic::Completed),
    ('✔', Topic::Completed),
    ('🔄', Topic::InProgress),
    ('🚧', Topic::InProgress),
    ('⏳', Topic::Next),
    ('🔜', Topic::Next),
    ('☐', Topic::Next),
    ('⛔', Topic::Blockers),
    ('🛑', Topic::Blockers),
    ('🚫', Topic::Blockers),
];

/// Words of short headings that settle the topic, in the order in which they are tried.
const WORDS: [(Topic, &[&str]); 4] = [
    (Topic::Completed, &["completed", "done", "finished", "accomplished"]),
    (Topic::Next, &["next", "todo", "todos", "remaining", "upcoming", "pending"]),
    (Topic::Constraints, &["constraint", "constraints"]),
    (
        Topic::Context,
        &["context", "overview", "summary", "status", "notes", "background", "goal", "objective"],
    ),
];

/// Words that make a heading with "files" one about changed files.
const CHANGED: [&str; 6] = ["modified", "changed", "touched", "created", "key", "affected"];

impl Topic {
    /// Finds out what a section is about by its heading.
    pub(in crate::notes) fn of_heading(title: &str) -> Topic {
        let lower = title.to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let has = |any: &[&str]| any.iter().any(|word| words.contains(word));
        let starts = |any: &[&str]| any.iter().any(|start| lower.starts_with(start));
        let numbered = words.iter().any(|word| word.parse::<u32>().is_ok());
        let short = words.len() <= 5;
        if starts(&["decision:"]) || (has(&["adr"]) && numbered) {
            return Topic::Decision;
        }
        if is_decision_title(title) {
            return Topic::Decisions;
        }
        let open_issues = short && has(&["issues"]) && !has(&["fixed", "resolved", "closed"]);
        if open_issues || has(&["blocker", "blockers", "blocking", "blocked"]) {
            return Topic::Blockers;
        }
        if starts(&["current task", "current focus"]) || lower == "current" {
            return Topic::Current;
        }
        if words.join(" ").contains("in progress") || has(&["wip", "ongoing"]) {
            return Topic::InProgress;
        }
        // "Context for next session" is not about next steps.
        if short && starts(&["context"]) {
            return Topic::Context;
        }
        if short && has(&["files"]) && (has(&CHANGED) || words.len() == 1) {
            return Topic::Files;
        }
        let known = WORDS.iter().find(|(_, any)| short && has(any));
        known.map_or(Topic::Other, |(topic, _)| *topic)
    }
}

impl Facts {
    /// Adds a line of a section to what its topic is about, if that is a list.
    pub(in crate::notes) fn add(&mut self, topic: Topic, text: String) {
        let list = match topic {
            Topic::Completed => &mut self.completed,
            Topic::InProgress => &mut self.in_progress,
            Topic::Next => &mut self.next_steps,
            Topic::Files => &mut self.files,
            Topic::Blockers => &mut self.blockers,
            Topic::Decisions => &mut self.decisions,
            Topic::Constraints => &mut self.constraints,
            Topic::Context => &mut self.context,
            Topic::Current | Topic::Decision | Topic::Other => return,
        };
        list.push(text);
    }
}
