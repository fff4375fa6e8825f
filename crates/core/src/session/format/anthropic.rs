//! Messages of Anthropic's API: a list of messages, or the body of a request.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::json::{Head, Layout, Members, place, string, take_string};
use super::{Adapter, SessionFormat, Violation};
use crate::Remark;
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Call, CallResult, Content, Role, Transcript, Turn};

pub(super) struct Anthropic;

impl Adapter for Anthropic {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let messages = |objects: &[Members<'_>]| {
            let of_ours = |it: &Members<'_>| {
                matches!(
                    string(it.get("role")).as_deref(),
                    Some("user" | "assistant")
                ) && it.contains_key("content")
                    && !it.contains_key("tool_calls")
            };
            !objects.is_empty() && objects.iter().all(of_ours)
        };
        match head.layout {
            Layout::List | Layout::Lines => messages(&head.objects),
            Layout::Object => head.objects.first().is_some_and(|body| {
                let list = body.get("messages").map(|raw| raw.get().as_bytes());
                let inner = list.and_then(|list| Head::of(list).ok());
                inner.is_some_and(|it| messages(&it.objects))
            }),
        }
    }

    fn read(&self, source: Vec<u8>) -> Result<Transcript, SessionError> {
        let mut transcript = Transcript::empty(SessionFormat::Anthropic);
        let text = std::str::from_utf8(&source).map_err(|error| malformed(&error))?;
        let envelope = Envelope::of(text)?;
        if let Some(system) = envelope.system {
            let blocks = blocks(text, system);
            transcript.turns.push(Turn::new(Role::System, blocks));
        }
        transcript.model = string(envelope.model.as_ref());
        for raw in &envelope.messages {
            match message(text, raw) {
                Some(turn) => transcript.turns.push(turn),
                None => transcript.notes.push(Remark::new(
                    format!("byte {}", place(text, raw.get()).start),
                    "this is no message and is left out",
                )),
            }
        }
        transcript.source = source;
        Ok(transcript)
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Vec<u8> {
        let source = String::from_utf8_lossy(transcript.source());
        let Ok(envelope) = Envelope::of(&source) else {
            return transcript.source().to_vec();
        };
        let separator = if envelope.is_lines { "\n" } else { "," };
        let mut messages = Vec::with_capacity(draft.turns.len());
        for turn in &draft.turns {
            match turn {
                DraftTurn::Of { turn, .. }
                    if transcript
                        .turns
                        .get(*turn)
                        .is_none_or(|it| it.role == Role::System) => {}
                DraftTurn::Of { turn, blocks } => {
                    let turn = &transcript.turns[*turn];
                    messages.push(write_turn(transcript, turn, blocks));
                }
                DraftTurn::New { role, text } => messages.push(new_message(*role, text)),
            }
        }
        let list = messages.join(separator);
        let list = if envelope.is_lines {
            format!("{list}\n")
        } else {
            format!("[{list}]")
        };
        let Range { start, end } = envelope.list;
        [&source[..start], &list, &source[end..]]
            .concat()
            .into_bytes()
    }

    fn build(&self, turns: &[Turn], _: &Transcript) -> Vec<u8> {
        let (system, rest): (Vec<&Turn>, Vec<&Turn>) =
            turns.iter().partition(|turn| turn.role == Role::System);
        let mut messages: Vec<Value> = Vec::new();
        for turn in rest {
            let role = match turn.role {
                Role::Assistant => "assistant",
                _ => "user",
            };
            let blocks: Vec<Value> = turn.blocks.iter().filter_map(build_block).collect();
            if blocks.is_empty() {
                continue;
            }
            // Results of one round belong into one message.
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
        let mut bytes = body.to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }

    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        check(&transcript.turns)
    }
}

/// The parts of a source around its messages.
struct Envelope<'a> {
    system: Option<&'a RawValue>,
    model: Option<&'a RawValue>,
    messages: Vec<&'a RawValue>,
    /// Where the list stands in the source.
    list: Range<usize>,
    is_lines: bool,
}

