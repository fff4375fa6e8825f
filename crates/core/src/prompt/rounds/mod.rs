//! Hands on what one round of an analysis found to the next.
//!
//! ```text
//! output of rounds -> extract -> what a newer round did not say -> fit -> text
//! ```
//!
//! The output of a round is JSON that some model wrote. What is worth carrying on is
//! taken from it by rule, without a model: modules, findings, relationships and open
//! questions, and fields that the caller names.

mod extract;
mod fit;
mod read;
mod schema;

pub use extract::RoundContext;
pub use read::{RoundError, RoundReport, read_rounds};
pub use schema::round_schema;

use std::cmp::Reverse;

use serde::Serialize;

use crate::Remark;
use crate::tokens::{Counter, Tokens};
use extract::Said;

/// What stands between two rounds, at most.
const JOINT: Tokens = Tokens::new(2);

/// How rounds are compressed.
#[derive(Clone, Debug)]
pub struct RoundOptions {
    /// Counts what the budget speaks of.
    pub counter: Counter,
    /// The most tokens of one round.
    pub budget: Tokens,
    /// The most tokens of all rounds together.
    pub total: Option<Tokens>,
    /// Names of further fields that are handed on.
    pub keep: Vec<String>,
}

impl RoundOptions {
    /// 2,000 tokens for each round, however many there are.
    pub fn new(counter: Counter) -> RoundOptions {
        RoundOptions { counter, budget: Tokens::new(2_000), total: None, keep: Vec::new() }
    }
}

/// What rounds hand on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[must_use]
pub struct CompressedRounds {
    /// The text, the newest round first.
    #[serde(rename = "content")]
    pub text: String,
    /// What it costs; never above the budgets.
    pub tokens: Tokens,
    /// What of each round is in the text, the newest first.
    pub rounds: Vec<RoundContext>,
    /// What was odd.
    #[serde(skip)]
    pub remarks: Vec<Remark>,
}

/// Takes what is worth carrying on from the output of rounds, within a budget each.
///
/// Where it is too much, the last open questions go first, then the last of the
/// further fields, of the findings (but one), of the relationships and of the
/// modules; a single finding that is too long is cut. What a newer round says is not
/// said again for an older one.
///
/// ```
/// use loadline::prompt::{RoundOptions, compress_rounds, read_rounds};
/// let rounds = read_rounds(br#"{"modules": ["auth", {"name": "db"}],
///     "findings": ["tokens never expire"],
///     "relationships": [{"from": "auth", "to": "db", "type": "reads"}]}"#)?;
/// let compressed = compress_rounds(&rounds, &RoundOptions::new("o200k".parse()?));
/// assert_eq!(compressed.text, "## Round 1 Context\nModules: auth, db\nFindings:\n\
///     - tokens never expire\nRelationships: auth -> db (reads)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compress_rounds(rounds: &[RoundReport], options: &RoundOptions) -> CompressedRounds {
    // Of two with one number the later is the newer.
    let mut newest_first: Vec<&RoundReport> = rounds.iter().rev().collect();
    newest_first.sort_by_key(|report| Reverse(report.number));
    let mut said = Said::default();
    let mut compressed = CompressedRounds::default();
    for report in newest_first {
        let mut context = RoundContext::extract(report, &options.keep, &mut compressed.remarks);
        context.leave_out(&mut said);
        compressed.add(&context, options);
    }
    compressed
}

impl CompressedRounds {
    /// Adds what fits of an older round.
    fn add(&mut self, context: &RoundContext, options: &RoundOptions) {
        let total = options.total.unwrap_or(Tokens::MAX);
        let (before, joint) = match self.text.as_str() {
            "" => (String::new(), Tokens::ZERO),
            text => (format!("{text}\n\n"), JOINT),
        };
        let left = total.saturating_sub(self.tokens).saturating_sub(joint);
        let fitted = context.fit(left.min(options.budget), &options.counter);
        let added = fitted.and_then(|(context, text)| {
            let joined = before + &text;
            let tokens = options.counter.count_up_to(&joined, total)?;
            (self.text, self.tokens) = (joined, tokens);
            self.rounds.push(context);
            Some(())
        });
        if added.is_none() {
            let subject = format!("round {}", context.number);
            self.remarks.push(Remark::new(subject, "no room is left for what it found"));
        }
    }
}
