//! The budgets people already use, under a name each.
//!
//! A preset is a starting point: it fills a [`BudgetBuilder`], and every number
//! in it can be replaced before it is built. The windows here are defaults for
//! callers that know no model; a model's own window goes to
//! [`BudgetPreset::over`].

use super::allocation::{Allocation, Leftover};
use super::ratio::Ratio;
use super::shares::{Amount, Share};
use super::{Budget, BudgetBuilder};
use crate::tokens::{Precision, Tokens};

/// A named starting point for a budget.
///
/// ```
/// use loadline::budget::BudgetPreset;
/// use loadline::tokens::Tokens;
///
/// let budget = BudgetPreset::Packer.builder().build()?;
/// assert_eq!(budget.available(), Tokens::new(90_000));
/// # Ok::<(), loadline::budget::BudgetError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BudgetPreset {
    /// Files of a repository: 3,000 for the prompt, 4,096 for the answer, and
    /// the margin of heuristic counts.
    Files,
    /// A phase of a workflow: 4,000 for the answer, shares `system`, `design`,
    /// `types`, `current`, `messages` (20,000) and `buffer`, which takes the rest.
    Workflow,
    /// A long session: 45 % for the answer, and shares in percent of the window.
    Session,
    /// Packed context: 8,000 for the answer, 2,000 for the system prompt, no
    /// shares unless [`packer_categories`] are added.
    Packer,
    /// The notes of one feature: 80,000, nothing reserved.
    Feature,
}

impl BudgetPreset {
    /// All presets, in the order of the documentation.
    pub const ALL: [BudgetPreset; 5] = [
        BudgetPreset::Files,
        BudgetPreset::Workflow,
        BudgetPreset::Session,
        BudgetPreset::Packer,
        BudgetPreset::Feature,
    ];

    /// Returns the name used in configuration.
    pub const fn name(self) -> &'static str {
        match self {
            BudgetPreset::Files => "files",
            BudgetPreset::Workflow => "workflow",
            BudgetPreset::Session => "session",
            BudgetPreset::Packer => "packer",
            BudgetPreset::Feature => "feature",
        }
    }

    /// Returns the window to assume when no model is known.
    pub const fn window(self) -> Tokens {
        match self {
            BudgetPreset::Files | BudgetPreset::Workflow | BudgetPreset::Packer => {
                Tokens::new(100_000)
            }
            BudgetPreset::Session => Tokens::new(200_000),
            BudgetPreset::Feature => Tokens::new(80_000),
        }
    }

    /// Begins this budget over its default window.
    pub fn builder(self) -> BudgetBuilder {
        self.over(self.window())
    }

    /// Begins this budget over another window, usually a model's.
    ///
    /// Percentages of the window are taken of this one, so this is the way to
    /// change the window of [`BudgetPreset::Session`].
    pub fn over(self, window: Tokens) -> BudgetBuilder {
        let budget = Budget::of(window);
        match self {
            BudgetPreset::Files => budget
                .reserve("prompt", Tokens::new(3_000))
                .reserve("response", Tokens::new(4_096))
                .precision(Precision::Heuristic),
            BudgetPreset::Workflow => budget
                .reserve("response", WORKFLOW_RESPONSE)
                .shares(workflow_shares(), Leftover::Keep),
            BudgetPreset::Session => budget
                .reserve("response", SESSION_RESPONSE.of(window))
                .shares(session_shares(), Leftover::Keep),
            BudgetPreset::Packer => budget
                .reserve("response", Tokens::new(8_000))
                .reserve("system", Tokens::new(2_000)),
            BudgetPreset::Feature => budget,
        }
    }
}

/// The answer of a workflow phase, unless the phase says less.
const WORKFLOW_RESPONSE: Tokens = Tokens::new(4_000);

/// The part of a session's window that belongs to the answer.
const SESSION_RESPONSE: Ratio = Ratio::from_parts(4_500);

/// Returns the categories of packed context: 40, 30, 20 and 10 % of what is available.
///
/// Meant for `shares(packer_categories(), Leftover::Redistribute)`.
pub fn packer_categories() -> Vec<Share> {
    vec![
        Share::percent("tool_results", 40.0),
        Share::percent("open_files", 30.0),
        Share::percent("search_results", 20.0),
        Share::percent("references", 10.0),
    ]
}

/// Returns how long an answer a workflow phase needs, if the phase is known.
///
/// Use it as the `response` reserve of [`BudgetPreset::Workflow`]; it is never
/// more than that preset's own 4,000.
pub fn workflow_phase_response(phase: &str) -> Option<Tokens> {
    let tokens = match phase {
        "planning" => 2_000,
        "interface" => 3_000,
        "implementation" | "testing" => 1_500,
        "complete" => 1_000,
        _ => return None,
    };
    Some(Tokens::new(tokens))
}

/// Returns the size above which a session has to be trimmed.
///
/// That is what its shares `session_recent` and `session_summary` hold
/// together; `None` where the allocation lacks one of them.
///
/// ```
/// use loadline::budget::{BudgetPreset, session_trim_trigger};
/// use loadline::tokens::Tokens;
///
/// let budget = BudgetPreset::Session.builder().build()?;
/// assert_eq!(session_trim_trigger(&budget.allocate()), Some(Tokens::new(80_000)));
/// # Ok::<(), loadline::budget::BudgetError>(())
/// ```
pub fn session_trim_trigger(allocation: &Allocation) -> Option<Tokens> {
    let recent = allocation.limit("session_recent")?;
    recent.checked_add(allocation.limit("session_summary")?)
}