impl<'a> Envelope<'a> {
    fn of(text: &'a str) -> Result<Envelope<'a>, SessionError> {
        let mut envelope = Envelope {
            system: None,
            model: None,
            messages: Vec::new(),
            list: 0..text.len(),
            is_lines: false,
        };
        if let Ok(mut body) = serde_json::from_str::<Members<'a>>(text)
            && let Some(list) = body.remove("messages")
        {
            envelope.messages = serde_json::from_str(list.get()).map_err(|it| malformed(&it))?;
            envelope.list = place(text, list.get());
            envelope.system = body.remove("system");
            envelope.model = body.remove("model");
            return Ok(envelope);
        }
        match serde_json::from_str(text) {
            Ok(messages) => envelope.messages = messages,
            Err(error) => {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                envelope.messages = lines
                    .filter_map(|it| serde_json::from_str(it).ok())
                    .collect();
                envelope.is_lines = true;
                if envelope.messages.is_empty() {
                    return Err(malformed(&error));
                }
            }
        }
        Ok(envelope)
    }
}

fn malformed(reason: &dyn std::fmt::Display) -> SessionError {
    SessionError::Malformed {
        format: SessionFormat::Anthropic,
        reason: reason.to_string(),
    }
}

fn message(source: &str, raw: &RawValue) -> Option<Turn> {
    let members: Members<'_> = serde_json::from_str(raw.get()).ok()?;
    let role = match string(members.get("role"))?.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        _ => return None,
    };
    let content = members.get("content")?;
    let mut turn = Turn::new(role, blocks(source, content));
    turn.id = string(members.get("id"));
    Some(turn)
}

/// Reads the content of a message: a text, or a list of blocks.
pub(super) fn blocks(source: &str, content: &RawValue) -> Vec<Block> {
    if let Ok(text) = serde_json::from_str::<String>(content.get()) {
        return vec![Block::new(
            Content::Text(text),
            place(source, content.get()),
        )];
    }
    let parts: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    let block = |part: &&RawValue| Block::new(read_block(part.get()), place(source, part.get()));
    parts.iter().map(block).collect()
}

fn read_block(raw: &str) -> Content {
    let Ok(mut value) = serde_json::from_str::<Value>(raw) else {
        return Content::Other("malformed".to_owned());
    };
    let kind = take_string(value.get_mut("type")).unwrap_or_default();
    match kind.as_str() {
        "text" => Content::Text(take_string(value.get_mut("text")).unwrap_or_default()),
        "thinking" => Content::Thinking(take_string(value.get_mut("thinking")).unwrap_or_default()),
        "redacted_thinking" => Content::Thinking(String::new()),
        "tool_use" => Content::Call(Call {
            id: take_string(value.get_mut("id")).unwrap_or_default(),
            name: take_string(value.get_mut("name")).unwrap_or_default(),
            arguments: value.get_mut("input").map(Value::take).unwrap_or_default(),
        }),
        "tool_result" => {
            let (text, images) = result_text(value.get_mut("content"));
            Content::Result(CallResult {
                call: take_string(value.get_mut("tool_use_id")).unwrap_or_default(),
                text,
                is_error: value.get("is_error") == Some(&Value::Bool(true)),
                images,
            })
        }
        "image" | "document" => Content::Image,
        _ => Content::Other(kind),
    }
}

/// Joins the texts of a result and counts its other parts.
pub(super) fn result_text(content: Option<&mut Value>) -> (String, usize) {
    match content.map(Value::take) {
        Some(Value::String(text)) => (text, 0),
        Some(Value::Array(mut parts)) => {
            let mut texts = Vec::new();
            let mut images = 0;
            for part in &mut parts {
                match take_string(part.get_mut("text")) {
                    Some(text) => texts.push(text),
                    None => images += 1,
                }
            }
            (texts.join("\n"), images)
        }
        _ => (String::new(), 0),
    }
}

/// Writes a turn with the blocks that stay; the rest of its message is as it was.
fn write_turn(transcript: &Transcript, turn: &Turn, blocks: &[DraftBlock]) -> String {
    let role = match turn.role {
        Role::Assistant => "assistant",
        _ => "user",
    };
    let content: Vec<String> = blocks
        .iter()
        .filter_map(|it| Some((turn.blocks.get(it.block)?, it)))
        .map(|(block, it)| write_block(transcript.raw(block), it.change.as_ref()))
        .collect();
    format!(
        "{{\"role\":\"{role}\",\"content\":[{}]}}",
        content.join(",")
    )
}

