//! `loadline window build`: the exact prompt of one phase of a work.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use loadline::Remark;
use loadline::prompt::{
    Phases, Prompt, PromptOptions, PromptUsage, Provider, RoleStrategy, WorkState, build_prompt,
};
use loadline::tokens::Tokens;
use serde::Serialize;
use serde_json::Value;

use super::convert;
use crate::args::GlobalArgs;
use crate::commands::counting::CountingArgs;
use crate::commands::session::read_source;
use crate::error::{CommandError, RequestError};
use crate::output;
use crate::settings;
use crate::settings::Counting;
use crate::ui::{Align, Table, Ui, plural, thousands};

/// The window where neither a flag nor the settings nor the model has a smaller one.
const WINDOW: Tokens = Tokens::new(100_000);

/// The word for the strategy that a phase names.
const BY_PHASE: &str = "phase";

/// Build the prompt for one phase of a work from its state.
///
/// The system prompt, the design document and the current unit are in it byte for
/// byte; types, tests, approved units and messages fill what is left, in the order and
/// within the limits of the phase. `loadline window phases` lists them; your own are
/// defined in loadline.toml.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline window build --phase implementation --state work.json --format openai
  loadline window build --state work.json --model claude-opus-4-8 --log usage.jsonl
  loadline window build --phase testing --state - --window 32k --json < work.json")]
pub(crate) struct BuildArgs {
    /// The phase: planning, interface, implementation, testing, review, complete or one
    /// of your own; the state's otherwise.
    #[arg(long, value_name = "NAME")]
    phase: Option<String>,
    /// The state of the work as JSON; - is standard input.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
    #[command(flatten)]
    counting: CountingArgs,
    /// The whole window, answer included; 100k, or the model's where that is less.
    #[arg(long, value_name = "TOKENS")]
    window: Option<Tokens>,
    /// Held back for the answer instead of what the phase says.
    #[arg(long, value_name = "TOKENS")]
    response: Option<Tokens>,
    /// How much the role wants to see: adaptive (all there is room for), broad (18k at
    /// most), focused (8k), change-focused (10k) or phase (what the phase names).
    #[arg(long, value_name = "NAME", default_value = "adaptive", value_parser = strategy)]
    strategy: Strategy,
    /// Go back to this unit: those that need it need a review again.
    #[arg(long, value_name = "UNIT")]
    back_to: Option<String>,
    /// How the prompt is written.
    #[arg(long, value_name = "FORMAT", default_value = "anthropic")]
    format: Shape,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Append what each part cost to this file, as a line of JSON.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Say what each part cost, and what there was no room for.
    #[arg(long)]
    explain: bool,
}

/// How the prompt is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// The body of a request to Anthropic: system and messages.
    Anthropic,
    /// The body of a request to OpenAI's chat: messages.
    Openai,
    /// One field per part, and the messages as they were given.
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

#[derive(Serialize)]
struct Document<'a> {
    phase: &'a str,
    counter: &'a str,
    window: u64,
    response: u64,
    available: u64,
    tokens: u64,
    usage: PromptUsage,
    parts: Vec<PartJson<'a>>,
    messages: MessagesJson,
    left_out: Vec<ItemJson<'a>>,
    content: Value,
}

#[derive(Serialize)]
struct PartJson<'a> {
    part: &'a str,
    required: bool,
    tokens: u64,
    items: Vec<&'a str>,
}

#[derive(Serialize)]
struct MessagesJson {
    kept: usize,
    omitted: usize,
}

#[derive(Serialize)]
struct ItemJson<'a> {
    part: &'a str,
    name: &'a str,
    tokens: u64,
}

/// Builds, writes, and says what it cost.
pub(crate) fn run(args: &BuildArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let counting = args.counting.open(global, ui)?;
    let (phases, notes) = Phases::configured(&counting.config.settings().phases.0)?;
    ui.notes(notes);
    let (mut state, notes) = WorkState::read(&read_source(&args.state)?)?;
    ui.notes(notes);
    if let Some(unit) = &args.back_to {
        let marked = state.go_back(unit);
        let message = format!("{} to review again", plural(marked.len() as u64, "unit"));
        ui.notes([Remark::new(unit, message)]);
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
    ui.notes(window.remarks.iter().cloned());
    let content = args.content(&window, ui);
    let usage = window.usage(Some(settings::now(global)));
    if let Some(log) = &args.log {
        append(log, &usage)?;
    }
    if args.explain {
        explain(&window, ui)?;
    }
    args.write(&window, &options, usage, content, ui)
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
        ui.notes(remarks);
        content
    }

    fn write(
        &self,
        window: &Prompt,
        options: &PromptOptions,
        usage: PromptUsage,
        content: Value,
        ui: &mut Ui,
    ) -> Result<(), CommandError> {
        let mut bytes = serde_json::to_vec_pretty(&content).map_err(std::io::Error::from)?;
        bytes.push(b'\n');
        match &self.output {
            Some(path) => output::write(path, &bytes)?,
            None if ui.wants_json() => {
                return Ok(ui.json(&document(window, options, usage, content))?);
            }
            None => ui.raw(&bytes)?,
        }
        let (tokens, available) = (window.tokens.get(), window.available.get());
        ui.say(&format!(
            "{} of {} tokens by {}, {} held back for the answer",
            thousands(tokens),
            thousands(available),
            options.counter.name(),
            thousands(window.response.get())
        ));
        Ok(())
    }
}

fn append(log: &Path, usage: &PromptUsage) -> Result<(), CommandError> {
    let mut line = serde_json::to_vec(usage).map_err(std::io::Error::from)?;
    line.push(b'\n');
    let file = OpenOptions::new().create(true).append(true).open(log);
    let written = file.and_then(|mut file| file.write_all(&line));
    written.map_err(|error| CommandError::at("write", log, error))
}

fn explain(window: &Prompt, ui: &mut Ui) -> Result<(), CommandError> {
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]);
    for part in &window.parts {
        let required = if part.required { "required" } else { "" };
        let cells = [
            part.name.clone(),
            thousands(part.tokens.get()),
            required.to_owned(),
        ];
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

fn document<'a>(
    window: &'a Prompt,
    options: &'a PromptOptions,
    usage: PromptUsage,
    content: Value,
) -> Document<'a> {
    let parts = window.parts.iter().map(|part| PartJson {
        part: &part.name,
        required: part.required,
        tokens: part.tokens.get(),
        items: part.items.iter().map(|item| item.name.as_str()).collect(),
    });
    let left_out = window.left_out.iter().map(|item| ItemJson {
        part: &item.part,
        name: &item.name,
        tokens: item.tokens.get(),
    });
    let marker = usize::from(window.omitted_messages > 0);
    Document {
        phase: &window.phase,
        counter: options.counter.name(),
        window: options.window.get(),
        response: window.response.get(),
        available: window.available.get(),
        tokens: window.tokens.get(),
        usage,
        parts: parts.collect(),
        messages: MessagesJson {
            kept: window.messages.len() - marker,
            omitted: window.omitted_messages,
        },
        left_out: left_out.collect(),
        content,
    }
}