fn workflow_shares() -> Vec<Share> {
    vec![
        Share::tokens("system", Tokens::new(500)),
        Share::tokens("design", Tokens::new(1_000)),
        Share::tokens("types", Tokens::new(2_000)),
        Share::tokens("current", Tokens::new(2_000)),
        Share::tokens("messages", Tokens::new(20_000)),
        Share::new("buffer", Amount::Rest),
    ]
}

fn session_shares() -> Vec<Share> {
    let percentages = [
        ("system_prompt", 5.0),
        ("skills", 3.0),
        ("knowledge_base", 3.0),
        ("cross_issue", 2.0),
        ("session_summary", 10.0),
        ("session_recent", 30.0),
        ("current_prompt", 2.0),
    ];
    let shares =
        percentages.map(|(name, percent)| Share::new(name, Amount::PercentOfWindow(percent)));
    shares.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diagnose;
    use crate::budget::BudgetError;

    fn limits(builder: BudgetBuilder) -> Vec<u64> {
        let allocation = builder.build().unwrap().allocate();
        let shares = allocation.shares().iter();
        shares.map(|share| share.limit.get()).collect()
    }

    fn available(builder: BudgetBuilder) -> u64 {
        builder.build().unwrap().available().get()
    }

    #[test]
    fn f016_files_preset() {
        assert_eq!(available(BudgetPreset::Files.builder()), 83_613);
        assert_eq!(available(BudgetPreset::Files.over(Tokens::new(8_000))), 813);
    }

    #[test]
    fn f019_presets_follow_the_window_they_are_given() {
        for preset in BudgetPreset::ALL {
            let own = available(preset.builder());
            let double = Tokens::new(preset.window().get() * 2);
            assert!(available(preset.over(double)) > own, "{}", preset.name());
        }
    }

    #[test]
    fn f020_workflow_shares_and_response_fill_the_window() {
        let limits = limits(BudgetPreset::Workflow.builder());
        assert_eq!(limits, [500, 1_000, 2_000, 2_000, 20_000, 70_500]);
        assert_eq!(available(BudgetPreset::Workflow.builder()), 96_000);
        assert_eq!(
            limits.iter().sum::<u64>() + WORKFLOW_RESPONSE.get(),
            100_000
        );
    }

    #[test]
    fn f021_a_phase_may_reserve_less_for_its_answer() {
        let want = [
            ("planning", 2_000),
            ("interface", 3_000),
            ("implementation", 1_500),
            ("testing", 1_500),
            ("complete", 1_000),
        ];
        for (phase, tokens) in want {
            let response = workflow_phase_response(phase).unwrap();
            assert_eq!(response.get(), tokens, "{phase}");
            assert!(response <= WORKFLOW_RESPONSE);
            let budget = BudgetPreset::Workflow
                .builder()
                .reserve("response", response);
            assert_eq!(available(budget), 100_000 - tokens);
        }
        assert_eq!(workflow_phase_response("lunch"), None);
    }

    #[test]
    fn f022_session_shares_are_percentages_of_the_window() {
        let want = [10_000, 6_000, 6_000, 4_000, 20_000, 60_000, 4_000];
        assert_eq!(limits(BudgetPreset::Session.builder()), want);
        let budget = BudgetPreset::Session.builder().build().unwrap();
        assert_eq!(budget.reserves()[0].tokens, Tokens::new(90_000));
        assert_eq!(budget.available(), Tokens::new(110_000));
        // Odd windows round every share down; with a margin they still fit.
        let odd = BudgetPreset::Session.over(Tokens::new(99_999));
        assert_eq!(limits(odd.margin(0.9))[0], 4_499);
    }

    #[test]
    fn f023_session_trim_trigger_is_recent_plus_summary() {
        let trigger =
            |builder: BudgetBuilder| session_trim_trigger(&builder.build().unwrap().allocate());
        let session = BudgetPreset::Session.builder();
        assert_eq!(trigger(session), Some(Tokens::new(80_000)));
        assert_eq!(trigger(BudgetPreset::Packer.builder()), None);
    }

    #[test]
    fn f024_packer_reserves() {
        assert_eq!(available(BudgetPreset::Packer.builder()), 90_000);
        let other = BudgetPreset::Packer
            .builder()
            .reserve("system", Tokens::new(8_000))
            .reserve("response", Tokens::new(15_000));
        assert_eq!(available(other), 77_000);
    }

    #[test]
    fn f025_packer_categories_are_optional() {
        assert!(limits(BudgetPreset::Packer.builder()).is_empty());
        let cut = BudgetPreset::Packer
            .builder()
            .shares(packer_categories(), Leftover::Redistribute);
        assert_eq!(limits(cut.clone()), [36_000, 27_000, 18_000, 9_000]);
        let allocation = cut.build().unwrap().allocate();
        assert_eq!(allocation.leftover(), Leftover::Redistribute);
    }

    #[test]
    fn f025_categories_that_do_not_sum_to_100_are_refused() {
        let mut categories = packer_categories();
        categories.pop();
        let error = BudgetPreset::Packer
            .builder()
            .shares(categories, Leftover::Keep)
            .build()
            .unwrap_err();
        assert_eq!(error, BudgetError::PercentSum { sum: 90.0 });
        assert_eq!(error.code(), "LL-BUD-005");
    }

    #[test]
    fn f030_feature_budget() {
        assert_eq!(available(BudgetPreset::Feature.builder()), 80_000);
        let other = BudgetPreset::Feature.over(Tokens::new(57_600));
        assert_eq!(available(other), 57_600);
    }
}
