//! Messages as a window holds them: read once, kept as they were given.
//!
//! A message may be of Anthropic's or of OpenAI's shape, plain text or blocks. What
//! is looked at is only what a window has to know: who speaks, what it costs, and
//! which results answer which calls. Everything else is passed on untouched.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::PromptError;
use super::state::{read_json, read_value};
use super::write::Provider;
use crate::Remark;
use crate::agents::{BLOCK_TOKENS, IMAGE_TOKENS, Role, call_text};
use crate::tokens::{Counter, Tokens};

/// The roles that messages may have, as they are written.
const ROLES: [(&str, Role); 9] = [
    ("system", Role::System),
    ("developer", Role::System),
    ("user", Role::User),
    ("human", Role::User),
    ("assistant", Role::Assistant),
    ("model", Role::Assistant),
    ("ai", Role::Assistant),
    ("tool", Role::Tool),
    ("function", Role::Tool),
];

/// When a message was sent.
const TIMESTAMP: &str = "timestamp";

/// One message, with all that was said about it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct ChatMessage {
    role: Role,
    members: Map<String, Value>,
}

/// A part of a message that costs something.
enum Piece<'a> {
    Text(&'a str),
    Call {
        id: Option<&'a str>,
        name: &'a str,
        arguments: &'a Value,
    },
    Result {
        id: Option<&'a str>,
        content: &'a Value,
    },
    Image,
    /// Something that is not known, by the length of its JSON.
    Other(usize),
}

impl TryFrom<Map<String, Value>> for ChatMessage {
    type Error = String;

    fn try_from(members: Map<String, Value>) -> Result<ChatMessage, String> {
        let Some(role) = members.get("role") else {
            return Err("a message has no `role`".to_owned());
        };
        let known = ROLES.iter().find(|(name, _)| role.as_str() == Some(name));
        let Some((_, role)) = known else {
            return Err(format!(
                "role {role} is not known; it must be system, user, assistant or tool"
            ));
        };
        match members.get("content") {
            None | Some(Value::Null | Value::String(_) | Value::Array(_)) => {
                Ok(ChatMessage { role: *role, members })
            }
            Some(_) => Err("the content of a message must be a text or a list of blocks".into()),
        }
    }
}

impl ChatMessage {
    /// Makes a message of plain text.
    pub fn new(role: Role, text: impl Into<String>) -> ChatMessage {
        let mut members = Map::new();
        members.insert("role".to_owned(), Value::from(role.name()));
        members.insert("content".to_owned(), Value::from(text.into()));
        ChatMessage { role, members }
    }

    /// Says in which phase of the work it was said.
    #[must_use]
    pub fn in_phase(mut self, phase: &str) -> ChatMessage {
        self.members.insert("phase".to_owned(), Value::from(phase));
        self
    }

    /// Takes over when another message was sent, where it says so.
    pub(super) fn sent_with(mut self, other: &ChatMessage) -> ChatMessage {
        if let Some(time) = other.members.get(TIMESTAMP) {
            self.members.insert(TIMESTAMP.to_owned(), time.clone());
        }
        self
    }

    /// Returns who speaks.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Returns the phase of the work in which it was said, where that is known.
    pub fn phase(&self) -> Option<&str> {
        self.members.get("phase")?.as_str()
    }

    /// Returns the message as it was given.
    pub fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// Returns what the message costs: its pieces, and the dress of each.
    pub fn tokens(&self, counter: &Counter) -> Tokens {
        let pieces = self.pieces();
        let dress = Tokens::new(BLOCK_TOKENS.saturating_mul(pieces.len().max(1) as u64));
        let pieces = pieces.iter().map(|piece| piece.tokens(counter));
        Tokens::saturating_sum(pieces).saturating_add(dress)
    }

    /// Tells whether there is nothing to send.
    pub(super) fn is_empty(&self) -> bool {
        let blank =
            |piece: &Piece<'_>| matches!(piece, Piece::Text(text) if text.trim().is_empty());
        self.pieces().iter().all(blank)
    }

