//! Chooses what of a session stays within a budget.
//!
//! Three strategies share one shape: each makes a [`Draft`] that fits, and what it
//! wrote is what was counted. Only the draft says what stays; the session itself is
//! never changed.

mod archived;
mod coverage;
mod due;
mod piece;
mod priority;
mod shrink;
mod window;

pub use archived::{Keeping, trim_archived};
pub use due::{TrimDue, TrimDueOptions, trim_due};

use std::str::FromStr;

use regex::Regex;
use serde::Serialize;

use super::cost::turns_tokens;
use super::draft::{Draft, DraftTurn};
use super::error::SessionError;
use super::pins::{add_words, pinned_words, words_tokens};
use super::recall::recall_turns;
use super::summary::Summarize;
use super::transcript::Transcript;
use crate::Remark;
use crate::tokens::{Counter, Tokens};

/// How a session is trimmed.
#[derive(Clone, Debug)]
pub struct TrimOptions {
    /// Counts tokens.
    pub counter: Counter,
    /// The most tokens that may be left.
    pub budget: Tokens,
    /// How to choose what stays.
    pub strategy: TrimStrategy,
    /// Turns at the end that stay as they are, as far as they fit; `None` leaves it to the strategy.
    pub keep_last: Option<usize>,
    /// Lines that match any of these stay, as far as they fit.
    pub preserve: Vec<Regex>,
    /// What the user pinned: it stays, in at most a quarter of the budget.
    pub pinned: String,
    /// Recalls the whole session; markers name it.
    pub handle: Option<String>,
}

impl TrimOptions {
    /// Trims to a budget by coverage, with nothing else asked for.
    pub fn new(counter: Counter, budget: Tokens) -> TrimOptions {
        TrimOptions {
            counter,
            budget,
            strategy: TrimStrategy::default(),
            keep_last: None,
            preserve: Vec::new(),
            pinned: String::new(),
            handle: None,
        }
    }
}

/// How to choose what stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrimStrategy {
    /// Line by line, by what the next turns are likely to refer to.
    #[default]
    Coverage,
    /// Turn by turn, by their scores; the rest is summarised.
    Priority,
    /// The first message and the newest that fit.
    Window,
}

/// A trimmed session.
#[derive(Clone, Debug)]
#[must_use]
pub struct Trimmed {
    /// What to write.
    pub draft: Draft,
    /// The tokens before.
    pub before: Tokens,
    /// The tokens after; never above the budget.
    pub after: Tokens,
    /// Recalls the original, as in the markers.
    pub handle: Option<String>,
    /// The summary of the turns that do not stay, if there is one.
    pub summary: Option<String>,
    /// What was left out or could not be done, and why.
    pub remarks: Vec<Remark>,
}

impl Trimmed {
    /// Returns the share that is gone: 1 - after / before, or 0 for an empty session.
    pub fn compression_ratio(&self) -> f64 {
        if self.before.is_zero() {
            0.0
        } else {
            1.0 - self.after.get() as f64 / self.before.get() as f64
        }
    }

    /// Returns what became of every turn of the session.
    pub fn fates(&self, transcript: &Transcript) -> Vec<TurnFate> {
        let mut fates = vec![TurnFate::Cut; transcript.turns.len()];
        for turn in &self.draft.turns {
            if let DraftTurn::Of { turn: number, .. } = turn
                && let Some(fate) = fates.get_mut(*number)
            {
                *fate = if *turn == DraftTurn::kept(transcript, *number) {
                    TurnFate::Kept
                } else {
                    TurnFate::Shrunk
                };
            }
        }
        fates
    }
}

/// What became of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TurnFate {
    /// It stays as it is.
    Kept,
    /// It stays with less in it.
    Shrunk,
    /// It is gone; an excerpt or a summary may quote lines of it.
    Cut,
}

impl TurnFate {
    /// Returns the name that results use.
    pub fn name(self) -> &'static str {
        match self {
            TurnFate::Kept => "kept",
            TurnFate::Shrunk => "shrunk",
            TurnFate::Cut => "cut",
        }
    }
}

/// What a strategy decided.
struct Outcome {
    draft: Draft,
    remarks: Vec<Remark>,
    summary: Option<String>,
}

/// Chooses what of a session stays within a budget.
///
/// A session that fits is left as it is.
pub fn trim(transcript: &Transcript, options: &TrimOptions) -> Result<Trimmed, SessionError> {
    trim_summarized(transcript, options, None)
}

/// Chooses what of a session stays within a budget; `summarizer`, if any, summarises the rest.
///
/// Only [`TrimStrategy::Priority`] summarises, and only if more than five turns go.
pub fn trim_summarized(
    transcript: &Transcript,
    options: &TrimOptions,
    summarizer: Option<&dyn Summarize>,
) -> Result<Trimmed, SessionError> {
    let before = turns_tokens(&options.counter, &transcript.turns);
    if before <= options.budget {
        return Ok(Trimmed {
            draft: Draft::whole(transcript),
            before,
            after: before,
            handle: options.handle.clone(),
            summary: None,
            remarks: Vec::new(),
        });
    }
    let (words, remarks) = pinned_words(&options.pinned, options.budget, &options.counter);
    let cost = words.as_ref().map_or(Tokens::ZERO, |it| words_tokens(it, &options.counter));
    let budget = options.budget.saturating_sub(cost);
    let inner = &TrimOptions { budget, ..options.clone() };
    let mut outcome = match options.strategy {
        TrimStrategy::Coverage => coverage::draft(transcript, inner)?,
        TrimStrategy::Priority => priority::draft(transcript, inner, summarizer)?,
        TrimStrategy::Window => window::draft(transcript, inner)?,
    };
    if let Some(words) = words {
        add_words(&mut outcome.draft, transcript, &words);
    }
    outcome.remarks.extend(remarks);
    Ok(Trimmed {
        after: turns_tokens(&options.counter, &outcome.draft.turns(transcript)),
        draft: outcome.draft,
        before,
        handle: options.handle.clone(),
        summary: outcome.summary,
        remarks: outcome.remarks,
    })
}

/// Writes what the next turns are likely to need of a session as plain text, for agents
/// that take a text in the place of what they compact.
///
/// Only the turns before the one with the id `before` are looked at, if there is one.
pub fn trim_excerpt(
    transcript: &Transcript,
    before: Option<&str>,
    options: &TrimOptions,
) -> Result<String, SessionError> {
    let mut older = transcript.clone();
    let at = |id: &str| older.turns.iter().position(|turn| turn.id.as_deref() == Some(id));
    if let Some(at) = before.and_then(at) {
        older.turns.truncate(at);
    }
    let trimmed = trim(&older, options)?;
    let turns = trimmed.draft.turns(&older);
    let left = Transcript { turns, ..Transcript::empty(older.format) };
    match left.turns.len() {
        0 => Ok(String::new()),
        last => recall_turns(&left, 1..=last),
    }
}

impl TrimStrategy {
    /// Returns the name that flags and results use.
    pub fn name(self) -> &'static str {
        match self {
            TrimStrategy::Coverage => "coverage",
            TrimStrategy::Priority => "priority",
            TrimStrategy::Window => "window",
        }
    }
}

impl FromStr for TrimStrategy {
    type Err = String;

    fn from_str(name: &str) -> Result<TrimStrategy, String> {
        match name {
            "coverage" => Ok(TrimStrategy::Coverage),
            "priority" => Ok(TrimStrategy::Priority),
            "window" => Ok(TrimStrategy::Window),
            _ => Err(format!("unknown strategy {name:?}; use coverage, priority or window")),
        }
    }
}