/// Writes a block, changed or byte for byte.
pub(super) fn write_block(raw: &str, change: Option<&Change>) -> String {
    // The content of a message may be a bare text.
    if raw.starts_with('"') {
        let text = match change {
            Some(Change::Text(text)) => Value::from(text.as_str()).to_string(),
            _ => raw.to_owned(),
        };
        return format!("{{\"type\":\"text\",\"text\":{text}}}");
    }
    let Some(change) = change else {
        return raw.to_owned();
    };
    let Ok(mut value) = serde_json::from_str::<Value>(raw) else {
        return raw.to_owned();
    };
    match change {
        Change::Arguments(arguments) => value["input"] = arguments.clone(),
        Change::Text(text) if value["type"] == "tool_result" => {
            value["content"] = match value.get_mut("content").map(Value::take) {
                Some(Value::Array(parts)) => {
                    let others = parts.into_iter().filter(|it| it.get("text").is_none());
                    let first = json!({"type": "text", "text": text});
                    std::iter::once(first).chain(others).collect()
                }
                _ => Value::from(text.as_str()),
            };
        }
        Change::Text(text) => value["text"] = Value::from(text.as_str()),
    }
    value.to_string()
}

fn new_message(role: Role, text: &str) -> String {
    let role = match role {
        Role::Assistant => "assistant",
        _ => "user",
    };
    json!({"role": role, "content": [{"type": "text", "text": text}]}).to_string()
}

/// Writes a block that was read from another format.
pub(super) fn build_block(block: &Block) -> Option<Value> {
    Some(match &block.content {
        Content::Text(text) if text.trim().is_empty() => return None,
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Call(call) => {
            let (id, name) = (&call.id, &call.name);
            json!({"type": "tool_use", "id": id, "name": name, "input": call.arguments})
        }
        Content::Result(result) => {
            let (id, text) = (&result.call, &result.text);
            let mut value = json!({"type": "tool_result", "tool_use_id": id, "content": text});
            if result.is_error {
                value["is_error"] = Value::Bool(true);
            }
            value
        }
        // Signatures are of one provider; pictures are not carried over.
        Content::Thinking(_) | Content::Image | Content::Other(_) => return None,
    })
}

/// Checks turns against what Anthropic's API accepts.
pub(super) fn check(turns: &[Turn]) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut pending: Option<BTreeSet<&str>> = None;
    let spoken = turns
        .iter()
        .enumerate()
        .filter(|(_, it)| it.role != Role::System);
    let mut is_first = true;
    for (number, turn) in spoken {
        let mut report = |rule| {
            let turn = number + 1;
            found.push(Violation { turn, rule });
        };
        if std::mem::take(&mut is_first) && turn.role == Role::Assistant {
            report("the first message must be from the user");
        }
        if turn.blocks.is_empty() {
            report("a message must not be empty");
        }
        let results: BTreeSet<&str> = turn.results().map(|it| it.call.as_str()).collect();
        let open = pending.take().unwrap_or_default();
        if turn.role == Role::Assistant && !open.is_empty() || !open.is_subset(&results) {
            report("every call must be answered in the next message");
        }
        if !results.is_subset(&open) {
            report("a result must answer a call of the message before it");
        }
        let is_result = |block: &Block| matches!(block.content, Content::Result(_));
        if turn
            .blocks
            .iter()
            .skip_while(|it| is_result(it))
            .any(is_result)
        {
            report("results come before anything else in a message");
        }
        if turn.texts().any(|text| text.trim().is_empty()) {
            report("a text must not be blank");
        }
        let calls: BTreeSet<&str> = turn.calls().map(|call| call.id.as_str()).collect();
        pending = (!calls.is_empty()).then_some(calls);
    }
    if pending.is_some() {
        let turn = turns.len();
        let rule = "every call must be answered in the next message";
        found.push(Violation { turn, rule });
    }
    found
}