    /// Tells whose shape it has; `None` where both providers write it the same.
    pub(super) fn shape(&self) -> Option<Provider> {
        if self.role == Role::Tool || self.members.contains_key("tool_calls") {
            return Some(Provider::OpenAi);
        }
        let blocks = self.members.get("content")?.as_array()?;
        blocks.iter().find_map(|block| match block["type"].as_str()? {
            "tool_use" | "tool_result" | "thinking" | "image" | "document" => {
                Some(Provider::Anthropic)
            }
            "image_url" | "input_audio" | "file" => Some(Provider::OpenAi),
            _ => None,
        })
    }

    fn calls(&self) -> impl Iterator<Item = String> {
        let pieces = self.pieces().into_iter();
        pieces.filter_map(|piece| match piece {
            Piece::Call { id, .. } => id.map(str::to_owned),
            _ => None,
        })
    }

    fn results(&self) -> Vec<String> {
        let pieces = self.pieces().into_iter();
        let results = pieces.filter_map(|piece| match piece {
            Piece::Result { id, .. } => id.map(str::to_owned),
            _ => None,
        });
        results.collect()
    }

    /// Returns the message without the results that are not wanted.
    fn without_results(&self, is_unwanted: impl Fn(&String) -> bool) -> ChatMessage {
        let mut rest = self.clone();
        if self.role == Role::Tool {
            rest.members.insert("content".to_owned(), Value::Null);
            rest.role = Role::User;
        }
        if let Some(Value::Array(blocks)) = rest.members.get_mut("content") {
            blocks.retain(|block| match Piece::of_block(block) {
                Piece::Result { id: Some(id), .. } => !is_unwanted(&id.to_owned()),
                _ => true,
            });
        }
        rest
    }

    fn pieces(&self) -> Vec<Piece<'_>> {
        let content = self.members.get("content").unwrap_or(&Value::Null);
        if self.role == Role::Tool {
            let id = self.members.get("tool_call_id").and_then(Value::as_str);
            return vec![Piece::Result { id, content }];
        }
        let mut pieces = match content {
            Value::String(text) if text.is_empty() => Vec::new(),
            Value::String(text) => vec![Piece::Text(text)],
            Value::Array(blocks) => blocks.iter().map(Piece::of_block).collect(),
            _ => Vec::new(),
        };
        let calls = self.members.get("tool_calls").and_then(Value::as_array);
        pieces.extend(calls.into_iter().flatten().map(Piece::of_call));
        pieces
    }
}

