//! One message of a Gemini chat: what it says, and how it is written again.
//!
//! A message of the model holds its text, its calls and their results. Newer ones also
//! hold the calls among the parts of their content. `thoughts` are summaries for people:
//! requests of resumed sessions have none of them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::SessionFormat;
use super::super::json::{
    Members, Object, Source, elements, elements_of, list, number, quoted, string, take_string,
    take_text, value,
};
use super::super::parts::Kept;
use super::super::pictures::{image, images};
use crate::session::draft::Change;
use crate::session::transcript::{Block, Call, CallResult, Content, Images, Role, Turn, Usage};

/// Reads the turns of a message: one, or two where calls are answered.
///
/// `answered` are the calls whose results were read; they are not read again.
pub(super) fn message_turns(
    source: Source<'_>,
    members: &Members<'_>,
    answered: &mut BTreeSet<String>,
) -> Vec<Turn> {
    let is_model = string(members.get("type")).as_deref() == Some("gemini");
    let mut said = contents(source, members);
    let mut results = Vec::new();
    if is_model {
        // Summaries of thoughts beside the content are never sent again.
        results = read_calls(source, members, &mut said);
        // An id that is used again is answered anew.
        for block in &said {
            if let Content::Call(call) = &block.content {
                answered.remove(&call.id);
            }
        }
    } else {
        let is_new = |block: &Block| match &block.content {
            Content::Result(result) => !answered.contains(&result.call),
            _ => true,
        };
        said.retain(is_new);
    }
    let is_result = |it: &Block| matches!(it.content, Content::Result(_));
    let role = if is_model {
        Role::Assistant
    } else if said.iter().any(is_result) {
        Role::Tool
    } else {
        Role::User
    };
    let mut turns = vec![
        headed(members, Turn::new(role, said)),
        headed(members, Turn::new(Role::Tool, results)),
    ];
    turns.retain(|turn| !turn.blocks.is_empty());
    for result in turns.iter().flat_map(Turn::results) {
        answered.insert(result.call.clone());
    }
    turns
}

fn headed(members: &Members<'_>, mut turn: Turn) -> Turn {
    turn.id = string(members.get("id"));
    turn.time = string(members.get("timestamp")).and_then(|it| it.parse().ok());
    if turn.role == Role::Assistant {
        turn.model = string(members.get("model"));
        let tokens = members.get("tokens");
        let tokens = tokens.and_then(|it| serde_json::from_str::<Value>(it.get()).ok());
        turn.usage = tokens.filter(Value::is_object).map(|it| Usage {
            input: number(&it, "input").saturating_sub(number(&it, "cached")),
            output: number(&it, "output").saturating_add(number(&it, "thoughts")),
            cache_read: number(&it, "cached"),
            cache_write: 0,
        });
    }
    turn
}

/// Returns the JSON of each part of a content, which may be a text, a part or a list.
fn parts(content: &str) -> Vec<&str> {
    match content.as_bytes().first() {
        Some(b'[') => elements(content),
        Some(b'{') => vec![content],
        Some(b'"') if content != "\"\"" => vec![content],
        _ => Vec::new(),
    }
}

fn contents(source: Source<'_>, members: &Members<'_>) -> Vec<Block> {
    let content = members.get("content").map_or("", |it| it.get());
    let block = |raw: &str| Block::new(read_part(raw), source.place(raw));
    parts(content).into_iter().map(block).collect()
}

fn read_part(raw: &str) -> Content {
    let mut part = value(raw);
    if let Value::String(text) = part {
        return Content::Text(text);
    }
    let is_thought = part.get("thought") == Some(&Value::Bool(true));
    if let Some(text) = take_string(&mut part, "text") {
        return if is_thought { Content::Thinking(text) } else { Content::Text(text) };
    }
    if let Some(call) = part.get_mut("functionCall") {
        return Content::Call(read_call(call));
    }
    if let Some(response) = part.get("functionResponse") {
        let call = text_of(response, "id").or_else(|| text_of(response, "name"));
        return Content::Result(read_result(&call.unwrap_or_default(), &part));
    }
    let kind = part.as_object().and_then(|it| it.keys().next().cloned());
    match kind.as_deref() {
        Some("inlineData" | "fileData") => image(&part, SessionFormat::Gemini),
        _ => Content::Other(kind.unwrap_or_default()),
    }
}

