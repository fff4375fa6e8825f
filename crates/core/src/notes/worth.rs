//! How much each unit is worth to whoever goes on with the work.
//!
//! A unit has named signals, and is worth two things, each a weighted sum of them: how much
//! the next session *needs* it, fitted to lines that readers of notes of public repositories
//! marked, and how much it is *used*, fitted to what the next commits of such repositories
//! referred to. Neither stands for the other: commits name what was finished and seldom the
//! rule that they respected. In 2,560 tokens, a choice by use alone holds 36 % of what a next
//! session must have, lines at random 28 %, a choice by need 64 %. The weights are data
//! (`data/notes-weights.toml`), written by `benches/notes/fit.py`.

mod language;
mod place;
mod recency;
mod relevance;
mod signals;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Notes, Unit, UnitKind};
use language::{Language, Mentions};
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
    /// How much cost counts: worth is divided by the tokens to this power, by need and by use.
    cost: [f64; 2],
    /// The part of its need that a unit shares with the others of its section.
    lent: f64,
    /// What the task's words are worth.
    task: f64,
    /// The share of a budget that goes by need: in a summary or for a task, and in what a session
    /// starts with otherwise.
    share_summary: f64,
    share_start: f64,
    /// Per signal: for need, for use, and for use where the repository is known.
    weights: HashMap<String, [f64; 3]>,
}

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/notes-weights.toml")).expect("own data")
});

/// Units with what they are worth.
pub(super) struct Worth {
    /// How much the next session needs each unit, above 0.
    pub(super) needed: Vec<f64>,
    /// How much later work refers to each unit, above 0.
    pub(super) used: Vec<f64>,
    /// Whether it is known what the next session is to work on.
    has_task: bool,
    /// The signals of each unit, in the order of [`signal_names`].
    pub(super) rows: Vec<Row>,
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
        let weights = |column: usize| -> Vec<f64> {
            let weight = |name| WEIGHTS.weights.get(&name).map_or(0.0, |it| it[column]);
            names().map(weight).collect()
        };
        let (need, used_by) = (weights(0), weights(1 + usize::from(background.knows_git())));
        let value = |row: &Row| {
            let mut sums = (0.0, 0.0);
            for (at, signal) in row.iter().enumerate().filter(|(_, it)| **it != 0.0) {
                sums.0 += f64::from(*signal) * need[at];
                sums.1 += f64::from(*signal) * used_by[at];
            }
            sums
        };
        let (mut needed, mut used): (Vec<f64>, Vec<f64>) = rows.iter().map(value).unzip();
        lend(&mut needed, notes);
        for values in [&mut needed, &mut used] {
            for (unit, value) in values.iter_mut().enumerate() {
                let asked = task.as_ref().map_or(0.0, |task| task[unit]);
                *value = (*value + WEIGHTS.task * asked).max(1e-6);
            }
        }
        Worth { needed, used, has_task: task.is_some(), rows }
    }

    /// Returns what a unit of so many tokens is worth for each: by need, or by use.
    pub(super) fn rate(&self, unit: usize, tokens: u64, by_need: bool) -> f64 {
        let (values, cost) =
            if by_need { (&self.needed, WEIGHTS.cost[0]) } else { (&self.used, WEIGHTS.cost[1]) };
        values[unit] / (tokens.max(1) as f64).powf(cost)
    }

    /// Returns the share of a budget that goes by need.
    ///
    /// Where the task is known, what has to do with it is what is needed.
    pub(super) fn share_of_need(&self, is_summary: bool) -> f64 {
        let is_start = !is_summary && !self.has_task;
        if is_start { WEIGHTS.share_start } else { WEIGHTS.share_summary }
    }

    /// Returns what is known of a unit.
    pub(super) fn signals(&self, unit: usize) -> Signals<'_> {
        Signals(&self.rows[unit])
    }
}

/// What is needed stands together: units lend part of their worth to the others below their
/// heading.
fn lend(values: &mut [f64], notes: &Notes) {
    let is_together =
        |one: &Unit, other: &Unit| one.file == other.file && other.kind != UnitKind::Heading;
    let mut rest = values;
    for section in notes.units.chunk_by(is_together) {
        let (own, after) = rest.split_at_mut(section.len());
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        own.iter_mut().for_each(|it| *it += WEIGHTS.lent * (mean - *it));
        rest = after;
    }
}

/// Returns the names of all signals.
pub(super) fn signal_names() -> Vec<String> {
    debug_assert_eq!(names().count(), SIGNALS);
    names().collect()
}
