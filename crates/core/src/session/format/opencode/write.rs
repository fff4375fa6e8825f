//! How a session of opencode is written: a draft of one, or turns of another format.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::json::{Object, list, quoted, string, with_members};
use super::super::names::Name;
use super::super::parts::{Kept, joined};
use super::super::pictures::{Picture, pictures_of};
use super::part::{build_tool, write_step};
use super::{Document, Message, Origin};
use crate::session::draft::{Draft, DraftTurn};
use crate::session::transcript::{Block, Content, Role, Transcript, Turn};

/// Writes the messages of a draft.
pub(super) struct Writer<'a> {
    document: &'a Document<'a>,
    kept: Kept<'a>,
    written: Vec<String>,
    /// The message that is being written: its number and its parts.
    open: Option<(usize, Vec<String>)>,
    /// Messages that were begun; what comes again needs another name.
    begun: BTreeSet<usize>,
    /// The id and time of the last message that has its own.
    last: (String, u64),
    added: usize,
}

impl<'a> Writer<'a> {
    /// Makes a writer that has written nothing.
    pub(super) fn new(document: &'a Document<'a>, draft: &'a Draft) -> Writer<'a> {
        let first = document.messages.first();
        let created = first.map_or(0, |it| created(&it.info));
        Writer {
            document,
            kept: Kept::of(&document.transcript.turns, draft),
            written: Vec::new(),
            open: None,
            begun: BTreeSet::new(),
            last: ("msg_000000000000".to_owned(), created.saturating_sub(1)),
            added: 0,
        }
    }

    /// Writes the messages of the draft.
    pub(super) fn write(mut self, draft: &'a Draft) -> Vec<String> {
        for turn in &draft.turns {
            match turn {
                DraftTurn::New { role, text } => self.add(*role, text),
                DraftTurn::Of { turn, .. } => self.copy(*turn),
            }
        }
        self.close();
        self.carry();
        self.written
    }

    /// Gives the instructions to another message if theirs is gone.
    fn carry(&mut self) {
        let Some(Origin::System { message }) = self.document.origins.first() else {
            return;
        };
        let system = self.document.transcript.turns.first().and_then(|it| it.blocks.first());
        let is_kept = system.is_some_and(|it| self.kept.said(&it.raw).is_some());
        if self.begun.contains(message) || !is_kept {
            return;
        }
        let is_user = |it: &&mut String| Message::of(it).role() == Role::User;
        let system = self.document.messages[*message].text("system");
        if let Some(last) = self.written.iter_mut().rev().find(is_user)
            && let Some(mut object) = Object::of(&last.clone())
        {
            let info = with(object.get("info").unwrap_or("{}"), "system", system);
            object.set("info", info);
            *last = object.to_string();
        }
    }

    /// Writes the parts that stay of a turn into its message.
    fn copy(&mut self, turn: usize) {
        let Some(Origin::Parts { message, parts }) = self.document.origins.get(turn) else {
            return;
        };
        let from = &self.document.messages[*message];
        let source = self.document.listed.source;
        let parts = write_step(source, &from.parts[parts.clone()], from.role(), &self.kept);
        if parts.is_empty() {
            return;
        }
        match &mut self.open {
            Some((number, written)) if number == message => written.extend(parts),
            _ => {
                self.close();
                self.open = Some((*message, parts));
            }
        }
    }

    /// Ends the message that is being written.
    fn close(&mut self) {
        let Some((number, parts)) = self.open.take() else {
            return;
        };
        let message = &self.document.messages[number];
        let mut object = Object::of(message.raw).unwrap_or_default();
        if self.begun.contains(&number) {
            let id = self.next_id();
            let info = with(object.get("info").unwrap_or("{}"), "id", &id);
            let parts: Vec<String> = parts.iter().map(|it| with(it, "messageID", &id)).collect();
            object.set("info", info);
            object.set("parts", list(&parts));
        } else {
            object.set("parts", list(&parts));
            self.begun.insert(number);
            self.last = (message.text("id").to_owned(), created(&message.info));
            self.added = 0;
        }
        self.written.push(object.to_string());
    }

    /// Writes a message that was not there.
    fn add(&mut self, role: Role, text: &str) {
        self.close();
        let session = string(self.document.info.get("id")).unwrap_or_default();
        let id = self.next_id();
        let at = self.last.1;
        let like = self.document.messages.iter().find(|it| it.role() == Role::User);
        let like = like.map(|it| &it.info).unwrap_or(&Value::Null);
        let role = match role {
            Role::Assistant => Role::Assistant,
            _ => Role::User,
        };
        let info = build_info(role, &id, &session, at, like);
        let part = text_part(&id, &session, text);
        self.written.push(json!({"info": info, "parts": [part]}).to_string());
    }

    /// Makes an id that sorts behind the last one.
    fn next_id(&mut self) -> String {
        self.added += 1;
        let (last, _) = &self.last;
        let stem: String = last.chars().take(16).collect();
        let tail = Name::of(&[last, &self.added]).digits(8);
        format!("{stem}zz{:04}{tail}", self.added)
    }
}

/// Sets a text of an object.
fn with(raw: &str, key: &str, text: &str) -> String {
    with_members(raw, [(key, quoted(text))])
}

fn created(info: &Value) -> u64 {
    info["time"]["created"].as_u64().unwrap_or(0)
}

fn text_part(message: &str, session: &str, text: &str) -> Value {
    let id = format!("prt_{}", Name::of(&[&message, &text]).digits(26));
    json!({"type": "text", "text": text, "id": id, "sessionID": session, "messageID": message})
}

/// Makes what opencode wants to know of a message; `like` is another of the session.
fn build_info(role: Role, id: &str, session: &str, at: u64, like: &Value) -> Value {
    let text = |value: &Value, or: &str| Value::from(value.as_str().unwrap_or(or));
    let agent = text(&like["agent"], "build");
    let provider = text(&like["model"]["providerID"], "unknown");
    let model = text(&like["model"]["modelID"], "unknown");
    match role {
        Role::Assistant => json!({
            "id": id,
            "sessionID": session,
            "role": "assistant",
            "time": {"created": at, "completed": at},
            "parentID": text(&like["id"], ""),
            "modelID": model,
            "providerID": provider,
            "mode": agent,
            "agent": agent,
            "path": {"cwd": ".", "root": "."},
            "cost": 0,
            "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}},
            "finish": "stop",
        }),
        _ => json!({
            "id": id,
            "sessionID": session,
            "role": "user",
            "time": {"created": at},
            "agent": agent,
            "model": {"providerID": provider, "modelID": model},
        }),
    }
}

/// Makes a document of turns that were read from another format. Instructions of the
/// system are left out: opencode sends its own, and of a session's only those that stand
/// on the newest message.
pub(super) fn build(turns: &[Turn], transcript: &Transcript) -> Value {
    let said: Vec<String> = turns.iter().map(joined).collect();
    let name = transcript.session.as_deref().unwrap_or_default();
    let session = Name::of(&[&"opencode", &name, &said.join("\n")]).digits(26);
    let session = format!("ses_{session}");
    let start = turns.iter().find_map(|it| it.time).map_or(0, |it| it.as_millisecond());
    let start = u64::try_from(start).unwrap_or(0);
    let mut messages: Vec<Value> = Vec::new();
    let mut like = json!({"model": {"modelID": transcript.model}});
    for (number, turn) in turns.iter().enumerate() {
        if !matches!(turn.role, Role::User | Role::Assistant) {
            continue;
        }
        let tail = Name::of(&[&session, &number]).digits(14);
        let id = format!("msg_{:012x}{tail}", number + 1);
        let results = turns.get(number + 1).filter(|it| it.role == Role::Tool);
        let parts = build_parts((turn, results), (&id, &session), transcript);
        if parts.is_empty() {
            continue;
        }
        let info = build_info(turn.role, &id, &session, start + number as u64, &like);
        if turn.role == Role::User {
            like["id"] = Value::from(id);
        }
        messages.push(json!({"info": info, "parts": parts}));
    }
    let end = start + turns.len() as u64;
    json!({
        "info": {
            "id": session,
            "slug": "converted",
            "projectID": "global",
            "directory": transcript.directory.as_deref().unwrap_or("."),
            "title": "converted session",
            "version": "0.0.0",
            "time": {"created": start, "updated": end},
        },
        "messages": messages,
    })
}

fn build_parts(
    (turn, results): (&Turn, Option<&Turn>),
    (message, session): (&str, &str),
    transcript: &Transcript,
) -> Vec<Value> {
    let mut parts: Vec<Value> = Vec::new();
    for block in &turn.blocks {
        match &block.content {
            Content::Text(text) if text.trim().is_empty() => {}
            Content::Text(text) => parts.push(text_part(message, session, text)),
            Content::Thinking(text) if turn.role == Role::Assistant => {
                let time = json!({"start": 0, "end": 0});
                parts.push(json!({"type": "reasoning", "text": text, "time": time}));
            }
            Content::Image(_) if turn.role == Role::User => {
                parts.extend(pictures_of(transcript, block).iter().map(Picture::opencode_part));
            }
            Content::Call(call) => {
                let answers =
                    |it: &&Block| matches!(&it.content, Content::Result(it) if it.call == call.id);
                let answer = results.and_then(|it| it.blocks.iter().find(answers));
                let pictures = answer.map_or_else(Vec::new, |it| pictures_of(transcript, it));
                let result = results.and_then(|it| it.results().find(|it| it.call == call.id));
                parts.push(build_tool(call, result, &pictures));
            }
            _ => {}
        }
    }
    for (number, part) in parts.iter_mut().enumerate() {
        // Parts are sorted by their ids.
        part["id"] = Value::from(format!("prt_{}{number:08}", &message[4..22]));
        part["sessionID"] = Value::from(session);
        part["messageID"] = Value::from(message);
    }
    parts
}
