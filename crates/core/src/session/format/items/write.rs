//! How items are written: those of a draft, and those of turns of another format.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::json::{Object, quoted, text, text_at, value};
use super::super::parts::{new_text, unparsed, with_result_text, with_text, write_content};
use super::super::pictures::{Picture, pictures_of};
use super::{ARGUMENTS, Items, is_reasoning};
use crate::session::draft::{Change, DraftBlock, DraftTurn, Stays};
use crate::session::transcript::{Block, Call, CallResult, Content, Role, Transcript, Turn};

impl Items {
    /// Writes the items of a draft's turns; turns that are no items are left out.
    pub(in super::super) fn write(&self, source: &[u8], turns: &[DraftTurn]) -> Vec<String> {
        let mut written = Vec::new();
        let recast = self.recast(source, turns);
        for turn in turns {
            match turn {
                DraftTurn::New { role, text } => written.push(new_item(*role, text)),
                DraftTurn::Of { turn, blocks } => {
                    let writer = Writer { source, recast: &recast };
                    self.write_turn(&writer, *turn, blocks, &mut written);
                }
            }
        }
        written
    }

    /// Finds searches for tools whose output says something else now.
    ///
    /// Their output is a list of tools, where a text has no place, so they are
    /// written as calls of a function.
    fn recast(&self, source: &[u8], turns: &[DraftTurn]) -> BTreeSet<String> {
        let mut recast = BTreeSet::new();
        for turn in turns {
            let DraftTurn::Of { turn, blocks } = turn else {
                continue;
            };
            let blocks = blocks.iter().filter(|it| it.change.is_some());
            let blocks =
                blocks.filter_map(|it| self.transcript.turns.get(*turn)?.blocks.get(it.block));
            for block in blocks {
                if let Content::Result(result) = &block.content
                    && let Some(item) = Object::of(text_at(source, block.raw.clone()))
                    && item.get("tools").is_some()
                {
                    recast.insert(result.call.clone());
                }
            }
        }
        recast
    }

    fn write_turn(
        &self,
        writer: &Writer<'_>,
        number: usize,
        blocks: &[DraftBlock],
        written: &mut Vec<String>,
    ) {
        let Some(turn) = self.transcript.turns.get(number) else {
            return;
        };
        // What the model reasoned waits for the item that it led to.
        let mut reasoned = Vec::new();
        let start = self.items.partition_point(|item| item.turn < number);
        let items = self.items[start..].iter();
        for item in items.take_while(|item| item.turn == number) {
            let raw = text_at(writer.source, item.raw.clone());
            let kept = blocks.iter().filter(|it| item.blocks.contains(&it.block));
            let kept: Vec<Stays<'_>> = turn.stays(kept);
            let is_whole = kept.len() == item.blocks.len() && kept.iter().all(|it| it.1.is_none());
            if is_reasoning(&turn.blocks[item.blocks.clone()]) {
                reasoned.extend((!kept.is_empty()).then_some(raw));
                continue;
            }
            let reasoned = std::mem::take(&mut reasoned);
            if is_whole && !writer.must_change(raw, &turn.blocks[item.blocks.clone()]) {
                written.extend(reasoned.into_iter().map(str::to_owned));
                written.push(raw.to_owned());
            } else if !kept.is_empty() {
                written.push(writer.item(raw, turn, &kept));
            }
        }
    }
}

/// Writes items that do not stay as they were.
struct Writer<'a> {
    source: &'a [u8],
    /// Searches for tools that become calls of a function.
    recast: &'a BTreeSet<String>,
}

