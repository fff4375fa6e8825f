//! Summarises the turns that a trim leaves out: one line each, by rule, or by the
//! caller's own summarizer.
//!
//! The rule needs no model, so trimming works offline and the same session always
//! gives the same text.

use super::transcript::Role;

/// How a summary begins.
pub const SUMMARY_HEADING: &str = "[Earlier conversation summary — compressed to save context]";

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

/// Summarises turns by rule: the first sentence of each, in the order of the session.
///
/// Of more than 30 the ones with the highest scores are kept.
///
/// ```
/// use loadline::session::{Role, SummaryTurn, summarize_by_rule};
/// let text = "The port is taken. Which one do you want?".to_owned();
/// let turn = SummaryTurn { turn: 3, role: Role::Assistant, text, score: 60 };
/// assert!(summarize_by_rule(&[turn]).ends_with("\n[Agent] The port is taken."));
/// ```
pub fn summarize_by_rule(turns: &[SummaryTurn]) -> String {
    let mut said: Vec<(&SummaryTurn, &str)> =
        turns.iter().filter_map(|turn| Some((turn, first_sentence(&turn.text)?))).collect();
    said.sort_by_key(|(turn, _)| (std::cmp::Reverse(turn.score), std::cmp::Reverse(turn.turn)));
    said.truncate(MOST_LINES);
    said.sort_by_key(|(turn, _)| turn.turn);
    let mut summary = SUMMARY_HEADING.to_owned();
    for (turn, sentence) in said {
        let speaker = match turn.role {
            Role::User => "User",
            Role::System | Role::Assistant | Role::Tool => "Agent",
        };
        summary.push_str(&format!("\n[{speaker}] {sentence}"));
    }
    summary
}

/// Summarises turns by the caller's summarizer if there are more than five, else by rule.
///
/// The second value says why the summarizer failed, if it did.
pub(crate) fn summarize(
    turns: &[SummaryTurn],
    external: Option<&dyn Summarize>,
) -> (String, Option<String>) {
    let Some(external) = external.filter(|_| turns.len() > FEW_TURNS) else {
        return (summarize_by_rule(turns), None);
    };
    match external.summarize(turns) {
        Ok(text) if !text.trim().is_empty() => {
            (format!("{SUMMARY_HEADING}\n{}", text.trim()), None)
        }
        Ok(_) => (summarize_by_rule(turns), Some("it wrote nothing".to_owned())),
        Err(reason) => (summarize_by_rule(turns), Some(reason)),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(turn: usize, role: Role, text: &str, score: u32) -> SummaryTurn {
        SummaryTurn { turn, role, text: text.to_owned(), score }
    }

    struct Fixed(Result<String, String>);

    impl Summarize for Fixed {
        fn summarize(&self, _: &[SummaryTurn]) -> Result<String, String> {
            self.0.clone()
        }
    }

    #[test]
    fn f170_the_first_sentence_of_each_turn() {
        let turns = [
            turn(1, Role::User, "Fix the login page! It is broken.", 80),
            turn(2, Role::Assistant, "Ok.", 60),
            turn(3, Role::Assistant, "I read the file\nand found it", 60),
            turn(4, Role::Tool, "", 30),
        ];
        assert_eq!(
            summarize_by_rule(&turns),
            "[Earlier conversation summary — compressed to save context]\n\
             [User] Fix the login page!\n\
             [Agent] I read the file"
        );
    }

    #[test]
    fn f170_of_more_than_30_the_highest_scores_in_order() {
        let turns: Vec<SummaryTurn> = (0..50)
            .map(|number| {
                let text = format!("Sentence number {number}.");
                turn(number, Role::User, &text, if number < 10 { 90 } else { 50 })
            })
            .collect();
        let summary = summarize_by_rule(&turns);
        let lines: Vec<&str> = summary.lines().skip(1).collect();
        assert_eq!(lines.len(), 30);
        assert_eq!(lines[0], "[User] Sentence number 0.");
        assert_eq!(lines[9], "[User] Sentence number 9.");
        assert_eq!(lines[10], "[User] Sentence number 30.", "then the newest");
        assert_eq!(lines[29], "[User] Sentence number 49.");
    }

    #[test]
    fn f171_an_external_summarizer_is_asked_for_more_than_five() {
        let of = |count: usize| -> Vec<SummaryTurn> {
            let turns = 0..count;
            turns.map(|number| turn(number, Role::User, "A sentence of some length.", 50)).collect()
        };
        let good = Fixed(Ok(" all is well\n".to_owned()));
        let (text, note) = summarize(&of(6), Some(&good));
        assert_eq!((text, note), (format!("{SUMMARY_HEADING}\nall is well"), None));
        let by_rule = summarize_by_rule(&of(5));
        assert_eq!(summarize(&of(5), Some(&good)), (by_rule, None));
        let bad = Fixed(Err("timed out".to_owned()));
        let by_rule = summarize_by_rule(&of(6));
        let note = Some("timed out".to_owned());
        assert_eq!(summarize(&of(6), Some(&bad)), (by_rule.clone(), note));
        let silent = Fixed(Ok(" ".to_owned()));
        assert_eq!(summarize(&of(6), Some(&silent)).0, by_rule);
        assert_eq!(summarize(&of(6), None), (by_rule, None));
    }
}
