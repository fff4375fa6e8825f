//! What measuring and compacting need to know besides the notes.

use jiff::Timestamp;
use regex::Regex;

use super::NotesError;
use crate::budget::Ladder;
use crate::settings::MemorySettings;
use crate::tokens::{Counter, Tokens};

/// What measuring and compacting need to know besides the notes.
#[derive(Clone, Debug)]
pub struct NotesOptions {
    /// The budget of one feature.
    pub max_tokens: Tokens,
    /// Where compaction, summaries and handoffs begin.
    pub ladder: Ladder,
    /// How tokens are counted.
    pub counter: Counter,
    /// Lines that match one of these are never dropped or changed.
    pub preserve: Vec<Regex>,
    /// From a line that matches one of these to the next blank line is tool output.
    pub remove: Vec<Regex>,
    /// The window of a new session.
    pub window: Tokens,
    /// Percent of that window that a handoff may take.
    pub handoff_percent: f64,
    /// The time, for dates in documents.
    pub now: Timestamp,
    /// Changed files that the notes may not name, such as those git knows of.
    pub changed_files: Vec<String>,
    /// The session that is handed over, if it has a name.
    pub session: Option<String>,
    /// The checkpoint that was taken before a handoff, if any.
    pub checkpoint: Option<String>,
    /// Prose of a summarizer for the summary; without it everything is by rule.
    pub prose: Option<String>,
}

impl NotesOptions {
    /// Takes what the settings say.
    pub fn new(
        settings: &MemorySettings,
        counter: Counter,
        window: Tokens,
        now: Timestamp,
    ) -> Result<NotesOptions, NotesError> {
        Ok(NotesOptions {
            max_tokens: settings.max_tokens,
            ladder: ladder(settings)?,
            counter,
            preserve: patterns("memory.preserve", &settings.preserve)?,
            remove: patterns("memory.remove", &settings.remove)?,
            window,
            handoff_percent: settings.handoff_size,
            now,
            changed_files: Vec::new(),
            session: None,
            checkpoint: None,
            prose: None,
        })
    }
}

fn ladder(settings: &MemorySettings) -> Result<Ladder, NotesError> {
    if settings.proactive {
        return Ok(Ladder::proactive());
    }
    let percents = [settings.compact, settings.summarize, settings.handoff];
    Ladder::from_percents(&percents).map_err(|_| NotesError::Ladder {
        compact: settings.compact,
        summarize: settings.summarize,
        handoff: settings.handoff,
    })
}

fn patterns(key: &'static str, patterns: &[String]) -> Result<Vec<Regex>, NotesError> {
    let compile = |pattern: &String| {
        Regex::new(pattern).map_err(|error| NotesError::Pattern {
            key,
            pattern: pattern.clone(),
            reason: error.to_string(),
        })
    };
    patterns.iter().map(compile).collect()
}
