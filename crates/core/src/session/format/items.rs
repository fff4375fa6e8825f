//! Items of OpenAI's Responses API, which requests and Codex's logs share.
//!
//! A message is a turn; so is a run of items that the model made one after
//! another, and a run of outputs of tools. Each part of a message is a block, and
//! every other item is one. What the model reasoned goes with the item that it
//! led to: written again, it stays only where that item stays as it was.

mod write;

use std::ops::Range;

use serde_json::{Value, json};

use super::SessionFormat;
use super::check::{Answers, Violation, check_items};
use super::json::{Members, Object, Source, members, string, take_string, take_text, text, value};
use super::parts::{content_blocks, parsed, result_text};
use super::pictures::image;
use crate::session::transcript::{
    Block, Call, CallResult, Content, Images, Role, Transcript, Turn,
};

pub(super) use write::build_items;

/// Items that are passed through: what the provider did by itself, and what it keeps sealed.
const SEALED: &[&str] = &[
    "additional_tools",
    "agent_message",
    "code_interpreter_call",
    "compaction",
    "compaction_summary",
    "context_compaction",
    "file_search_call",
    "image_generation_call",
    "item_reference",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "web_search_call",
];

/// Items that no model is shown.
const NO_CONTEXT: &[&str] = &["ghost_snapshot", "compaction_trigger"];

/// Where items may stand what a call is given.
const ARGUMENTS: &[&str] = &["arguments", "input", "action", "operation"];

/// Items that were read, as turns.
pub(super) struct Items {
    /// What was read. Turns that stand before the first item may be put here by hand.
    pub(super) transcript: Transcript,
    items: Vec<Item>,
}

struct Item {
    raw: Range<usize>,
    turn: usize,
    blocks: Range<usize>,
}

impl Items {
    /// Makes an empty list of items of a format.
    pub(super) fn of(format: SessionFormat) -> Items {
        Items { transcript: Transcript::empty(format), items: Vec::new() }
    }

    /// Reads one item. Tells whether it is one and context.
    pub(super) fn read(&mut self, source: Source<'_>, raw: &str) -> bool {
        let Some((role, blocks)) = read_item(source, raw) else {
            let kind = string(members(raw).get("type"));
            if let Some(kind) = kind.as_ref().filter(|it| NO_CONTEXT.contains(&it.as_str())) {
                self.transcript.pass_over(kind);
            }
            return kind.is_some();
        };
        if blocks.is_empty() {
            self.transcript.pass_over("empty");
            return true;
        }
        let is_whole = |block: &Block| block.raw == source.place(raw);
        if let Some(Content::Other(kind)) =
            blocks.first().filter(|it| is_whole(it)).map(|it| &it.content)
            && !SEALED.contains(&kind.as_str())
        {
            self.transcript.count_unknown(kind);
        }
        let turns = &mut self.transcript.turns;
        let runs_on = matches!(role, Role::Assistant | Role::Tool)
            && turns.last().is_some_and(|last| last.role == role);
        if !runs_on {
            turns.push(Turn::new(role, Vec::new()));
        }
        let turn = turns.len() - 1;
        let before = turns[turn].blocks.len();
        turns[turn].blocks.extend(blocks);
        let blocks = before..turns[turn].blocks.len();
        let raw = source.place(raw);
        self.items.push(Item { raw, turn, blocks });
        true
    }

    /// Forgets the turns from number `turn` on.
    pub(super) fn truncate(&mut self, turn: usize) {
        self.transcript.turns.truncate(turn);
        self.items.retain(|item| item.turn < turn);
    }

    /// Forgets the turns that are not wanted.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(usize, &Turn) -> bool) {
        let turns = &mut self.transcript.turns;
        let wanted: Vec<bool> =
            turns.iter().enumerate().map(|(at, it)| is_wanted(at, it)).collect();
        let number = |turn: usize| wanted[..turn].iter().filter(|it| **it).count();
        self.items.retain(|item| wanted[item.turn]);
        for item in &mut self.items {
            item.turn = number(item.turn);
        }
        let mut each = wanted.iter();
        turns.retain(|_| each.next().is_some_and(|it| *it));
    }
}

