//! Sessions that `opencode export` writes: one document with messages of parts.
//!
//! A message of the model may hold several steps; each is a turn of what it said
//! and called, and a turn of the results, which stand in the same parts. Steps'
//! ends, snapshots and patches are no context, nor are texts that are marked as
//! ignored, nor messages that failed, nor what was there before a compaction.
//!
//! opencode sorts messages by their time and id when it reads them, so a message
//! that is added takes both from the one before it. What marks a compaction is
//! written as the text that a model is shown for it, since the messages that it
//! would hide are gone.

mod part;
mod write;

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

use super::json::{Head, Layout, Members, place, string};
use super::object::{elements, list};
use super::rounds::check;
use super::{Adapter, SessionFormat, Violation};
use crate::session::draft::Draft;
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Content, Role, Transcript, Turn};
use part::{Part, message_turns};
use write::{Writer, build};

pub(super) struct Opencode;

impl Adapter for Opencode {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let Some(body) = head
            .objects
            .first()
            .filter(|_| head.layout == Layout::Object)
        else {
            return false;
        };
        let is_message = |raw: &&str| {
            let members: Option<Members<'_>> = serde_json::from_str(raw).ok();
            members.is_some_and(|it| it.contains_key("info") && it.contains_key("parts"))
        };
        let messages = body.get("messages").map(|it| elements(it.get()));
        body.contains_key("info") && messages.is_some_and(|it| it.iter().all(is_message))
    }

    fn read(&self, source: Vec<u8>) -> Result<Transcript, SessionError> {
        let document = Document::of(&source)?;
        let mut transcript = Transcript::empty(SessionFormat::Opencode);
        transcript.session = string(document.info.get("id"));
        transcript.directory = string(document.info.get("directory"));
        transcript.model = document.turns.iter().rev().find_map(|it| it.model.clone());
        transcript.turns = document.turns;
        transcript.passed_over = document.passed_over;
        transcript.unknown = document.unknown;
        transcript.source = source;
        Ok(transcript)
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Vec<u8> {
        let source = transcript.source();
        let Ok(document) = Document::of(source) else {
            return source.to_vec();
        };
        let messages = list(&Writer::new(&document, draft).write(draft));
        let mut written = source[..document.place.start].to_vec();
        written.extend(messages.into_bytes());
        written.extend(&source[document.place.end..]);
        written
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        format!("{:#}\n", build(turns, transcript)).into_bytes()
    }

    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        check(&transcript.turns)
    }
}

/// A document that was read.
struct Document<'a> {
    info: Members<'a>,
    messages: Vec<Message<'a>>,
    turns: Vec<Turn>,
    /// For each turn its message and its parts there.
    origins: Vec<Origin>,
    passed_over: BTreeMap<String, usize>,
    unknown: BTreeMap<String, usize>,
    /// Where the list of messages stands.
    place: Range<usize>,
}

struct Message<'a> {
    raw: &'a str,
    info: Value,
    parts: Vec<Part<'a>>,
}

/// Where a turn comes from.
#[derive(Clone)]
enum Origin {
    /// Instructions that a message of the user carries.
    System { message: usize },
    /// Parts of a message.
    Parts { message: usize, parts: Range<usize> },
    /// The results of the turn before.
    Results,
}

