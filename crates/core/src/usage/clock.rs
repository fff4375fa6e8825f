//! Tells how long a conversation stays in the provider's cache, and what its next turn
//! costs warm and cold.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::caching::{CacheRules, Cached};
use crate::agents::{Request, Spending};
use crate::budget::{Models, Prices};

/// The cache of a conversation at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheClock {
    /// Seconds for which it is still warm; none or less: it is cold.
    pub seconds_left: f64,
    /// Tokens that the next turn sends, besides what is new.
    pub sent: u64,
    /// Of those, tools and system prompt, as far as the log tells.
    pub base: u64,
    #[serde(skip)]
    /// What its model costs.
    pub prices: Option<Prices>,
    #[serde(skip)]
    /// How its provider's cache works.
    pub rules: CacheRules,
    #[serde(skip)]
    /// Whether it is written for long.
    pub is_long: bool,
}

impl CacheClock {
    /// Reads the clock off the requests of a session's log; none without a request that has
    /// a time.
    ///
    /// ```
    /// use loadline::agents::{Agent, read_requests};
    /// use loadline::budget::Models;
    /// use loadline::usage::CacheClock;
    /// let log = br#"{"type":"assistant","timestamp":"2026-01-30T10:00:00Z","sessionId":"s",
    ///     "message":{"id":"m","model":"claude-sonnet-4-5","usage":{"input_tokens":5,
    ///     "cache_creation_input_tokens":99995,"output_tokens":10}}}"#;
    /// let log: Vec<u8> = log.iter().copied().filter(|byte| *byte != b'\n').collect();
    /// let requests = read_requests(&log, Agent::ClaudeCode);
    /// let models = Models::builtin()?;
    /// let clock = CacheClock::at(&requests, &models, "2026-01-30T10:01:00Z".parse()?);
    /// let clock = clock.expect("a request");
    /// assert_eq!((clock.seconds_left, clock.sent), (240.0, 100_010));
    /// assert!(clock.warm_cost() < clock.cold_cost());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(requests: &[Request], models: &Models, now: Timestamp) -> Option<CacheClock> {
        let thread = longest(requests)?;
        let own = || requests.iter().filter(|it| it.thread == thread);
        let last = own().filter(|it| it.time.is_some()).max_by_key(|it| it.time)?;
        let rules = CacheRules::of(last.model.as_deref(), models);
        let mut cached = Cached::new(rules);
        own().for_each(|request| _ = cached.follow(request));
        let passed = now.duration_since(last.time?).as_secs_f64();
        let sent = last.spending.sent().saturating_add(last.spending.output);
        Some(CacheClock {
            seconds_left: rules.life_after(last) - passed,
            sent,
            base: cached.base.min(sent),
            prices: last.model.as_deref().and_then(|it| models.find(it)?.prices),
            rules,
            is_long: last.spending.cache_write_long > 0,
        })
    }

    /// Tells whether the cache no longer holds the conversation.
    pub fn is_cold(&self) -> bool {
        self.seconds_left <= 0.0
    }

    /// Returns what sending all of it costs while it is cached; none without a price.
    pub fn warm_cost(&self) -> Option<f64> {
        self.cost(Spending { cache_read: self.sent, ..Spending::default() })
    }

    /// Returns what sending all of it costs when it is not cached.
    pub fn cold_cost(&self) -> Option<f64> {
        self.written_cost(self.sent)
    }

    /// Returns what sending this many tokens costs when only tools and system prompt are
    /// cached, by other conversations.
    pub fn written_cost(&self, tokens: u64) -> Option<f64> {
        let read = self.base.min(tokens);
        let written = tokens - read;
        let mut spending = Spending { cache_read: read, ..Spending::default() };
        if self.rules.is_implicit {
            spending.input = written;
        } else if self.is_long {
            spending.cache_write_long = written;
        } else {
            spending.cache_write = written;
        }
        self.cost(spending)
    }

    fn cost(&self, spending: Spending) -> Option<f64> {
        self.prices.map(|prices| spending.cost(Some(&prices)).total())
    }
}

/// The conversation that a log is about: helpers have fewer requests.
fn longest(requests: &[Request]) -> Option<&str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for request in requests {
        *counts.entry(&request.thread).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(thread, _)| thread)
}