fn is_reasoning(blocks: &[Block]) -> bool {
    matches!(blocks, [Block { content: Content::Thinking(_), .. }])
}

fn read_item(source: Source<'_>, raw: &str) -> Option<(Role, Vec<Block>)> {
    let whole = |content| vec![Block::new(content, source.place(raw))];
    // The input of a request may be one text.
    if let Some(text) = text(raw) {
        return Some((Role::User, whole(Content::Text(text))));
    }
    let members: Members<'_> = serde_json::from_str(raw).ok()?;
    let kind = string(members.get("type"));
    let kind = kind.unwrap_or_else(|| "message".to_owned());
    if NO_CONTEXT.contains(&kind.as_str()) {
        return None;
    }
    if kind == "message" {
        return read_message(source, &members);
    }
    let mut value = value(raw);
    if kind == "reasoning" {
        return Some((Role::Assistant, whole(Content::Thinking(reasoning(&mut value)))));
    }
    Some(match take_string(&mut value, "call_id") {
        Some(call) if kind.ends_with("_output") => {
            (Role::Tool, whole(Content::Result(read_output(call, &mut value))))
        }
        Some(id) if kind.ends_with("_call") => {
            (Role::Assistant, whole(Content::Call(read_call(id, &kind, &mut value))))
        }
        _ => (Role::Assistant, whole(Content::Other(kind))),
    })
}

fn read_message(source: Source<'_>, members: &Members<'_>) -> Option<(Role, Vec<Block>)> {
    let role = match string(members.get("role"))?.as_str() {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return None,
    };
    let content = members.get("content")?.get();
    Some((role, content_blocks(source, content, read_part)))
}

fn read_part(raw: &str) -> Content {
    let mut value = value(raw);
    let kind = take_text(&mut value, "type");
    match kind.as_str() {
        "input_text" | "output_text" | "text" => Content::Text(take_text(&mut value, "text")),
        "input_image" | "input_file" | "input_audio" => {
            image(&value, SessionFormat::OpenAiResponses)
        }
        _ => Content::Other(kind),
    }
}

/// Joins what can be read of the model's reasoning.
fn reasoning(value: &mut Value) -> String {
    let mut texts = Vec::new();
    for key in ["summary", "content"] {
        let parts = value.get_mut(key).and_then(Value::as_array_mut);
        for part in parts.into_iter().flatten() {
            texts.extend(take_string(part, "text"));
        }
    }
    texts.join("\n")
}

fn read_call(id: String, kind: &str, value: &mut Value) -> Call {
    let name = take_string(value, "name");
    let key = ARGUMENTS.iter().find(|key| value.get(key).is_some());
    let given = key.map(|key| value[*key].take());
    let arguments = match given {
        Some(Value::String(text)) if kind == "custom_tool_call" => json!({ "input": text }),
        Some(Value::String(text)) => parsed(text),
        given => given.unwrap_or_default(),
    };
    Call { id, name: name.unwrap_or_else(|| kind.trim_end_matches("_call").to_owned()), arguments }
}

fn read_output(call: String, value: &mut Value) -> CallResult {
    let mut is_error = false;
    let none = Images::default();
    let (text, images) = if let Some(tools) = value.get("tools") {
        // What a search for tools brings is the tools themselves.
        (tools.to_string(), none)
    } else {
        match value["output"].take() {
            Value::Null => (String::new(), none),
            Value::Object(members) => {
                is_error = members.get("success") == Some(&Value::Bool(false));
                let content = members.get("content").and_then(Value::as_str);
                let content = content.map(str::to_owned);
                (content.unwrap_or_else(|| Value::Object(members).to_string()), none)
            }
            output @ (Value::String(_) | Value::Array(_)) => {
                result_text(Some(output), SessionFormat::OpenAiResponses)
            }
            other => (other.to_string(), none),
        }
    };
    CallResult { call, text, is_error, images }
}

/// Checks items; reasoning with an id must be followed by what it led to.
pub(super) fn check(transcript: &Transcript, answers: Answers) -> Vec<Violation> {
    check_items(&transcript.turns, answers, |block| {
        let has_id = || Object::of(transcript.raw(block)).is_some_and(|it| it.get("id").is_some());
        is_reasoning(std::slice::from_ref(block)) && has_id()
    })
}
