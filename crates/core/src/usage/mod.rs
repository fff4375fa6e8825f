//! Reports what was spent, on what, and what it cost.
//!
//! ```text
//! rounds   tracker or ledger -> warnings, lines, summary
//! logs     requests of agents, each once -> days, models, projects -> report
//! ```
//!
//! A [`UsageTracker`] is fed by the program that makes the requests. The requests of agents are
//! read from their logs by [`crate::agents`], including those that are no longer context:
//! from before a compaction, on other branches, by helpers. Prices are those of the table
//! of models.

mod cost;
mod ledger;
mod report;
mod tracker;

pub use cost::{Cost, Savings};
pub use ledger::{LedgerRead, UsageError, read_ledger};
pub use report::{UsageGroup, UsageReport, UsageReportOptions, usage_report};
pub use tracker::{RoundUsage, UsageTracker};
