//! Agents that run our own small plugin: plain text in, plain text out.

use serde_json::{Value, json};

use super::{Dialect, Fields, USUAL};

pub(super) struct Plugin;

impl Dialect for Plugin {
    fn fields(&self) -> Fields {
        USUAL
    }

    fn output(&self, body: &Value) -> Option<Value> {
        let text = body.get("tool_response")?;
        text.is_string().then(|| text.clone())
    }

    fn replace(&self, _: &Value, output: Value) -> Value {
        json!({"output": output})
    }

    fn tell(&self, _: &str, text: &str) -> Option<Value> {
        Some(json!({"context": text}))
    }
}
