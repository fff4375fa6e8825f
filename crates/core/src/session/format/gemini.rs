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

use super::items::Source;
use super::json::{Head, Layout, Members, lines, place, string};
use super::listed::unread;
use super::object::{elements, list};
use super::rounds::{check, digest, joined, time, uuid};
use super::{Adapter, SessionFormat, Violation};
use crate::session::draft::{Draft, DraftBlock, DraftTurn};
use crate::session::error::SessionError;
use crate::session::transcript::{CallResult, Role, Transcript, Turn};
use message::{Results, message_turns, write_message};

pub(super) struct Gemini;

impl Adapter for Gemini {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let is_meta = |it: &Members<'_>| {
            it.contains_key("sessionId")
                && (it.contains_key("projectHash") || it.contains_key("startTime"))
        };
        match head.layout {
            Layout::Lines | Layout::Object => {
                head.objects.iter().any(is_meta)
                    || head.any_has("$set")
                    || head.any_is("type", "gemini")
            }
            Layout::List => false,
        }
    }

    fn read(&self, source: Vec<u8>) -> Result<Transcript, SessionError> {
        let log = Log::of(&source);
        if log.records == 0 {
            return Err(SessionError::Malformed {
                format: SessionFormat::Gemini,
                reason: "it has no records".to_owned(),
            });
        }
        let mut transcript = log.transcript;
        let known = log.turns.iter().rev().find_map(|turn| turn.model.clone());
        transcript.model = known;
        transcript.turns = log.turns;
        transcript.source = source;
        Ok(transcript)
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Vec<u8> {
        let source = transcript.source();
        let log = Log::of(source);
        let messages = list(&log.write(source, draft));
        if let Some(Range { start, end }) = log.document {
            let mut written = source[..start].to_vec();
            written.extend(messages.into_bytes());
            written.extend(&source[end..]);
            return written;
        }
        let mut written = source.to_vec();
        if !written.ends_with(b"\n") {
            written.push(b'\n');
        }
        let line = format!(r#"{{"$set":{{"messages":{messages}}}}}"#);
        written.extend(line.into_bytes());
        written.push(b'\n');
        written
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        let at = time(turns.iter().find_map(|turn| turn.time));
        let name = transcript.session.as_deref().unwrap_or_default();
        let said: Vec<String> = turns.iter().map(joined).collect();
        let session = uuid(&["gemini", name, &said.join("\n")]);
        let directory = transcript.directory.as_deref().unwrap_or_default();
        let mut lines = vec![json!({
            "sessionId": session,
            "projectHash": digest(&[directory]),
            "startTime": at,
            "lastUpdated": at,
            "kind": "main",
        })];
        for (number, turn) in turns.iter().enumerate() {
            let id = uuid(&[&session, &number.to_string()]);
            let at = turn.time.map_or_else(|| at.clone(), |it| time(Some(it)));
            let next = turns.get(number + 1).filter(|next| next.role == Role::Tool);
            lines.extend(build_message(turn, next, &id, &at));
        }
        let lines: Vec<String> = lines.iter().map(|it| format!("{it}\n")).collect();
        lines.concat().into_bytes()
    }

    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        check(&transcript.turns)
    }
}