impl<'a> Document<'a> {
    fn of(source: &'a [u8]) -> Result<Document<'a>, SessionError> {
        let malformed = |reason: String| SessionError::Malformed {
            format: SessionFormat::Opencode,
            reason,
        };
        let text = std::str::from_utf8(source).map_err(|it| malformed(it.to_string()))?;
        let body: Members<'a> =
            serde_json::from_str(text).map_err(|it| malformed(it.to_string()))?;
        let Some(list) = body.get("messages").map(|it| it.get()) else {
            return Err(malformed("it has no messages".to_owned()));
        };
        let info = body.get("info").map(|it| it.get()).unwrap_or("{}");
        let mut document = Document {
            info: serde_json::from_str(info).unwrap_or_default(),
            messages: elements(list).into_iter().map(Message::of).collect(),
            turns: Vec::new(),
            origins: Vec::new(),
            passed_over: BTreeMap::new(),
            unknown: BTreeMap::new(),
            place: place(text, list),
        };
        document.read(text);
        Ok(document)
    }

    fn read(&mut self, text: &str) {
        let shown = shown(&self.messages);
        let hidden = self.messages.len() - shown.len();
        if hidden > 0 {
            self.passed_over.insert("compacted".to_owned(), hidden);
        }
        self.read_system(text, &shown);
        for number in shown {
            let message = &self.messages[number];
            if message.failed() {
                *self.passed_over.entry("failed".to_owned()).or_default() += 1;
                continue;
            }
            for part in &message.parts {
                let counts = if !part.is_known() {
                    &mut self.unknown
                } else if part.is_context(message.role()) {
                    continue;
                } else {
                    &mut self.passed_over
                };
                *counts.entry(part.kind.clone()).or_default() += 1;
            }
            for (turn, parts) in message_turns(text, &message.info, &message.parts) {
                self.origins.push(match turn.role {
                    Role::Tool => Origin::Results,
                    _ => Origin::Parts {
                        message: number,
                        parts,
                    },
                });
                self.turns.push(turn);
            }
        }
    }

    /// Reads the instructions that the user's last message carries.
    fn read_system(&mut self, text: &str, shown: &[usize]) {
        let carried = shown.iter().rev().find_map(|number| {
            let raw = self.messages[*number].raw;
            let members: Members<'_> = serde_json::from_str(raw).ok()?;
            let info: Members<'_> = serde_json::from_str(members.get("info")?.get()).ok()?;
            let system: &RawValue = info.get("system")?;
            let content = Content::Text(string(Some(&system))?);
            let block = Block::new(content, place(text, system.get()));
            Some((*number, block))
        });
        if let Some((message, block)) = carried {
            self.turns.push(Turn::new(Role::System, vec![block]));
            self.origins.push(Origin::System { message });
        }
    }
}

impl<'a> Message<'a> {
    fn of(raw: &'a str) -> Message<'a> {
        let members: Members<'a> = serde_json::from_str(raw).unwrap_or_default();
        let info = members.get("info").map(|it| it.get()).unwrap_or("{}");
        let parts = members.get("parts").map(|it| elements(it.get()));
        Message {
            raw,
            info: serde_json::from_str(info).unwrap_or_default(),
            parts: parts
                .unwrap_or_default()
                .into_iter()
                .map(Part::of)
                .collect(),
        }
    }

    fn role(&self) -> Role {
        match self.text("role") {
            "assistant" => Role::Assistant,
            _ => Role::User,
        }
    }

    fn text(&self, key: &str) -> &str {
        self.info
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Tells whether an answer failed, so that no model is shown it again.
    fn failed(&self) -> bool {
        let is_said = |part: &Part<'_>| !matches!(part.kind.as_str(), "step-start" | "reasoning");
        let Some(error) = self.info.get("error").filter(|it| !it.is_null()) else {
            return false;
        };
        let is_aborted = error["name"] == "MessageAbortedError";
        self.role() == Role::Assistant && !(is_aborted && self.parts.iter().any(is_said))
    }

    /// Returns the part that marks a compaction.
    fn compaction(&self) -> Option<&Part<'a>> {
        let mut parts = self.parts.iter();
        parts.find(|part| part.kind == "compaction" && self.role() == Role::User)
    }
}

/// Returns the numbers of the messages that a model would be shown, in that order.
///
/// A compaction that has its summary hides what was before it, but for the
/// messages from `tail_start_id` on, which come behind the summary.
fn shown(messages: &[Message<'_>]) -> Vec<usize> {
    let summary = |of: &str| {
        messages.iter().position(|it| {
            it.info.get("summary") == Some(&Value::Bool(true))
                && it.info.get("finish").is_some()
                && it.info.get("error").is_none()
                && it.text("parentID") == of
        })
    };
    let compacted = (0..messages.len()).rev().find_map(|number| {
        let part = messages[number].compaction()?;
        let summary = summary(messages[number].text("id"))?;
        (summary > number).then_some((number, summary, part))
    });
    let Some((start, summary, part)) = compacted else {
        return (0..messages.len()).collect();
    };
    let tail = part.value.get("tail_start_id").and_then(Value::as_str);
    let tail = tail.and_then(|id| messages.iter().position(|it| it.text("id") == id));
    let tail = tail.filter(|tail| *tail < start).unwrap_or(start);
    let rest = summary + 1..messages.len();
    (start..=summary).chain(tail..start).chain(rest).collect()
}

#[cfg(test)]
mod tests;
