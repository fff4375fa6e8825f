//! Writes turns of another agent as a session of pi.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::write::no_usage;
use crate::session::format::names::{Name, time_text};
use crate::session::format::parts::signed_thought;
use crate::session::format::pictures::{Picture, pictures_of};
use crate::session::transcript::{Block, CallResult, Content, Role, Transcript, Turn};

/// Writes turns. Instructions of the system have no place in these sessions.
pub(super) fn build(turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
    let name = transcript.session.as_deref().unwrap_or_default();
    let start = turns.iter().find_map(|turn| turn.time).unwrap_or_default();
    let mut builder = Builder {
        transcript,
        lines: String::new(),
        parent: Value::Null,
        time: start,
        tools: HashMap::new(),
    };
    builder.line(json!({
        "type": "session",
        "version": 3,
        "id": Name::of(&[&"session", &name]).uuid(),
        "timestamp": time_text(Some(start)),
        "cwd": transcript.directory.as_deref().unwrap_or_default(),
    }));
    for turn in turns.iter().filter(|turn| turn.role != Role::System) {
        builder.turn(turn);
    }
    builder.lines.into_bytes()
}

struct Builder<'a> {
    transcript: &'a Transcript,
    lines: String,
    parent: Value,
    time: Timestamp,
    /// The tools of calls.
    tools: HashMap<&'a str, &'a str>,
}

impl<'a> Builder<'a> {
    fn turn(&mut self, turn: &'a Turn) {
        let model = self.transcript.model.as_deref();
        self.time = turn.time.unwrap_or(self.time);
        let calls = turn.calls().map(|call| (&*call.id, &*call.name));
        self.tools.extend(calls);
        for block in &turn.blocks {
            if let Content::Result(result) = &block.content {
                let pictures = pictures_of(self.transcript, block);
                let message = self.result(result, &pictures);
                self.message(message);
            }
        }
        let blocks: Vec<Value> =
            turn.blocks.iter().flat_map(|block| build_block(block, self.transcript)).collect();
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

    fn result(&self, result: &CallResult, pictures: &[Picture]) -> Value {
        let words = json!({"type": "text", "text": result.text});
        let content = [words].into_iter().chain(pictures.iter().filter_map(Picture::pi_block));
        json!({
            "role": "toolResult",
            "toolCallId": result.call,
            "toolName": self.tools.get(&*result.call).copied().unwrap_or("unknown"),
            "content": content.collect::<Vec<Value>>(),
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

/// Writes a block; results are messages of their own.
fn build_block(block: &Block, transcript: &Transcript) -> Vec<Value> {
    let built = match &block.content {
        Content::Text(text) if text.trim().is_empty() => return Vec::new(),
        Content::Text(text) => json!({"type": "text", "text": text}),
        // pi shows a model what it did not sign as plain text.
        Content::Thinking(text) => match signed_thought(transcript.raw(block)) {
            Some(thought) if thought["signature"].is_string() => json!({
                "type": "thinking",
                "thinking": text,
                "thinkingSignature": thought["signature"],
            }),
            _ if text.is_empty() => return Vec::new(),
            _ => json!({"type": "thinking", "thinking": text}),
        },
        Content::Call(call) => {
            let (id, name) = (&call.id, &call.name);
            json!({"type": "toolCall", "id": id, "name": name, "arguments": call.arguments})
        }
        Content::Image(_) => {
            let pictures = pictures_of(transcript, block);
            return pictures.iter().filter_map(Picture::pi_block).collect();
        }
        Content::Result(_) | Content::Other(_) => return Vec::new(),
    };
    vec![built]
}
