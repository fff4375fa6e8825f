//! `loadline round compress`: modules, findings, relationships and open questions.

use std::io::Write;
use std::path::PathBuf;

use loadline::prompt::{
    CompressedRounds, RoundContext, RoundOptions, RoundReport, compress_rounds, read_rounds,
    round_schema,
};
use loadline::tokens::Tokens;
use serde::Serialize;

use crate::args::GlobalArgs;
use crate::commands::counting::CountingArgs;
use crate::commands::session::read_source;
use crate::error::CommandError;
use crate::output;
use crate::ui::{Ui, plural, thousands};

/// Take what the next round needs from the output of earlier ones, within a budget.
///
/// Each file holds the JSON that a round put out, a list of such, or one per line; the
/// newest comes last. Where it is too much, open questions go first, then findings but
/// one, relationships and modules, the last of each first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline round compress round1.json round2.json --budget 2000
  loadline round compress rounds.jsonl --total 6k --keep risks
  loadline round compress --schema")]
pub(crate) struct CompressArgs {
    /// The output of rounds; - is standard input.
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    files: Vec<PathBuf>,
    /// The most tokens of one round [default: round.budget].
    #[arg(long, short, value_name = "TOKENS")]
    budget: Option<Tokens>,
    /// The most tokens of all rounds together.
    #[arg(long, value_name = "TOKENS")]
    total: Option<Tokens>,
    /// Hand this field on, too; may be repeated.
    #[arg(long, value_name = "FIELD")]
    keep: Vec<String>,
    #[command(flatten)]
    counting: CountingArgs,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the JSON Schema of what a round should put out.
    #[arg(long)]
    schema: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    counter: &'a str,
    budget: u64,
    tokens: u64,
    rounds: Vec<RoundJson<'a>>,
    content: &'a str,
}

#[derive(Serialize)]
struct RoundJson<'a> {
    round: u64,
    modules: &'a [String],
    findings: &'a [String],
    relationships: &'a [String],
    open_questions: &'a [String],
    kept: serde_json::Map<String, serde_json::Value>,
}

/// Compresses and writes.
pub(crate) fn run(
    args: &CompressArgs,
    global: &GlobalArgs,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    if args.schema {
        let schema = serde_json::to_string_pretty(&round_schema()).map_err(std::io::Error::from)?;
        return Ok(writeln!(ui.out(), "{schema}")?);
    }
    let counting = args.counting.open(global, ui)?;
    let settings = &counting.config.settings().round;
    let options = RoundOptions {
        budget: args.budget.unwrap_or(settings.budget),
        total: args.total,
        keep: settings.keep.iter().chain(&args.keep).cloned().collect(),
        counter: counting.counter.clone(),
    };
    let rounds = args.rounds()?;
    let compressed = compress_rounds(&rounds, &options);
    ui.notes(compressed.remarks.iter().cloned());
    match &args.output {
        Some(path) => output::write(path, format!("{}\n", compressed.text).as_bytes())?,
        None if ui.wants_json() => return Ok(ui.json(&document(&compressed, &options))?),
        None => ui.raw(format!("{}\n", compressed.text).as_bytes())?,
    }
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
    fn rounds(&self) -> Result<Vec<RoundReport>, CommandError> {
        let mut rounds: Vec<RoundReport> = Vec::new();
        for file in &self.files {
            let before = rounds.len() as u64;
            for (place, mut round) in read_rounds(&read_source(file)?)?.into_iter().enumerate() {
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

fn document<'a>(compressed: &'a CompressedRounds, options: &'a RoundOptions) -> Document<'a> {
    let round = |round: &'a RoundContext| RoundJson {
        round: round.number,
        modules: &round.modules,
        findings: &round.findings,
        relationships: &round.relationships,
        open_questions: &round.open_questions,
        kept: round
            .kept
            .iter()
            .map(|(name, said)| (name.clone(), said.clone().into()))
            .collect(),
    };
    Document {
        counter: options.counter.name(),
        budget: options.budget.get(),
        tokens: compressed.tokens.get(),
        rounds: compressed.rounds.iter().map(round).collect(),
        content: &compressed.text,
    }
}
