//! `loadline usage`: what all sessions of a user used, by day, model and project.

pub(super) mod show;

use std::path::PathBuf;
use std::time::SystemTime;

use clap::ValueEnum;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use loadline::agents::{Agent, Log, Request, find_logs, find_logs_in, read_logs};
use loadline::usage::{UsageReport, UsageReportOptions, usage_report};

use crate::agent::{agent_homes, logged_agent, logged_agents};
use crate::error::{CommandError, Result};
use crate::settings;
use crate::ui::{Ui, plural};

/// Show what your agents' sessions used and cost, by day, model and project.
///
/// Finds the logs of Claude Code, Codex, the Gemini CLI, opencode and pi in your home
/// directory and reads them; nothing is written. A request in several lines or files
/// counts once. Prices are those of `loadline models`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline usage --since 2026-01-01
  loadline usage --by model --agent claude-code --agent codex
  loadline usage --by project --logs ~/old-logs --json")]
pub(crate) struct UsageArgs {
    /// Group by this [default: day and model].
    #[arg(long, value_name = "WHAT")]
    by: Vec<By>,
    #[command(flatten)]
    logs: LogArgs,
}

/// Which requests of which logs.
#[derive(Debug, clap::Args)]
pub(crate) struct LogArgs {
    /// Only requests of this day or later, such as 2026-01-31.
    #[arg(long, value_name = "DATE")]
    since: Option<Date>,
    /// Only requests of this day or earlier.
    #[arg(long, value_name = "DATE")]
    until: Option<Date>,
    /// Only logs of this agent; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = logged_agent())]
    agent: Vec<Agent>,
    /// Read the logs in this directory instead of the usual ones; may be repeated.
    #[arg(long, value_name = "DIR")]
    logs: Vec<PathBuf>,
    /// Where days begin, as hours and minutes east of UTC: +02:00, -05:30.
    #[arg(long, value_name = "OFFSET", default_value = "+00:00", value_parser = offset, allow_hyphen_values = true)]
    offset: Offset,
}

/// What requests are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// The day.
    Day,
    /// The model.
    Model,
    /// The directory that the agent worked in.
    Project,
    /// The agent.
    Agent,
    /// The session, or a helper of one.
    Session,
}

/// Finds, reads and shows.
pub(crate) fn run(args: &UsageArgs, ui: &mut Ui) -> Result<()> {
    let (logs, report) = args.logs.report(ui)?;
    if ui.wants_json() {
        return Ok(ui.json(&show::Document { logs, report: &report })?);
    }
    let files = plural(logs as u64, "log");
    let by = if args.by.is_empty() { &[By::Day, By::Model][..] } else { &args.by[..] };
    show::write(&report, by, &files, ui)
}

impl LogArgs {
    /// Reads the logs; returns how many there are, and what is in them.
    pub(super) fn report(&self, ui: &mut Ui) -> Result<(usize, UsageReport)> {
        let config = settings::load_config(Vec::new(), ui)?;
        let models = settings::load_models(&config, ui)?;
        let zone = self.offset.to_time_zone();
        let logs = self.find(&zone)?;
        let store = settings::open_store(&config, ui);
        let (mut requests, notes) = read_logs(&logs, &store, settings::now_ns(ui));
        ui.remarks(notes);
        ui.remarks(store.take_notes());
        requests.retain(|request| self.covers(request, &zone));
        let resume = &config.settings().resume;
        let options = UsageReportOptions {
            offset: self.offset,
            least: resume.least.get(),
            target: resume.target.get(),
        };
        let mut report = usage_report(requests, &models, options);
        ui.remarks(std::mem::take(&mut report.notes));
        Ok((logs.len(), report))
    }

    /// Lists the logs to read.
    pub(super) fn find_all(&self) -> Result<Vec<Log>> {
        self.find(&self.offset.to_time_zone())
    }

    /// Lists the logs to read. One that has not changed since the first day holds no
    /// request of it.
    fn find(&self, zone: &TimeZone) -> Result<Vec<Log>> {
        let agents = if self.agent.is_empty() { logged_agents() } else { self.agent.clone() };
        let mut logs = Vec::new();
        if self.logs.is_empty() {
            logs = find_logs(&agents, &agent_homes()?);
        }
        for path in &self.logs {
            let below = find_logs_in(path, &agents);
            logs.extend(below.map_err(|error| CommandError::at("read", path, error))?);
        }
        let since = self.since.and_then(|day| day.to_zoned(zone.clone()).ok());
        if let Some(since) = since {
            let since = SystemTime::from(since.timestamp());
            logs.retain(|log| log.changed >= since);
        }
        Ok(logs)
    }

    fn covers(&self, request: &Request, zone: &TimeZone) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let Some(time) = request.time else {
            return false;
        };
        let day = time.to_zoned(zone.clone()).date();
        self.since.is_none_or(|since| day >= since) && self.until.is_none_or(|until| day <= until)
    }
}

fn offset(text: &str) -> Result<Offset, String> {
    let wrong = || "write hours and minutes east of UTC, such as +02:00".to_owned();
    let (sign, rest) = match text.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        _ => return Err(wrong()),
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let number = |text: &str| text.parse::<u8>().ok().map(i32::from);
    let (Some(hours), Some(minutes @ 0..=59)) = (number(hours), number(minutes)) else {
        return Err(wrong());
    };
    Offset::from_seconds(sign * (hours * 3_600 + minutes * 60)).map_err(|_| wrong())
}
