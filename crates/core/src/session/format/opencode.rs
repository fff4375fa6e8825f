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

use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

use super::frame::{Head, Listed};
use super::json::{Members, Source, elements_of, members, string, value};
use super::{Codec, SessionFormat, malformed};
use crate::session::draft::Draft;
use crate::session::error::SessionError;
use crate::session::transcript::{Block, Content, Role, Transcript, Turn};
use part::{Part, message_turns};
use write::{Writer, build};

pub(super) struct Opencode;

impl Codec for Opencode {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let is_message = |it: &Members<'_>| it.contains_key("info") && it.contains_key("parts");
        head.document().is_some_and(|body| {
            body.contains_key("info")
                && body.contains_key("messages")
                && head.records("messages").iter().all(is_message)
        })
    }

    fn read(&self, source: &[u8], transcript: &mut Transcript) -> Result<(), SessionError> {
        let document = Document::of(source)?;
        *transcript = document.transcript;
        transcript.session = string(document.info.get("id"));
        transcript.directory = string(document.info.get("directory"));
        Ok(())
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError> {
        let document = Document::of(transcript.source())?;
        let messages = Writer::new(&document, draft).write(draft);
        Ok(document.listed.with(&messages))
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        format!("{:#}\n", build(turns, transcript)).into_bytes()
    }
}

/// A document that was read.
struct Document<'a> {
    info: Members<'a>,
    messages: Vec<Message<'a>>,
    transcript: Transcript,
    /// For each turn its message and its parts there.
    origins: Vec<Origin>,
    listed: Listed<'a>,
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
        let listed = Listed::of(source, "messages", SessionFormat::Opencode)?;
        if !listed.is_member() {
            return Err(malformed(SessionFormat::Opencode, "it has no messages"));
        }
        let mut document = Document {
            info: listed.body.get("info").map(|it| members(it.get())).unwrap_or_default(),
            messages: listed.records.iter().map(|raw| Message::of(raw)).collect(),
            transcript: Transcript::empty(SessionFormat::Opencode),
            origins: Vec::new(),
            listed,
        };
        document.read();
        Ok(document)
    }

    fn read(&mut self) {
        let source = self.listed.source;
        let shown = shown(&self.messages);
        let hidden = self.messages.len() - shown.len();
        if hidden > 0 {
            self.transcript.passed_over.insert("compacted".to_owned(), hidden);
        }
        self.read_system(source, &shown);
        for number in shown {
            let message = &self.messages[number];
            if message.failed() {
                self.transcript.pass_over("failed");
                continue;
            }
            for part in &message.parts {
                if !part.is_known() {
                    self.transcript.count_unknown(&part.kind);
                } else if !part.is_context(message.role()) {
                    self.transcript.pass_over(&part.kind);
                }
            }
            for (turn, parts) in message_turns(source, &message.info, &message.parts) {
                self.origins.push(match turn.role {
                    Role::Tool => Origin::Results,
                    _ => Origin::Parts { message: number, parts },
                });
                self.transcript.turns.push(turn);
            }
        }
    }

    /// Reads the instructions that the user's last message carries.
    fn read_system(&mut self, source: Source<'_>, shown: &[usize]) {
        let carried = shown.iter().rev().find_map(|number| {
            let message = members(self.messages[*number].raw);
            let info = members(message.get("info")?.get());
            let system: &RawValue = info.get("system")?;
            let content = Content::Text(string(Some(&system))?);
            let block = Block::new(content, source.place(system.get()));
            Some((*number, block))
        });
        if let Some((message, block)) = carried {
            self.transcript.turns.push(Turn::new(Role::System, vec![block]));
            self.origins.push(Origin::System { message });
        }
    }
}

impl<'a> Message<'a> {
    fn of(raw: &'a str) -> Message<'a> {
        let members = members(raw);
        let info = members.get("info").map_or("{}", |it| it.get());
        let parts = elements_of(&members, "parts").into_iter();
        Message { raw, info: value(info), parts: parts.map(Part::of).collect() }
    }

    fn role(&self) -> Role {
        match self.text("role") {
            "assistant" => Role::Assistant,
            _ => Role::User,
        }
    }

    fn text(&self, key: &str) -> &str {
        self.info.get(key).and_then(Value::as_str).unwrap_or_default()
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
