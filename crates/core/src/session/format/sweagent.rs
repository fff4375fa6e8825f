//! Trajectories of SWE-agent: one document with the steps and the `history` of messages.
//!
//! The history is what the model is shown. Where the agent speaks in plain text,
//! an action is part of the text and its observation is a message of the user;
//! where it calls tools, messages have calls and name the calls that they answer.
//! A document without a history is read from its steps. A trimmed session is the
//! document with its history replaced; every other byte stays.

#[cfg(test)]
mod tests;

use std::ops::Range;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::anthropic::result_text;
use super::json::{Head, Layout, Members, place, string, take_string};
use super::pairs::{orphan_results, unanswered_calls};
use super::patch::{quoted, set_members};
use super::{Adapter, SessionFormat, Violation};
use crate::Remark;
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Call, CallResult, Content, Role, Transcript, Turn};

pub(super) struct SweAgent;

impl Adapter for SweAgent {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let others = ["history", "info", "environment"];
        head.layout == Layout::Object
            && head.objects.first().is_some_and(|it| {
                it.contains_key("trajectory") && others.iter().any(|key| it.contains_key(*key))
            })
    }

    fn read(&self, source: Vec<u8>) -> Result<Transcript, SessionError> {
        let mut transcript = Transcript::empty(SessionFormat::SweAgent);
        let text = std::str::from_utf8(&source).map_err(|error| malformed(&error))?;
        let document = Document::of(text)?;
        for raw in &document.messages {
            match message(text, raw) {
                Some(turn) if turn.blocks.is_empty() => {
                    let count = transcript.passed_over.entry("empty message".to_owned());
                    *count.or_default() += 1;
                }
                Some(turn) => transcript.turns.push(turn),
                None => transcript.notes.push(Remark::new(
                    format!("byte {}", place(text, raw.get()).start),
                    "this is no message and is left out",
                )),
            }
        }
        if !document.has_history {
            transcript.turns = steps(text, &document.steps);
            let message = "there is no history; the session is read from the steps";
            transcript.notes.push(Remark::new("history", message));
        }
        transcript.source = source;
        Ok(transcript)
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Vec<u8> {
        let source = String::from_utf8_lossy(transcript.source());
        let Ok(document) = Document::of(&source) else {
            return transcript.source().to_vec();
        };
        let messages: Vec<String> = draft
            .turns
            .iter()
            .filter_map(|turn| match turn {
                DraftTurn::New { role, text } => Some(new_message(*role, text)),
                DraftTurn::Of { turn, blocks } => {
                    let turn = transcript.turns.get(*turn)?;
                    document.write_turn(transcript, turn, blocks)
                }
            })
            .collect();
        let list = document.write_list(&source, &messages);
        set_members(&source, &[("history", list)]).into_bytes()
    }

    fn build(&self, turns: &[Turn], _: &Transcript) -> Vec<u8> {
        let history: Vec<Value> = turns.iter().flat_map(build_turn).collect();
        let document = json!({
            "environment": "main",
            "trajectory": [],
            "history": history,
            "info": {},
        });
        let mut bytes = document.to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }

    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        let mut found = orphan_results(&transcript.turns);
        found.extend(unanswered_calls(&transcript.turns));
        found
    }
}

fn malformed(reason: &dyn std::fmt::Display) -> SessionError {
    SessionError::Malformed {
        format: SessionFormat::SweAgent,
        reason: reason.to_string(),
    }
}

/// The parts of a document that matter.
struct Document<'a> {
    text: &'a str,
    has_history: bool,
    messages: Vec<&'a RawValue>,
    steps: Vec<&'a RawValue>,
}

