//! Reads YAML and JSON into one list of keys and values.

use serde_json::{Map, Value};

use crate::settings::ConfigError;

/// A value of the older file with its dotted key; arrays are values.
pub(super) struct Leaf {
    pub(super) path: String,
    pub(super) value: Value,
}

/// Parses a file: JSON if it is named so, YAML otherwise, of which JSON is a part.
pub(super) fn parse(name: &str, text: &str) -> Result<Value, ConfigError> {
    // A byte order mark is not part of the text, and JSON does not allow it.
    let text = text.trim_start_matches('\u{feff}');
    if name.to_ascii_lowercase().ends_with(".json") {
        serde_json::from_str(text).map_err(|error| ConfigError::Parse {
            place: name.to_owned(),
            line: error.line() as u64,
            column: error.column() as u64,
            message: without_position(&error.to_string()),
        })
    } else if text.trim().is_empty() {
        Ok(Value::Object(Map::new()))
    } else {
        serde_saphyr::from_str(text).map_err(|error| {
            let location = error.location();
            ConfigError::Parse {
                place: name.to_owned(),
                line: location.map_or(1, |location| location.line()),
                column: location.map_or(1, |location| location.column()),
                message: first_line(&error.without_snippet().to_string()),
            }
        })
    }
}

/// Flattens a document into its values, in the order of the file.
pub(super) fn leaves(document: &Value) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    collect(String::new(), document, &mut leaves);
    leaves
}

fn collect(path: String, value: &Value, leaves: &mut Vec<Leaf>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let dot = if path.is_empty() { "" } else { "." };
            for (name, value) in map {
                collect(format!("{path}{dot}{name}"), value, leaves);
            }
        }
        Value::Object(_) | Value::Null if path.is_empty() => {}
        value => leaves.push(Leaf {
            path: match path.as_str() {
                "" => "(document)".to_owned(),
                _ => path,
            },
            value: value.clone(),
        }),
    }
}

/// Both parsers put the position into their text too; ours is in front already.
fn without_position(message: &str) -> String {
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message[..end].to_owned()
}

fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    without_position(line)
}
