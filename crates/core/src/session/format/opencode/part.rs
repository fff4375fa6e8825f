//! Parts of opencode's messages: what a model is shown of each, and how it is
//! written again.

use std::ops::Range;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::SessionFormat;
use super::super::json::{Object, Source, number, quoted, value};
use super::super::parts::Kept;
use super::super::pictures::{Picture, image, images};
use crate::session::draft::Change;
use crate::session::transcript::{Block, Call, CallResult, Content, Role, Turn, Usage};

/// What stands for an output that opencode has cleared.
const CLEARED: &str = "[Old tool result content cleared]";

/// What stands for the output of a tool that did not end.
const INTERRUPTED: &str = "[Tool execution was interrupted]";

/// A part of a message.
pub(super) struct Part<'a> {
    /// Its JSON.
    pub(super) raw: &'a str,
    /// The same, parsed.
    pub(super) value: Value,
    /// Its type.
    pub(super) kind: String,
}

impl<'a> Part<'a> {
    /// Parses a part.
    pub(super) fn of(raw: &'a str) -> Part<'a> {
        let value = value(raw);
        let kind = value["type"].as_str().unwrap_or_default().to_owned();
        Part { raw, value, kind }
    }

    /// Tells whether the type is known.
    pub(super) fn is_known(&self) -> bool {
        matches!(
            self.kind.as_str(),
            "text"
                | "reasoning"
                | "tool"
                | "file"
                | "compaction"
                | "subtask"
                | "step-start"
                | "step-finish"
                | "snapshot"
                | "patch"
                | "agent"
                | "retry"
        )
    }

    /// Tells whether a model is shown this part of a message.
    pub(super) fn is_context(&self, role: Role) -> bool {
        self.content(role).is_some()
    }

    /// Returns what a model is shown; of a tool this is the call.
    fn content(&self, role: Role) -> Option<Content> {
        let is_user = role == Role::User;
        let text = || self.value["text"].as_str().unwrap_or_default().to_owned();
        let is_ignored = self.value["ignored"] == true && is_user;
        Some(match self.kind.as_str() {
            "text" if is_ignored || text().is_empty() => return None,
            "text" => Content::Text(text()),
            "reasoning" if !is_user => Content::Thinking(text()),
            "tool" if !is_user => Content::Call(self.call()),
            "file" if is_user => match self.value["mime"].as_str() {
                // opencode adds what these hold as texts.
                Some("text/plain" | "application/x-directory") => return None,
                _ => image(&self.value, SessionFormat::Opencode),
            },
            "compaction" if is_user => Content::Text("What did we do so far?".to_owned()),
            "subtask" if is_user => {
                Content::Text("The following tool was executed by the user".to_owned())
            }
            _ if self.is_known() => return None,
            kind => Content::Other(kind.to_owned()),
        })
    }

    fn call(&self) -> Call {
        let text = |key: &str| self.value[key].as_str().unwrap_or_default().to_owned();
        Call {
            id: text("callID"),
            name: text("tool"),
            arguments: self.value["state"]["input"].clone(),
        }
    }

    /// Returns what the tool answered.
    fn result(&self) -> CallResult {
        let state = &self.value["state"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let is_cleared = number(&state["time"], "compacted") > 0;
        let (text, is_error) = match state["status"].as_str() {
            Some("completed") if is_cleared => (CLEARED.to_owned(), false),
            Some("completed") => (text(&state["output"]), false),
            Some("error") => match interrupted_output(state) {
                Some(output) => (output.to_owned(), false),
                None => (text(&state["error"]), true),
            },
            _ => (INTERRUPTED.to_owned(), true),
        };
        let attached = state["attachments"].as_array().filter(|it| !is_cleared && !it.is_empty());
        let images = attached.map(|_| images(&state["attachments"], SessionFormat::Opencode));
        CallResult { call: self.call().id, text, is_error, images: images.unwrap_or_default() }
    }
}

/// Returns what a tool had put out when it was interrupted.
fn interrupted_output(state: &Value) -> Option<&str> {
    let metadata = &state["metadata"];
    let is_interrupted = metadata["interrupted"] == true;
    metadata["output"].as_str().filter(|_| is_interrupted)
}

/// Reads the turns of a message, each with the parts that it comes from.
///
/// A step of the model gives up to two turns: what it said, and the results.
pub(super) fn message_turns(
    source: Source<'_>,
    info: &Value,
    parts: &[Part<'_>],
) -> Vec<(Turn, Range<usize>)> {
    let role = if info["role"] == "assistant" { Role::Assistant } else { Role::User };
    let mut turns = Vec::new();
    for range in steps(parts) {
        let step = &parts[range.clone()];
        let block = |part: &Part<'_>| Some(Block::new(part.content(role)?, source.place(part.raw)));
        let said: Vec<Block> = step.iter().filter_map(block).collect();
        if said.is_empty() {
            continue;
        }
        let tools = step.iter().filter(|it| it.kind == "tool" && role == Role::Assistant);
        let result = |it: &Part<'_>| Block::new(Content::Result(it.result()), source.place(it.raw));
        let results: Vec<Block> = tools.map(result).collect();
        let mut turn = headed(info, Turn::new(role, said));
        if role == Role::Assistant {
            let end = step.iter().find(|it| it.kind == "step-finish");
            let tokens = end.map_or(&info["tokens"], |it| &it.value["tokens"]);
            turn.usage = usage(tokens);
        }
        turns.push((turn, range.clone()));
        if !results.is_empty() {
            turns.push((headed(info, Turn::new(Role::Tool, results)), range));
        }
    }
    turns
}

/// Cuts parts where a step begins.
fn steps(parts: &[Part<'_>]) -> Vec<Range<usize>> {
    let is_start = |number: &usize| *number > 0 && parts[*number].kind == "step-start";
    let starts: Vec<usize> = (0..parts.len()).filter(is_start).collect();
    let begins = std::iter::once(0).chain(starts.iter().copied());
    let ends = starts.iter().copied().chain([parts.len()]);
    begins.zip(ends).map(|(begin, end)| begin..end).collect()
}

fn headed(info: &Value, mut turn: Turn) -> Turn {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    turn.id = text(&info["id"]);
    let created = info["time"]["created"].as_i64();
    turn.time = created.and_then(|it| Timestamp::from_millisecond(it).ok());
    if turn.role == Role::Assistant {
        turn.model = text(&info["modelID"]);
    }
    turn
}

fn usage(tokens: &Value) -> Option<Usage> {
    tokens.is_object().then(|| Usage {
        input: number(tokens, "input"),
        output: number(tokens, "output"),
        cache_read: number(&tokens["cache"], "read"),
        cache_write: number(&tokens["cache"], "write"),
    })
}

/// Writes the parts of a step that stay, and those between them that are not context.
///
/// A call and its result are one part: one stays only with the other.
pub(super) fn write_step(
    source: Source<'_>,
    parts: &[Part<'_>],
    role: Role,
    kept: &Kept<'_>,
) -> Vec<String> {
    let (mut written, mut stays) = (Vec::new(), false);
    for part in parts {
        let place = source.place(part.raw);
        let is_tool = part.kind == "tool" && role == Role::Assistant;
        match (part.content(role), kept.said(&place), kept.result(&place)) {
            (None, ..) => written.push(part.raw.to_owned()),
            (Some(content), Some((_, change)), result) if !is_tool || result.is_some() => {
                stays = true;
                let result = result.and_then(|it| it.1);
                written.push(write_part(part, &content, change, result));
            }
            _ => {}
        }
    }
    if stays { written } else { Vec::new() }
}

fn write_part(
    part: &Part<'_>,
    content: &Content,
    change: Option<&Change>,
    result: Option<&Change>,
) -> String {
    let Some(mut object) = Object::of(part.raw) else {
        return part.raw.to_owned();
    };
    match (change, content) {
        // A compaction would hide what is written before it; its text stays.
        (None, Content::Text(text)) if part.kind == "compaction" => set_text(&mut object, text),
        (None, _) if result.is_none() => return part.raw.to_owned(),
        (change, Content::Call(_)) => {
            let state = object.get("state").unwrap_or("{}");
            let state = write_state(state, &part.value["state"], change, result);
            object.set("state", state);
        }
        (Some(Change::Text(text)), _) => set_text(&mut object, text),
        _ => {}
    }
    object.to_string()
}

/// Makes a part a text, whatever it was.
fn set_text(part: &mut Object<'_>, text: &str) {
    if part.get("type") != Some("\"text\"") {
        for key in ["mime", "filename", "url", "source", "auto", "overflow", "tail_start_id"] {
            part.remove(key);
        }
        part.set("type", "\"text\"");
    }
    part.set("text", quoted(text));
}

fn write_state(raw: &str, state: &Value, call: Option<&Change>, result: Option<&Change>) -> String {
    let Some(mut object) = Object::of(raw) else {
        return raw.to_owned();
    };
    if let Some(Change::Arguments(arguments)) = call {
        object.set("input", arguments.to_string());
    }
    let Some(Change::Text(text)) = result else {
        return object.to_string();
    };
    match state["status"].as_str() {
        Some("completed") => {
            let mut time = state["time"].clone();
            if let Some(time) = time.as_object_mut() {
                time.remove("compacted");
            }
            // Pictures that were cleared must not come back with the text.
            if number(&state["time"], "compacted") > 0 {
                object.remove("attachments");
            }
            object.set("time", time.to_string());
            object.set("output", quoted(text));
        }
        Some("error") if interrupted_output(state).is_some() => {
            let mut metadata = state["metadata"].clone();
            metadata["output"] = Value::from(text.as_str());
            object.set("metadata", metadata.to_string());
        }
        _ => {
            let start = number(&state["time"], "start");
            object.set("status", "\"error\"");
            object.set("error", quoted(text));
            object.set("time", json!({"start": start, "end": start}).to_string());
            object.remove("raw");
        }
    }
    object.to_string()
}

/// Makes the part of a call and its result, without ids.
pub(super) fn build_tool(call: &Call, result: Option<&CallResult>, pictures: &[Picture]) -> Value {
    let time = json!({"start": 0, "end": 0});
    let mut state = match result {
        None => json!({"status": "running", "input": call.arguments, "time": {"start": 0}}),
        Some(result) if result.is_error => json!({
            "status": "error",
            "input": call.arguments,
            "error": result.text,
            "time": time,
        }),
        Some(result) => json!({
            "status": "completed",
            "input": call.arguments,
            "output": result.text,
            "title": call.name,
            "metadata": {},
            "time": time,
        }),
    };
    if !pictures.is_empty() {
        state["attachments"] = pictures.iter().map(Picture::opencode_part).collect();
    }
    json!({"type": "tool", "callID": call.id, "tool": call.name, "state": state})
}
