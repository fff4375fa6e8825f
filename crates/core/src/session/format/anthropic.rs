//! Messages of Anthropic's API: a list of messages, or the body of a request.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::check::{Violation, check_messages};
use super::frame::{Head, Listed};
use super::json::{Members, Object, Source, list, quoted, string, take_text, value};
use super::parts::{
    content_blocks, new_text, read_listed, result_text, signed_thought, with_result_text,
    with_text, write_listed,
};
use super::pictures::{Picture, image, pictures_of};
use super::{Codec, SessionFormat};
use crate::session::draft::{Change, Draft, Stays};
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Call, CallResult, Content, Role, Transcript, Turn};

pub(super) struct Anthropic;

impl Codec for Anthropic {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let is_message = |it: &Members<'_>| {
            let role = string(it.get("role"));
            matches!(role.as_deref(), Some("user" | "assistant"))
                && it.contains_key("content")
                && !it.contains_key("tool_calls")
        };
        let messages = head.records("messages");
        !messages.is_empty() && messages.iter().all(is_message)
    }

    fn read(&self, source: &[u8], transcript: &mut Transcript) -> Result<(), SessionError> {
        let listed = Listed::of(source, "messages", SessionFormat::Anthropic)?;
        if let Some(system) = listed.body.get("system") {
            let blocks = blocks(listed.source, system);
            transcript.turns.push(Turn::new(Role::System, blocks));
        }
        transcript.model = string(listed.body.get("model"));
        read_listed(&listed, transcript, |raw| message(listed.source, raw));
        Ok(())
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError> {
        let source = transcript.source();
        let listed = Listed::of(source, "messages", SessionFormat::Anthropic)?;
        let write = |raw: &str, _: &Turn, stays: &[Stays<'_>]| {
            let mut message = Object::of(raw)?;
            let blocks =
                stays.iter().map(|(block, change)| write_block(transcript.raw(block), *change));
            message.set("content", list(&blocks.collect::<Vec<_>>()));
            Some(message.to_string())
        };
        Ok(write_listed(&listed, transcript, draft, new_message, write))
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        let (system, rest): (Vec<&Turn>, Vec<&Turn>) =
            turns.iter().partition(|turn| turn.role == Role::System);
        let mut messages: Vec<Value> = Vec::new();
        for turn in rest {
            let role = role_name(turn.role);
            let blocks: Vec<Value> =
                turn.blocks.iter().flat_map(|it| build_block(it, transcript)).collect();
            if blocks.is_empty() {
                continue;
            }
            // The results of one round belong into one message.
            match messages.last_mut() {
                Some(last) if last["role"] == role => {
                    if let Some(Value::Array(before)) = last.get_mut("content") {
                        before.extend(blocks);
                    }
                }
                _ => messages.push(json!({"role": role, "content": blocks})),
            }
        }
        let texts: Vec<&str> = system.iter().flat_map(|turn| turn.texts()).collect();
        let body = if texts.is_empty() {
            Value::Array(messages)
        } else {
            json!({"system": texts.join("\n\n"), "messages": messages})
        };
        format!("{body}\n").into_bytes()
    }

    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        check_messages(&transcript.turns)
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Assistant => "assistant",
        _ => "user",
    }
}

fn message(source: Source<'_>, raw: &str) -> Option<Turn> {
    let members: Members<'_> = serde_json::from_str(raw).ok()?;
    let role = match string(members.get("role"))?.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        _ => return None,
    };
    let mut turn = Turn::new(role, blocks(source, members.get("content")?));
    turn.id = string(members.get("id"));
    Some(turn)
}

/// Reads the content of a message: a text, or a list of blocks.
pub(super) fn blocks(source: Source<'_>, content: &RawValue) -> Vec<Block> {
    content_blocks(source, content.get(), read_block)
}

fn read_block(raw: &str) -> Content {
    let mut value = value(raw);
    let kind = take_text(&mut value, "type");
    match kind.as_str() {
        "text" => Content::Text(take_text(&mut value, "text")),
        "thinking" => Content::Thinking(take_text(&mut value, "thinking")),
        "redacted_thinking" => Content::Thinking(String::new()),
        "tool_use" => Content::Call(Call {
            id: take_text(&mut value, "id"),
            name: take_text(&mut value, "name"),
            arguments: value["input"].take(),
        }),
        "tool_result" => {
            let content = value.get_mut("content").map(Value::take);
            let (text, images) = result_text(content, SessionFormat::Anthropic);
            Content::Result(CallResult {
                call: take_text(&mut value, "tool_use_id"),
                text,
                is_error: value.get("is_error") == Some(&Value::Bool(true)),
                images,
            })
        }
        "image" | "document" => image(&value, SessionFormat::Anthropic),
        _ => Content::Other(kind),
    }
}

/// Writes a block, changed or byte for byte.
pub(super) fn write_block(raw: &str, change: Option<&Change>) -> String {
    // The content of a message may be a bare text.
    if raw.starts_with('"') {
        let text = new_text(change).map_or_else(|| raw.to_owned(), quoted);
        return format!("{{\"type\":\"text\",\"text\":{text}}}");
    }
    let (Some(change), Some(mut block)) = (change, Object::of(raw)) else {
        return raw.to_owned();
    };
    match change {
        Change::Arguments(arguments) => block.set("input", arguments.to_string()),
        Change::Text(text) if block.get("type") == Some("\"tool_result\"") => {
            let content = block.get("content").unwrap_or_default();
            let content = with_result_text(content, "text", text);
            block.set("content", content);
        }
        Change::Text(text) => return with_text(raw, &read_block(raw), "text", text),
    }
    block.to_string()
}

fn new_message(role: Role, text: &str) -> String {
    let content = json!([{"type": "text", "text": text}]);
    json!({"role": role_name(role), "content": content}).to_string()
}

/// Writes a block that was read from another format: a picture may be several, and
/// a thought is left out unless a model of Anthropic signed it.
pub(super) fn build_block(block: &Block, transcript: &Transcript) -> Vec<Value> {
    let mut pictures: Vec<Value> =
        pictures_of(transcript, block).iter().map(Picture::anthropic).collect();
    match &block.content {
        Content::Text(text) if text.trim().is_empty() => Vec::new(),
        Content::Text(text) => vec![json!({"type": "text", "text": text})],
        Content::Call(call) => {
            let (id, name) = (&call.id, &call.name);
            vec![json!({"type": "tool_use", "id": id, "name": name, "input": call.arguments})]
        }
        Content::Result(result) => {
            let (id, text) = (&result.call, &result.text);
            let mut value = json!({"type": "tool_result", "tool_use_id": id, "content": text});
            if !pictures.is_empty() {
                let words =
                    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}));
                pictures.splice(0..0, words);
                value["content"] = Value::from(pictures);
            }
            if result.is_error {
                value["is_error"] = Value::Bool(true);
            }
            vec![value]
        }
        Content::Thinking(_) => Vec::from_iter(signed_thought(transcript.raw(block))),
        Content::Image(_) => pictures,
        Content::Other(_) => Vec::new(),
    }
}
