//! Measures what fills a window from the log of Claude Code as it grows.
//!
//! For a status line that is drawn many times a minute: only what was added since
//! the last time is read, and bytes stand for tokens, since only proportions are
//! shown. The agent itself says how much it is in all.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Bytes by what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowFill {
    /// How many bytes of the log are read: up to the end of a line.
    pub read: u64,
    /// What the user said.
    pub user: u64,
    /// What the agent said and asked of tools.
    pub assistant: u64,
    /// What it thought.
    pub thinking: u64,
    /// What tools answered.
    pub results: u64,
    /// Files of memory and instructions.
    pub memory: u64,
}

impl WindowFill {
    /// Returns all bytes.
    pub fn total(&self) -> u64 {
        self.user + self.assistant + self.thinking + self.results + self.memory
    }

    /// Reads what was added to a log. A line that is not finished is left for later.
    ///
    /// ```
    /// use loadline::session::WindowFill;
    /// let mut fill = WindowFill::default();
    /// fill.add(b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"hello\"}}\n{\"ty");
    /// assert_eq!((fill.user, fill.read), (5, 60));
    /// ```
    pub fn add(&mut self, bytes: &[u8]) {
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            return;
        };
        for line in bytes[..end].split(|byte| *byte == b'\n') {
            if let Ok(line) = serde_json::from_slice::<Line<'_>>(line) {
                self.line(&line);
            }
        }
        self.read += end as u64 + 1;
    }

    fn line(&mut self, line: &Line<'_>) {
        if line.is_sidechain {
            return;
        }
        // What was before a compaction is no longer seen.
        if line.subtype == Some("compact_boundary") {
            let read = self.read;
            *self = WindowFill { read, ..WindowFill::default() };
        }
        if line.kind == Some("attachment") {
            self.memory += line.attachment.as_ref().map_or(0, text_length);
        }
        let Some(message) = &line.message else { return };
        let is_agent = message.role == Some("assistant");
        let side = |fill: &mut WindowFill, length: u64| {
            if is_agent { fill.assistant += length } else { fill.user += length }
        };
        match &message.content {
            Value::Array(blocks) => {
                for block in blocks {
                    let length = text_length(block);
                    match block.get("type").and_then(Value::as_str) {
                        Some("thinking" | "redacted_thinking") => self.thinking += length,
                        Some("tool_result") => self.results += length,
                        _ => side(self, length),
                    }
                }
            }
            content => side(self, text_length(content)),
        }
    }
}

/// The parts of a line that are of interest.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<&'a str>,
    #[serde(borrow)]
    subtype: Option<&'a str>,
    #[serde(rename = "isSidechain", default)]
    is_sidechain: bool,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    attachment: Option<Value>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Option<&'a str>,
    #[serde(default)]
    content: Value,
}

/// How long the texts of a value are, signatures and pictures aside.
fn text_length(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64,
        Value::Array(elements) => elements.iter().map(text_length).sum(),
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "signature" | "data" | "id" | "type"))
            .map(|(_, member)| text_length(member))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