impl<'a> Document<'a> {
    fn of(text: &'a str) -> Result<Document<'a>, SessionError> {
        let mut members: Members<'a> = serde_json::from_str(text).map_err(|it| malformed(&it))?;
        let mut list = |key| {
            let raw = members.remove(key)?;
            serde_json::from_str::<Vec<&'a RawValue>>(raw.get()).ok()
        };
        let (history, steps) = (list("history"), list("trajectory"));
        if history.is_none() && steps.is_none() {
            return Err(malformed(&"it has neither a history nor a trajectory"));
        }
        Ok(Document {
            text,
            has_history: history.is_some(),
            messages: history.unwrap_or_default(),
            steps: steps.unwrap_or_default(),
        })
    }

    /// Writes the history, spaced as it was.
    fn write_list(&self, source: &str, messages: &[String]) -> String {
        let places: Vec<Range<usize>> = self
            .messages
            .iter()
            .map(|raw| place(self.text, raw.get()))
            .collect();
        let between = match places.as_slice() {
            [first, second, ..] => source.get(first.end..second.start),
            _ => None,
        };
        let between = between.unwrap_or(", ");
        // Before the first element stands what stands after a comma.
        let before = match between.trim_start().strip_prefix(',') {
            Some(space) if !messages.is_empty() && space.contains('\n') => space,
            _ => "",
        };
        // The end of the list is indented a step less than its elements.
        let after = places.last().and_then(|last| {
            let rest = source.get(last.end..)?;
            rest.get(..rest.find(']')?)
        });
        let after = after.filter(|it| it.trim().is_empty()).unwrap_or_default();
        let list = messages.join(between);
        format!("[{before}{list}{after}]")
    }

    /// Writes a message again, with the blocks that stay.
    fn write_turn(
        &self,
        transcript: &Transcript,
        turn: &Turn,
        blocks: &[DraftBlock],
    ) -> Option<String> {
        let stay: Vec<(&Block, Option<&Change>)> = blocks
            .iter()
            .filter_map(|it| Some((turn.blocks.get(it.block)?, it.change.as_ref())))
            .collect();
        let first = stay.first()?.0.raw.start;
        let within = |raw: &&&RawValue| place(self.text, raw.get()).contains(&first);
        let Some(raw) = self.messages.iter().find(within) else {
            return write_step(turn, &stay);
        };
        let is_whole = stay.len() == turn.blocks.len() && stay.iter().all(|it| it.1.is_none());
        if is_whole {
            Some(raw.get().to_owned())
        } else {
            Some(write_message(transcript, raw.get(), &stay))
        }
    }
}

/// Writes a turn that was read from a step.
fn write_step(turn: &Turn, stay: &[(&Block, Option<&Change>)]) -> Option<String> {
    let (block, change) = stay.first()?;
    match (change, &block.content) {
        (Some(Change::Text(text)), _) | (_, Content::Text(text)) => {
            Some(new_message(turn.role, text))
        }
        _ => None,
    }
}

/// Reads a message of the history.
fn message(source: &str, raw: &RawValue) -> Option<Turn> {
    let members: Members<'_> = serde_json::from_str(raw.get()).ok()?;
    let role = match string(members.get("role"))?.as_str() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return None,
    };
    let mut blocks = list(source, members.get("thinking_blocks"), read_part);
    if let Some(content) = members.get("content") {
        match answered(&members) {
            Some(call) => blocks.push(result(source, content, call)),
            None => blocks.extend(texts(source, content)),
        }
    }
    blocks.extend(list(source, members.get("tool_calls"), read_call));
    Some(Turn::new(role, blocks))
}

/// Returns the call that a message answers.
fn answered(members: &Members<'_>) -> Option<String> {
    let calls = members.get("tool_call_ids")?;
    let calls: Vec<String> = serde_json::from_str(calls.get()).ok()?;
    calls.into_iter().next()
}

fn result(source: &str, content: &RawValue, call: String) -> Block {
    let mut value: Value = serde_json::from_str(content.get()).unwrap_or_default();
    let (text, images) = result_text(Some(&mut value));
    let result = CallResult {
        call,
        text,
        is_error: false,
        images,
    };
    Block::new(Content::Result(result), place(source, content.get()))
}

/// Reads the content of a message: a text, or a list of parts. Nothing said is no block.
fn texts(source: &str, content: &RawValue) -> Vec<Block> {
    match string(Some(&content)) {
        Some(text) if text.is_empty() => Vec::new(),
        Some(text) => vec![Block::new(
            Content::Text(text),
            place(source, content.get()),
        )],
        None => list(source, Some(&content), read_part),
    }
}

fn list(source: &str, raw: Option<&&RawValue>, read: impl Fn(&str) -> Content) -> Vec<Block> {
    let parts = raw.and_then(|raw| serde_json::from_str::<Vec<&RawValue>>(raw.get()).ok());
    let parts = parts.unwrap_or_default();
    let block = |part: &&RawValue| Block::new(read(part.get()), place(source, part.get()));
    parts.iter().map(block).collect()
}

fn read_part(raw: &str) -> Content {
    let Ok(mut value) = serde_json::from_str::<Value>(raw) else {
        return Content::Other("malformed".to_owned());
    };
    let kind = take_string(value.get_mut("type")).unwrap_or_default();
    match kind.as_str() {
        "text" => Content::Text(take_string(value.get_mut("text")).unwrap_or_default()),
        "thinking" | "redacted_thinking" => {
            Content::Thinking(take_string(value.get_mut("thinking")).unwrap_or_default())
        }
        "image" | "image_url" => Content::Image,
        _ => Content::Other(kind),
    }
}

fn read_call(raw: &str) -> Content {
    let mut value: Value = serde_json::from_str(raw).unwrap_or_default();
    let id = take_string(value.get_mut("id")).unwrap_or_default();
    let Some(function) = value.get_mut("function") else {
        return Content::Other("tool_call".to_owned());
    };
    let arguments = match function.get_mut("arguments").map(Value::take) {
        // Arguments are JSON in a text; what is none is kept as it is.
        Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        arguments => arguments.unwrap_or_default(),
    };
    Content::Call(Call {
        id,
        name: take_string(function.get_mut("name")).unwrap_or_default(),
        arguments,
    })
}

