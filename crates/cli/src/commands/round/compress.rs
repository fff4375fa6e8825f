//! `loadline round compress`: modules, findings, relationships and open questions.

use std::io::Write;
use std::path::PathBuf;

use loadline::prompt::{
    CompressedRounds, RoundError, RoundOptions, RoundReport, compress_rounds, read_rounds,
    round_schema,
};
use loadline::tokens::Tokens;
use serde::Serialize;

use crate::commands::session::read_source;
use crate::error::Result;
use crate::output;
use crate::settings::CountingArgs;
use crate::ui::{Ui, plural, thousands};

/// Extract what the next round needs from earlier rounds, within a budget.
///
/// Each file holds the JSON output of a round, a list of outputs, or one per line, the
/// newest last. If there is too much, open questions are dropped first, then all
/// findings but one, relationships and modules, each from the end.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline round compress round1.json round2.json --budget 2000
  loadline round compress rounds.jsonl --total 6k --keep risks
  loadline round compress --schema")]
pub(crate) struct CompressArgs {
    /// Output of rounds; - means standard input.
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    files: Vec<PathBuf>,
    /// Maximum tokens of one round [default: round.budget].
    #[arg(long, short, value_name = "TOKENS")]
    budget: Option<Tokens>,
    /// Maximum tokens of all rounds together.
    #[arg(long, value_name = "TOKENS")]
    total: Option<Tokens>,
    /// Keep this additional field; may be repeated.
    #[arg(long, value_name = "FIELD")]
    keep: Vec<String>,
    #[command(flatten)]
    counting: CountingArgs,
    /// Write to FILE instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the JSON Schema for the output of a round.
    #[arg(long)]
    schema: bool,
}

/// The document of `round compress`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    counter: &'a str,
    budget: Tokens,
    #[serde(flatten)]
    compressed: &'a CompressedRounds,
}

/// Compresses and writes.
pub(crate) fn run(args: &CompressArgs, ui: &mut Ui) -> Result<()> {
    if args.schema {
        let schema = serde_json::to_string_pretty(&round_schema()).map_err(std::io::Error::from)?;
        return Ok(writeln!(ui.out(), "{schema}")?);
    }
    let counting = args.counting.open(ui)?;
    let settings = &counting.config.settings().round;
    let options = RoundOptions {
        budget: args.budget.unwrap_or(settings.budget),
        total: args.total,
        keep: settings.keep.iter().chain(&args.keep).cloned().collect(),
        counter: counting.counter.clone(),
    };
    let rounds = args.rounds()?;
    let compressed = compress_rounds(&rounds, &options);
    ui.remarks(compressed.remarks.iter().cloned());
    if ui.wants_json() && args.output.is_none() {
        return Ok(ui.json(&Document {
            counter: options.counter.name(),
            budget: options.budget,
            compressed: &compressed,
        })?);
    }
    let text = format!("{}\n", compressed.text);
    output::deliver(args.output.as_deref(), text.as_bytes(), ui)?;
    ui.say(&format!(
        "{} in {} tokens by {}",
        plural(compressed.rounds.len() as u64, "round"),
        thousands(compressed.tokens.get()),
        options.counter.name()
    ));
    Ok(())
}

impl CompressArgs {
    /// Reads all files; rounds without a number are numbered across them.
    fn rounds(&self) -> Result<Vec<RoundReport>> {
        let mut rounds: Vec<RoundReport> = Vec::new();
        for file in &self.files {
            let before = rounds.len() as u64;
            let read = read_rounds(&read_source(file)?).map_err(|error| RoundError::InFile {
                file: file.display().to_string(),
                error: Box::new(error),
            })?;
            for (place, mut round) in read.into_iter().enumerate() {
                let is_counted = round.number == place as u64 + 1;
                if is_counted {
                    round.number += before;
                }
                rounds.push(round);
            }
        }
        Ok(rounds)
    }
}
