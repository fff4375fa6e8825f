//! What measuring and compacting need to know besides the notes.

use jiff::Timestamp;
use regex::Regex;

use super::{Background, Level, NotesError};
use crate::budget::Ladder;
use crate::settings::{Config, MemorySettings};
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
    /// Of these, the ones that the user added: lines that match them are in every document.
    pub insists: Vec<Regex>,
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
    /// The branch and its last commit, if the notes are in a repository.
    pub branch: Option<String>,
    /// The tokens of a document, instead of what the settings say.
    pub document_tokens: Option<Tokens>,
    /// Whether the lines of a document say where they come from.
    pub cite: bool,
    /// The name that the record will have under which originals are kept.
    pub record: Option<String>,
    /// What is known besides the notes.
    pub background: Background,
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
            insists: patterns("memory.preserve", &added(&settings.preserve))?,
            window,
            handoff_percent: settings.handoff_size,
            now,
            changed_files: Vec::new(),
            session: None,
            checkpoint: None,
            branch: None,
            document_tokens: None,
            cite: false,
            record: None,
            background: Background::default(),
            prose: None,
        })
    }

    /// Returns the name of the record that will keep the originals.
    pub(super) fn record_id(&self, level: Level) -> String {
        let usual = || format!("{level}_{}", self.now.as_second());
        self.record.clone().unwrap_or_else(usual)
    }

    /// Returns how many tokens a handoff may have.
    pub fn handoff_budget(&self) -> Tokens {
        Tokens::new((self.window.get() as f64 * self.handoff_percent / 100.0) as u64)
    }
}

/// Returns the patterns that are not there by default. Those by default guard lines where
/// notes are edited; a document of lines that mention an error would say nothing else.
fn added(patterns: &[String]) -> Vec<String> {
    let defaults = Config::load(Vec::new()).map(|it| it.settings().memory.preserve.clone());
    let defaults = defaults.unwrap_or_default();
    patterns.iter().filter(|it| !defaults.contains(it)).cloned().collect()
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
