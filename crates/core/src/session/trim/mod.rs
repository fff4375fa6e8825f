//! What of a session stays in a smaller window?

mod coverage;
mod due;
mod piece;
mod priority;
mod shrink;
mod window;

pub use due::{TrimDue, TrimDueOptions, trim_due};

use std::str::FromStr;

use regex::Regex;

use super::cost::turns_tokens;
use super::draft::{Draft, DraftTurn};
use super::error::SessionError;
use super::summary::Summarize;
use super::transcript::Transcript;
use crate::Remark;
use crate::tokens::{Counter, Tokens};

/// How a session is trimmed.
#[derive(Clone, Debug)]
pub struct TrimOptions {
    /// Counts what the budget speaks of.
    pub counter: Counter,
    /// The most tokens that may be left.
    pub budget: Tokens,
    /// How what stays is chosen.
    pub strategy: TrimStrategy,
    /// Turns at the end that stay as they are, as far as they fit; `None` leaves it to the strategy.
    pub keep_last: Option<usize>,
    /// Lines that match any of these stay, as far as they fit.
    pub preserve: Vec<Regex>,
    /// The name under which the whole session can be had back, for markers.
    pub handle: Option<String>,
}

/// How what stays is chosen.
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
    /// What is said of turns that do not stay, where anything is.
    pub summary: Option<String>,
    /// What was odd.
    pub notes: Vec<Remark>,
}

impl Trimmed {
    /// Returns the share that is gone: 1 - after / before, and 0 where there was nothing.
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

    /// Returns how many turns of the session stay, whole or in part.
    pub fn kept_turns(&self) -> usize {
        let turns = self.draft.turns.iter();
        turns
            .filter(|turn| matches!(turn, DraftTurn::Of { .. }))
            .count()
    }
}

/// What became of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnFate {
    /// It stays as it is.
    Kept,
    /// It stays with less in it.
    Shrunk,
    /// It is no turn any more; lines of it may be quoted in an excerpt or a summary.
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
    notes: Vec<Remark>,
    summary: Option<String>,
}

impl Outcome {
    fn of(draft: Draft) -> Outcome {
        Outcome {
            draft,
            notes: Vec::new(),
            summary: None,
        }
    }
}

/// Chooses what of a session stays within a budget.
///
/// A session that fits is left as it is.
pub fn trim(transcript: &Transcript, options: &TrimOptions) -> Result<Trimmed, SessionError> {
    trim_by(transcript, options, None)
}

/// Chooses what of a session stays within a budget, and has the rest summarised by `summarizer`.
///
/// Only [`TrimStrategy::Priority`] summarises, and only where more than five turns go.
pub fn trim_summarized(
    transcript: &Transcript,
    options: &TrimOptions,
    summarizer: &dyn Summarize,
) -> Result<Trimmed, SessionError> {
    trim_by(transcript, options, Some(summarizer))
}

fn trim_by(
    transcript: &Transcript,
    options: &TrimOptions,
    summarizer: Option<&dyn Summarize>,
) -> Result<Trimmed, SessionError> {
    let before = turns_tokens(&options.counter, &transcript.turns);
    let outcome = match options.strategy {
        _ if before <= options.budget => Outcome::of(Draft::whole(transcript)),
        TrimStrategy::Coverage => Outcome::of(coverage::draft(transcript, options)?),
        TrimStrategy::Priority => priority::draft(transcript, options, summarizer)?,
        TrimStrategy::Window => window::draft(transcript, options)?,
    };
    let after = if before <= options.budget {
        before
    } else {
        turns_tokens(&options.counter, &outcome.draft.turns(transcript))
    };
    Ok(Trimmed {
        draft: outcome.draft,
        before,
        after,
        summary: outcome.summary,
        notes: outcome.notes,
    })
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
            _ => Err(format!("there is no strategy {name:?}")),
        }
    }
}

#[cfg(test)]
mod tests;
