//! Messages of OpenAI's chat completions: a list, one on each line, or the body
//! of a request.
//!
//! Calls are next to what the model says, and each result is a message of its own.
//! Arguments are JSON in a text. Calls of the older form, by
//! `function_call`, have no ids; there the name of the function is the id.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::frame::{Head, Listed};
use super::json::{
    Members, Object, Source, elements_of, list, quoted, string, take_string, take_text, value,
};
use super::parts::{
    content_blocks, joined, new_text, parsed, read_listed, result_text, unparsed, with_result_text,
    with_text, write_listed,
};
use super::pictures::{Picture, image, pictures_of};
use super::{Codec, SessionFormat};
use crate::session::draft::{Change, Draft, Stays};
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Call, CallResult, Content, Role, Transcript, Turn};

pub(super) struct OpenAiChat;

impl Codec for OpenAiChat {
    fn recognises(&self, head: &Head<'_>) -> bool {
        are_messages(&head.records("messages"))
    }

    fn read(&self, source: &[u8], transcript: &mut Transcript) -> Result<(), SessionError> {
        let listed = Listed::of(source, "messages", SessionFormat::OpenAiChat)?;
        transcript.model = string(listed.body.get("model"));
        read_listed(&listed, transcript, |raw| message(listed.source, raw));
        Ok(())
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError> {
        let listed = Listed::of(transcript.source(), "messages", SessionFormat::OpenAiChat)?;
        let write = |raw: &str, turn: &Turn, stays: &[Stays<'_>]| {
            write_turn(transcript, raw, turn.role, stays)
        };
        Ok(write_listed(&listed, transcript, draft, new_message, write))
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        let messages = turns.iter().flat_map(|turn| build_turn(turn, transcript));
        let messages: Vec<Value> = messages.collect();
        format!("{}\n", Value::Array(messages)).into_bytes()
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
        && objects.iter().all(|it| role(it).is_some() && !it.contains_key("type"))
        && objects.iter().any(is_ours)
}

/// Tells whether a content has parts of types that only this format knows.
fn has_own_parts(content: &RawValue) -> bool {
    let parts: Vec<Members<'_>> = serde_json::from_str(content.get()).unwrap_or_default();
    let types = parts.iter().filter_map(|it| string(it.get("type")));
    types.into_iter().any(|it| it == "image_url" || it == "input_audio")
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

fn message(source: Source<'_>, raw: &str) -> Option<Turn> {
    let members: Members<'_> = serde_json::from_str(raw).ok()?;
    let role = role_of(&string(members.get("role"))?)?;
    let blocks = if role == Role::Tool {
        vec![Block::new(read_result(&members), source.place(raw))]
    } else {
        let mut blocks = contents(source, &members);
        blocks.extend(calls(source, &members));
        blocks
    };
    let mut turn = Turn::new(role, blocks);
    turn.id = string(members.get("id"));
    Some(turn)
}

fn read_result(members: &Members<'_>) -> Content {
    let call = string(members.get("tool_call_id")).or_else(|| string(members.get("name")));
    let content = members.get("content");
    let content = content.map(|it| value(it.get()));
    let (text, images) = result_text(content, SessionFormat::OpenAiChat);
    Content::Result(CallResult { call: call.unwrap_or_default(), text, is_error: false, images })
}

/// Reads what is said in a message, or what the model refuses.
fn contents(source: Source<'_>, members: &Members<'_>) -> Vec<Block> {
    let said = ["content", "refusal"].into_iter().filter_map(|key| members.get(key));
    let mut said = said.map(|raw| content_blocks(source, raw.get(), read_part));
    said.find(|blocks| !blocks.is_empty()).unwrap_or_default()
}

fn read_part(raw: &str) -> Content {
    let mut value = value(raw);
    let kind = take_text(&mut value, "type");
    match kind.as_str() {
        "text" => Content::Text(take_text(&mut value, "text")),
        "image_url" | "input_audio" | "file" => image(&value, SessionFormat::OpenAiChat),
        _ => Content::Other(kind),
    }
}

fn calls(source: Source<'_>, members: &Members<'_>) -> Vec<Block> {
    let old = members.get("function_call").map(|it| it.get());
    let old = old.filter(|it| it.starts_with('{'));
    let calls = elements_of(members, "tool_calls").into_iter().chain(old);
    calls.map(|raw| Block::new(read_call(raw), source.place(raw))).collect()
}

/// Returns the member of a call that has its name and arguments. Tools that take any
/// text are under `custom`; the older form has no such member.
fn inner_key(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    ["function", "custom"].into_iter().find(|key| has(key))
}

fn read_call(raw: &str) -> Content {
    let mut value = value(raw);
    let id = take_string(&mut value, "id");
    let mut function = match inner_key(|key| value.get(key).is_some()) {
        Some(key) => value[key].take(),
        None => value,
    };
    let name = take_text(&mut function, "name");
    let arguments = match take_string(&mut function, "arguments") {
        Some(text) => parsed(text),
        None => json!({"input": function.get_mut("input").map(Value::take)}),
    };
    Content::Call(Call { id: id.unwrap_or_else(|| name.clone()), name, arguments })
}

/// Writes a message with the blocks that stay; the rest of it is as it was.
fn write_turn(
    transcript: &Transcript,
    raw: &str,
    role: Role,
    stays: &[Stays<'_>],
) -> Option<String> {
    let mut message = Object::of(raw)?;
    let content = message.get("content").unwrap_or_default();
    if role == Role::Tool {
        let text = stays.first().and_then(|it| new_text(it.1))?;
        let content = with_result_text(content, "text", text);
        message.set("content", content);
        return Some(message.to_string());
    }
    let is_text = !content.starts_with('[');
    let (mut said, mut calls) = (Vec::new(), Vec::new());
    for (block, change) in stays {
        let raw = transcript.raw(block);
        match (&block.content, change) {
            (Content::Call(_), Some(Change::Arguments(arguments))) => {
                calls.extend(write_call(raw, arguments));
            }
            (Content::Call(_), _) => calls.push(raw.to_owned()),
            (content, Some(Change::Text(text))) => {
                said.push(with_text(raw, content, "text", text));
            }
            _ => said.push(raw.to_owned()),
        }
    }
    let content = match said.as_slice() {
        [] if is_text => "null".to_owned(),
        [text] if is_text => text.clone(),
        said => list(said),
    };
    message.set("content", content);
    match calls.as_slice() {
        [] => {
            message.remove("tool_calls");
            message.remove("function_call");
        }
        [call] if message.get("tool_calls").is_none() => {
            message.set("function_call", call.clone());
        }
        calls => message.set("tool_calls", list(calls)),
    }
    Some(message.to_string())
}

fn write_call(raw: &str, arguments: &Value) -> Option<String> {
    let mut call = Object::of(raw)?;
    let key = inner_key(|key| call.get(key).is_some());
    let inner = key.and_then(|key| call.get(key)).unwrap_or(raw).to_owned();
    let mut function = Object::of(&inner)?;
    if function.get("arguments").is_some() {
        function.set("arguments", quoted(&unparsed(arguments)));
    } else {
        function.set("input", arguments["input"].to_string());
    }
    let Some(key) = key else {
        return Some(function.to_string());
    };
    call.set(key, function.to_string());
    Some(call.to_string())
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
fn build_turn(turn: &Turn, transcript: &Transcript) -> Vec<Value> {
    let mut parts: Vec<Value> = Vec::new();
    for block in &turn.blocks {
        match &block.content {
            Content::Text(text) if text.trim().is_empty() => {}
            Content::Text(text) => parts.push(json!({"type": "text", "text": text})),
            Content::Image(_) if turn.role == Role::User => {
                parts.extend(pictures_of(transcript, block).iter().map(Picture::chat_part));
            }
            _ => {}
        }
    }
    let content = match parts.as_mut_slice() {
        [] => Value::Null,
        [part] if part["type"] == "text" => part["text"].take(),
        _ => Value::from(parts),
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
