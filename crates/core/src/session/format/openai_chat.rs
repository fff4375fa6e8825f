//! Messages of OpenAI's chat completions: a list, one on each line, or the body
//! of a request.
//!
//! Calls stand beside what the model says, and each result is a message of its
//! own. What a call is given is JSON in a text. Calls of the older form, by
//! `function_call`, have no ids; there the name of the function stands for it.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::json::{Head, Layout, Members, string, take_string};
use super::listed::{Listed, inner};
use super::object::{Object, elements, list, quoted};
use super::rounds::{check, joined};
use super::{Adapter, SessionFormat, Violation};
use crate::Remark;
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Call, CallResult, Content, Role, Transcript, Turn};

pub(super) struct OpenAiChat;

impl Adapter for OpenAiChat {
    fn recognises(&self, head: &Head<'_>) -> bool {
        match head.layout {
            Layout::List | Layout::Lines => are_messages(&head.objects),
            Layout::Object => inner(head, "messages").is_some_and(|it| are_messages(&it.objects)),
        }
    }

    fn read(&self, source: Vec<u8>) -> Result<Transcript, SessionError> {
        let mut transcript = Transcript::empty(SessionFormat::OpenAiChat);
        let listed = listed(&source)?;
        transcript.model = string(listed.body.get("model"));
        for raw in &listed.elements {
            match message(&listed, raw) {
                Some(turn) => transcript.turns.push(turn),
                None => transcript.notes.push(Remark::new(
                    format!("byte {}", listed.place(raw).start),
                    "this is no message and is left out",
                )),
            }
        }
        transcript.notes.extend(listed.notes);
        transcript.source = source;
        Ok(transcript)
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Vec<u8> {
        let Ok(listed) = listed(transcript.source()) else {
            return transcript.source().to_vec();
        };
        let is_message = |raw: &&&str| message(&listed, raw).is_some();
        let messages: Vec<&str> = listed.elements.iter().filter(is_message).copied().collect();
        let written = draft.turns.iter().filter_map(|turn| match turn {
            DraftTurn::New { role, text } => Some(new_message(*role, text)),
            DraftTurn::Of { turn, blocks } => {
                let (raw, turn) = (messages.get(*turn)?, transcript.turns.get(*turn)?);
                write_turn(transcript, raw, turn, blocks)
            }
        });
        listed.with(&written.collect::<Vec<_>>())
    }

    fn build(&self, turns: &[Turn], _: &Transcript) -> Vec<u8> {
        let messages: Vec<Value> = turns.iter().flat_map(build_turn).collect();
        format!("{}\n", Value::Array(messages)).into_bytes()
    }

    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        check(&transcript.turns)
    }
}

/// Tells whether these are messages of a chat, and not Anthropic's.
fn are_messages(objects: &[Members<'_>]) -> bool {
    let role = |it: &Members<'_>| string(it.get("role")).as_deref().and_then(role_of);
    let is_ours = |it: &Members<'_>| {
        matches!(role(it), Some(Role::System | Role::Tool))
            || it.contains_key("tool_calls")
            || it.contains_key("function_call")
            || it.get("content").is_some_and(|it| has_own_parts(it))
    };
    !objects.is_empty()
        && objects
            .iter()
            .all(|it| role(it).is_some() && !it.contains_key("type"))
        && objects.iter().any(is_ours)
}

/// Tells whether a content has parts of types that only this format knows.
fn has_own_parts(content: &RawValue) -> bool {
    let parts: Vec<Members<'_>> = serde_json::from_str(content.get()).unwrap_or_default();
    let types = parts.iter().filter_map(|it| string(it.get("type")));
    types
        .into_iter()
        .any(|it| it == "image_url" || it == "input_audio")
}

fn role_of(name: &str) -> Option<Role> {
    Some(match name {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => return None,
    })
}

fn listed(source: &[u8]) -> Result<Listed<'_>, SessionError> {
    Listed::of(source, "messages").map_err(|reason| SessionError::Malformed {
        format: SessionFormat::OpenAiChat,
        reason,
    })
}

fn message(listed: &Listed<'_>, raw: &str) -> Option<Turn> {
    let members: Members<'_> = serde_json::from_str(raw).ok()?;
    let role = role_of(&string(members.get("role"))?)?;
    let blocks = match role {
        Role::Tool => vec![Block::new(read_result(&members), listed.place(raw))],
        _ => {
            let mut blocks = contents(listed, &members);
            blocks.extend(calls(listed, &members));
            blocks
        }
    };
    let mut turn = Turn::new(role, blocks);
    turn.id = string(members.get("id"));
    Some(turn)
}

