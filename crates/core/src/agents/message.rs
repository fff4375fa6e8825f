//! What messages of all agents and providers have in common: who speaks, and what a
//! message costs besides its text.

use serde::Serialize;
use serde_json::Value;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The instructions before the conversation.
    System,
    /// The user, and the results of tools where a format gives them to the user.
    User,
    /// The model.
    Assistant,
    /// A tool, in formats where results are messages of their own.
    Tool,
}

impl Role {
    /// Returns the name that results and flags use.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }
}

/// What the frame of a block costs: role, separators, the names of fields.
pub const BLOCK_TOKENS: u64 = 4;

/// What a picture of unknown size costs: about a megapixel.
pub const IMAGE_TOKENS: u64 = 1_600;

/// Returns what is read of a call: its name, then each key and value on lines of their own.
pub(crate) fn call_text(name: &str, arguments: &Value) -> String {
    let mut text = name.to_owned();
    write_value(arguments, &mut text);
    text
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Null => {}
        Value::Object(members) => {
            for (key, value) in members {
                text.push('\n');
                text.push_str(key);
                text.push(':');
                write_value(value, text);
            }
        }
        Value::Array(elements) => {
            for element in elements {
                write_value(element, text);
            }
        }
        Value::String(line) => {
            text.push('\n');
            text.push_str(line);
        }
        Value::Bool(_) | Value::Number(_) => {
            text.push('\n');
            text.push_str(&value.to_string());
        }
    }
}
