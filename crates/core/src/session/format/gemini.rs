//! Chats of the Gemini CLI: a log with one record on each line, or the older
//! single document.
//!
//! A message is written again under the same id whenever it grows; the last one
//! counts, in the place of the first. `$set` with messages replaces all of them,
//! and `$rewindTo` takes back a message and what follows. The results of tools
//! stand in the message that called them, and once more in a message of the user,
//! which is passed over.
//!
//! A draft of a log is written as one more `$set` record, which is what a resumed
//! session starts from; in a document the messages are replaced.

mod message;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::{Value, json};

use super::frame::{Head, Layout, Listed, each_entry, is, open_end};
use super::json::{Members, Source, elements, list, members, string, text_at};
use super::names::{Name, time_text};
use super::parts::{Kept, joined};
use super::pictures::{Picture, pictures_of};
use super::{Codec, SessionFormat, malformed};
use crate::session::draft::{Draft, DraftTurn};
use crate::session::error::SessionError;
use crate::session::transcript::{Block, CallResult, Content, Role, Transcript, Turn};
use message::{message_turns, write_message};

pub(super) struct Gemini;

impl Codec for Gemini {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let is_meta = |it: &Members<'_>| {
            it.contains_key("sessionId")
                && (it.contains_key("projectHash") || it.contains_key("startTime"))
        };
        let is_record =
            |it: &Members<'_>| is_meta(it) || it.contains_key("$set") || is(it, "type", "gemini");
        head.layout != Layout::List && head.objects.iter().any(is_record)
    }

    fn read(&self, source: &[u8], transcript: &mut Transcript) -> Result<(), SessionError> {
        let log = Log::of(source);
        if log.records == 0 {
            return Err(malformed(SessionFormat::Gemini, "it has no records"));
        }
        *transcript = log.transcript;
        Ok(())
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError> {
        let source = transcript.source();
        let log = Log::of(source);
        let messages = log.write(source, draft);
        if let Some(listed) = document(source) {
            return Ok(listed.with(&messages));
        }
        let line = format!("{{\"$set\":{{\"messages\":{}}}}}\n", list(&messages));
        let mut written = open_end(source);
        written.extend(line.into_bytes());
        Ok(written)
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        let at = time_text(turns.iter().find_map(|turn| turn.time));
        let name = transcript.session.as_deref().unwrap_or_default();
        let said: Vec<String> = turns.iter().map(joined).collect();
        let session = Name::of(&[&"gemini", &name, &said.join("\n")]).uuid();
        let directory = transcript.directory.as_deref().unwrap_or_default();
        let mut lines = vec![json!({
            "sessionId": session,
            "projectHash": Name::of(&[&directory]).digits(64),
            "startTime": at,
            "lastUpdated": at,
            "kind": "main",
        })];
        for (number, turn) in turns.iter().enumerate() {
            let id = Name::of(&[&session, &number]).uuid();
            let at = turn.time.map_or_else(|| at.clone(), |it| time_text(Some(it)));
            let next = turns.get(number + 1).filter(|next| next.role == Role::Tool);
            lines.extend(build_message((turn, next), (&id, &at), transcript));
        }
        let lines: Vec<String> = lines.iter().map(|it| format!("{it}\n")).collect();
        lines.concat().into_bytes()
    }
}

/// A log or a document, read to its end.
struct Log {
    transcript: Transcript,
    /// The message of each turn.
    messages: Vec<Range<usize>>,
    records: usize,
}

/// Messages in the order of their first appearance.
#[derive(Default)]
struct Messages {
    order: Vec<(String, Range<usize>)>,
    /// The place of each message in the order.
    index: BTreeMap<String, usize>,
    /// How many were written again or taken back.
    repeated: usize,
}

impl Messages {
    fn put(&mut self, id: String, place: Range<usize>) {
        match self.index.get(&id) {
            Some(at) => {
                self.order[*at].1 = place;
                self.repeated += 1;
            }
            None => {
                self.index.insert(id.clone(), self.order.len());
                self.order.push((id, place));
            }
        }
    }

