//! `loadline window build`: the exact prompt of one phase of a work.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use loadline::Remark;
use loadline::prompt::{
    LeftOut, Phases, Prompt, PromptOptions, PromptUsage, Provider, RoleStrategy, WorkState,
    build_prompt,
};
use loadline::tokens::Tokens;
use serde::Serialize;
use serde_json::Value;

use super::convert;
use crate::commands::session::read_source;
use crate::error::{CommandError, RequestError, Result};
use crate::output;
use crate::settings::Counting;
use crate::settings::{self, CountingArgs};
use crate::ui::{Table, Ui, plural, thousands, to_json};

/// The window where neither a flag nor the settings nor the model has a smaller one.
const WINDOW: Tokens = Tokens::new(100_000);

/// The word for the strategy that a phase names.
const BY_PHASE: &str = "phase";

/// Build the prompt for one phase of work from its state.
///
/// The system prompt, the design document and the current unit are included byte for
/// byte; types, tests, approved units and messages fill the rest, in the order and
/// within the limits of the phase. `loadline window phases` lists the phases; define
/// your own in loadline.toml.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline window build --phase implementation --state work.json --format openai
  loadline window build --state work.json --model claude-opus-4-8 --log usage.jsonl
  loadline window build --phase testing --state - --window 32k --json < work.json")]
pub(crate) struct BuildArgs {
    /// Phase: planning, interface, implementation, testing, review, complete or one of
    /// your own [default: the phase of the state].
    #[arg(long, value_name = "NAME")]
    phase: Option<String>,
    /// State of the work as JSON; - means standard input.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    #[command(flatten)]
    counting: CountingArgs,
    /// Whole window, including the answer [default: 100k, or the model's if smaller].
    #[arg(long, value_name = "TOKENS")]
    window: Option<Tokens>,
    /// Tokens to reserve for the answer [default: as the phase defines].
    #[arg(long, value_name = "TOKENS")]
    response: Option<Tokens>,
    /// How much context to include: adaptive (all that fits), broad (at most 18k),
    /// focused (8k), change-focused (10k) or phase (as the phase defines).
    #[arg(long, value_name = "NAME", default_value = "adaptive", value_parser = strategy)]
    strategy: Strategy,
    /// Go back to UNIT; units that depend on it need another review.
    #[arg(long, value_name = "UNIT")]
    back_to: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "anthropic")]
    format: Shape,
    /// Write to FILE instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Append the tokens of each part to FILE, as a line of JSON.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Show the tokens of each part, and what did not fit.
    #[arg(long)]
    explain: bool,
}

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// The body of an Anthropic request: system and messages.
    Anthropic,
    /// The body of an OpenAI chat request: messages.
    Openai,
    /// One field for each part, and the messages as given.
    Window,
}

/// A strategy, or `None` for the one that the phase names.
#[derive(Clone, Copy, Debug)]
struct Strategy(Option<RoleStrategy>);

fn strategy(name: &str) -> Result<Strategy, String> {
    match name {
        BY_PHASE => Ok(Strategy(None)),
        name => name.parse().map(|it| Strategy(Some(it))),
    }
}

/// The document of `window build`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    phase: &'a str,
    counter: &'a str,
    window: Tokens,
    response: Tokens,
    available: Tokens,
    tokens: Tokens,
    parts: Vec<PartJson<'a>>,
    messages: MessagesJson,
    left_out: &'a [LeftOut],
    content: Value,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PartJson<'a> {
    part: &'a str,
    required: bool,
    tokens: Tokens,
    items: Vec<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MessagesJson {
    tokens: u64,
    kept: usize,
    omitted: usize,
}