impl Writer<'_> {
    /// Tells whether an item cannot stay as it is even if nothing in it changes.
    fn must_change(&self, raw: &str, blocks: &[Block]) -> bool {
        let is_recast = |block: &Block| match &block.content {
            Content::Call(call) => self.recast.contains(&call.id),
            Content::Result(result) => self.recast.contains(&result.call),
            _ => false,
        };
        // A bare text is the whole input; in a list it must be a message.
        raw.starts_with('"') || blocks.iter().any(is_recast)
    }

    fn item(&self, raw: &str, turn: &Turn, kept: &[Stays<'_>]) -> String {
        let Some((block, change)) = kept.first() else {
            return raw.to_owned();
        };
        let Some(item) = Object::of(raw) else {
            let text = text(raw).unwrap_or_default();
            return new_item(Role::User, new_text(*change).unwrap_or(&text));
        };
        if item.get("type").is_none_or(|kind| kind == "\"message\"") {
            return self.message(item, turn, kept);
        }
        match &block.content {
            Content::Call(call) => self.call(item, call, *change),
            Content::Result(result) => self.output(item, result, *change),
            Content::Other(_) => {
                new_text(*change).map_or_else(|| raw.to_owned(), |it| new_item(turn.role, it))
            }
            _ => raw.to_owned(),
        }
    }

    fn message(&self, mut item: Object<'_>, turn: &Turn, kept: &[Stays<'_>]) -> String {
        let kind = part_type(turn.role);
        let part = |(block, change): &Stays<'_>| {
            let raw = text_at(self.source, block.raw.clone());
            let text = new_text(*change);
            text.map_or_else(|| raw.to_owned(), |it| with_text(raw, &block.content, kind, it))
        };
        let parts: Vec<String> = kept.iter().map(part).collect();
        item.set("content", write_content(&parts));
        item.to_string()
    }

    fn call(&self, mut item: Object<'_>, call: &Call, change: Option<&Change>) -> String {
        let changed = match change {
            Some(Change::Arguments(arguments)) => Some(arguments),
            _ => None,
        };
        if self.recast.contains(&call.id) {
            let arguments = changed.unwrap_or(&call.arguments);
            return build_call(call, arguments).to_string();
        }
        if let Some(arguments) = changed {
            set_arguments(&mut item, arguments);
        }
        item.to_string()
    }

    fn output(&self, mut item: Object<'_>, result: &CallResult, change: Option<&Change>) -> String {
        let text = new_text(change);
        if self.recast.contains(&result.call) {
            return build_output(&result.call, text.unwrap_or(&result.text)).to_string();
        }
        if let Some(text) = text {
            let output = item.get("output").unwrap_or_default();
            let output = with_result_text(output, "input_text", text);
            item.set("output", output);
        }
        item.to_string()
    }
}

fn set_arguments(item: &mut Object<'_>, arguments: &Value) {
    let is_custom = item.get("type") == Some("\"custom_tool_call\"");
    let Some(key) = ARGUMENTS.iter().find(|key| item.get(key).is_some()) else {
        return;
    };
    let is_text = item.get(key).is_some_and(|it| it.starts_with('"'));
    let json = match (is_custom, is_text) {
        (true, _) => arguments["input"].to_string(),
        (_, true) => quoted(&unparsed(arguments)),
        _ => arguments.to_string(),
    };
    item.set(key, json);
}

fn part_type(role: Role) -> &'static str {
    match role {
        Role::Assistant => "output_text",
        _ => "input_text",
    }
}

fn message_role(role: Role) -> &'static str {
    match role {
        Role::System => "developer",
        Role::Assistant => "assistant",
        Role::User | Role::Tool => "user",
    }
}

/// Writes a message that was not there.
fn new_item(role: Role, text: &str) -> String {
    let content = json!([{"type": part_type(role), "text": text}]);
    json!({"type": "message", "role": message_role(role), "content": content}).to_string()
}

/// Writes a turn that was read from another format.
///
/// What a model reasoned stays where it is an item already; others must not be made up.
pub(in super::super) fn build_items(turn: &Turn, transcript: &Transcript) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    let say = |items: &mut Vec<Value>, part: Value| {
        let last = items.last_mut().filter(|it| it["type"] == "message");
        match last.and_then(|it| it["content"].as_array_mut()) {
            Some(content) => content.push(part),
            None => items.push(json!({
                "type": "message",
                "role": message_role(turn.role),
                "content": [part],
            })),
        }
    };
    for block in &turn.blocks {
        let mut pictures: Vec<Value> =
            pictures_of(transcript, block).iter().map(Picture::item_part).collect();
        match &block.content {
            Content::Text(text) if text.trim().is_empty() => {}
            Content::Text(text) => {
                say(&mut items, json!({"type": part_type(turn.role), "text": text}));
            }
            Content::Image(_) if turn.role == Role::User => {
                pictures.into_iter().for_each(|it| say(&mut items, it));
            }
            Content::Call(call) => items.push(build_call(call, &call.arguments)),
            Content::Result(result) => {
                let mut item = build_output(&result.call, &result.text);
                if !pictures.is_empty() {
                    pictures.insert(0, json!({"type": "input_text", "text": result.text}));
                    item["output"] = Value::from(pictures);
                }
                items.push(item);
            }
            Content::Thinking(_) => {
                // Parts of opencode have the same type and another form.
                let item = value(transcript.raw(block));
                let is_item = item["type"] == "reasoning" && item["summary"].is_array();
                items.extend(is_item.then_some(item));
            }
            Content::Image(_) | Content::Other(_) => {}
        }
    }
    // Reasoning that led to nothing is refused.
    while items.last().is_some_and(|it| it["type"] == "reasoning") {
        items.pop();
    }
    items
}

fn build_call(call: &Call, arguments: &Value) -> Value {
    json!({
        "type": "function_call",
        "name": call.name,
        "arguments": unparsed(arguments),
        "call_id": call.id,
    })
}

fn build_output(call: &str, text: &str) -> Value {
    json!({"type": "function_call_output", "call_id": call, "output": text})
}