fn read_result(members: &Members<'_>) -> Content {
    let call = string(members.get("tool_call_id")).or_else(|| string(members.get("name")));
    let content = members.get("content").map(|it| it.get());
    let parts = content.map(elements).unwrap_or_default();
    let is_text = |it: &&Content| matches!(it, Content::Text(_));
    let parts: Vec<Content> = parts.into_iter().map(read_part).collect();
    let texts = parts.iter().filter_map(|it| match it {
        Content::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let text = string(members.get("content"));
    Content::Result(CallResult {
        call: call.unwrap_or_default(),
        text: text.unwrap_or_else(|| texts.collect::<Vec<_>>().join("\n")),
        is_error: false,
        images: parts.len() - parts.iter().filter(is_text).count(),
    })
}

/// Reads what is said in a message: a text, or a list of parts.
fn contents(listed: &Listed<'_>, members: &Members<'_>) -> Vec<Block> {
    let said = ["content", "refusal"];
    let text = |key: &str| {
        let raw = members.get(key)?;
        let text = serde_json::from_str::<String>(raw.get()).ok()?;
        Some(vec![Block::new(
            Content::Text(text),
            listed.place(raw.get()),
        )])
    };
    let parts = members.get("content").map(|it| elements(it.get()));
    let parts = parts.unwrap_or_default();
    let part = |raw: &&str| Block::new(read_part(raw), listed.place(raw));
    if parts.is_empty() {
        said.into_iter().find_map(text).unwrap_or_default()
    } else {
        parts.iter().map(part).collect()
    }
}

fn read_part(raw: &str) -> Content {
    let mut value: Value = serde_json::from_str(raw).unwrap_or_default();
    let kind = take_string(value.get_mut("type")).unwrap_or_default();
    match kind.as_str() {
        "text" => Content::Text(take_string(value.get_mut("text")).unwrap_or_default()),
        "image_url" | "input_audio" | "file" => Content::Image,
        _ => Content::Other(kind),
    }
}

fn calls(listed: &Listed<'_>, members: &Members<'_>) -> Vec<Block> {
    let new = members.get("tool_calls").map(|it| elements(it.get()));
    let old = members.get("function_call").map(|it| it.get());
    let old = old.filter(|it| it.starts_with('{'));
    let calls = new.unwrap_or_default().into_iter().chain(old);
    calls
        .map(|raw| Block::new(read_call(raw), listed.place(raw)))
        .collect()
}

fn read_call(raw: &str) -> Content {
    let mut value: Value = serde_json::from_str(raw).unwrap_or_default();
    let id = take_string(value.get_mut("id"));
    // Tools that take any text stand under `custom`.
    let mut function = match ["function", "custom"]
        .iter()
        .find(|key| value.get(key).is_some())
    {
        Some(key) => value[*key].take(),
        None => value,
    };
    let name = take_string(function.get_mut("name")).unwrap_or_default();
    let arguments = match take_string(function.get_mut("arguments")) {
        Some(text) => parsed(text),
        None => json!({"input": function.get_mut("input").map(Value::take)}),
    };
    Content::Call(Call {
        id: id.unwrap_or_else(|| name.clone()),
        name,
        arguments,
    })
}

/// Reads what a call is given; what is no JSON stays a text.
pub(super) fn parsed(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// Writes what a call is given as the text that holds it.
pub(super) fn unparsed(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Writes a message with the blocks that stay; the rest of it is as it was.
fn write_turn(
    transcript: &Transcript,
    raw: &str,
    turn: &Turn,
    blocks: &[DraftBlock],
) -> Option<String> {
    let mut message = Object::of(raw)?;
    let kept: Vec<(&Block, Option<&Change>)> = blocks
        .iter()
        .filter_map(|it| Some((turn.blocks.get(it.block)?, it.change.as_ref())))
        .collect();
    if kept.is_empty() {
        return None;
    }
    if turn.role == Role::Tool {
        if let Some((_, Some(Change::Text(text)))) = kept.first() {
            let content = write_result(message.get("content").unwrap_or_default(), text);
            message.set("content", content);
        }
        return Some(message.to_string());
    }
    let (mut said, mut calls) = (Vec::new(), Vec::new());
    for (block, change) in kept {
        let raw = transcript.raw(block);
        match &block.content {
            Content::Call(_) => calls.push(write_call(raw, change)),
            content => said.push(write_part(raw, content, change)),
        }
    }
    let is_text = !message.get("content").is_some_and(|it| it.starts_with('['));
    match said.as_slice() {
        [] if is_text => message.set("content", "null"),
        [text] if is_text => message.set("content", text.clone()),
        _ => message.set("content", list(&said)),
    }
    match calls.as_slice() {
        [] => {
            message.remove("tool_calls");
            message.remove("function_call");
        }
        [call] if message.get("tool_calls").is_none() => {
            message.set("function_call", call.clone());
        }
        _ => message.set("tool_calls", list(&calls)),
    }
    Some(message.to_string())
}

fn write_part(raw: &str, content: &Content, change: Option<&Change>) -> String {
    match (change, content) {
        (Some(Change::Text(text)), _) if raw.starts_with('"') => quoted(text),
        (Some(Change::Text(text)), Content::Text(_)) => match Object::of(raw) {
            Some(mut part) => {
                part.set("text", quoted(text));
                part.to_string()
            }
            None => raw.to_owned(),
        },
        (Some(Change::Text(text)), _) => json!({"type": "text", "text": text}).to_string(),
        _ => raw.to_owned(),
    }
}

fn write_result(content: &str, text: &str) -> String {
    if !content.starts_with('[') {
        return quoted(text);
    }
    let others = elements(content).into_iter();
    let others = others.filter(|it| !matches!(read_part(it), Content::Text(_)));
    let first = json!({"type": "text", "text": text}).to_string();
    let parts = std::iter::once(first).chain(others.map(str::to_owned));
    list(&parts.collect::<Vec<_>>())
}

fn write_call(raw: &str, change: Option<&Change>) -> String {
    let (Some(Change::Arguments(arguments)), Some(mut call)) = (change, Object::of(raw)) else {
        return raw.to_owned();
    };
    let key = ["function", "custom"]
        .into_iter()
        .find(|it| call.get(it).is_some());
    let inner = key.and_then(|key| call.get(key)).map(str::to_owned);
    let Some(mut function) = Object::of(inner.as_deref().unwrap_or(raw)) else {
        return raw.to_owned();
    };
    if function.get("arguments").is_some() {
        function.set("arguments", quoted(&unparsed(arguments)))
    } else {
        function.set("input", arguments["input"].to_string())
    }
    match key {
        Some(key) => {
            call.set(key, function.to_string());
            call.to_string()
        }
        None => function.to_string(),
    }
}

fn new_message(role: Role, text: &str) -> String {
    let role = match role {
        Role::System => "system",
        Role::Assistant => "assistant",
        Role::User | Role::Tool => "user",
    };
    json!({"role": role, "content": text}).to_string()
}

/// Writes a turn that was read from another format.
fn build_turn(turn: &Turn) -> Vec<Value> {
    let texts: Vec<&str> = turn.texts().filter(|it| !it.trim().is_empty()).collect();
    let content = match texts.as_slice() {
        [] => Value::Null,
        [text] => Value::from(*text),
        _ => texts
            .iter()
            .map(|it| json!({"type": "text", "text": it}))
            .collect(),
    };
    match turn.role {
        Role::System => vec![json!({"role": "system", "content": joined(turn)})],
        Role::User if content.is_null() => Vec::new(),
        Role::User => vec![json!({"role": "user", "content": content})],
        Role::Tool => turn.results().map(build_result).collect(),
        Role::Assistant => {
            let calls: Vec<Value> = turn.calls().map(build_call).collect();
            let mut message = json!({"role": "assistant", "content": content});
            if !calls.is_empty() {
                message["tool_calls"] = Value::Array(calls);
            } else if message["content"].is_null() {
                return Vec::new();
            }
            vec![message]
        }
    }
}

fn build_result(result: &CallResult) -> Value {
    json!({"role": "tool", "tool_call_id": result.call, "content": result.text})
}

fn build_call(call: &Call) -> Value {
    let function = json!({"name": call.name, "arguments": unparsed(&call.arguments)});
    json!({"id": call.id, "type": "function", "function": function})
}

#[cfg(test)]
mod tests;
