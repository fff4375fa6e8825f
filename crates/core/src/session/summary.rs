//! Summarises the turns that a trim leaves out: one line each, by rule, or by the
//! caller's own summarizer.
//!
//! The rule needs no model, so trimming works offline and the same session always
//! gives the same text.

use super::transcript::Role;

/// How a summary begins.
pub(crate) const SUMMARY_HEADING: &str =
    "[Earlier conversation summary — compressed to save context]";

/// The most lines of a summary by rule.
const MOST_LINES: usize = 30;

/// Up to this many turns are summarised by rule; more are worth a call of the summarizer.
const FEW_TURNS: usize = 5;

/// The most characters of a line: a text without a full stop is not cut otherwise.
const LONGEST: usize = 240;

/// A turn to summarise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryTurn {
    /// The number of the turn in its transcript, from 0.
    pub turn: usize,
    /// Who speaks.
    pub role: Role,
    /// What is said; of a turn without words, what it did.
    pub text: String,
    /// How much it matters, from 0 to 100.
    pub score: u32,
}

/// Writes summaries: a command, a service, a model.
///
/// ```
/// use loadline::session::{Summarize, SummaryTurn};
/// struct Counting;
/// impl Summarize for Counting {
///     fn summarize(&self, turns: &[SummaryTurn]) -> Result<String, String> {
///         Ok(format!("{} turns went before", turns.len()))
///     }
/// }
/// assert_eq!(Counting.summarize(&[]).as_deref(), Ok("0 turns went before"));
/// ```
pub trait Summarize {
    /// Summarises turns, given in order. After an error they are summarised by rule,
    /// with a remark.
    fn summarize(&self, turns: &[SummaryTurn]) -> Result<String, String>;
}

/// A line of a summary, and how much it matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SummaryLine {
    pub(crate) text: String,
    pub(crate) score: u32,
}

/// Summarises turns by rule: the first sentence of each, in the order of the session.
///
/// Of more than 30 the ones with the highest scores are kept.
pub(crate) fn lines_by_rule(turns: &[SummaryTurn]) -> Vec<SummaryLine> {
    let mut said: Vec<(&SummaryTurn, &str)> =
        turns.iter().filter_map(|turn| Some((turn, first_sentence(&turn.text)?))).collect();
    said.sort_by_key(|(turn, _)| (std::cmp::Reverse(turn.score), std::cmp::Reverse(turn.turn)));
    said.truncate(MOST_LINES);
    said.sort_by_key(|(turn, _)| turn.turn);
    let line = |(turn, sentence): (&SummaryTurn, &str)| {
        let speaker = match turn.role {
            Role::User => "User",
            Role::System | Role::Assistant | Role::Tool => "Agent",
        };
        SummaryLine { text: format!("[{speaker}] {sentence}"), score: turn.score }
    };
    said.into_iter().map(line).collect()
}

/// Summarises turns by the caller's summarizer if there are more than five, else by rule.
///
/// The second value says why the summarizer failed, if it did. Of what it wrote the
/// beginning matters most.
pub(crate) fn summarize(
    turns: &[SummaryTurn],
    external: Option<&dyn Summarize>,
) -> (Vec<SummaryLine>, Option<String>) {
    let Some(external) = external.filter(|_| turns.len() > FEW_TURNS) else {
        return (lines_by_rule(turns), None);
    };
    match external.summarize(turns) {
        Ok(text) if !text.trim().is_empty() => {
            let lines = text.trim().lines().map(str::to_owned);
            let scores = (0..u32::MAX).rev();
            let lines = lines.zip(scores).map(|(text, score)| SummaryLine { text, score });
            (lines.collect(), None)
        }
        Ok(_) => (lines_by_rule(turns), Some("it wrote nothing".to_owned())),
        Err(reason) => (lines_by_rule(turns), Some(reason)),
    }
}

/// Returns the first sentence of a text, if it has more than ten characters.
fn first_sentence(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let mut end = text.find(['.', '!', '?', '\n']).unwrap_or(text.len());
    if end == 0 {
        return None;
    }
    if text[end..].starts_with(['.', '!', '?']) {
        end += 1;
    }
    let sentence = text[..end].trim();
    let longest = sentence.char_indices().nth(LONGEST);
    let shown = longest.map_or(sentence, |(end, _)| &sentence[..end]);
    (shown.chars().count() > 10).then_some(shown)
}