    /// Takes back a message and what follows; all, if there is no such message.
    fn rewind(&mut self, id: &str) {
        let at = self.index.get(id).copied().unwrap_or(0);
        self.repeated += self.order.len() - at;
        for (id, _) in self.order.drain(at..) {
            self.index.remove(&id);
        }
    }

    fn clear(&mut self) {
        self.repeated += self.order.len();
        self.order.clear();
        self.index.clear();
    }
}

impl Log {
    fn of(source: &[u8]) -> Log {
        let mut log = Log {
            transcript: Transcript::empty(SessionFormat::Gemini),
            messages: Vec::new(),
            records: 0,
        };
        let mut messages = Messages::default();
        if let Some(listed) = document(source) {
            log.records = 1;
            log.transcript.session = string(listed.body.get("sessionId"));
            put_all(listed.source, &listed.records, &mut messages);
        } else {
            let mut remarks = Vec::new();
            each_entry(source, &mut remarks, |entry| {
                log.records += 1;
                log.record(entry.line, &entry.members, &mut messages);
                true
            });
            log.transcript.notes.extend(remarks);
        }
        for _ in 0..messages.repeated {
            log.transcript.pass_over("repeated");
        }
        log.turns(source, messages);
        log
    }

    fn record(&mut self, line: Source<'_>, record: &Members<'_>, messages: &mut Messages) {
        if let Some(id) = string(record.get("$rewindTo")) {
            messages.rewind(&id);
            self.transcript.pass_over("$rewindTo");
        } else if let Some(id) = string(record.get("id")) {
            messages.put(id, line.place(line.text.trim()));
        } else if let Some(set) = record.get("$set") {
            self.transcript.pass_over("$set");
            let set = members(set.get());
            if let Some(list) =
                set.get("messages").map(|it| it.get()).filter(|it| it.starts_with('['))
            {
                messages.clear();
                put_all(line, &elements(list), messages);
            }
            self.directories(&set);
        } else if let Some(session) = string(record.get("sessionId")) {
            self.transcript.pass_over("session");
            self.transcript.session = Some(session);
            self.directories(record);
            if let Some(list) = record.get("messages") {
                put_all(line, &elements(list.get()), messages);
            }
        } else {
            self.transcript.count_unknown("record");
        }
    }

    fn directories(&mut self, record: &Members<'_>) {
        let directories: Option<Vec<String>> =
            record.get("directories").and_then(|it| serde_json::from_str(it.get()).ok());
        if let Some(first) = directories.and_then(|it| it.into_iter().next()) {
            self.transcript.directory = Some(first);
        }
    }

    fn turns(&mut self, source: &[u8], messages: Messages) {
        let mut answered = BTreeSet::new();
        for (_, range) in messages.order {
            let text = text_at(source, range.clone());
            let start = range.start;
            let Ok(members) = serde_json::from_str::<Members<'_>>(text) else {
                continue;
            };
            let kind = string(members.get("type")).unwrap_or_default();
            match kind.as_str() {
                "user" | "gemini" => {
                    let turns = message_turns(Source { text, start }, &members, &mut answered);
                    if turns.is_empty() {
                        self.transcript.pass_over("repeated");
                    }
                    for turn in turns {
                        self.transcript.turns.push(turn);
                        self.messages.push(range.clone());
                    }
                }
                "info" | "error" | "warning" => self.transcript.pass_over(&kind),
                _ => self.transcript.count_unknown(&kind),
            }
        }
    }

    /// Writes the messages of a draft.
    fn write(&self, source: &[u8], draft: &Draft) -> Vec<String> {
        let kept = Kept::of(&self.transcript.turns, draft);
        let session = self.transcript.session.as_deref().unwrap_or_default();
        let mut at = time_text(self.transcript.turns.iter().find_map(|turn| turn.time));
        let mut written = Vec::new();
        for (number, turn) in draft.turns.iter().enumerate() {
            match turn {
                DraftTurn::New { role, text } => {
                    let id = Name::of(&[&session, &number, text]).uuid();
                    let kind = kind_of(*role);
                    let content = json!([{"text": text}]);
                    let message =
                        json!({"id": id, "timestamp": at, "type": kind, "content": content});
                    written.push(message.to_string());
                }
                DraftTurn::Of { turn, blocks } => {
                    let (Some(of), Some(range)) =
                        (self.transcript.turns.get(*turn), self.messages.get(*turn))
                    else {
                        continue;
                    };
                    // The results of a message are written with its calls.
                    let is_second = *turn > 0 && self.messages.get(turn - 1) == Some(range);
                    if is_second || of.stays(blocks).is_empty() {
                        continue;
                    }
                    at = of.time.map_or(at, |it| time_text(Some(it)));
                    let start = range.start;
                    let text = text_at(source, range.clone());
                    written.extend(write_message(Source { text, start }, &kept));
                }
            }
        }
        written
    }
}

