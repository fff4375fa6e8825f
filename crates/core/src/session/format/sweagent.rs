//! Trajectories of SWE-agent: one document with the steps and the `history` of messages.
//!
//! The history is what the model is shown. Where the agent speaks in plain text,
//! an action is part of the text and its observation is a message of the user;
//! where it calls tools, messages have calls and name the calls that they answer.
//! A document without a history is read from its steps. A trimmed session is the
//! document with its history replaced; every other byte stays.

use serde_json::{Value, json};

use super::frame::{Head, Listed};
use super::json::{
    Members, Source, elements_of, list, members, quoted, string, take_text, value, with_members,
};
use super::parts::{
    content_blocks, new_text, parsed, read_listed, result_text, signed_thought, unparsed,
    with_result_text, with_text, write_listed,
};
use super::pictures::{Picture, image, pictures_of};
use super::{Codec, SessionFormat, malformed};
use crate::Remark;
use crate::session::draft::{Change, Draft, Stays};
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Call, CallResult, Content, Role, Transcript, Turn};

pub(super) struct SweAgent;

impl Codec for SweAgent {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let others = ["history", "info", "environment"];
        head.document().is_some_and(|it| {
            it.contains_key("trajectory") && others.iter().any(|key| it.contains_key(*key))
        })
    }

    fn read(&self, source: &[u8], transcript: &mut Transcript) -> Result<(), SessionError> {
        if let Some(history) = history(source) {
            read_listed(&history, transcript, |raw| message(history.source, raw));
            let all = transcript.turns.len();
            transcript.turns.retain(|turn| !turn.blocks.is_empty());
            for _ in transcript.turns.len()..all {
                transcript.pass_over("empty message");
            }
        } else {
            let text = std::str::from_utf8(source).unwrap_or_default();
            let body = members(text);
            if !body.contains_key("trajectory") {
                let reason = "it has neither a history nor a trajectory";
                return Err(malformed(SessionFormat::SweAgent, reason));
            }
            let steps = elements_of(&body, "trajectory");
            transcript.turns = read_steps(Source::whole(text), &steps);
            let message = "there is no history; the session is read from the steps";
            transcript.notes.push(Remark::new("history", message));
        }
        Ok(())
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError> {
        let source = transcript.source();
        let Some(history) = history(source) else {
            let turns = draft.turns(transcript);
            let messages = turns.iter().flat_map(|it| build_turn(it, transcript));
            let messages = messages.map(|it| it.to_string());
            let messages = list(&messages.collect::<Vec<_>>());
            let text = String::from_utf8_lossy(source);
            return Ok(with_members(&text, [("history", messages)]).into_bytes());
        };
        let write =
            |raw: &str, _: &Turn, stays: &[Stays<'_>]| Some(write_message(transcript, raw, stays));
        Ok(write_listed(&history, transcript, draft, new_message, write))
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        let history = turns.iter().flat_map(|it| build_turn(it, transcript));
        let history: Vec<Value> = history.collect();
        let document = json!({
            "environment": "main",
            "trajectory": [],
            "history": history,
            "info": {},
        });
        format!("{document}\n").into_bytes()
    }
}

/// Returns the history of a document, if it has one.
fn history(source: &[u8]) -> Option<Listed<'_>> {
    let history = Listed::of(source, "history", SessionFormat::SweAgent).ok()?;
    history.is_member().then_some(history)
}

/// Reads a message of the history.
fn message(source: Source<'_>, raw: &str) -> Option<Turn> {
    let members: Members<'_> = serde_json::from_str(raw).ok()?;
    let role = match string(members.get("role"))?.as_str() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return None,
    };
    let block = |raw: &str, content| Block::new(content, source.place(raw));
    let thoughts = elements_of(&members, "thinking_blocks");
    let calls = elements_of(&members, "tool_calls");
    let mut blocks: Vec<Block> =
        thoughts.into_iter().map(|raw| block(raw, read_part(raw))).collect();
    if let Some(content) = members.get("content").map(|it| it.get()) {
        match answered(&members) {
            Some(call) => blocks.push(block(content, read_result(content, call))),
            None => blocks.extend(texts(source, content)),
        }
    }
    blocks.extend(calls.into_iter().map(|raw| block(raw, read_call(raw))));
    Some(Turn::new(role, blocks))
}

/// Returns the call that a message answers.
fn answered(members: &Members<'_>) -> Option<String> {
    let calls = members.get("tool_call_ids")?;
    let calls: Vec<String> = serde_json::from_str(calls.get()).ok()?;
    calls.into_iter().next()
}

