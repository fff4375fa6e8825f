//! Reads what a feature's notes say: tasks, decisions, blockers, files.
//!
//! Notes follow no format, so this looks for what people and agents really
//! write: checkboxes, headings such as `## Next Steps`, `## Decision: ...`,
//! labels such as `Blocked by:`, and the usual keys of `state.json`. Code is
//! never read as a note. What is found keeps its order and is said once.

mod lines;
mod state;
mod topic;
mod words;

use std::collections::HashSet;

pub(super) use topic::Topic;
pub(super) use words::{clean, is_none, listed_paths, with_percent};

/// What a feature's notes say, each list in the order of the notes.
///
/// Every text is one line without markers around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What is being worked on.
    pub current_task: Option<String>,
    /// How much of it is done, in percent.
    pub percent: Option<u8>,
    /// The file that is being worked on.
    pub working_file: Option<String>,
    /// Tasks that are done.
    pub completed: Vec<String>,
    /// Tasks that were begun.
    pub in_progress: Vec<String>,
    /// Tasks that are open, and steps that are to come.
    pub next_steps: Vec<String>,
    /// Files that were modified.
    pub files: Vec<String>,
    /// What is in the way.
    pub blockers: Vec<String>,
    /// What was decided.
    pub decisions: Vec<String>,
    /// What must be respected.
    pub constraints: Vec<String>,
    /// Other lines that a reader needs, the most telling first.
    pub context: Vec<String>,
}

/// Reads what notes say, given by name and text, in order.
///
/// ```
/// let facts = loadline::notes::read_notes(&[
///     ("tasks.md", "- [x] login\n- [ ] logout\n"),
///     ("research.md", "## Decision: sessions in PostgreSQL\n"),
///     ("state.json", r#"{"filesModified": ["src/auth.ts"]}"#),
/// ]);
/// assert_eq!(facts.completed, ["login"]);
/// assert_eq!(facts.next_steps, ["logout"]);
/// assert_eq!(facts.decisions, ["sessions in PostgreSQL"]);
/// assert_eq!(facts.files, ["src/auth.ts"]);
/// ```
pub fn read_notes(notes: &[(&str, &str)]) -> Facts {
    let mut facts = Facts::default();
    for (name, text) in notes {
        if is_json(name) {
            state::read(name, text, &mut facts)
        } else {
            lines::read(text, &mut facts)
        }
    }
    facts.settle()
}

impl Facts {
    /// Adds what older notes said, unless it was done since.
    pub(super) fn after(mut self, mut older: Facts) -> Facts {
        let done = lower(&self.completed);
        older.in_progress.retain(|it| !done.contains(&it.to_lowercase()));
        older.next_steps.retain(|it| !done.contains(&it.to_lowercase()));
        // What is still to do stands with the newest first, what is done in its order.
        for (newer, older) in [
            (&mut self.in_progress, &mut older.in_progress),
            (&mut self.next_steps, &mut older.next_steps),
            (&mut self.blockers, &mut older.blockers),
            (&mut self.context, &mut older.context),
        ] {
            newer.append(older);
        }
        for (newer, older) in [
            (&mut self.completed, older.completed),
            (&mut self.files, older.files),
            (&mut self.decisions, older.decisions),
            (&mut self.constraints, older.constraints),
        ] {
            newer.splice(0..0, older);
        }
        if self.current_task.is_none() {
            self.current_task = older.current_task;
            self.percent = self.percent.or(older.percent);
        }
        self.working_file = self.working_file.or(older.working_file);
        self.settle()
    }

    /// Says everything once, and finds the current task where none was named.
    pub(super) fn settle(mut self) -> Facts {
        for list in [
            &mut self.completed,
            &mut self.in_progress,
            &mut self.next_steps,
            &mut self.files,
            &mut self.blockers,
            &mut self.decisions,
            &mut self.constraints,
            &mut self.context,
        ] {
            let mut seen = HashSet::new();
            list.retain(|it| !it.is_empty() && seen.insert(it.to_lowercase()));
        }
        let begun = lower(&self.in_progress);
        self.next_steps.retain(|it| !begun.contains(&it.to_lowercase()));
        if self.current_task.is_none() {
            let first = self.in_progress.first().or(self.next_steps.first());
            self.current_task = first.cloned();
        }
        self
    }

    /// Takes the current task with the share of it that is done, unless there is one.
    fn set_current(&mut self, text: &str) {
        if self.current_task.is_none() {
            let (task, percent) = with_percent(text);
            self.current_task = Some(task);
            self.percent = self.percent.or(percent);
        }
    }
}

fn lower(texts: &[String]) -> HashSet<String> {
    texts.iter().map(|it| it.to_lowercase()).collect()
}

fn is_json(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".json")
}

#[cfg(test)]
mod tests;
