//! `loadline map`: shows what the most important files of a repository define.

use std::path::PathBuf;
use std::time::Instant;

use loadline::pack::{MappedFile, SearchOptions, map, search};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::paths::PathArgs;
use super::source::{Limit, SourceArgs};
use crate::error::Result;
use crate::output;
use crate::settings::typed;
use crate::ui::{Ui, thousands};

/// Map a repository: its most important files, with what they define and where.
///
/// For a first look at unfamiliar code. Each file shows a little before any file
/// shows everything, and the output never exceeds the budget.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline map                           this directory in 4,000 tokens
  loadline map --budget 16k --format xml
  loadline map --include 'src/**'        only a part
  loadline map --task \"sessions expire too early\"
  loadline map --json | jq -r '.files[] | .path'")]
pub(crate) struct MapArgs {
    #[command(flatten)]
    paths: PathArgs,
    /// Maximum tokens to print, such as 4000, 16k or none.
    #[arg(long, short, value_name = "TOKENS", default_value = "4k")]
    budget: Limit,
    /// List the files that a task is about first.
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    #[command(flatten)]
    source: SourceArgs,
    /// Output format: markdown, xml, plain or json.
    #[arg(long, short, value_name = "FORMAT")]
    format: Option<String>,
    /// Do not redact secrets.
    #[arg(long)]
    no_redact: bool,
    /// Write to FILE instead of standard output; FILE itself is not mapped.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The document of `map`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    tokens: Tokens,
    budget: Option<Tokens>,
    counter: &'a str,
    files: &'a [MappedFile],
    omitted: usize,
    content: &'a str,
}

/// Maps, and prints.
pub(crate) fn run(args: &MapArgs, ui: &mut Ui) -> Result<()> {
    let start = Instant::now();
    let flags = typed([("--format", "pack.format", args.format.clone())]);
    let mut prepared = args.source.prepare(Some(&args.paths), flags, ui)?;
    if prepared.config.settings().pack.format == "json" {
        ui.ask_for_json();
    }
    prepared.leave_out(args.output.as_deref());
    prepared.options.budget = args.budget.0;
    if args.no_redact {
        prepared.options.secrets = None;
    }
    if let Some(task) = &args.task {
        let options = SearchOptions { limit: 0, ..SearchOptions::new(prepared.options.clone()) };
        let found = search(&prepared.root, task, &options, &prepared.store)?;
        // The best has 100 points, those from the hundredth on one.
        let points = (1..=100).rev().chain(std::iter::repeat(1));
        prepared.options.scores = found.files.into_iter().map(|it| it.path).zip(points).collect();
    }
    let mut mapped = map(&prepared.root, &prepared.options, &prepared.store)?;
    ui.remarks(std::mem::take(&mut mapped.notes));
    prepared.done(ui);
    let written = if ui.wants_json() {
        ui.document(&Document {
            tokens: mapped.tokens,
            budget: prepared.options.budget,
            counter: prepared.options.counter.name(),
            files: &mapped.files,
            omitted: mapped.omitted,
            content: &mapped.content,
        })?
    } else {
        mapped.content.clone().into_bytes()
    };
    output::deliver(args.output.as_deref(), &written, ui)?;
    let (shown, all) = (mapped.files.len(), mapped.files.len() + mapped.omitted);
    let tokens = thousands(mapped.tokens.get());
    let of = match prepared.options.budget {
        Some(budget) => format!(" of {}", thousands(budget.get())),
        None => String::new(),
    };
    ui.say(&format!(
        "{} of {} files; {tokens}{of} tokens by {}; {:.1} s",
        thousands(shown as u64),
        thousands(all as u64),
        prepared.options.counter.name(),
        start.elapsed().as_secs_f64(),
    ));
    Ok(())
}