fn text_of(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn read_call(call: &mut Value) -> Call {
    let name = take_text(call, "name");
    let id = take_string(call, "id");
    Call {
        id: id.unwrap_or_else(|| name.clone()),
        name,
        arguments: call.get_mut("args").map(Value::take).unwrap_or_default(),
    }
}

/// Reads the answer to a call from a part, a list of parts, or a text.
fn read_result(call: &str, result: &Value) -> CallResult {
    let mut read = CallResult {
        call: call.to_owned(),
        text: String::new(),
        is_error: false,
        images: Images::default(),
    };
    let parts = match result {
        Value::Array(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let answer = answer_of(call, result);
    let response = &answer["functionResponse"]["response"];
    match response.as_object() {
        Some(members) => match (members.get("output"), members.get("error")) {
            (Some(Value::String(output)), _) => read.text.clone_from(output),
            (_, Some(Value::String(error))) => {
                read.text.clone_from(error);
                read.is_error = true;
            }
            _ => read.text = response.to_string(),
        },
        None => {
            let texts = parts.iter().filter_map(|it| it.as_str().or(it["text"].as_str()));
            read.text = texts.collect::<Vec<_>>().join("\n");
        }
    }
    let is_image = |it: &&Value| it.get("inlineData").is_some() || it.get("fileData").is_some();
    let inner = answer["functionResponse"]["parts"].as_array();
    for part in parts.iter().chain(inner.into_iter().flatten()).filter(is_image) {
        let found = images(part, SessionFormat::Gemini);
        read.images.count += found.count;
        read.images.tokens = read.images.tokens.saturating_add(found.tokens);
    }
    read
}

/// Finds the answer to a call; one result may hold those of its neighbours too.
fn answer_of<'a>(call: &str, result: &'a Value) -> &'a Value {
    let Value::Array(parts) = result else {
        return result;
    };
    let is_answer = |it: &&Value| it.get("functionResponse").is_some();
    let is_own = |it: &&Value| it["functionResponse"]["id"].as_str() == Some(call);
    let own = parts.iter().find(is_own);
    own.or_else(|| parts.iter().find(is_answer)).unwrap_or(&Value::Null)
}

/// Adds the calls that the content does not have, and returns their results.
fn read_calls(source: Source<'_>, members: &Members<'_>, said: &mut Vec<Block>) -> Vec<Block> {
    let mut results = Vec::new();
    for raw in elements_of(members, "toolCalls") {
        let mut value = value(raw);
        let call = read_call(&mut value);
        let result = value.get("result").filter(|it| !it.is_null());
        if let Some(result) = result {
            let result = read_result(&call.id, result);
            results.push(Block::new(Content::Result(result), source.place(raw)));
        }
        let is_this = |it: &Block| matches!(&it.content, Content::Call(it) if it.id == call.id);
        if !said.iter().any(is_this) {
            said.push(Block::new(Content::Call(call), source.place(raw)));
        }
    }
    results
}

/// Writes a message with the blocks that stay.
pub(super) fn write_message(source: Source<'_>, kept: &Kept<'_>) -> Option<String> {
    Writer { source, kept }.write(source.text)
}

struct Writer<'a> {
    source: Source<'a>,
    kept: &'a Kept<'a>,
}

