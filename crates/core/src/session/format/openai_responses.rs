//! Items of OpenAI's Responses API: a list, one on each line, or the body of a
//! request with its instructions.

use serde_json::{Value, json};

use super::check::{Answers, Violation};
use super::frame::{Head, Listed, left_out};
use super::items::{Items, build_items, check};
use super::json::{Members, string};
use super::parts::joined;
use super::{Codec, SessionFormat};
use crate::session::draft::Draft;
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Content, Role, Transcript, Turn};

pub(super) struct OpenAiResponses;

impl Codec for OpenAiResponses {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let Some(body) = head.document() else {
            return are_items(&head.objects);
        };
        let is_text = body.get("input").is_some_and(|it| it.get().starts_with('"'));
        let is_request = body.contains_key("model") || body.contains_key("instructions");
        let is_list = body.contains_key("input") && {
            let items = head.records("input");
            are_items(&items) || is_request && !is_text && items.iter().all(is_item)
        };
        is_list || is_text && is_request || are_items(&head.objects)
    }

    fn read(&self, source: &[u8], transcript: &mut Transcript) -> Result<(), SessionError> {
        let listed = Listed::of(source, "input", SessionFormat::OpenAiResponses)?;
        *transcript = items(&listed).transcript;
        transcript.model = string(listed.body.get("model"));
        transcript.notes.extend(listed.remarks);
        Ok(())
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError> {
        let source = transcript.source();
        let listed = Listed::of(source, "input", SessionFormat::OpenAiResponses)?;
        Ok(listed.with(&items(&listed).write(source, &draft.turns)))
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        let is_system = |turn: &&Turn| turn.role == Role::System;
        let items: Vec<Value> = turns
            .iter()
            .filter(|it| !is_system(it))
            .flat_map(|it| build_items(it, transcript))
            .collect();
        let texts: Vec<String> = turns.iter().filter(is_system).map(joined).collect();
        let body = if texts.is_empty() {
            Value::Array(items)
        } else {
            json!({"instructions": texts.join("\n\n"), "input": items})
        };
        format!("{body}\n").into_bytes()
    }

    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        check(transcript, Answers::Required)
    }

    /// A call whose reasoning is gone is refused.
    fn may_drop_thinking(&self) -> bool {
        false
    }
}

/// Tells whether these are items, and at least one of a kind that nobody else has.
fn are_items(objects: &[Members<'_>]) -> bool {
    let is_typed = |it: &Members<'_>| it.contains_key("type") || it.contains_key("role");
    let is_ours = |it: &Members<'_>| it.contains_key("type") && is_item(it);
    objects.iter().all(is_typed) && objects.iter().any(is_ours)
}

fn is_item(object: &Members<'_>) -> bool {
    match string(object.get("type")) {
        Some(kind) if kind == "message" => object.contains_key("role"),
        Some(kind) => is_item_type(&kind),
        None => object.contains_key("role") && object.contains_key("content"),
    }
}

fn is_item_type(kind: &str) -> bool {
    kind == "reasoning"
        || kind == "item_reference"
        || kind.ends_with("_call")
        || kind.ends_with("_call_output")
}

fn items(listed: &Listed<'_>) -> Items {
    let source = listed.source;
    let mut items = Items::of(SessionFormat::OpenAiResponses);
    // The instructions are not an item; they stay in the body as they are.
    if let Some(instructions) = listed.body.get("instructions")
        && let Some(text) = string(Some(instructions))
    {
        let block = Block::new(Content::Text(text), source.place(instructions.get()));
        items.transcript.turns.push(Turn::new(Role::System, vec![block]));
    }
    for raw in &listed.records {
        if !items.read(source, raw) {
            items.transcript.notes.push(left_out(source, raw));
        }
    }
    items
}
