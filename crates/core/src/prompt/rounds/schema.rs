//! What the output of a round is expected to look like.

use serde_json::{Value, json};

/// Returns a JSON Schema of the output of a round, for prompts and for checks.
///
/// It allows more fields than it names: which of those are handed on is the
/// caller's choice.
pub fn round_schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Output of a round",
        "type": "object",
        "properties": {
            "round": {"type": "integer", "minimum": 1},
            "modules": {
                "type": "array",
                "items": {"anyOf": [
                    text,
                    {"type": "object", "properties": {"name": text}, "required": ["name"]},
                ]},
            },
            "findings": {"type": "array", "items": text},
            "relationships": {
                "type": "array",
                "items": {"anyOf": [
                    text,
                    {
                        "type": "object",
                        "properties": {"from": text, "to": text, "type": text},
                        "required": ["from", "to"],
                    },
                ]},
            },
            "openQuestions": {"type": "array", "items": text},
        },
        "additionalProperties": true,
    })
}
