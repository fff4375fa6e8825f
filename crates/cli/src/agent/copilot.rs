//! Copilot CLI: a modified result takes the place of a tool's own.

use serde_json::{Value, json};

use super::{Dialect, Fields};

pub(super) struct Copilot;

const RESULT: &str = "toolResult";
const TEXT: &str = "textResultForLlm";

impl Dialect for Copilot {
    fn fields(&self) -> Fields {
        Fields {
            session: "sessionId",
            tool: "toolName",
            arguments: "toolArgs",
        }
    }

    fn output(&self, body: &Value) -> Option<Value> {
        let text = body.get(RESULT)?.get(TEXT)?;
        text.is_string().then(|| text.clone())
    }

    fn replace(&self, body: &Value, output: Value) -> Value {
        let mut result = body.get(RESULT).cloned().unwrap_or_else(|| json!({}));
        if let Some(members) = result.as_object_mut() {
            members.insert(TEXT.to_owned(), output);
        }
        json!({"modifiedResult": result})
    }

    fn tell(&self, _: &str, text: &str) -> Option<Value> {
        Some(json!({"additionalContext": text}))
    }
}
