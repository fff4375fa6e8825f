//! What of a session stays in a smaller window?

mod coverage;

use std::str::FromStr;

use regex::Regex;

use super::cost::turns_tokens;
use super::draft::Draft;
use super::error::SessionError;
use super::transcript::Transcript;
use crate::Note;
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
    /// What was odd.
    pub notes: Vec<Note>,
}

/// Chooses what of a session stays within a budget.
///
/// A session that fits is left as it is.
pub fn trim(transcript: &Transcript, options: &TrimOptions) -> Result<Trimmed, SessionError> {
    let before = turns_tokens(&options.counter, &transcript.turns);
    if before <= options.budget {
        return Ok(Trimmed {
            draft: Draft::whole(transcript),
            before,
            after: before,
            notes: Vec::new(),
        });
    }
    let draft = match options.strategy {
        TrimStrategy::Coverage => coverage::draft(transcript, options)?,
    };
    let after = turns_tokens(&options.counter, &draft.turns(transcript));
    let notes = Vec::new();
    Ok(Trimmed {
        draft,
        before,
        after,
        notes,
    })
}

impl TrimStrategy {
    /// Returns the name that flags and results use.
    pub fn name(self) -> &'static str {
        match self {
            TrimStrategy::Coverage => "coverage",
        }
    }
}

impl FromStr for TrimStrategy {
    type Err = String;

    fn from_str(name: &str) -> Result<TrimStrategy, String> {
        match name {
            "coverage" => Ok(TrimStrategy::Coverage),
            _ => Err(format!("there is no strategy {name:?}")),
        }
    }
}
