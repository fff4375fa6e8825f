//! `loadline round usage`: what the rounds of a run used, from a ledger or a log.

use std::io::Write;
use std::path::PathBuf;

use loadline::agents::{Agent, Spending, read_requests};
use loadline::budget::Models;
use loadline::tokens::Tokens;
use loadline::usage::{LedgerRead, RoundUsage, UsageError, UsageTracker, read_ledger};
use serde::Serialize;

use crate::commands::session::read_source;
use crate::error::Result;
use crate::settings;
use crate::ui::Ui;

/// Show the usage of each round, with warnings, totals and cost.
///
/// Reads a ledger, an object per line such as {"round":1,"input":1000,"output":500,
/// "context":200,"fileContent":700,"budget":8000,"cacheRead":0,"cacheCreation":0}, or
/// the log of an agent, in which each request is a round.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline round usage ledger.jsonl --model claude-opus-4-8
  loadline round usage ~/.codex/sessions/2026/01/31/rollout.jsonl --lines")]
pub(crate) struct UsageArgs {
    /// Ledger or log; - means standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Model whose prices to use [default: the model of each round].
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Budget of rounds without one [default: for a log, the model's window].
    #[arg(long, short, value_name = "TOKENS")]
    budget: Option<Tokens>,
    /// Print one line for each round instead of a summary.
    #[arg(long)]
    lines: bool,
}

/// The document of `round usage`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document {
    rounds: Vec<RoundJson>,
    total: RoundJson,
    cost: f64,
    saved: SavedJson,
    warnings: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RoundJson {
    #[serde(flatten)]
    usage: RoundUsage,
    utilization: Option<f64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SavedJson {
    tokens: u64,
    dollars: f64,
    percent: f64,
}

/// What rounds cost together.
#[derive(Default)]
struct Bill {
    cost: f64,
    saved: f64,
    uncached: f64,
    spending: Spending,
}

/// Reads, tracks and shows.
pub(crate) fn run(args: &UsageArgs, ui: &mut Ui) -> Result<()> {
    let config = settings::load_config(Vec::new(), ui)?;
    let models = settings::load_models(&config, ui)?;
    let bytes = read_source(&args.file)?;
    let rounds = args.rounds(&bytes, &models, ui);
    if rounds.is_empty() && !bytes.trim_ascii().is_empty() {
        return Err(UsageError::NoUsage.into());
    }
    let mut tracker = UsageTracker::warning_at(config.settings().round.warn_at)?;
    let mut warnings = Vec::new();
    for round in rounds {
        warnings.extend(tracker.record(round));
    }
    let bill = args.bill(&tracker, &models, ui);
    if ui.wants_json() {
        return Ok(ui.json(&document(&tracker, &bill, warnings))?);
    }
    for warning in &warnings {
        ui.say(warning);
    }
    if args.lines {
        for round in tracker.rounds() {
            writeln!(ui.out(), "{}", round.log_line())?;
        }
        return Ok(());
    }
    writeln!(ui.out(), "{}", tracker.summary())?;
    if !tracker.rounds().is_empty() {
        writeln!(ui.out(), "  Cost: ${:.2}{}", bill.cost, bill.saved_words())?;
    }
    Ok(())
}

impl UsageArgs {
    /// Reads a log of an agent where it is one, and a ledger otherwise.
    fn rounds(&self, bytes: &[u8], models: &Models, ui: &mut Ui) -> Vec<RoundUsage> {
        let LedgerRead { mut rounds, notes } = read_ledger(bytes);
        if rounds.is_empty()
            && let Some(agent) = Agent::detect(bytes)
        {
            let requests = read_requests(bytes, agent).into_iter();
            let from_log = requests.map(|request| {
                let model = request.model.as_deref().and_then(|name| models.find(name));
                let long = request.spending.cache_write_long;
                RoundUsage {
                    input: request.spending.sent(),
                    output: request.spending.output,
                    budget: model.map_or(0, |model| model.window.get()),
                    cache_read: request.spending.cache_read,
                    cache_creation: request.spending.cache_write.saturating_add(long),
                    model: request.model,
                    ..RoundUsage::default()
                }
            });
            rounds = from_log.collect();
        } else {
            ui.remarks(notes);
        }
        for round in rounds.iter_mut().filter(|round| round.budget == 0) {
            round.budget = self.budget.map_or(0, Tokens::get);
        }
        rounds
    }

    fn bill(&self, tracker: &UsageTracker, models: &Models, ui: &mut Ui) -> Bill {
        let mut bill = Bill::default();
        let mut unknown = Vec::new();
        for round in tracker.rounds() {
            let name = self.model.as_ref().or(round.model.as_ref());
            let model = name.and_then(|name| models.find(name));
            let prices = model.and_then(|model| model.prices);
            if let (Some(name), None) = (name, &prices)
                && !unknown.contains(name)
            {
                unknown.push(name.clone());
            }
            let spending = round.spending();
            let (cost, saved) = (spending.cost(prices.as_ref()), spending.savings(prices.as_ref()));
            bill.cost += cost.total();
            bill.saved += saved.dollars;
            bill.uncached += saved.dollars + cost.total() - cost.output;
            bill.spending = bill.spending + spending;
        }
        let message = "its prices are not known, so it counts $15 a million sent and $75 received";
        ui.remarks(unknown.into_iter().map(|name| loadline::Remark::new(name, message)));
        bill
    }
}

impl Bill {
    fn saved_percent(&self) -> f64 {
        if self.uncached > 0.0 { self.saved / self.uncached * 100.0 } else { 0.0 }
    }

    fn saved_words(&self) -> String {
        match self.spending.cache_read {
            0 => String::new(),
            _ => format!(", the cache saved ${:.2} ({:.0}%)", self.saved, self.saved_percent()),
        }
    }
}

fn document(tracker: &UsageTracker, bill: &Bill, warnings: Vec<String>) -> Document {
    Document {
        rounds: tracker.rounds().iter().map(json).collect(),
        total: json(&tracker.total()),
        cost: bill.cost,
        saved: SavedJson {
            tokens: bill.spending.cache_read,
            dollars: bill.saved,
            percent: bill.saved_percent(),
        },
        warnings,
    }
}

fn json(round: &RoundUsage) -> RoundJson {
    RoundJson { usage: round.clone(), utilization: round.utilization() }
}
