//! Requests of many sessions by day, model, project and agent, with their cost.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::{Offset, TimeZone};
use serde::Serialize;

use super::cost::Savings;
use crate::Remark;
use crate::agents::{Request, Spending, each_once};
use crate::budget::{Model, Models};

/// What a request belongs to where its log does not say.
const UNKNOWN: &str = "(unknown)";

/// How models are named that cost nothing.
const FREE: &str = ":free";

/// How requests are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageReportOptions {
    /// Where days begin.
    pub offset: Offset,
}

impl Default for UsageReportOptions {
    fn default() -> UsageReportOptions {
        UsageReportOptions { offset: Offset::UTC }
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
    /// What they cost, in dollars.
    pub cost: f64,
    /// What caches saved.
    #[serde(rename = "saved")]
    pub savings: Savings,
}

/// Reports requests, each once, by the prices of the table.
///
/// A model that the table does not know costs what its log says, or else 15 and 75
/// dollars a million, with a remark.
pub fn usage_report(
    requests: Vec<Request>,
    models: &Models,
    options: UsageReportOptions,
) -> UsageReport {
    let mut report = UsageReport::default();
    let mut unknown = BTreeSet::new();
    let mut groups: [BTreeMap<String, UsageGroup>; 4] = Default::default();
    let zone = options.offset.to_time_zone();
    for request in each_once(requests) {
        let name = request.model.as_deref().unwrap_or(UNKNOWN);
        let model = models.find(name);
        let priced = Priced::new(&request, model);
        if priced.is_guess {
            unknown.insert(name.to_owned());
        }
        let names = [
            day(&request, &zone),
            model.map_or(name, |model| &model.name).to_owned(),
            request.project.clone().unwrap_or_else(|| UNKNOWN.to_owned()),
            request.agent.name().to_owned(),
        ];
        report.total.add(&request, &priced);
        for (groups, name) in groups.iter_mut().zip(names) {
            groups.entry(name).or_default().add(&request, &priced);
        }
    }
    let [days, by_model, projects, agents] = groups.map(named);
    report.days = days;
    report.models = most_expensive_first(by_model);
    report.projects = most_expensive_first(projects);
    report.agents = most_expensive_first(agents);
    report.notes = unknown.into_iter().map(guessed).collect();
    report
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
    savings: Savings,
    /// Whether neither the table nor the log knows the price.
    is_guess: bool,
}

impl Priced {
    fn new(request: &Request, model: Option<&Model>) -> Priced {
        let prices = model.and_then(|model| model.prices);
        let is_free = request.model.as_deref().is_some_and(|it| it.ends_with(FREE));
        let logged = request.logged_cost;
        let logged = logged.filter(|cost| cost.is_finite() && *cost > 0.0);
        let logged = logged.or(is_free.then_some(0.0));
        let logged = logged.filter(|_| prices.is_none());
        let savings = match logged {
            // Without prices nobody knows what was saved.
            Some(_) => Savings { tokens: request.spending.cache_read, ..Savings::default() },
            None => request.spending.savings(prices.as_ref()),
        };
        Priced {
            cost: logged.unwrap_or_else(|| request.spending.cost(prices.as_ref()).total()),
            savings,
            is_guess: prices.is_none() && logged.is_none(),
        }
    }
}

impl UsageGroup {
    fn add(&mut self, request: &Request, priced: &Priced) {
        self.requests += 1;
        self.spending = self.spending + request.spending;
        self.cost += priced.cost;
        self.savings.tokens = self.savings.tokens.saturating_add(priced.savings.tokens);
        self.savings.dollars += priced.savings.dollars;
        let sent = self.cost + self.savings.dollars;
        if sent > 0.0 {
            self.savings.percent = self.savings.dollars / sent * 100.0;
        }
    }
}

fn named(groups: BTreeMap<String, UsageGroup>) -> Vec<UsageGroup> {
    let named = |(name, group): (String, UsageGroup)| UsageGroup { name, ..group };
    groups.into_iter().map(named).collect()
}

fn most_expensive_first(mut groups: Vec<UsageGroup>) -> Vec<UsageGroup> {
    groups.sort_by(|a, b| b.cost.total_cmp(&a.cost).then(a.name.cmp(&b.name)));
    groups
}

fn guessed(model: String) -> Remark {
    let message = "its prices are not known, so it counts 15 dollars a million sent and 75 \
                   received; add it under [models]";
    Remark::new(model, message)
}