/// A log or a document, read to its end.
struct Log {
    /// All but the turns.
    transcript: Transcript,
    turns: Vec<Turn>,
    /// The message of each turn.
    messages: Vec<Range<usize>>,
    records: usize,
    /// Where the messages of a document stand.
    document: Option<Range<usize>>,
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
            turns: Vec::new(),
            messages: Vec::new(),
            records: 0,
            document: None,
        };
        let mut messages = Messages::default();
        if !log.document(source, &mut messages) {
            log.lines(source, &mut messages);
        }
        if messages.repeated > 0 {
            log.pass_over("repeated", messages.repeated);
        }
        log.turns(source, messages);
        log
    }

    fn pass_over(&mut self, kind: &str, count: usize) {
        *self
            .transcript
            .passed_over
            .entry(kind.to_owned())
            .or_default() += count;
    }

    /// Reads a source that is one object, if it is one.
    fn document(&mut self, source: &[u8], messages: &mut Messages) -> bool {
        let Ok(text) = std::str::from_utf8(source) else {
            return false;
        };
        let Ok(body) = serde_json::from_str::<Members<'_>>(text) else {
            return false;
        };
        let Some(list) = body.get("messages").map(|it| it.get()) else {
            return false;
        };
        self.transcript.session = string(body.get("sessionId"));
        self.document = Some(place(text, list));
        self.records += 1;
        put_all(Source { text, start: 0 }, list, messages);
        true
    }

    fn lines(&mut self, source: &[u8], messages: &mut Messages) {
        for (number, (range, line)) in lines(source).enumerate() {
            let start = range.start;
            let record = line.ok().and_then(|text| {
                let members: Members<'_> = serde_json::from_str(text).ok()?;
                Some((Source { text, start }, members))
            });
            match record {
                Some((line, record)) => {
                    self.records += 1;
                    self.record(line, &record, messages);
                }
                None => self.transcript.notes.push(unread(number + 1)),
            }
        }
    }

    fn record(&mut self, line: Source<'_>, record: &Members<'_>, messages: &mut Messages) {
        if let Some(id) = string(record.get("$rewindTo")) {
            messages.rewind(&id);
            self.pass_over("$rewindTo", 1);
        } else if let Some(id) = string(record.get("id")) {
            messages.put(id, line.place(line.text.trim()));
        } else if let Some(set) = record.get("$set") {
            self.pass_over("$set", 1);
            let set: Members<'_> = serde_json::from_str(set.get()).unwrap_or_default();
            if let Some(list) = set
                .get("messages")
                .map(|it| it.get())
                .filter(|it| it.starts_with('['))
            {
                messages.clear();
                put_all(line, list, messages);
            }
            self.directories(&set);
        } else if let Some(session) = string(record.get("sessionId")) {
            self.pass_over("session", 1);
            self.transcript.session = Some(session);
            self.directories(record);
            if let Some(list) = record.get("messages") {
                put_all(line, list.get(), messages);
            }
        } else {
            *self
                .transcript
                .unknown
                .entry("record".to_owned())
                .or_default() += 1;
        }
    }

    fn directories(&mut self, record: &Members<'_>) {
        let directories: Option<Vec<String>> = record
            .get("directories")
            .and_then(|it| serde_json::from_str(it.get()).ok());
        if let Some(first) = directories.and_then(|it| it.into_iter().next()) {
            self.transcript.directory = Some(first);
        }
    }

    fn turns(&mut self, source: &[u8], messages: Messages) {
        let mut answered = BTreeSet::new();
        for (_, range) in messages.order {
            let bytes = source.get(range.clone()).unwrap_or_default();
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            let start = range.start;
            let Ok(members) = serde_json::from_str::<Members<'_>>(text) else {
                continue;
            };
            let kind = string(members.get("type")).unwrap_or_default();
            match kind.as_str() {
                "user" | "gemini" => {
                    let turns = message_turns(Source { text, start }, &members, &mut answered);
                    if turns.is_empty() {
                        self.pass_over("repeated", 1);
                    }
                    for turn in turns {
                        self.turns.push(turn);
                        self.messages.push(range.clone());
                    }
                }
                "info" | "error" | "warning" => self.pass_over(&kind, 1),
                _ => *self.transcript.unknown.entry(kind).or_default() += 1,
            }
        }
    }

    /// Writes the messages of a draft.
    fn write(&self, source: &[u8], draft: &Draft) -> Vec<String> {
        let blocks: BTreeMap<usize, &[DraftBlock]> = draft
            .turns
            .iter()
            .filter_map(|turn| match turn {
                DraftTurn::Of { turn, blocks } => Some((*turn, blocks.as_slice())),
                DraftTurn::New { .. } => None,
            })
            .collect();
        let session = self.transcript.session.as_deref().unwrap_or_default();
        let mut at = time(self.turns.iter().find_map(|turn| turn.time));
        let mut written = Vec::new();
        for (number, turn) in draft.turns.iter().enumerate() {
            match turn {
                DraftTurn::New { role, text } => {
                    let id = uuid(&[session, &number.to_string(), text]);
                    let kind = kind_of(*role);
                    let content = json!([{"text": text}]);
                    let message =
                        json!({"id": id, "timestamp": at, "type": kind, "content": content});
                    written.push(message.to_string());
                }
                DraftTurn::Of { turn, blocks: kept } => {
                    let (Some(of), Some(range)) = (self.turns.get(*turn), self.messages.get(*turn))
                    else {
                        continue;
                    };
                    // The results of a message are written with its calls.
                    let is_second = *turn > 0 && self.messages.get(turn - 1) == Some(range);
                    if is_second {
                        continue;
                    }
                    at = of.time.map_or(at, |it| time(Some(it)));
                    let next = turn + 1;
                    let is_same = self.messages.get(next) == Some(range);
                    let results = self
                        .turns
                        .get(next)
                        .filter(|_| is_same)
                        .map(|turn| Results {
                            turn,
                            kept: blocks.get(&next).copied().unwrap_or_default(),
                        });
                    written.extend(write_message(source, range, (of, kept), results));
                }
            }
        }
        written
    }
}

fn put_all(source: Source<'_>, list: &str, messages: &mut Messages) {
    for raw in elements(list) {
        let members = serde_json::from_str::<Members<'_>>(raw).ok();
        if let Some(id) = members.and_then(|it| string(it.get("id"))) {
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
fn build_message(turn: &Turn, results: Option<&Turn>, id: &str, at: &str) -> Option<Value> {
    let texts = turn.texts().filter(|it| !it.trim().is_empty());
    let parts: Vec<Value> = texts.map(|it| json!({ "text": it })).collect();
    let calls: Vec<Value> = turn
        .calls()
        .map(|call| {
            let result = results.and_then(|it| it.results().find(|it| it.call == call.id));
            json!({
                "id": call.id,
                "name": call.name,
                "args": call.arguments,
                "result": result.map(|it| build_result(it, &call.name)),
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

fn build_result(result: &CallResult, name: &str) -> Value {
    let key = if result.is_error { "error" } else { "output" };
    let response = json!({ key: result.text });
    json!([{"functionResponse": {"id": result.call, "name": name, "response": response}}])
}

#[cfg(test)]
mod tests;