fn read_result(content: &str, call: String) -> Content {
    let (text, images) = result_text(Some(value(content)), SessionFormat::SweAgent);
    Content::Result(CallResult { call, text, is_error: false, images })
}

/// Reads the content of a message; an empty text is not a block.
fn texts(source: Source<'_>, content: &str) -> Vec<Block> {
    let mut blocks = content_blocks(source, content, read_part);
    blocks.retain(|it| it.content != Content::Text(String::new()));
    blocks
}

fn read_part(raw: &str) -> Content {
    let mut value = value(raw);
    let kind = take_text(&mut value, "type");
    match kind.as_str() {
        "text" => Content::Text(take_text(&mut value, "text")),
        "thinking" | "redacted_thinking" => Content::Thinking(take_text(&mut value, "thinking")),
        "image" | "image_url" => image(&value, SessionFormat::SweAgent),
        _ => Content::Other(kind),
    }
}

fn read_call(raw: &str) -> Content {
    let mut value = value(raw);
    let id = take_text(&mut value, "id");
    let Some(function) = value.get_mut("function") else {
        return Content::Other("tool_call".to_owned());
    };
    let arguments = match function.get_mut("arguments").map(Value::take) {
        Some(Value::String(text)) => parsed(text),
        arguments => arguments.unwrap_or_default(),
    };
    Content::Call(Call { id, name: take_text(function, "name"), arguments })
}

/// Reads steps: what the model answered and what it saw then.
fn read_steps(source: Source<'_>, steps: &[&str]) -> Vec<Turn> {
    let mut turns = Vec::new();
    for step in steps {
        let members = members(step);
        for (key, role) in [("response", Role::Assistant), ("observation", Role::User)] {
            let blocks = members.get(key).map(|raw| texts(source, raw.get()));
            let blocks = blocks.filter(|it| !it.is_empty());
            turns.extend(blocks.map(|blocks| Turn::new(role, blocks)));
        }
    }
    turns
}

/// Writes a message with the blocks that stay; the rest of it is as it was.
fn write_message(transcript: &Transcript, message: &str, stays: &[Stays<'_>]) -> String {
    let (mut thoughts, mut parts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for (block, change) in stays {
        let raw = transcript.raw(block);
        match &block.content {
            Content::Thinking(_) => thoughts.push(raw.to_owned()),
            Content::Call(_) => calls.push(write_call(raw, *change)),
            Content::Other(kind) if kind == "tool_call" => calls.push(raw.to_owned()),
            content => parts.push(match (new_text(*change), content) {
                (None, _) => raw.to_owned(),
                (Some(text), Content::Result(_)) => with_result_text(raw, "text", text),
                (Some(text), content) => with_text(raw, content, "text", text),
            }),
        }
    }
    let content = match parts.as_slice() {
        [] => quoted(""),
        [part] if !part.starts_with('{') => part.clone(),
        parts => list(parts),
    };
    let has = members(message);
    let lists = [("thinking_blocks", thoughts), ("tool_calls", calls)];
    let lists = lists.into_iter().filter(|(key, _)| has.contains_key(*key));
    let lists = lists.map(|(key, values)| match values.as_slice() {
        [] => (key, "null".to_owned()),
        values => (key, list(values)),
    });
    with_members(message, [("content", content)].into_iter().chain(lists))
}

fn write_call(raw: &str, change: Option<&Change>) -> String {
    let Some(Change::Arguments(arguments)) = change else {
        return raw.to_owned();
    };
    let mut value = value(raw);
    if let Some(slot) = value.pointer_mut("/function/arguments") {
        *slot = if slot.is_string() { Value::from(unparsed(arguments)) } else { arguments.clone() };
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
fn build_turn(turn: &Turn, transcript: &Transcript) -> Vec<Value> {
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
    let of_blocks = |it: &dyn Fn(&Block) -> Vec<Value>| -> Vec<Value> {
        turn.blocks.iter().flat_map(it).collect()
    };
    let thoughts = of_blocks(&|block| match block.content {
        Content::Thinking(_) => Vec::from_iter(signed_thought(transcript.raw(block))),
        _ => Vec::new(),
    });
    let pictures = of_blocks(&|block| match block.content {
        Content::Image(_) => {
            pictures_of(transcript, block).iter().map(Picture::chat_part).collect()
        }
        _ => Vec::new(),
    });
    if texts.is_empty() && calls.is_empty() && pictures.is_empty() {
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
    if !thoughts.is_empty() {
        message["thinking_blocks"] = Value::from(thoughts);
    }
    if !pictures.is_empty() {
        let words = texts.iter().map(|text| json!({"type": "text", "text": text}));
        message["content"] = words.chain(pictures).collect();
    }
    messages.push(message);
    messages
}
