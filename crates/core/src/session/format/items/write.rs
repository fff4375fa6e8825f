//! How items are written: those of a draft, and those of turns of another format.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Value, json};

use super::super::object::{Object, elements, list, quoted};
use super::super::openai_chat::unparsed;
use super::{ARGUMENTS, Items, is_reasoning, read_part};
use crate::session::draft::{Change, DraftBlock, DraftTurn};
use crate::session::transcript::{Block, Call, CallResult, Content, Role, Turn};

impl Items {
    /// Writes the items of a draft's turns; turns that are no items are left out.
    pub(in super::super) fn write(&self, source: &[u8], turns: &[DraftTurn]) -> Vec<String> {
        let mut written = Vec::new();
        let recast = self.recast(source, turns);
        for turn in turns {
            match turn {
                DraftTurn::New { role, text } => written.push(new_item(*role, text)),
                DraftTurn::Of { turn, blocks } => {
                    let writer = Writer {
                        source,
                        recast: &recast,
                    };
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
            let blocks = blocks.filter_map(|it| self.turns.get(*turn)?.blocks.get(it.block));
            for block in blocks {
                if let Content::Result(result) = &block.content
                    && let Some(item) = Object::of(source_text(source, block.raw.clone()))
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
        let Some(turn) = self.turns.get(number) else {
            return;
        };
        // What the model reasoned waits for the item that it led to.
        let mut reasoned = Vec::new();
        let start = self.items.partition_point(|item| item.turn < number);
        let items = self.items[start..].iter();
        for item in items.take_while(|item| item.turn == number) {
            let raw = source_text(writer.source, item.raw.clone());
            let kept: Vec<&DraftBlock> = blocks
                .iter()
                .filter(|it| item.blocks.contains(&it.block))
                .collect();
            let is_whole =
                kept.len() == item.blocks.len() && kept.iter().all(|it| it.change.is_none());
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

fn source_text(source: &[u8], range: Range<usize>) -> &str {
    let bytes = source.get(range).unwrap_or_default();
    std::str::from_utf8(bytes).unwrap_or_default()
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

    fn item(&self, raw: &str, turn: &Turn, kept: &[&DraftBlock]) -> String {
        if let Ok(text) = serde_json::from_str::<String>(raw) {
            let change = kept.iter().find_map(|it| it.change.as_ref());
            return match change {
                Some(Change::Text(text)) => new_item(Role::User, text),
                _ => new_item(Role::User, &text),
            };
        }
        let Some(item) = Object::of(raw) else {
            return raw.to_owned();
        };
        let kind = item.get("type").map(str::to_owned);
        if kind.is_none_or(|kind| kind == "\"message\"") {
            return self.message(item, turn, kept);
        }
        let block = kept.first().and_then(|it| turn.blocks.get(it.block));
        let change = kept.first().and_then(|it| it.change.as_ref());
        match block.map(|it| &it.content) {
            Some(Content::Call(call)) => self.call(item, call, change),
            Some(Content::Result(result)) => self.output(item, result, change),
            Some(Content::Other(_)) => match change {
                Some(Change::Text(text)) => new_item(turn.role, text),
                _ => raw.to_owned(),
            },
            _ => raw.to_owned(),
        }
    }

    fn message(&self, mut item: Object<'_>, turn: &Turn, kept: &[&DraftBlock]) -> String {
        let parts: Vec<String> = kept
            .iter()
            .filter_map(|it| Some((turn.blocks.get(it.block)?, it.change.as_ref())))
            .map(|(block, change)| {
                let raw = source_text(self.source, block.raw.clone());
                write_part(raw, turn.role, block, change)
            })
            .collect();
        match parts.as_slice() {
            [text] if text.starts_with('"') => item.set("content", text.clone()),
            _ => item.set("content", list(&parts)),
        }
        item.to_string()
    }

    fn call(&self, mut item: Object<'_>, call: &Call, change: Option<&Change>) -> String {
        let changed = match change {
            Some(Change::Arguments(arguments)) => Some(arguments),
            _ => None,
        };
        if self.recast.contains(&call.id) {
            let arguments = changed.unwrap_or(&call.arguments).clone();
            let (id, name) = (call.id.clone(), call.name.clone());
            return build_call(&Call {
                id,
                name,
                arguments,
            })
            .to_string();
        }
        if let Some(arguments) = changed {
            set_arguments(&mut item, arguments);
        }
        item.to_string()
    }

    fn output(&self, mut item: Object<'_>, result: &CallResult, change: Option<&Change>) -> String {
        let text = match change {
            Some(Change::Text(text)) => Some(text),
            _ => None,
        };
        if self.recast.contains(&result.call) {
            return build_output(&result.call, text.unwrap_or(&result.text)).to_string();
        }
        if let Some(text) = text {
            set_output(&mut item, text);
        }
        item.to_string()
    }
}

fn write_part(raw: &str, role: Role, block: &Block, change: Option<&Change>) -> String {
    let Some(Change::Text(text)) = change else {
        return raw.to_owned();
    };
    match (&block.content, Object::of(raw)) {
        (Content::Text(_), None) => quoted(text),
        (Content::Text(_), Some(mut part)) => {
            part.set("text", quoted(text));
            part.to_string()
        }
        _ => json!({"type": part_type(role), "text": text}).to_string(),
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

fn set_output(item: &mut Object<'_>, text: &str) {
    let output = item.get("output").unwrap_or_default();
    let json = if output.starts_with('[') {
        let is_other = |it: &&str| !matches!(read_part(it), Content::Text(_));
        let others = elements(output).into_iter().filter(is_other);
        let first = json!({"type": "input_text", "text": text}).to_string();
        let parts = std::iter::once(first).chain(others.map(str::to_owned));
        list(&parts.collect::<Vec<_>>())
    } else {
        quoted(text)
    };
    item.set("output", json);
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
pub(in super::super) fn build_items(turn: &Turn) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    for block in &turn.blocks {
        match &block.content {
            Content::Text(text) if text.trim().is_empty() => {}
            Content::Text(text) => {
                let part = json!({"type": part_type(turn.role), "text": text});
                match items.last_mut().and_then(|it| it["content"].as_array_mut()) {
                    Some(content) => content.push(part),
                    None => items.push(json!({
                        "type": "message",
                        "role": message_role(turn.role),
                        "content": [part],
                    })),
                }
            }
            Content::Call(call) => items.push(build_call(call)),
            Content::Result(result) => items.push(build_output(&result.call, &result.text)),
            Content::Thinking(_) | Content::Image | Content::Other(_) => {}
        }
    }
    items
}

fn build_call(call: &Call) -> Value {
    json!({
        "type": "function_call",
        "name": call.name,
        "arguments": unparsed(&call.arguments),
        "call_id": call.id,
    })
}

fn build_output(call: &str, text: &str) -> Value {
    json!({"type": "function_call_output", "call_id": call, "output": text})
}
