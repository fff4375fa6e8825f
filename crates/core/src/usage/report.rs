//! Requests of many sessions by day, model, project, agent and session, with their cost
//! and what of it was paid again.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::{Offset, TimeZone};
use serde::Serialize;

use super::caching::{CacheRules, Cached, Cause};
use super::cost::{Cost, Savings};
use super::replay::{Cut, replay, trim_when_cold};
use crate::Remark;
use crate::agents::{Agent, Request, Spending, each_once};
use crate::budget::{Model, Models};

/// What a request belongs to where its log does not say.
const UNKNOWN: &str = "(unknown)";

/// The part of what a trim cuts that is reckoned to be read again.
const REREAD: f64 = 0.1;

/// How models are named that cost nothing.
const FREE: &str = ":free";

/// How requests are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageReportOptions {
    /// Where days begin.
    pub offset: Offset,
    /// What trimming is reckoned with: sessions of more tokens than this,
    pub least: u64,
    /// down to this many behind tools and system prompt.
    pub target: u64,
}

impl Default for UsageReportOptions {
    fn default() -> UsageReportOptions {
        UsageReportOptions { offset: Offset::UTC, least: 40_000, target: 16_000 }
    }
}

/// What many requests used.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UsageReport {
    /// All of it.
    pub total: UsageGroup,
    /// By day, `2026-01-31`, oldest first.
    pub days: Vec<UsageGroup>,
    /// By model, most expensive first.
    pub models: Vec<UsageGroup>,
    /// By directory, most expensive first.
    pub projects: Vec<UsageGroup>,
    /// By agent, most expensive first.
    pub agents: Vec<UsageGroup>,
    /// By session or helper of one, most expensive first.
    pub sessions: Vec<UsageGroup>,
    /// What trimming each session whenever its cache was cold would have saved, in dollars,
    /// if a tenth of what was cut had to be read again.
    pub trim_savings: f64,
    /// What was odd.
    #[serde(skip)]
    pub notes: Vec<Remark>,
}

/// Requests that have something in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UsageGroup {
    /// What they have in common.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// How many there are.
    pub requests: usize,
    /// What was counted for them.
    #[serde(flatten)]
    pub spending: Spending,
    /// What they cost, in dollars, as far as their prices are known.
    pub cost: f64,
    /// The same by what was paid for, without what only a log knows the price of.
    pub costs: Cost,
    /// How many of them have no price.
    pub unpriced: usize,
    /// What had been sent before and was paid for again, by cause, most expensive first.
    pub again: Vec<Again>,
    /// What caches saved.
    #[serde(rename = "saved")]
    pub savings: Savings,
}

/// Tokens that had been sent before and were written again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Again {
    /// Why.
    pub cause: Cause,
    /// In how many requests.
    pub requests: usize,
    /// How many tokens.
    pub tokens: u64,
    /// What they cost, in dollars.
    pub cost: f64,
}

/// Reports requests, each once, by the prices of the table.
///
/// A model that the table does not know costs what its log says, or else nothing, with a
/// remark.
pub fn usage_report(
    requests: Vec<Request>,
    models: &Models,
    options: UsageReportOptions,
) -> UsageReport {
    let mut report = UsageReport::default();
    let mut unknown = BTreeSet::new();
    let mut groups: [BTreeMap<String, UsageGroup>; 5] = Default::default();
    let zone = options.offset.to_time_zone();
    for thread in threads(each_once(requests)) {
        let first = thread.first().and_then(|it| it.model.as_deref());
        let rules = CacheRules::of(first, models);
        let mut cached = Cached::new(rules);
        for request in &thread {
            let name = request.model.as_deref().unwrap_or(UNKNOWN);
            let model = models.find(name);
            let again = cached.follow(request).again;
            let priced = Priced::new(request, model, again);
            if priced.is_unknown {
                unknown.insert(name.to_owned());
            }
            let names = [
                day(request, &zone),
                model.map_or(name, |model| &model.name).to_owned(),
                request.project.clone().unwrap_or_else(|| UNKNOWN.to_owned()),
                request.agent.name().to_owned(),
                thread_name(request).to_owned(),
            ];
            report.total.add(request, &priced);
            for (groups, name) in groups.iter_mut().zip(names) {
                groups.entry(name).or_default().add(request, &priced);
            }
        }
        report.trim_savings += trim_savings(&thread, rules, models, options);
    }
    let [days, by_model, projects, agents, sessions] = groups.map(named);
    report.days = days;
    report.models = most_expensive_first(by_model);
    report.projects = most_expensive_first(projects);
    report.agents = most_expensive_first(agents);
    report.sessions = most_expensive_first(sessions);
    report.total = std::mem::take(&mut report.total).sorted();
    report.notes = unknown.into_iter().map(not_priced).collect();
    report
}

/// Takes requests apart by conversation, each in the order of time.
fn threads(requests: Vec<Request>) -> Vec<Vec<Request>> {
    let mut threads: BTreeMap<(Agent, String), Vec<Request>> = BTreeMap::new();
    for request in requests {
        threads.entry((request.agent, request.thread.clone())).or_default().push(request);
    }
    let mut threads: Vec<Vec<Request>> = threads.into_values().collect();
    for thread in &mut threads {
        // Those without a time stay where they are.
        if thread.iter().all(|it| it.time.is_some()) {
            thread.sort_by_key(|it| it.time);
        }
    }
    threads
}

fn thread_name(request: &Request) -> &str {
    match request.thread.as_str() {
        "" => UNKNOWN,
        thread => thread,
    }
}

