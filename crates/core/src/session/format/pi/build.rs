//! Writes turns of another agent as a session of pi.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::write::no_usage;
use crate::session::format::names::{Name, time_text};
use crate::session::transcript::{CallResult, Content, Role, Transcript, Turn};

/// Writes turns. Instructions of the system have no place in these sessions.
pub(super) fn build(turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
    let name = transcript.session.as_deref().unwrap_or_default();
    let start = turns.iter().find_map(|turn| turn.time).unwrap_or_default();
    let mut builder =
        Builder { lines: String::new(), parent: Value::Null, time: start, tools: HashMap::new() };
    builder.line(json!({
        "type": "session",
        "version": 3,
        "id": Name::of(&[&"session", &name]).uuid(),
        "timestamp": time_text(Some(start)),
        "cwd": transcript.directory.as_deref().unwrap_or_default(),
    }));
    for turn in turns.iter().filter(|turn| turn.role != Role::System) {
        builder.turn(turn, transcript.model.as_deref());
    }
    builder.lines.into_bytes()
}

struct Builder<'a> {
    lines: String,
    parent: Value,
    time: Timestamp,
    /// The tools of calls.
    tools: HashMap<&'a str, &'a str>,
}

impl<'a> Builder<'a> {
    fn turn(&mut self, turn: &'a Turn, model: Option<&str>) {
        self.time = turn.time.unwrap_or(self.time);
        let calls = turn.calls().map(|call| (&*call.id, &*call.name));
        self.tools.extend(calls);
        for result in turn.results() {
            let message = self.result(result);
            self.message(message);
        }
        let blocks: Vec<Value> =
            turn.blocks.iter().filter_map(|block| build_block(&block.content)).collect();
        if blocks.is_empty() {
            return;
        }
        let message = match turn.role {
            Role::Assistant => {
                let reason = match turn.calls().next() {
                    Some(_) => "toolUse",
                    None => "stop",
                };
                json!({
                    "role": "assistant",
                    "content": blocks,
                    "api": "unknown",
                    "provider": "unknown",
                    "model": turn.model.as_deref().or(model).unwrap_or("unknown"),
                    "usage": no_usage(),
                    "stopReason": reason,
                    "timestamp": self.time.as_millisecond(),
                })
            }
            _ => {
                let time = self.time.as_millisecond();
                json!({"role": "user", "content": blocks, "timestamp": time})
            }
        };
        self.message(message);
    }

    fn result(&self, result: &CallResult) -> Value {
        json!({
            "role": "toolResult",
            "toolCallId": result.call,
            "toolName": self.tools.get(&*result.call).copied().unwrap_or("unknown"),
            "content": [{"type": "text", "text": result.text}],
            "isError": result.is_error,
            "timestamp": self.time.as_millisecond(),
        })
    }

    fn message(&mut self, message: Value) {
        let id = Name::of(&[&self.parent, &self.lines.len(), &message]).digits(16);
        self.line(json!({
            "type": "message",
            "id": id,
            "parentId": self.parent,
            "timestamp": time_text(Some(self.time)),
            "message": message,
        }));
        self.parent = Value::from(id);
    }

    fn line(&mut self, value: Value) {
        self.lines.push_str(&value.to_string());
        self.lines.push('\n');
    }
}

/// Writes a block. What only its own provider understands is left out.
fn build_block(content: &Content) -> Option<Value> {
    Some(match content {
        Content::Text(text) if text.trim().is_empty() => return None,
        Content::Text(text) => json!({"type": "text", "text": text}),
        Content::Call(call) => {
            let (id, name) = (&call.id, &call.name);
            json!({"type": "toolCall", "id": id, "name": name, "arguments": call.arguments})
        }
        Content::Result(_) | Content::Thinking(_) | Content::Image | Content::Other(_) => {
            return None;
        }
    })
}