/// Reads steps: what the model answered and what it saw then.
fn steps(source: &str, steps: &[&RawValue]) -> Vec<Turn> {
    let mut turns = Vec::new();
    for step in steps {
        let members: Members<'_> = serde_json::from_str(step.get()).unwrap_or_default();
        for (key, role) in [("response", Role::Assistant), ("observation", Role::User)] {
            let blocks = members.get(key).map(|raw| texts(source, raw));
            let blocks = blocks.filter(|it| !it.is_empty());
            turns.extend(blocks.map(|blocks| Turn::new(role, blocks)));
        }
    }
    turns
}

/// Writes a message with the blocks that stay; the rest of it is as it was.
fn write_message(
    transcript: &Transcript,
    message: &str,
    stay: &[(&Block, Option<&Change>)],
) -> String {
    let members: Members<'_> = serde_json::from_str(message).unwrap_or_default();
    let (mut thoughts, mut parts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for (block, change) in stay {
        let raw = transcript.raw(block);
        match &block.content {
            Content::Thinking(_) => thoughts.push(raw.to_owned()),
            Content::Call(_) => calls.push(write_call(raw, *change)),
            Content::Other(kind) if kind == "tool_call" => calls.push(raw.to_owned()),
            _ => parts.push(write_part(raw, *change)),
        }
    }
    let content = match parts.as_slice() {
        [] => quoted(""),
        [part] if !part.starts_with('{') => part.clone(),
        parts => format!("[{}]", parts.join(", ")),
    };
    let mut changes = vec![("content", content)];
    for (key, values) in [("thinking_blocks", thoughts), ("tool_calls", calls)] {
        if members.contains_key(key) {
            let list = if values.is_empty() {
                "null".to_owned()
            } else {
                format!("[{}]", values.join(", "))
            };
            changes.push((key, list));
        }
    }
    set_members(message, &changes)
}

/// Writes the content of a message or a part of it: a text, a list, or an object.
fn write_part(raw: &str, change: Option<&Change>) -> String {
    let Some(Change::Text(text)) = change else {
        return raw.to_owned();
    };
    match serde_json::from_str::<Value>(raw) {
        Ok(Value::Object(mut part)) => {
            part.insert("text".to_owned(), Value::from(text.as_str()));
            Value::Object(part).to_string()
        }
        Ok(Value::Array(parts)) => {
            let others = parts.into_iter().filter(|it| it.get("text").is_none());
            let first = json!({"type": "text", "text": text});
            let parts: Value = std::iter::once(first).chain(others).collect();
            parts.to_string()
        }
        _ => quoted(text),
    }
}

fn write_call(raw: &str, change: Option<&Change>) -> String {
    let Some(Change::Arguments(arguments)) = change else {
        return raw.to_owned();
    };
    let Ok(mut value) = serde_json::from_str::<Value>(raw) else {
        return raw.to_owned();
    };
    if let Some(slot) = value.pointer_mut("/function/arguments") {
        *slot = match (&slot, arguments) {
            (Value::String(_), Value::String(text)) => Value::from(text.as_str()),
            (Value::String(_), arguments) => Value::from(arguments.to_string()),
            (_, arguments) => arguments.clone(),
        };
    }
    value.to_string()
}

fn new_message(role: Role, text: &str) -> String {
    let role = match role {
        Role::Tool => "user",
        role => role.name(),
    };
    json!({"role": role, "content": text, "agent": "main"}).to_string()
}

/// Writes a turn of another format: its results first, each a message of its own.
fn build_turn(turn: &Turn) -> Vec<Value> {
    let results = turn.results().map(|result| {
        json!({
            "role": "tool",
            "content": result.text,
            "agent": "main",
            "message_type": "observation",
            "tool_call_ids": [result.call],
        })
    });
    let mut messages: Vec<Value> = results.collect();
    let texts: Vec<&str> = turn.texts().collect();
    let calls: Vec<Value> = turn
        .calls()
        .map(|call| {
            let arguments = call.arguments.to_string();
            let function = json!({"name": call.name, "arguments": arguments});
            json!({"function": function, "id": call.id, "type": "function"})
        })
        .collect();
    if texts.is_empty() && calls.is_empty() {
        return messages;
    }
    let role = match turn.role {
        Role::Tool => Role::User,
        role => role,
    };
    let mut message = json!({
        "role": role.name(),
        "content": texts.join("\n\n"),
        "agent": "main",
    });
    if !calls.is_empty() {
        message["tool_calls"] = Value::from(calls);
    }
    messages.push(message);
    messages
}
