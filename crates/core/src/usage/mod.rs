//! Reports what was spent, on what, and what it cost.
//!
//! ```text
//! rounds   tracker or ledger -> warnings, lines, summary
//! logs     requests of agents, each once -> days, models, projects, sessions -> report
//! cache    a conversation, the rules of its cache -> what was paid again, and why
//! clock    the last request, now -> warm or cold, and the price of the next turn
//! replay   the same and a policy -> what it would have cost
//! ```
//!
//! A [`UsageTracker`] is fed by the program that makes the requests. The requests of agents are
//! read from their logs by [`crate::agents`], including those that are no longer context:
//! from before a compaction, on other branches, by helpers. Prices are those of the table
//! of models.

mod caching;
mod clock;
mod cost;
mod ledger;
mod replay;
mod report;
mod tracker;

pub use caching::{CacheRules, Cause};
pub use clock::CacheClock;
pub use cost::{Cost, Savings};
pub use ledger::{LedgerRead, UsageError, read_ledger};
pub use replay::{Cut, ReplayMoment, replay, trim_when_cold};
pub use report::{Again, UsageGroup, UsageReport, UsageReportOptions, usage_report};
pub use tracker::{RoundUsage, UsageTracker};
