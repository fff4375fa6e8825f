//! Requests in the logs of agents, with what the provider counted for each.
//!
//! A transcript holds what is context; a bill holds more: what was said before a
//! compaction, on other branches, by helpers. So logs are read line by line here, and
//! only lines that can hold a bill are parsed. A request may be in several lines and
//! several files; its key identifies it.

use std::collections::HashMap;
use std::iter::Sum;
use std::ops::Add;

use jiff::Timestamp;
use memchr::memmem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Agent;

/// Tokens that were sent and received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(into = "WrittenSpending")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spending {
    /// Sent, and in no cache.
    pub input: u64,
    /// Received.
    pub output: u64,
    /// Sent, and read from a cache.
    pub cache_read: u64,
    /// Sent, and written to a cache.
    pub cache_write: u64,
    /// Sent, and written to a cache that lasts an hour.
    pub cache_write_long: u64,
}

impl Spending {
    /// Returns all tokens that were sent.
    pub fn sent(&self) -> u64 {
        self.input
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_write)
            .saturating_add(self.cache_write_long)
    }

    /// Returns all tokens.
    pub fn total(&self) -> u64 {
        self.sent().saturating_add(self.output)
    }
}

/// How spending is written: one number for what was written to caches, and the total.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WrittenSpending {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    tokens: u64,
}

impl From<Spending> for WrittenSpending {
    fn from(spending: Spending) -> WrittenSpending {
        let long = spending.cache_write_long;
        WrittenSpending {
            input: spending.input,
            output: spending.output,
            cache_read: spending.cache_read,
            cache_write: spending.cache_write.saturating_add(long),
            tokens: spending.total(),
        }
    }
}

impl Add for Spending {
    type Output = Spending;

    fn add(self, other: Spending) -> Spending {
        Spending {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            cache_write_long: self.cache_write_long.saturating_add(other.cache_write_long),
        }
    }
}

impl Sum for Spending {
    fn sum<I: Iterator<Item = Spending>>(amounts: I) -> Spending {
        amounts.fold(Spending::default(), Spending::add)
    }
}

/// One request with its bill.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Who made it.
    pub agent: Agent,
    /// The same for every record of one request, in whatever file.
    pub key: String,
    /// When it was made.
    pub time: Option<Timestamp>,
    /// The model that answered, as the log names it.
    pub model: Option<String>,
    /// The directory that the agent worked in.
    pub project: Option<String>,
    /// The conversation that it continues: a session, or a helper of one. Empty where the
    /// log does not name it.
    pub thread: String,
    /// What was counted.
    pub spending: Spending,
    /// What the log says that it cost, in dollars.
    pub logged_cost: Option<f64>,
}

/// What the lines before say about the next request of a log.
#[derive(Debug, Default)]
pub(super) struct Before {
    pub(super) model: Option<String>,
    pub(super) project: Option<String>,
    pub(super) thread: String,
    /// The sum that Codex logged last.
    pub(super) total: Value,
}

/// Finds the requests in a log of an agent, each once.
///
/// Lines that cannot be read are skipped: a log may end in the middle of one.
pub fn read_requests(log: &[u8], agent: Agent) -> Vec<Request> {
    each_once(agent.profile().requests(log, &mut Before::default()))
}

/// Keeps each request once: the record with the largest answer, in the place of the first.
pub(crate) fn each_once(requests: Vec<Request>) -> Vec<Request> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Request> = Vec::new();
    for request in requests {
        let next = kept.len();
        let place = *places.entry(request.key.clone()).or_insert(next);
        match kept.get_mut(place) {
            None => kept.push(request),
            // The bill of an unfinished answer grows with it.
            Some(known) if request.spending.output > known.spending.output => *known = request,
            Some(_) => {}
        }
    }
    kept
}

/// Returns the lines that contain a text and can be parsed.
pub(super) fn lines_with<T: DeserializeOwned>(log: &[u8], text: &str) -> impl Iterator<Item = T> {
    let finder = memmem::Finder::new(text.as_bytes()).into_owned();
    log.split(|byte| *byte == b'\n')
        .filter(move |line| finder.find(line).is_some())
        .filter_map(|line| serde_json::from_slice(line).ok())
}

pub(super) fn time(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}
