//! What `rg --json` prints: one event per line.

use serde::Deserialize;

use super::ReadSources;

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    data: serde_json::Value,
}

#[derive(Deserialize)]
struct Lines {
    path: Option<Text>,
    lines: Text,
    line_number: Option<u32>,
}

/// A text, or bytes that are none.
#[derive(Deserialize)]
struct Text {
    text: Option<String>,
}

/// Tells whether a text begins with an event.
pub(super) fn is_event(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let event: Result<Event, _> = serde_json::from_str(first);
    let names = ["begin", "match", "context", "end", "summary"];
    event.is_ok_and(|event| names.contains(&event.kind.as_str()))
}

/// Reads events; one that makes no sense costs a note.
pub(super) fn read(name: &str, text: &str) -> ReadSources {
    let mut read = ReadSources::default();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        if let Err(why) = event(line, &mut read) {
            read.note(name, number + 1, &why);
        }
    }
    read
}

fn event(line: &str, read: &mut ReadSources) -> Result<(), String> {
    let bad = |error: serde_json::Error| format!("no event of rg --json: {error}");
    let event: Event = serde_json::from_str(line).map_err(bad)?;
    if !matches!(event.kind.as_str(), "match" | "context") {
        return Ok(());
    }
    let found: Lines = serde_json::from_value(event.data).map_err(bad)?;
    let path = found.path.and_then(|path| path.text);
    let path = path.ok_or("left out: its path is missing or not UTF-8")?;
    let line = found.line_number.filter(|line| *line > 0);
    let line = line.ok_or("left out: it has no line number")?;
    match found.lines.text {
        Some(text) => read.add_lines(&path, line, Some(&text)),
        // Its bytes are not UTF-8; the file itself is read instead.
        None => read.add_lines(&path, line, None),
    }
    Ok(())
}
