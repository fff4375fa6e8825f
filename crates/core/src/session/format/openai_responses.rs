//! Items of OpenAI's Responses API: a list, one on each line, or the body of a
//! request with its instructions.

use serde_json::{Value, json};

use super::items::{Items, Source, build_items, check};
use super::json::{Head, Layout, Members, string};
use super::listed::{Listed, inner};
use super::rounds::joined;
use super::{Adapter, SessionFormat, Violation};
use crate::Remark;
use crate::session::draft::Draft;
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Content, Role, Transcript, Turn};

pub(super) struct OpenAiResponses;

impl Adapter for OpenAiResponses {
    fn recognises(&self, head: &Head<'_>) -> bool {
        match head.layout {
            Layout::List | Layout::Lines => are_items(&head.objects),
            Layout::Object => head.objects.first().is_some_and(|body| {
                let input = body.get("input").map(|it| it.get());
                let is_text = input.is_some_and(|it| it.starts_with('"'));
                let is_request = body.contains_key("model") || body.contains_key("instructions");
                let inner = inner(head, "input");
                let is_list = inner.is_some_and(|it| {
                    are_items(&it.objects) || is_request && it.objects.iter().all(is_item)
                });
                is_list || is_text && is_request || are_items(&head.objects)
            }),
        }
    }

    fn read(&self, source: Vec<u8>) -> Result<Transcript, SessionError> {
        let mut transcript = Transcript::empty(SessionFormat::OpenAiResponses);
        let listed = listed(&source)?;
        let (items, odd) = items(&source, &listed);
        transcript.model = string(listed.body.get("model"));
        transcript.turns = items.turns;
        transcript.passed_over = items.passed_over;
        transcript.unknown = items.unknown;
        transcript.notes.extend(odd);
        transcript.notes.extend(listed.notes);
        transcript.source = source;
        Ok(transcript)
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Vec<u8> {
        let Ok(listed) = listed(transcript.source()) else {
            return transcript.source().to_vec();
        };
        let (items, _) = items(transcript.source(), &listed);
        listed.with(&items.write(transcript.source(), &draft.turns))
    }

    fn build(&self, turns: &[Turn], _: &Transcript) -> Vec<u8> {
        let is_system = |turn: &&Turn| turn.role == Role::System;
        let items: Vec<Value> = turns
            .iter()
            .filter(|it| !is_system(it))
            .flat_map(build_items)
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
        check(transcript, true)
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

fn listed(source: &[u8]) -> Result<Listed<'_>, SessionError> {
    Listed::of(source, "input").map_err(|reason| SessionError::Malformed {
        format: SessionFormat::OpenAiResponses,
        reason,
    })
}

fn items(source: &[u8], listed: &Listed<'_>) -> (Items, Vec<Remark>) {
    let text = std::str::from_utf8(source).unwrap_or_default();
    let source = Source { text, start: 0 };
    let mut items = Items::default();
    let mut odd = Vec::new();
    // The instructions are no item; they stay in the body as they are.
    if let Some(instructions) = listed.body.get("instructions")
        && let Ok(text) = serde_json::from_str::<String>(instructions.get())
    {
        let block = Block::new(Content::Text(text), listed.place(instructions.get()));
        items.turns.push(Turn::new(Role::System, vec![block]));
    }
    for raw in &listed.elements {
        if !items.read(source, raw) {
            odd.push(Remark::new(
                format!("byte {}", listed.place(raw).start),
                "this is no item and is left out",
            ));
        }
    }
    (items, odd)
}

#[cfg(test)]
mod tests;
