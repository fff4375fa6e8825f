//! Writes calls as a model is really shown them, as far as bills tell.
//!
//! Claude reads calls as tags around each parameter, with strings as they are
//! and everything else as JSON; with that the bills of replies come out to the
//! token. Other models read the name and the arguments in JSON.

use serde_json::Value;

use crate::session::transcript::Call;
use crate::tokens::Counter;

/// How calls are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    /// Tags around each parameter.
    Tags,
    /// The name, then the arguments in JSON.
    Json,
}

impl Wire {
    /// Returns how the models of a counter read calls.
    pub(super) fn of(counter: &Counter) -> Wire {
        if counter.base().name().starts_with("claude") { Wire::Tags } else { Wire::Json }
    }

    /// Writes the calls of one reply.
    pub(super) fn calls(self, calls: &[&Call]) -> String {
        match self {
            _ if calls.is_empty() => String::new(),
            Wire::Tags => tags(calls),
            Wire::Json => {
                let call = |call: &&Call| format!("{}{}", call.name, call.arguments);
                calls.iter().map(call).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

fn tags(calls: &[&Call]) -> String {
    let mut text = "<antml:function_calls>\n".to_owned();
    for call in calls {
        text.push_str("<antml:invoke name=\"");
        text.push_str(&call.name);
        text.push_str("\">\n");
        for (key, value) in call.arguments.as_object().into_iter().flatten() {
            text.push_str("<antml:parameter name=\"");
            text.push_str(key);
            text.push_str("\">");
            match value {
                Value::String(line) => text.push_str(line),
                value => text.push_str(&spaced(value)),
            }
            text.push_str("</antml:parameter>\n");
        }
        text.push_str("</antml:invoke>\n");
    }
    text.push_str("</antml:function_calls>");
    text
}

/// JSON with a space after each comma and colon.
fn spaced(value: &Value) -> String {
    let list = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Array(elements) => format!("[{}]", list(elements.iter().map(spaced).collect())),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), spaced(value))
            };
            format!("{{{}}}", list(members.iter().map(member).collect()))
        }
        value => value.to_string(),
    }
}
