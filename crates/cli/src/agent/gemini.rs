//! Gemini CLI: the reason of a denial is what the model sees of a tool's output.

use serde_json::{Value, json};

use super::{Dialect, Fields, USUAL};

pub(super) struct Gemini;

impl Dialect for Gemini {
    fn fields(&self) -> Fields {
        USUAL
    }

    fn output(&self, body: &Value) -> Option<Value> {
        let content = body.get("tool_response")?.get("llmContent")?;
        let text = |part: &Value| match part {
            Value::String(text) => Some(text.clone()),
            part => part.get("text")?.as_str().map(str::to_owned),
        };
        let parts: Option<Vec<String>> = match content {
            // A picture among them cannot be said as a reason.
            Value::Array(parts) => parts.iter().map(text).collect(),
            part => text(part).map(|text| vec![text]),
        };
        Some(Value::from(parts?.join("\n")))
    }

    fn replace(&self, _: &Value, output: Value) -> Value {
        json!({"decision": "deny", "reason": output})
    }

    fn tell(&self, event: &str, text: &str) -> Option<Value> {
        match event {
            "SessionStart" | "AfterTool" | "BeforeAgent" => {
                Some(json!({"hookSpecificOutput": {"additionalContext": text}}))
            }
            _ => Some(json!({"systemMessage": text})),
        }
    }
}
