//! The keys of `state.json` and its kin, in the spellings that are in use.

use serde_json::{Map, Value};

use super::Facts;
use super::topic::Topic;
use super::words::{clean, is_none};

/// Files of data whose names say that they are about the state of work.
const NAMES: [&str; 5] = ["state", "task", "progress", "status", "session"];

/// Reads what a file of data says about the state of work.
pub(super) fn read(name: &str, text: &str, facts: &mut Facts) {
    let name = name.to_ascii_lowercase();
    if !NAMES.iter().any(|known| name.contains(known)) {
        return;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Ok(Value::Object(object)) = serde_json::from_str(text) {
        read_object(&object, facts, 1);
    }
}

/// The lists that keys stand for, each key in lower case without separators.
const LISTS: [(Topic, &[&str]); 8] = [
    (Topic::Completed, &["completed", "completedtasks", "done", "taskscompleted"]),
    (Topic::InProgress, &["inprogress", "inprogresstasks", "wip"]),
    (
        Topic::Next,
        &[
            "nextsteps",
            "nextstep",
            "next",
            "pending",
            "pendingtasks",
            "todo",
            "todos",
            "remaining",
            "opentasks",
        ],
    ),
    (Topic::Decisions, &["decisions", "keydecisions", "adrs"]),
    (Topic::Constraints, &["constraints"]),
    (Topic::Blockers, &["blockers", "blocker", "blockingissues", "blockedby", "issues"]),
    (
        Topic::Files,
        &["filesmodified", "modifiedfiles", "changedfiles", "fileschanged", "filestouched"],
    ),
    (Topic::Context, &["context", "notes", "summary"]),
];

/// Reads the keys that are known; unknown objects are looked into once.
fn read_object(object: &Map<String, Value>, facts: &mut Facts, deeper: usize) {
    for (key, value) in object {
        let plain: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
        let plain = plain.to_ascii_lowercase();
        let list = LISTS.iter().find(|(_, keys)| keys.contains(&plain.as_str()));
        if let Some((topic, _)) = list {
            for label in labels(value) {
                facts.add(*topic, label);
            }
            continue;
        }
        match plain.as_str() {
            "currenttask" | "activetask" | "currentfocus" => current(value, facts),
            "workingfile" | "currentfile" | "activefile" => {
                facts.working_file = facts.working_file.take().or(label(value));
            }
            "progress" | "percent" | "percentage" | "percentcomplete" | "progresspercent"
                if percent(value).is_some() =>
            {
                facts.percent = facts.percent.or(percent(value));
            }
            "tasks" | "subtasks" | "steps" => tasks(value, facts),
            _ => {
                if let (Value::Object(inner), 1..) = (value, deeper) {
                    read_object(inner, facts, deeper - 1);
                }
            }
        }
    }
}

fn current(value: &Value, facts: &mut Facts) {
    facts.current_task = facts.current_task.take().or(label(value));
    if let Value::Object(object) = value {
        let done = ["progress", "percent", "percentComplete"];
        let found = done.iter().find_map(|key| percent(object.get(*key)?));
        facts.percent = facts.percent.or(found);
    }
}

/// Reads `78`, `0.78` or `"78%"`.
fn percent(value: &Value) -> Option<u8> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().trim_end_matches('%').trim().parse().ok()?,
        _ => return None,
    };
    let share = number > 0.0 && number < 1.0;
    let number = if share { number * 100.0 } else { number };
    (0.0..=100.0).contains(&number).then_some(number.round() as u8)
}

/// Reads tasks with their states.
fn tasks(value: &Value, facts: &mut Facts) {
    let values: Vec<&Value> = match value {
        Value::Array(values) => values.iter().collect(),
        Value::Object(object) => object.values().collect(),
        _ => return,
    };
    for value in values {
        let Some(task) = label(value) else {
            continue;
        };
        let state = value.get("status").or(value.get("state"));
        let state = state.and_then(Value::as_str).unwrap_or_default();
        let done = [value.get("done"), value.get("completed")];
        let done = done.iter().any(|it| *it == Some(&Value::Bool(true)));
        match state.to_ascii_lowercase().replace(['_', '-', ' '], "").as_str() {
            "done" | "completed" | "complete" | "finished" | "closed" => facts.completed.push(task),
            _ if done => facts.completed.push(task),
            "inprogress" | "active" | "doing" | "wip" | "started" => facts.in_progress.push(task),
            "blocked" => {
                facts.blockers.push(task.clone());
                facts.next_steps.push(task);
            }
            "cancelled" | "canceled" | "skipped" | "deleted" => {}
            _ => facts.next_steps.push(task),
        }
    }
}

fn labels(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().filter_map(label).collect(),
        value => label(value).into_iter().collect(),
    }
}

/// Returns what a value is called: a text, or the name of an object with its reason.
fn label(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => clean(text),
        Value::Number(number) => number.to_string(),
        Value::Object(object) => {
            let get = |key: &&str| object.get(*key).and_then(Value::as_str).map(clean);
            let names = ["title", "name", "path", "file", "task", "decision", "description", "id"];
            let name = names.iter().find_map(get)?;
            let reason = ["rationale", "reason", "why"].iter().find_map(get);
            match reason {
                Some(reason) if !reason.is_empty() => format!("{name}: {reason}"),
                _ => name,
            }
        }
        _ => return None,
    };
    (!text.is_empty() && !is_none(&text)).then_some(text)
}
