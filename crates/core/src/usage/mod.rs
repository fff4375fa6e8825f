//! What was spent, on what, and what did it cost?
//!
//! ```text
//! rounds   tracker or ledger -> warnings, lines, summary
//! logs     agents' logs -> requests, each once -> days, models, projects -> report
//! ```
//!
//! A [`UsageTracker`] is fed by whoever makes the requests. [`read_requests`] finds
//! them in the logs that agents keep, also those that are no context any more: of
//! before a compaction, of other branches, of helpers. Prices are those of the
//! table of models.

mod cost;
mod ledger;
mod logs;
mod opencode;
mod report;
mod tracker;

pub use cost::{Cost, Savings, Spending};
pub use ledger::{LedgerRead, UsageError, read_ledger};
pub use logs::{Request, UsageAgent, read_requests};
pub use opencode::read_opencode_database;
pub use report::{UsageGroup, UsageReport, UsageReportOptions, usage_report};
pub use tracker::{RoundUsage, UsageTracker};
