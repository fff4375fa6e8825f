//! What do a feature's notes say? Tasks, decisions, blockers, files.
//!
//! Notes follow no format, so this looks for what people and agents really
//! write: checkboxes, headings such as `## Next Steps`, `## Decision: ...`,
//! labels such as `Blocked by:`, and the usual keys of `state.json`. Code is
//! never read as a note. What is found keeps its order and is said once.

mod lines;
mod state;

use std::collections::HashSet;

pub(super) use lines::{clean, is_none, listed_paths, with_percent};

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
    pub(super) fn after(self, older: Facts) -> Facts {
        let done: HashSet<String> = self.completed.iter().map(|it| it.to_lowercase()).collect();
        let open = |it: &String| !done.contains(&it.to_lowercase());
        let join = |mut first: Vec<String>, second: Vec<String>| {
            first.extend(second);
            first
        };
        let percent = if self.current_task.is_some() {
            self.percent
        } else {
            self.percent.or(older.percent)
        };
        Facts {
            current_task: self.current_task.or(older.current_task),
            percent,
            working_file: self.working_file.or(older.working_file),
            completed: join(older.completed, self.completed),
            in_progress: join(
                self.in_progress,
                older.in_progress.into_iter().filter(open).collect(),
            ),
            next_steps: join(
                self.next_steps,
                older.next_steps.into_iter().filter(open).collect(),
            ),
            files: join(older.files, self.files),
            blockers: join(self.blockers, older.blockers),
            decisions: join(older.decisions, self.decisions),
            constraints: join(older.constraints, self.constraints),
            context: join(self.context, older.context),
        }
        .settle()
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
        let begun: HashSet<String> = self
            .in_progress
            .iter()
            .map(|it| it.to_lowercase())
            .collect();
        self.next_steps
            .retain(|it| !begun.contains(&it.to_lowercase()));
        if self.current_task.is_none() {
            let first = self.in_progress.first().or(self.next_steps.first());
            self.current_task = first.cloned();
        }
        self
    }
}

fn is_json(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".json")
}

#[cfg(test)]
mod tests;
