//! Codex CLI: the reason of a block is what the model sees of a tool's output.

use serde_json::{Value, json};

use super::{Dialect, Fields, USUAL};

pub(super) struct Codex;

impl Dialect for Codex {
    fn fields(&self) -> Fields {
        USUAL
    }

    fn output(&self, body: &Value) -> Option<Value> {
        let response = body.get("tool_response")?;
        let text = match response {
            Value::String(text) => text.as_str(),
            _ => ["output", "stdout", "content"]
                .iter()
                .find_map(|key| response.get(key)?.as_str())?,
        };
        Some(Value::from(text))
    }

    fn replace(&self, _: &Value, output: Value) -> Value {
        json!({"decision": "block", "reason": output})
    }

    fn tell(&self, event: &str, text: &str) -> Option<Value> {
        // Others take no context.
        matches!(event, "SessionStart" | "PreToolUse" | "PostToolUse").then(
            || json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}),
        )
    }
}
