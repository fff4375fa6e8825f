//! Turns `[budget]` into a [`Budget`]: the window, what is held back, the margin, the shares.
//!
//! A preset is a named set of these numbers. It is a starting point only: each
//! number that is set on its own replaces the preset's. The window of a preset
//! is for callers that name no model; a model that is set brings its own.

use super::{Config, Source};
use crate::budget::{Amount, Budget, BudgetError, Leftover, Model, Share};
use crate::tokens::{Precision, Tokens};

/// The percentage of a small window that each reserve takes at most, unless it is set.
const MOST_RESERVED: f64 = 25.0;

/// The numbers of a preset; `None` leaves a number to the settings or the model.
#[derive(Default)]
struct Preset {
    window: Option<Tokens>,
    response: Option<Amount>,
    system: Option<Tokens>,
    precision: Option<Precision>,
    shares: Vec<Share>,
}

impl Config {
    /// Returns the budget for a model whose tokens are counted this precisely.
    ///
    /// ```
    /// use loadline::budget::Models;
    /// use loadline::settings::{Config, Layer};
    /// use loadline::tokens::{Precision, Tokens};
    ///
    /// let config = Config::load([Layer::project("loadline.toml", "budget.preset = \"files\"")])?;
    /// let models = Models::builtin()?;
    /// let (model, _) = models.find_or_generic("generic");
    /// let budget = config.budget(model, Precision::Exact)?;
    /// assert_eq!(budget.available(), Tokens::new(83_613));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn budget(&self, model: &Model, precision: Precision) -> Result<Budget, BudgetError> {
        let settings = &self.settings.budget;
        let preset = self.preset();
        let window = self.window().unwrap_or(model.window);
        let own = |key: &str, of_preset: Option<Tokens>, configured: Tokens| match of_preset {
            _ if self.is_set(key) => configured,
            Some(of_preset) => of_preset,
            None => configured.min(part(window, MOST_RESERVED)),
        };
        let response = preset.response.map(|amount| match amount {
            Amount::PercentOfWindow(percent) => part(window, percent),
            Amount::Tokens(tokens) => tokens,
            Amount::PercentOfAvailable(_) | Amount::Rest => Tokens::ZERO,
        });
        let response = own("budget.response_reserve", response, settings.response_reserve);
        let system = own("budget.system_reserve", preset.system, settings.system_reserve);
        let mut budget = Budget::of(window)
            .reserve("response", response)
            .reserve("system", system)
            .precision(preset.precision.unwrap_or(precision))
            .shares(self.shares(), Leftover::Redistribute);
        if let Some(margin) = settings.margin {
            budget = budget.margin(margin);
        }
        budget.build()
    }

    /// Returns the window that is set, or the preset's where no model is set; the
    /// model's counts where there is neither.
    pub fn window(&self) -> Option<Tokens> {
        let preset = || self.preset().window.filter(|_| !self.is_set("model"));
        self.settings.budget.window.or_else(preset)
    }

    /// Returns the shares that are set, or else the preset's.
    pub fn shares(&self) -> Vec<Share> {
        let set = &self.settings.budget.shares;
        if set.is_empty() {
            return self.preset().shares;
        }
        let shares = set.iter();
        shares.map(|(name, amount)| Share::new(name, *amount)).collect()
    }

    /// Returns what a session of this window may take before it has to be trimmed:
    /// the shares of recent turns and of the summary of older ones.
    pub fn session_budget(&self, window: Tokens) -> Tokens {
        let allocations = &self.settings.session.allocations;
        let recent = part(window, allocations.session_recent);
        recent.saturating_add(part(window, allocations.session_summary))
    }

    /// Tells whether a key is set by anybody.
    fn is_set(&self, key: &str) -> bool {
        self.source(key).is_some_and(|source| *source != Source::Default)
    }

    fn preset(&self) -> Preset {
        let hundred_thousand = Some(Tokens::new(100_000));
        match self.settings.budget.preset.as_str() {
            "files" => Preset {
                window: hundred_thousand,
                response: Some(Amount::Tokens(Tokens::new(4_096))),
                system: Some(Tokens::new(3_000)),
                precision: Some(Precision::Heuristic),
                ..Preset::default()
            },
            "packer" => Preset {
                window: hundred_thousand,
                response: Some(Amount::Tokens(Tokens::new(8_000))),
                system: Some(Tokens::new(2_000)),
                shares: packer_shares(),
                ..Preset::default()
            },
            "workflow" => Preset {
                window: hundred_thousand,
                response: Some(Amount::Tokens(Tokens::new(4_000))),
                system: Some(Tokens::ZERO),
                shares: workflow_shares(),
                ..Preset::default()
            },
            "session" => self.session_preset(),
            "feature" => Preset {
                window: Some(self.settings.memory.max_tokens),
                response: Some(Amount::Tokens(Tokens::ZERO)),
                system: Some(Tokens::ZERO),
                ..Preset::default()
            },
            _ => Preset::default(),
        }
    }

    /// Shares as `[session.allocations]` has them, in percent of the window.
    fn session_preset(&self) -> Preset {
        let allocations = &self.settings.session.allocations;
        let shares = [
            ("system_prompt", allocations.system_prompt),
            ("skills", allocations.skills),
            ("knowledge_base", allocations.knowledge_base),
            ("cross_issue", allocations.cross_issue),
            ("session_summary", allocations.session_summary),
            ("session_recent", allocations.session_recent),
            ("current_prompt", allocations.current_prompt),
        ];
        let shares =
            shares.map(|(name, percent)| Share::new(name, Amount::PercentOfWindow(percent)));
        Preset {
            window: Some(self.settings.session.total.unwrap_or(Tokens::new(200_000))),
            response: Some(Amount::PercentOfWindow(allocations.reserved_for_response)),
            system: Some(Tokens::ZERO),
            shares: shares.to_vec(),
            ..Preset::default()
        }
    }
}

fn packer_shares() -> Vec<Share> {
    let percents = [
        ("tool_results", 40.0),
        ("open_files", 30.0),
        ("search_results", 20.0),
        ("references", 10.0),
    ];
    let shares = percents.map(|(name, percent)| Share::percent(name, percent));
    shares.to_vec()
}

fn workflow_shares() -> Vec<Share> {
    let tokens = [
        ("system", 500),
        ("design", 1_000),
        ("types", 2_000),
        ("current", 2_000),
        ("messages", 20_000),
    ];
    let shares = tokens.map(|(name, tokens)| Share::tokens(name, Tokens::new(tokens)));
    let buffer = Share::new("buffer", Amount::Rest);
    shares.into_iter().chain([buffer]).collect()
}

/// Returns a percentage of tokens, rounded down.
fn part(of: Tokens, percent: f64) -> Tokens {
    // Percentages have two decimals; a hundredth of a percent is exact in integers.
    let parts = (percent * 100.0).round() as u128;
    let tokens = u128::from(of.get()) * parts / 10_000;
    Tokens::new(u64::try_from(tokens).unwrap_or(u64::MAX))
}