/// Builds, writes, and says what it cost.
pub(crate) fn run(args: &BuildArgs, ui: &mut Ui) -> Result<()> {
    let counting = args.counting.open(ui)?;
    let (phases, notes) = Phases::configured(&counting.config.settings().phases.0)?;
    ui.remarks(notes);
    let (mut state, notes) = WorkState::read(&read_source(&args.state)?)?;
    ui.remarks(notes);
    if let Some(unit) = &args.back_to {
        if !state.units.iter().any(|it| it.name == *unit) {
            let known: Vec<&str> = state.units.iter().map(|it| it.name.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(RequestError::NoUnit { name: unit.clone(), known }.into());
        }
        let marked = state.go_back(unit);
        let message = format!("{} to review again", plural(marked.len() as u64, "unit"));
        ui.remarks([Remark::new(unit, message)]);
    }
    let Some(phase) = args.phase.as_ref().or(state.phase.as_ref()) else {
        let known = phases.iter().map(|phase| phase.name.clone()).collect();
        return Err(RequestError::NoPhase { known }.into());
    };
    let phase = phases.find(phase)?;
    let options = PromptOptions {
        window: args.window(&counting),
        response: args.response,
        strategy: args.strategy.0.unwrap_or(phase.strategy),
        counter: counting.counter.clone(),
    };
    let window = build_prompt(&state, phase, &options)?;
    ui.remarks(window.remarks.iter().cloned());
    let content = args.content(&window, ui);
    if let Some(log) = &args.log {
        append(log, &window.usage(Some(settings::now(ui))))?;
    }
    if args.explain {
        explain(&window, ui)?;
    }
    args.write(&window, &options, content, ui)
}

impl BuildArgs {
    fn window(&self, counting: &Counting) -> Tokens {
        let configured = counting.config.window();
        let given = self.window.or(configured);
        given.unwrap_or(WINDOW.min(counting.model.window))
    }

    fn content(&self, window: &Prompt, ui: &mut Ui) -> Value {
        let provider = match self.format {
            Shape::Anthropic => Provider::Anthropic,
            Shape::Openai => Provider::OpenAi,
            Shape::Window => return window.to_json(),
        };
        let mut remarks = Vec::new();
        let content = window.to_request(provider, &convert, &mut remarks);
        ui.remarks(remarks);
        content
    }

    fn write(
        &self,
        window: &Prompt,
        options: &PromptOptions,
        content: Value,
        ui: &mut Ui,
    ) -> Result<()> {
        if ui.wants_json() && self.output.is_none() {
            return Ok(ui.json(&document(window, options, content))?);
        }
        output::deliver(self.output.as_deref(), &to_json(&content)?, ui)?;
        ui.say(&format!(
            "{} of {} tokens by {}, {} held back for the answer",
            thousands(window.tokens.get()),
            thousands(window.available.get()),
            options.counter.name(),
            thousands(window.response.get())
        ));
        Ok(())
    }
}

fn append(log: &Path, usage: &PromptUsage) -> Result<()> {
    let mut line = serde_json::to_vec(usage).map_err(std::io::Error::from)?;
    line.push(b'\n');
    let file = OpenOptions::new().create(true).append(true).open(log);
    let written = file.and_then(|mut file| file.write_all(&line));
    written.map_err(|error| CommandError::at("write", log, error))
}

fn explain(window: &Prompt, ui: &mut Ui) -> Result<()> {
    let mut table = Table::new("lrl");
    for part in &window.parts {
        let required = if part.required { "required" } else { "" };
        let cells = [part.name.clone(), thousands(part.tokens.get()), required.to_owned()];
        table.row(cells);
    }
    let messages = window.usage(None).messages;
    let omitted = match window.omitted_messages as u64 {
        0 => String::new(),
        omitted => format!("{} left out", plural(omitted, "message")),
    };
    table.row(["messages".to_owned(), thousands(messages), omitted]);
    for item in &window.left_out {
        let name = format!("{}: {}", item.part, item.name);
        table.row([name, thousands(item.tokens.get()), "no room".to_owned()]);
    }
    Ok(table.write(ui.err())?)
}

fn document<'a>(window: &'a Prompt, options: &'a PromptOptions, content: Value) -> Document<'a> {
    let parts = window.parts.iter().map(|part| PartJson {
        part: &part.name,
        required: part.required,
        tokens: part.tokens,
        items: part.items.iter().map(|item| item.name.as_str()).collect(),
    });
    let marker = usize::from(window.omitted_messages > 0);
    Document {
        phase: &window.phase,
        counter: options.counter.name(),
        window: options.window,
        response: window.response,
        available: window.available,
        tokens: window.tokens,
        parts: parts.collect(),
        messages: MessagesJson {
            tokens: window.usage(None).messages,
            kept: window.messages.len() - marker,
            omitted: window.omitted_messages,
        },
        left_out: &window.left_out,
        content,
    }
}
