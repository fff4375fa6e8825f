//! Keeps the books of the rounds of one run, and says when a budget runs out.

use serde::{Deserialize, Serialize};

use crate::agents::Spending;
use crate::budget::{BudgetError, Pressure};
use crate::text::thousands;
use crate::tokens::Tokens;

/// What one round used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, rename_all(deserialize = "camelCase"))]
pub struct RoundUsage {
    /// Its number; 0 lets the tracker number it.
    #[serde(alias = "roundNumber", alias = "round_number")]
    pub round: u64,
    /// Tokens sent.
    #[serde(alias = "inputTokens", alias = "input_tokens")]
    pub input: u64,
    /// Tokens received.
    #[serde(alias = "outputTokens", alias = "output_tokens")]
    pub output: u64,
    /// Of those sent, what was handed on from earlier rounds.
    #[serde(alias = "contextTokens", alias = "context_tokens")]
    pub context: u64,
    /// Of those sent, content of files.
    #[serde(
        alias = "file_content",
        alias = "fileContentTokens",
        alias = "file_content_tokens",
        alias = "files"
    )]
    pub file_content: u64,
    /// What the round might send; 0 for no limit.
    #[serde(alias = "budgetTokens", alias = "budget_tokens")]
    pub budget: u64,
    /// Of those sent, read from a cache.
    #[serde(alias = "cache_read", alias = "cache_read_input_tokens")]
    pub cache_read: u64,
    /// Of those sent, written to a cache.
    #[serde(
        alias = "cache_creation",
        alias = "cacheWrite",
        alias = "cache_write",
        alias = "cache_creation_input_tokens"
    )]
    pub cache_creation: u64,
    /// The model that was asked.
    pub model: Option<String>,
}

impl RoundUsage {
    /// Returns input / budget; `None` where there is no budget.
    pub fn utilization(&self) -> Option<f64> {
        (self.budget > 0).then(|| self.input as f64 / self.budget as f64)
    }

    /// Returns the line for a log.
    pub fn log_line(&self) -> String {
        format!(
            "Round {} tokens: input={}, output={}, context={}, files={}",
            self.round, self.input, self.output, self.context, self.file_content
        )
    }

    /// Returns what is paid for. What a cache read or took is part of the input.
    pub fn spending(&self) -> Spending {
        let cached = self.cache_read.saturating_add(self.cache_creation);
        Spending {
            input: self.input.saturating_sub(cached),
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_creation,
            cache_write_long: 0,
        }
    }

    fn percent(&self) -> Option<u64> {
        let (input, budget) = (Tokens::new(self.input), Tokens::new(self.budget));
        Pressure::new(input, budget).ok().map(|it| it.percent())
    }
}

/// The rounds of a run.
///
/// ```
/// use loadline::usage::{RoundUsage, UsageTracker};
/// let mut tracker = UsageTracker::default();
/// let round = RoundUsage { input: 90_000, output: 800, budget: 100_000, ..RoundUsage::default() };
/// let warnings = tracker.record(round);
/// assert_eq!(warnings[0], "Round 1: 90% of token budget used (90,000/100,000 tokens)");
/// assert_eq!(warnings[1], "Approaching budget limit: 10,000 tokens remaining");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct UsageTracker {
    rounds: Vec<RoundUsage>,
    /// Percent of a budget.
    warn_at: f64,
}

impl Default for UsageTracker {
    fn default() -> UsageTracker {
        UsageTracker { rounds: Vec::new(), warn_at: 85.0 }
    }
}

impl UsageTracker {
    /// Makes a tracker that warns from this percentage of a budget on.
    pub fn warning_at(percent: f64) -> Result<UsageTracker, BudgetError> {
        if !(percent > 0.0 && percent <= 100.0) {
            let allowed = "above 0 and at most 100 %";
            return Err(BudgetError::out_of_range("the warning", percent, allowed));
        }
        Ok(UsageTracker { rounds: Vec::new(), warn_at: percent })
    }

    /// Records a round and returns what is to be said about it: nothing, or two lines.
    pub fn record(&mut self, mut round: RoundUsage) -> Vec<String> {
        if round.round == 0 {
            let last = self.rounds.last().map_or(0, |last| last.round);
            round.round = last.saturating_add(1);
        }
        let warnings = self.warnings(&round);
        self.rounds.push(round);
        warnings
    }

    /// Returns what was recorded, in order.
    pub fn rounds(&self) -> &[RoundUsage] {
        &self.rounds
    }

    /// Returns what all rounds used together.
    pub fn total(&self) -> RoundUsage {
        let mut total = RoundUsage::default();
        for round in &self.rounds {
            total.round = total.round.max(round.round);
            let add = |to: &mut u64, from: u64| *to = to.saturating_add(from);
            add(&mut total.input, round.input);
            add(&mut total.output, round.output);
            add(&mut total.context, round.context);
            add(&mut total.file_content, round.file_content);
            add(&mut total.budget, round.budget);
            add(&mut total.cache_read, round.cache_read);
            add(&mut total.cache_creation, round.cache_creation);
        }
        total
    }

    /// Writes the table of all rounds.
    pub fn summary(&self) -> String {
        if self.rounds.is_empty() {
            return "No rounds recorded.".to_owned();
        }
        let mut lines = vec!["Token Usage Summary".to_owned()];
        for round in &self.rounds {
            let budget = match round.percent() {
                Some(percent) => format!(" ({percent}% budget)"),
                None => String::new(),
            };
            lines.push(format!(
                "  Round {}: {} input, {} output{budget}",
                round.round,
                thousands(round.input),
                thousands(round.output)
            ));
        }
        let total = self.total();
        lines.push(format!(
            "  Total: {} input, {} output",
            thousands(total.input),
            thousands(total.output)
        ));
        lines.join("\n")
    }

    fn warnings(&self, round: &RoundUsage) -> Vec<String> {
        let used = round.utilization().unwrap_or(0.0);
        let (Some(percent), true) = (round.percent(), used >= self.warn_at / 100.0) else {
            return Vec::new();
        };
        let remaining = round.budget.saturating_sub(round.input);
        vec![
            format!(
                "Round {}: {percent}% of token budget used ({}/{} tokens)",
                round.round,
                thousands(round.input),
                thousands(round.budget)
            ),
            format!("Approaching budget limit: {} tokens remaining", thousands(remaining)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round(input: u64, output: u64, budget: u64) -> RoundUsage {
        RoundUsage { input, output, budget, ..RoundUsage::default() }
    }

    #[test]
    fn f129_utilization_is_input_by_budget() {
        assert_eq!(round(500, 9, 1_000).utilization(), Some(0.5));
        assert_eq!(round(500, 9, 0).utilization(), None);
        assert_eq!(round(1_500, 9, 1_000).utilization(), Some(1.5));
        let cached = RoundUsage {
            input: 1_000,
            cache_read: 700,
            cache_creation: 200,
            ..RoundUsage::default()
        };
        let spent = cached.spending();
        assert_eq!((spent.input, spent.sent()), (100, 1_000));
    }

    proptest! {
        #[test]
        fn f130_there_is_a_warning_exactly_from_the_threshold_on(
            input in 0_u64..2_000, budget in 1_u64..1_000
        ) {
            let warnings = UsageTracker::default().record(round(input, 0, budget));
            let is_due = input * 100 >= budget * 85;
            prop_assert_eq!(!warnings.is_empty(), is_due);
        }
    }
}