impl<'a> Piece<'a> {
    /// Reads a block of a content.
    fn of_block(block: &'a Value) -> Piece<'a> {
        let text = |key: &str| block.get(key).and_then(Value::as_str);
        match (block.as_str(), text("type")) {
            (Some(text), _) => Piece::Text(text),
            (None, Some("tool_use")) => Piece::Call {
                id: text("id"),
                name: text("name").unwrap_or_default(),
                arguments: &block["input"],
            },
            (None, Some("tool_result")) => {
                Piece::Result { id: text("tool_use_id"), content: &block["content"] }
            }
            (None, Some("image" | "image_url" | "input_image" | "document" | "file")) => {
                Piece::Image
            }
            (None, _) => match text("text").or(text("thinking")) {
                Some(text) => Piece::Text(text),
                None => Piece::Other(block.to_string().len()),
            },
        }
    }

    /// Reads a call as OpenAI writes it.
    fn of_call(call: &'a Value) -> Piece<'a> {
        let function = &call["function"];
        Piece::Call {
            id: call["id"].as_str(),
            name: function["name"].as_str().unwrap_or_default(),
            arguments: &function["arguments"],
        }
    }

    fn tokens(&self, counter: &Counter) -> Tokens {
        match self {
            Piece::Text(text) => counter.count(text),
            Piece::Call { name, arguments, .. } => counter.count(&call_text(name, arguments)),
            Piece::Result { content, .. } => result_tokens(counter, content),
            Piece::Image => Tokens::new(IMAGE_TOKENS),
            Piece::Other(bytes) => Tokens::new(*bytes as u64 / 4),
        }
    }
}

/// Counts what a tool answered: a text, or blocks of which some are pictures.
fn result_tokens(counter: &Counter, content: &Value) -> Tokens {
    match content {
        Value::String(text) => counter.count(text),
        Value::Array(blocks) => Tokens::saturating_sum(
            blocks.iter().map(|block| Piece::of_block(block).tokens(counter)),
        ),
        _ => Tokens::ZERO,
    }
}

/// Reads messages: a list, the body of a request, or an object per line.
///
/// ```
/// let messages = loadline::prompt::read_messages(br#"{"messages": [{"role": "user", "content": "hi"}]}"#)?;
/// assert_eq!(messages[0].members()["content"], "hi");
/// # Ok::<(), loadline::prompt::PromptError>(())
/// ```
pub fn read_messages(json: &[u8]) -> Result<Vec<ChatMessage>, PromptError> {
    let value = match read_json(json) {
        Ok(value) => value,
        Err(error) => lines(json).ok_or(error)?,
    };
    match value {
        Value::Object(mut body) if body.contains_key("messages") => {
            let messages = body.remove("messages").unwrap_or_default();
            read_value(Value::from_iter([("messages", messages)])).map(|Body { messages }| messages)
        }
        Value::Object(one) => read_value(Value::Array(vec![Value::Object(one)])),
        other => read_value(other),
    }
}

#[derive(Deserialize)]
struct Body {
    messages: Vec<ChatMessage>,
}

/// Reads an object per line.
fn lines(json: &[u8]) -> Option<Value> {
    let lines = json.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.trim_ascii().is_empty());
    let values = lines.map(|line| serde_json::from_slice::<Value>(line).ok());
    let values = values.collect::<Option<Vec<Value>>>()?;
    (values.len() > 1).then(|| Value::from(values))
}

/// Leaves out what no provider takes: messages without content, results without a call.
pub(super) fn sound<'a>(
    messages: &'a [ChatMessage],
    remarks: &mut Vec<Remark>,
) -> Vec<Cow<'a, ChatMessage>> {
    let (mut empty, mut orphans) = (0_usize, 0_usize);
    let mut open: HashSet<String> = HashSet::new();
    let mut kept = Vec::with_capacity(messages.len());
    for message in messages {
        let results = message.results();
        if message.is_empty() && message.role != Role::Tool {
            empty += 1;
            continue;
        }
        let is_orphan = |id: &String| !open.contains(id);
        let message = if results.iter().any(is_orphan) {
            orphans += 1;
            let rest = message.without_results(is_orphan);
            if rest.is_empty() {
                continue;
            }
            Cow::Owned(rest)
        } else {
            Cow::Borrowed(message)
        };
        if message.results().is_empty() {
            open.clear();
        }
        open.extend(message.calls());
        kept.push(message);
    }
    let mut remark = |count: usize, what: &str| {
        if count > 0 {
            let message = format!("{count} of {} {what}, left out", messages.len());
            remarks.push(Remark::new("messages", message));
        }
    };
    remark(empty, "have no content");
    remark(orphans, "bring results of calls that are not there");
    kept
}

/// Numbers the groups of messages that stay or go together: calls with their results.
pub(super) fn groups(messages: &[&ChatMessage]) -> Vec<usize> {
    let mut open: HashSet<String> = HashSet::new();
    let mut group = 0;
    let mut groups = Vec::with_capacity(messages.len());
    for (number, message) in messages.iter().enumerate() {
        let answers = message.results().iter().any(|id| open.contains(id));
        // Instructions before the first request stay with it: that is what must not go.
        let is_first = messages[..number].iter().all(|it| it.role == Role::System);
        if number > 0 && !answers && !is_first {
            group += 1;
            open.clear();
        }
        open.extend(message.calls());
        groups.push(group);
    }
    groups
}
