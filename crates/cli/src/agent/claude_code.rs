//! Claude Code: a tool's output comes and goes in the tool's own shape.
//!
//! A text in the place of an object is refused without a word, so only texts
//! within the shape change. What its editing tools report is structure from which
//! it writes a text of its own; that is left alone.

use serde_json::{Value, json};

use super::{Dialect, Fields, USUAL};

pub(super) struct ClaudeCode;

/// Tools whose report is not what the model reads.
const STRUCTURED: [&str; 6] = [
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookEdit",
    "TodoWrite",
    "ExitPlanMode",
];

impl Dialect for ClaudeCode {
    fn fields(&self) -> Fields {
        USUAL
    }

    fn output(&self, body: &Value) -> Option<Value> {
        let tool = body.get("tool_name")?.as_str()?;
        let output = body.get("tool_response")?;
        let is_image = output.get("isImage").and_then(Value::as_bool);
        let is_left = STRUCTURED.contains(&tool) || is_image == Some(true);
        (!is_left).then(|| output.clone())
    }

    fn replace(&self, _: &Value, output: Value) -> Value {
        let event = "PostToolUse";
        json!({"hookSpecificOutput": {"hookEventName": event, "updatedToolOutput": output}})
    }

    fn tell(&self, event: &str, text: &str) -> Option<Value> {
        match event {
            // Its standard output is what the summary is told.
            "PreCompact" => Some(Value::from(text)),
            _ => Some(
                json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}),
            ),
        }
    }
}
