//! The six tools: names, arguments and handlers.
//!
//! The list is data and costs every session of every client, so it is short:
//! a test counts it. All tools only read.

mod outline;
mod pack;
mod read;
mod recall;
mod search;
mod status;

pub(super) use read::recalled;

use std::path::Path;
use std::sync::Arc;

use loadline::archive::{Cut, CutKind, CutLedger};
use loadline::pack::PackOptions;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::answer::{Answer, ToolError};
use super::arguments::Arguments;
use super::job::Job;
use crate::roots::Place;

/// What one tool is.
struct Row {
    name: &'static str,
    description: &'static str,
    /// Names, types and meanings of what it takes; what must be given comes first.
    properties: &'static [(&'static str, &'static str, &'static str)],
    /// How many of them must be given.
    required: usize,
    call: fn(&Job, &Arguments) -> Result<Answer, ToolError>,
}

/// What every reader takes.
const MAX_TOKENS: (&str, &str, &str) = ("max_tokens", "integer", "");
const CURSOR: (&str, &str, &str) = ("cursor", "string", "");

const ROWS: [Row; 6] = [
    Row {
        name: "pack",
        description: "Code a task needs, ranked, within a token budget (default 8000). \
                      Over 15000 returns a handle for read.",
        properties: &[
            ("task", "string", "issue, question or plan"),
            ("budget", "integer", ""),
            ("path", "string", ""),
        ],
        required: 1,
        call: pack::call,
    },
    Row {
        name: "search",
        description: "Passages most relevant to a query.",
        properties: &[
            ("query", "string", "words, names or a question"),
            ("path", "string", "file or directory"),
            ("max_tokens", "integer", "default 8000, at most 15000"),
            ("cursor", "string", "from the previous page"),
        ],
        required: 1,
        call: search::call,
    },
    Row {
        name: "outline",
        description: "Definitions with line numbers: of a file, or of a directory's most important files.",
        properties: &[("path", "string", ""), MAX_TOKENS, CURSOR],
        required: 0,
        call: outline::call,
    },
    Row {
        name: "read",
        description: "Text of a file or a pack handle; page with cursor.",
        properties: &[
            ("path", "string", "path or handle"),
            ("lines", "string", "e.g. 10-80"),
            MAX_TOKENS,
            CURSOR,
        ],
        required: 1,
        call: read::call,
    },
    Row {
        name: "recall",
        description: "Recall content cut from this conversation, by the handle in a [loadline: ...] marker.",
        properties: &[
            ("handle", "string", "e.g. k3f9c2td:7"),
            ("lines", "string", ""),
            ("grep", "string", "regex"),
            MAX_TOKENS,
            CURSOR,
        ],
        required: 1,
        call: recall::call,
    },
    Row {
        name: "status",
        description: "How full the context window is, and what fills it.",
        properties: &[("session", "string", "log file; default newest"), MAX_TOKENS],
        required: 0,
        call: status::call,
    },
];

/// Lists the tools, always the same.
pub(super) fn list() -> Vec<Tool> {
    ROWS.iter().map(tool).collect()
}

/// Tells whether there is such a tool.
pub(super) fn exists(name: &str) -> bool {
    ROWS.iter().any(|row| row.name == name)
}

/// Names the tools.
pub(super) fn names() -> String {
    ROWS.map(|row| row.name).join(", ")
}

/// Calls a tool.
pub(super) fn call(name: &str, job: &Job, arguments: &Arguments) -> Result<Answer, ToolError> {
    let row = ROWS.iter().find(|row| row.name == name);
    let row = row.ok_or_else(|| ToolError(format!("unknown tool {name:?}")))?;
    let answer = (row.call)(job, arguments)?;
    record(name, job, arguments, &answer);
    Ok(answer)
}

/// Writes the answer down; a ledger that cannot be written stops nothing.
fn record(name: &str, job: &Job, arguments: &Arguments, answer: &Answer) {
    let options = &job.state.options;
    let Some(directory) = &options.ledger else {
        return;
    };
    let tokens = options.pack.counter.count(&answer.text).get();
    let recalled = match name {
        "recall" => arguments.text("handle").ok().flatten(),
        _ => None,
    };
    let what = match recalled {
        Some(_) => CutKind::Recall,
        None => CutKind::Mcp,
    };
    // Turns of a session have its handle.
    let handle = recalled.unwrap_or_default();
    let handle = handle.split(':').next().unwrap_or_default().to_owned();
    let row = Cut {
        tool: name.to_owned(),
        before: tokens,
        after: tokens,
        handle,
        ..Cut::new((options.clock)(), what)
    };
    let _ = CutLedger::open(directory).and_then(|ledger| ledger.add(&row));
}

/// What the arguments call for that a tool does not know.
fn notes(name: &str, arguments: &Arguments) -> Vec<String> {
    let row = ROWS.iter().find(|row| row.name == name);
    let known: Vec<&str> =
        row.into_iter().flat_map(|row| row.properties).map(|property| property.0).collect();
    arguments.notes(&known)
}

fn tool(row: &Row) -> Tool {
    let property = |(name, kind, meaning): &(&str, &str, &str)| {
        let schema = if meaning.is_empty() {
            json!({"type": kind})
        } else {
            json!({"type": kind, "description": meaning})
        };
        ((*name).to_owned(), schema)
    };
    let properties: JsonObject = row.properties.iter().map(property).collect();
    let required: Vec<&str> = row.properties.iter().map(|it| it.0).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), Value::from("object"));
    schema.insert("properties".to_owned(), Value::from(properties));
    if row.required > 0 {
        let required = required[..row.required].to_vec();
        schema.insert("required".to_owned(), Value::from(required));
    }
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    Tool::new(row.name, row.description, Arc::new(schema)).with_annotations(annotations)
}

/// Narrows what is packed or searched to a place below the root.
///
/// The root stays the same, so that paths and history do.
fn narrow(options: &mut PackOptions, place: &Place) {
    if let Some(glob) = glob(&place.relative) {
        options.walk.include = vec![glob];
    }
}

/// A glob for one path and what is below it; none for the root.
fn glob(relative: &Path) -> Option<String> {
    let text = relative.to_str().filter(|text| !text.is_empty())?;
    let escape = |character: char| match character {
        _ if character.is_alphanumeric() || "/-_.".contains(character) => character.to_string(),
        special => format!("\\{special}"),
    };
    Some(format!("/{}", text.chars().map(escape).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadline::tokens::{Counter, Tokens};

    #[test]
    fn the_schema_of_all_tools_costs_less_than_600_tokens() {
        let list = list();
        assert!(list.len() <= 6);
        let counter: Counter = "o200k".parse().unwrap();
        let text = serde_json::to_string(&list).unwrap();
        let tokens = counter.count(&text);
        assert!(tokens < Tokens::new(600), "{tokens}: {text}");
    }

    #[test]
    fn the_list_is_the_same_every_time_and_only_reads() {
        let text = || serde_json::to_string(&list()).unwrap();
        assert_eq!(text(), text());
        for tool in list() {
            let annotations = tool.annotations.unwrap();
            assert_eq!(annotations.read_only_hint, Some(true));
            assert!(exists(&tool.name));
            assert_eq!(tool.input_schema["type"], "object");
        }
        assert!(!exists("write"));
    }

    #[test]
    fn a_glob_means_its_path_and_nothing_else() {
        let globs = |path: &str| glob(Path::new(path));
        assert_eq!(globs(""), None);
        assert_eq!(globs("src/a.rs").as_deref(), Some("/src/a.rs"));
        assert_eq!(globs("a[1]*").as_deref(), Some("/a\\[1\\]\\*"));
    }
}