impl Writer<'_> {
    fn write(&self, raw: &str) -> Option<String> {
        let mut message = Object::of(raw)?;
        let content = message.get("content").unwrap_or_default();
        let said: Vec<String> = parts(content).into_iter().filter_map(|it| self.part(it)).collect();
        let content = match (content.as_bytes().first(), said.as_slice()) {
            (Some(b'['), _) => list(&said),
            (_, []) => "\"\"".to_owned(),
            (_, [one]) => one.clone(),
            _ => list(&said),
        };
        message.set("content", content);
        if let Some(calls) = message.get("toolCalls").filter(|it| it.starts_with('[')) {
            let calls = elements(calls).into_iter();
            let kept: Vec<String> = calls.filter_map(|it| self.tool_call(it)).collect();
            if kept.is_empty() {
                message.remove("toolCalls")
            } else {
                message.set("toolCalls", list(&kept))
            }
        }
        Some(message.to_string())
    }

    fn part(&self, raw: &str) -> Option<String> {
        let place = self.source.place(raw);
        let stays = self.kept.said(&place).or_else(|| self.kept.result(&place));
        let (block, change) = stays?;
        Some(match (change, &block.content) {
            (None, _) => raw.to_owned(),
            (Some(Change::Arguments(arguments)), Content::Call(_)) => {
                within(raw, "functionCall", |call| call.set("args", arguments.to_string()))
            }
            (Some(Change::Arguments(_)), _) => raw.to_owned(),
            (Some(Change::Text(text)), Content::Result(result)) => write_answer(raw, result, text),
            (Some(Change::Text(text)), Content::Text(_)) => match Object::of(raw) {
                Some(mut part) => {
                    part.set("text", quoted(text));
                    part.to_string()
                }
                None => quoted(text),
            },
            (Some(Change::Text(text)), _) => json!({ "text": text }).to_string(),
        })
    }

    fn tool_call(&self, raw: &str) -> Option<String> {
        let mut value = value(raw);
        let id = read_call(&mut value).id;
        // The call may be among the parts of the content.
        let message = self.source.place(self.source.text);
        let (_, change) = self.kept.call(&message, &id)?;
        let result = self.kept.result(&self.source.place(raw));
        let mut object = Object::of(raw)?;
        if let Some(Change::Arguments(arguments)) = change {
            object.set("args", arguments.to_string());
        }
        match result {
            None => object.remove("result"),
            Some((block, Some(Change::Text(text)))) => {
                if let Content::Result(result) = &block.content {
                    let written = write_result(object.get("result")?, result, text);
                    object.set("result", written);
                }
            }
            Some(_) => {}
        }
        Some(object.to_string())
    }
}

/// Changes an object within an object.
fn within(raw: &str, key: &str, change: impl FnOnce(&mut Object<'_>)) -> String {
    let Some(mut outer) = Object::of(raw) else {
        return raw.to_owned();
    };
    let inner = outer.get(key).and_then(Object::of).map(|mut inner| {
        change(&mut inner);
        inner.to_string()
    });
    if let Some(inner) = inner {
        outer.set(key, inner);
    }
    outer.to_string()
}

fn write_result(raw: &str, result: &CallResult, text: &str) -> String {
    match raw.as_bytes().first() {
        Some(b'[') => {
            let parts = elements(raw);
            let whole = value(raw);
            let answer = answer_of(&result.call, &whole);
            let is_answer = |it: &str| value(it) == *answer;
            let at = parts.iter().position(|it| is_answer(it));
            let write = |(number, part): (usize, &&str)| {
                if at == Some(number) {
                    Some(write_answer(part, result, text))
                } else {
                    (at.is_some() || read_text(part).is_none()).then(|| (*part).to_owned())
                }
            };
            let mut written: Vec<String> = parts.iter().enumerate().filter_map(write).collect();
            if at.is_none() {
                written.insert(0, json!({ "text": text }).to_string());
            }
            list(&written)
        }
        Some(b'{') => write_answer(raw, result, text),
        _ => quoted(text),
    }
}

fn read_text(raw: &str) -> Option<String> {
    match read_part(raw) {
        Content::Text(text) => Some(text),
        _ => None,
    }
}

fn write_answer(raw: &str, result: &CallResult, text: &str) -> String {
    let key = if result.is_error { "error" } else { "output" };
    let response = json!({ key: text }).to_string();
    within(raw, "functionResponse", |it| it.set("response", response))
}
