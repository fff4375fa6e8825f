//! `loadline window messages`: the first message and the newest that fit.

use std::path::PathBuf;

use loadline::prompt::{
    ChatMessage, KeptMessages, Provider, keep_messages, provider_messages, read_messages,
};
use loadline::session::Role;
use loadline::tokens::Tokens;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Format, convert};
use crate::commands::session::read_source;
use crate::error::{RequestError, Result};
use crate::output;
use crate::settings::CountingArgs;
use crate::ui::{Ui, thousands, to_json};

/// Keep the first message and the newest that fit, with a marker for the gap.
///
/// Reads a list of messages, the body of a request, or one message per line. Tool
/// calls stay with their results, and no message is cut. For the log of an agent, use
/// `loadline session trim`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline window messages chat.json --budget 20k
  loadline window messages - --budget 8k --format openai < messages.jsonl")]
pub(crate) struct MessagesArgs {
    /// Messages; - means standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Maximum tokens to keep, such as 8000 or 8k.
    #[arg(long, short, value_name = "TOKENS")]
    budget: Tokens,
    #[command(flatten)]
    counting: CountingArgs,
    /// Provider to write messages for [default: as given].
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Write to FILE instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    counter: &'a str,
    budget: u64,
    tokens: u64,
    kept: usize,
    omitted: usize,
    /// What stands before the first message, for Anthropic.
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<Value>,
    messages: Vec<Value>,
}

/// Slides and writes.
pub(crate) fn run(args: &MessagesArgs, ui: &mut Ui) -> Result<()> {
    let counting = args.counting.open(ui)?;
    let messages = read_messages(&read_source(&args.file)?).map_err(|error| {
        let reason = error.to_string();
        RequestError::NotMessages { reason }
    })?;
    let window = keep_messages(&messages, args.budget, &counting.counter);
    ui.remarks(window.remarks.iter().cloned());
    let (needed, available) = (window.tokens.get(), args.budget.get());
    if needed > available {
        return Err(RequestError::MessagesOverBudget { needed, available }.into());
    }
    let (system, written) = args.written(&window, ui);
    let counter = counting.counter.name();
    if ui.wants_json() && args.output.is_none() {
        return Ok(ui.json(&Document {
            counter,
            budget: available,
            tokens: needed,
            kept: window.kept,
            omitted: window.omitted,
            system,
            messages: written,
        })?);
    }
    let bytes = to_json(&match system {
        Some(system) => json!({"system": system, "messages": written}),
        None => json!(written),
    })?;
    output::deliver(args.output.as_deref(), &bytes, ui)?;
    let all = window.kept + window.omitted;
    ui.say(&format!(
        "{} of {} messages, {} tokens by {counter}",
        thousands(window.kept as u64),
        thousands(all as u64),
        thousands(needed)
    ));
    Ok(())
}

impl MessagesArgs {
    /// What stands before the messages, and the messages.
    fn written(&self, window: &KeptMessages, ui: &mut Ui) -> (Option<Value>, Vec<Value>) {
        let given = |message: &ChatMessage| Value::Object(message.members().clone());
        let Some(format) = self.format else {
            return (None, window.messages.iter().map(given).collect());
        };
        let provider = Provider::from(format);
        let is_apart =
            |it: &ChatMessage| provider == Provider::Anthropic && it.role() == Role::System;
        let first = window.messages.iter().position(|it| !is_apart(it));
        let (system, rest) = window.messages.split_at(first.unwrap_or(window.messages.len()));
        let mut remarks = Vec::new();
        let messages = provider_messages(rest, provider, &convert, &mut remarks);
        ui.remarks(remarks);
        (system_of(system), messages)
    }
}

/// The contents of system messages as one.
fn system_of(messages: &[ChatMessage]) -> Option<Value> {
    let contents = messages.iter().filter_map(|it| it.members().get("content"));
    let contents: Vec<&Value> = contents.collect();
    let texts: Option<Vec<&str>> = contents.iter().map(|it| it.as_str()).collect();
    match (texts, contents.len()) {
        (_, 0) => None,
        (Some(texts), _) => Some(texts.join("\n\n").into()),
        (None, _) => Some(contents.into_iter().flat_map(blocks).collect()),
    }
}

/// A content as blocks.
fn blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::Array(blocks) => blocks.clone(),
        text => vec![json!({"type": "text", "text": text})],
    }
}
