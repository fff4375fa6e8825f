//! How far notes are reduced: from not at all to a document for a new session.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::NotesError;

/// How far notes are reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// As they are.
    Raw,
    /// What is said twice, decoration and tool output go.
    Compact,
    /// A summary takes the place of the notes.
    Summarize,
    /// A handoff document for a new session takes the place of the notes.
    Handoff,
}

impl Level {
    /// All levels, from the least reduction to the most.
    pub const ALL: [Level; 4] = [Level::Raw, Level::Compact, Level::Summarize, Level::Handoff];

    /// Returns the level of that many reached thresholds.
    pub const fn of_step(step: usize) -> Level {
        match step {
            0 => Level::Raw,
            1 => Level::Compact,
            2 => Level::Summarize,
            _ => Level::Handoff,
        }
    }

    /// Returns the name used in output and files: `raw`, `compact`, `summarize`, `handoff`.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Raw => "raw",
            Level::Compact => "compact",
            Level::Summarize => "summarize",
            Level::Handoff => "handoff",
        }
    }

    /// Returns what to tell the user at this level.
    pub const fn recommendation(self) -> &'static str {
        match self {
            Level::Raw => "Continue normally",
            Level::Compact => "Consider compaction to free up space",
            Level::Summarize => "Summarization recommended to continue safely",
            Level::Handoff => {
                "Context limit reached. Create handoff document and start new session"
            }
        }
    }

    /// Tells whether work can go on in the same session.
    pub const fn can_continue(self) -> bool {
        !matches!(self, Level::Handoff)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = NotesError;

    fn from_str(name: &str) -> Result<Level, NotesError> {
        let known = Level::ALL.into_iter().find(|level| level.name() == name);
        known.ok_or_else(|| NotesError::NoLevel { name: name.to_owned() })
    }
}