/// What a conversation would have cost less, had it been trimmed whenever it was cold.
fn trim_savings(
    thread: &[Request],
    rules: CacheRules,
    models: &Models,
    options: UsageReportOptions,
) -> f64 {
    let is_known = |request: &Request| !request.thread.is_empty() && request.time.is_some();
    if thread.len() < 2 || !thread.iter().all(is_known) {
        return 0.0;
    }
    let cost = |spent: Vec<Spending>| -> f64 {
        let priced = spent.iter().zip(thread).map(|(spending, request)| {
            let prices = request.model.as_deref().and_then(|it| models.find(it)?.prices);
            prices.map_or(0.0, |prices| spending.cost(Some(&prices)).total())
        });
        priced.sum()
    };
    let as_it_was = replay(thread, rules, 0.0, |_| Cut::default());
    let trimmed = replay(thread, rules, REREAD, trim_when_cold(options.least, options.target));
    cost(as_it_was) - cost(trimmed)
}

fn day(request: &Request, zone: &TimeZone) -> String {
    match request.time {
        Some(time) => time.to_zoned(zone.clone()).date().to_string(),
        None => UNKNOWN.to_owned(),
    }
}

/// A request with its price.
struct Priced {
    cost: f64,
    costs: Cost,
    savings: Savings,
    again: Option<Again>,
    /// Whether neither the table nor the log knows the price.
    is_unknown: bool,
}

impl Priced {
    fn new(request: &Request, model: Option<&Model>, again: Option<(Cause, u64)>) -> Priced {
        let prices = model.and_then(|model| model.prices);
        let is_free = request.model.as_deref().is_some_and(|it| it.ends_with(FREE));
        let logged = request.logged_cost;
        let logged = logged.filter(|cost| cost.is_finite() && *cost > 0.0);
        let logged = logged.or(is_free.then_some(0.0));
        let costs = prices.map(|prices| request.spending.cost(Some(&prices)));
        let cost = costs.map(|costs| costs.total()).or(logged);
        let again = again.map(|(cause, tokens)| {
            let spending = request.spending.written_anew(tokens);
            let cost = prices.map_or(0.0, |prices| spending.cost(Some(&prices)).total());
            Again { cause, requests: 1, tokens, cost }
        });
        let savings = match &prices {
            // Without prices nobody knows what was saved.
            None => Savings { tokens: request.spending.cache_read, ..Savings::default() },
            prices => request.spending.savings(prices.as_ref()),
        };
        Priced {
            cost: cost.unwrap_or(0.0),
            costs: costs.unwrap_or_default(),
            savings,
            again,
            is_unknown: cost.is_none(),
        }
    }
}

impl Spending {
    /// This many tokens of what was sent and not read, in the way it was paid for.
    fn written_anew(&self, tokens: u64) -> Spending {
        let long = self.cache_write_long.min(tokens);
        let short = self.cache_write.min(tokens - long);
        Spending {
            input: tokens - long - short,
            cache_write: short,
            cache_write_long: long,
            ..Spending::default()
        }
    }
}

impl UsageGroup {
    fn sorted(mut self) -> UsageGroup {
        self.again.sort_by(|a, b| b.cost.total_cmp(&a.cost).then(a.cause.cmp(&b.cause)));
        self
    }

    /// Returns what was paid for: its name, tokens and dollars, without what there is none of.
    pub fn paid_for(&self) -> Vec<(&'static str, u64, f64)> {
        let (spending, costs) = (&self.spending, &self.costs);
        let kinds = [
            ("input", spending.input, costs.input),
            ("written to a cache", spending.cache_write, costs.cache_write - costs.long_write),
            ("written for an hour", spending.cache_write_long, costs.long_write),
            ("read from a cache", spending.cache_read, costs.cache_read),
            ("output", spending.output, costs.output),
        ];
        kinds.into_iter().filter(|(_, tokens, _)| *tokens > 0).collect()
    }

    /// Returns what was paid again, over all causes.
    pub fn paid_again(&self) -> f64 {
        self.again.iter().map(|it| it.cost).sum()
    }

    fn add(&mut self, request: &Request, priced: &Priced) {
        self.requests += 1;
        self.unpriced += usize::from(priced.is_unknown);
        self.spending = self.spending + request.spending;
        self.cost += priced.cost;
        self.costs = self.costs + priced.costs;
        self.savings.tokens = self.savings.tokens.saturating_add(priced.savings.tokens);
        self.savings.dollars += priced.savings.dollars;
        let sent = self.cost + self.savings.dollars;
        if sent > 0.0 {
            self.savings.percent = self.savings.dollars / sent * 100.0;
        }
        if let Some(again) = priced.again {
            match self.again.iter_mut().find(|it| it.cause == again.cause) {
                None => self.again.push(again),
                Some(known) => {
                    known.requests += 1;
                    known.tokens = known.tokens.saturating_add(again.tokens);
                    known.cost += again.cost;
                }
            }
        }
    }
}

fn named(groups: BTreeMap<String, UsageGroup>) -> Vec<UsageGroup> {
    let named = |(name, group): (String, UsageGroup)| UsageGroup { name, ..group }.sorted();
    groups.into_iter().map(named).collect()
}

fn most_expensive_first(mut groups: Vec<UsageGroup>) -> Vec<UsageGroup> {
    groups.sort_by(|a, b| b.cost.total_cmp(&a.cost).then(a.name.cmp(&b.name)));
    groups
}

fn not_priced(model: String) -> Remark {
    let message = "its prices are not known, so its tokens are counted and its cost is not; add \
                   it under [models]";
    Remark::new(model, message)
}