/// Returns the messages of a source that is one document.
fn document(source: &[u8]) -> Option<Listed<'_>> {
    let listed = Listed::of(source, "messages", SessionFormat::Gemini).ok()?;
    listed.is_member().then_some(listed)
}

fn put_all(source: Source<'_>, list: &[&str], messages: &mut Messages) {
    for raw in list {
        if let Some(id) = string(members(raw).get("id")) {
            messages.put(id, source.place(raw));
        }
    }
}

fn kind_of(role: Role) -> &'static str {
    match role {
        Role::Assistant => "gemini",
        _ => "user",
    }
}

/// Writes a turn that was read from another format, with the results of its calls.
fn build_message(
    (turn, results): (&Turn, Option<&Turn>),
    (id, at): (&str, &str),
    transcript: &Transcript,
) -> Option<Value> {
    let mut parts: Vec<Value> = Vec::new();
    for block in &turn.blocks {
        match &block.content {
            Content::Text(text) if text.trim().is_empty() => {}
            Content::Text(text) => parts.push(json!({ "text": text })),
            Content::Image(_) => {
                parts.extend(pictures_of(transcript, block).iter().map(Picture::gemini_part));
            }
            _ => {}
        }
    }
    let pictures = |id: &str| {
        let is_it = |it: &&Block| matches!(&it.content, Content::Result(it) if it.call == id);
        let block = results.and_then(|it| it.blocks.iter().find(is_it));
        block.map_or_else(Vec::new, |it| pictures_of(transcript, it))
    };
    let calls: Vec<Value> = turn
        .calls()
        .map(|call| {
            let result = results.and_then(|it| it.results().find(|it| it.call == call.id));
            json!({
                "id": call.id,
                "name": call.name,
                "args": call.arguments,
                "result": result.map(|it| build_result(it, &call.name, &pictures(&call.id))),
                "status": if result.is_some_and(|it| it.is_error) { "error" } else { "success" },
                "timestamp": at,
            })
        })
        .collect();
    let is_said = matches!(turn.role, Role::User | Role::Assistant);
    if !is_said || parts.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = json!({
        "id": id,
        "timestamp": at,
        "type": kind_of(turn.role),
        "content": parts,
    });
    if !calls.is_empty() {
        message["toolCalls"] = Value::Array(calls);
    }
    if let Some(model) = &turn.model {
        message["model"] = Value::from(model.as_str());
    }
    Some(message)
}

fn build_result(result: &CallResult, name: &str, pictures: &[Picture]) -> Value {
    let key = if result.is_error { "error" } else { "output" };
    let response = json!({ key: result.text });
    let answer =
        json!({"functionResponse": {"id": result.call, "name": name, "response": response}});
    [answer].into_iter().chain(pictures.iter().map(Picture::gemini_part)).collect()
}

#[cfg(test)]
mod tests;
