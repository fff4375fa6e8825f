//! `loadline window fill`: a prompt from many sources, each with its share.

use std::path::PathBuf;

use loadline::budget::{Amount, Budget};
use loadline::prompt::{FilledPrompt, fill_sources, read_sources};
use loadline::tokens::Tokens;
use serde::Serialize;

use crate::commands::session::read_source;
use crate::error::Result;
use crate::output;
use crate::settings::CountingArgs;
use crate::ui::{Table, Ui, plural, thousands};

/// Fill a prompt from several sources, each within its share of the budget.
///
/// The sources are JSON: {"sources": [{"name": "kb", "share": "20%", "items": [{"name",
/// "text", "score", "required", "shorter": [..]}]}, {"name": "task", "share": 500,
/// "text": ".."}]}. A share is a percentage, a number of tokens or "rest"; a source
/// without one has the share of its name in the settings. What one source does not use
/// goes to the others.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  loadline window fill sources.json --budget 32k --explain -o prompt.md")]
pub(crate) struct FillArgs {
    /// Sources; - means standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Maximum tokens of the prompt, such as 8000 or 8k [default: what the model's window
    /// leaves, as `loadline models NAME` shows it].
    #[arg(long, short, value_name = "TOKENS")]
    budget: Option<Tokens>,
    #[command(flatten)]
    counting: CountingArgs,
    /// Write to FILE instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show what each source used.
    #[arg(long)]
    explain: bool,
}

/// The share of a source that was given none.
const NO_SHARE: Amount = Amount::Tokens(Tokens::ZERO);

/// The document of `window fill`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    counter: &'a str,
    #[serde(flatten)]
    filled: &'a FilledPrompt,
}

/// Fills and writes.
pub(crate) fn run(args: &FillArgs, ui: &mut Ui) -> Result<()> {
    let counting = args.counting.open(ui)?;
    let mut sources = read_sources(&read_source(&args.file)?)?;
    let budget = match args.budget {
        Some(budget) => Budget::of(budget).build()?,
        None => {
            let precision = counting.counter.precision();
            counting.config.budget(&counting.model, precision)?
        }
    };
    let shares = budget.allocate();
    for source in sources.iter_mut().filter(|it| it.share == NO_SHARE) {
        let configured = shares.limit(&source.name);
        source.share = configured.map_or(NO_SHARE, Amount::Tokens);
    }
    let filled = fill_sources(&sources, Budget::of(budget.available()), &counting.counter)?;
    ui.remarks(filled.remarks.iter().cloned());
    if args.explain {
        explain(&filled, ui)?;
    }
    let counter = counting.counter.name();
    if ui.wants_json() && args.output.is_none() {
        return Ok(ui.json(&Document { counter, filled: &filled })?);
    }
    let end = if filled.text.is_empty() || args.output.is_some() { "" } else { "\n" };
    output::deliver(args.output.as_deref(), format!("{}{end}", filled.text).as_bytes(), ui)?;
    let (tokens, budget) = (filled.tokens.get(), filled.budget.get());
    ui.say(&format!("{} of {} tokens by {counter}", thousands(tokens), thousands(budget)));
    Ok(())
}

fn explain(filled: &FilledPrompt, ui: &mut Ui) -> Result<()> {
    let mut table = Table::headed("lrrl", ["source", "share", "tokens", ""]);
    for source in &filled.sources {
        let shown = source.items.iter().filter(|item| item.form.is_some()).count();
        let items = plural(source.items.len() as u64, "item");
        table.row([
            source.name.clone(),
            thousands(source.share.get()),
            thousands(source.tokens.get()),
            format!("{} of {items}", thousands(shown as u64)),
        ]);
    }
    Ok(table.write(ui.err())?)
}
