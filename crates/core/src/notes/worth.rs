//! How much each unit is worth to whoever goes on with the work.
//!
//! A unit has named signals; its worth is their weighted sum. The weights are data
//! (`data/notes-weights.toml`), fitted by `benches/notes/fit.py` on notes of public
//! repositories by what the next commits really referred to. There are two sets: one for
//! notes alone, and one for notes whose repository is known.

mod language;
mod recency;
mod relevance;
mod signals;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Notes, Role};
pub(super) use language::Language;
use language::Mentions;
use recency::Recency;
use relevance::relevance;
pub(super) use signals::{Row, Signals};
use signals::{SIGNALS, names};

/// What is known besides the notes.
#[derive(Clone, Debug, Default)]
pub struct Background {
    /// What the next session is to work on.
    pub task: Option<String>,
    /// The last commits, newest first: message and changed paths.
    pub commits: Vec<(String, Vec<String>)>,
    /// When each line of each file was last changed, by the name of the file, in any unit.
    pub changed: HashMap<String, Vec<i64>>,
}

impl Background {
    /// Tells whether it says anything about the repository.
    fn knows_git(&self) -> bool {
        !self.commits.is_empty() || !self.changed.is_empty()
    }
}

/// The weights, and how they are used.
#[derive(Deserialize)]
struct Weights {
    /// How much cost counts: worth is divided by the tokens to this power.
    cost: f64,
    /// How much of a unit's worth goes with the words that others have said.
    said: f64,
    /// What the task's words are worth.
    task: f64,
    /// The share of the budget for decisions, constraints and blockers.
    protected: f64,
    /// The same where there is a task.
    protected_task: f64,
    /// Per signal: alone, and with the repository.
    weights: HashMap<String, [f64; 2]>,
}

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/notes-weights.toml")).expect("own data")
});

/// Units with what they are worth.
pub(super) struct Worth {
    /// What each unit is worth, above 0.
    pub(super) values: Vec<f64>,
    /// The signals of each unit, in the order of [`signal_names`].
    pub(super) rows: Vec<Row>,
    pub(super) language: Language,
    /// The share of a budget for what must be respected.
    pub(super) protected: f64,
}

impl Worth {
    /// Weighs all units.
    pub(super) fn of(notes: &Notes, background: &Background) -> Worth {
        let language = Language::of(notes);
        let recency = Recency::of(notes);
        let past = Mentions::of_commits(&background.commits, &language);
        let task = background.task.as_ref().map(|it| relevance(it, notes, &language));
        let mut rows = signals::rows(notes, &language, &recency);
        signals::add_past(&mut rows, notes, &language, &past, background);
        let column = usize::from(background.knows_git());
        let weights: Vec<f64> =
            names().map(|name| WEIGHTS.weights.get(&name).map_or(0.0, |it| it[column])).collect();
        let value = |(unit, row): (usize, &Row)| {
            let sum: f64 = row.iter().zip(&weights).map(|(it, by)| f64::from(*it) * by).sum();
            let asked = task.as_ref().map_or(0.0, |task| task[unit]);
            (sum + WEIGHTS.task * asked).max(1e-6)
        };
        let values = rows.iter().enumerate().map(value).collect();
        let protected = if task.is_some() { WEIGHTS.protected_task } else { WEIGHTS.protected };
        Worth { values, rows, language, protected }
    }

    /// Returns what is known of a unit.
    pub(super) fn signals(&self, unit: usize) -> Signals<'_> {
        Signals(&self.rows[unit])
    }
}

/// Returns the names of all signals.
pub(super) fn signal_names() -> Vec<String> {
    debug_assert_eq!(names().count(), SIGNALS);
    names().collect()
}

/// Returns how much cost counts, and how much what was said before.
pub(super) fn rates() -> (f64, f64) {
    (WEIGHTS.cost, WEIGHTS.said)
}

/// Tells whether a role has that share.
pub(super) fn is_protected(role: Role) -> bool {
    matches!(role, Role::Decision | Role::Constraint | Role::Blocker)
}
