//! Writes a trimmed session of Claude Code: the log, a boundary, and what stays.
//!
//! Lines that are written again keep all they have but their names and links,
//! what they say if that changed, and what was counted for them: that spoke of
//! a longer session, and the agent would compact again at once. Messages of the model
//! get new ids, too: the agent joins all lines of one id, wherever they stand, so that
//! with the old ids it would send the originals as well (measured: 1.5 to 3.5 times as
//! many tokens as the log holds after its boundary).

use std::collections::HashMap;
use std::ops::Range;

use super::record::{Record, Records};
use super::{Context, SYNTHETIC};
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn, Stays};
use crate::session::format::anthropic::write_block;
use crate::session::format::frame::{line_at, open_end};
use crate::session::format::json::{
    Object, members, quoted, quoted_or_null, string, text_at, with_members,
};
use crate::session::format::names::{Name, last_time};
use crate::session::format::parts::write_content;
use crate::session::transcript::{Block, Content, Role, Transcript, Turn};

/// Members of a line that say where and by whom it was written.
const COPIED: &[&str] = &[
    "isSidechain",
    "agentId",
    "teamName",
    "agentName",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "version",
    "gitBranch",
    "slug",
];

/// Writes a draft.
pub(super) fn write(transcript: &Transcript, draft: &Draft) -> Vec<u8> {
    let source = transcript.source();
    let records = Records::of(source, &mut Vec::new());
    let context = Context::of(&records);
    let last = context.path.entries.last().map(|it| &records.all[*it]);
    let mut writer = Writer {
        transcript,
        lines: open_end(source),
        common: last.map_or_else(Vec::new, common),
        time: last_time(records.all.iter().map(|it| &it.time)),
        parent: None,
        renamed: HashMap::new(),
        has_summary: false,
        is_past_messages: false,
    };
    writer.boundary(last.and_then(|it| it.uuid.as_deref()));
    let last_message = draft.turns.iter().rposition(|it| writer.is_message(it));
    for (number, turn) in draft.turns.iter().enumerate() {
        writer.is_past_messages = last_message.is_none_or(|last| number > last);
        match turn {
            DraftTurn::New { role, text } => writer.new_turn(*role, text),
            DraftTurn::Of { turn, blocks } => {
                if let Some(turn) = transcript.turns.get(*turn) {
                    writer.turn(turn, blocks);
                }
            }
        }
    }
    writer.lines
}

fn common(last: &Record<'_>) -> Vec<(&'static str, String)> {
    let members = members(last.line.text);
    let copied = COPIED.iter();
    copied.filter_map(|key| Some((*key, members.get(*key)?.get().to_owned()))).collect()
}

struct Writer<'a> {
    transcript: &'a Transcript,
    lines: Vec<u8>,
    common: Vec<(&'static str, String)>,
    time: String,
    /// The line before.
    parent: Option<String>,
    /// What lines that were written again are called now.
    renamed: HashMap<String, String>,
    has_summary: bool,
    /// Whether no message follows. The agent goes on from the last message, so
    /// what else stands behind it must become one.
    is_past_messages: bool,
}

impl Writer<'_> {
    fn push(&mut self, uuid: String, line: &str) {
        self.lines.extend_from_slice(line.as_bytes());
        self.lines.push(b'\n');
        self.parent = Some(uuid);
    }

    /// A name for the next line, which holds this.
    fn name(&self, content: &str) -> String {
        let parent = self.parent.as_deref().unwrap_or_default();
        Name::of(&[&parent, &self.lines.len(), &content]).uuid()
    }

    /// Writes a line that was not there before.
    fn new_line(&mut self, kind: &str, rest: &[(&str, String)]) {
        let parent = quoted_or_null(self.parent.as_deref());
        let mut members = vec![("parentUuid", parent)];
        if !self.common.iter().any(|it| it.0 == "isSidechain") {
            members.push(("isSidechain", "false".to_owned()));
        }
        members.extend(self.common.iter().cloned());
        members.push(("type", quoted(kind)));
        members.extend_from_slice(rest);
        let mut line = Object::new(members);
        let uuid = self.name(&line.to_string());
        line.set("uuid", quoted(&uuid));
        line.set("timestamp", quoted(&self.time));
        let line = line.to_string();
        self.push(uuid, &line);
    }

    fn boundary(&mut self, last: Option<&str>) {
        let mut metadata = vec![("trigger", quoted("manual"))];
        if let Some(tokens) = self.transcript.last_counted() {
            metadata.push(("preTokens", tokens.to_string()));
        }
        self.new_line(
            "system",
            &[
                ("logicalParentUuid", quoted_or_null(last)),
                ("subtype", quoted("compact_boundary")),
                ("content", quoted("Conversation compacted")),
                ("isMeta", "false".to_owned()),
                ("level", quoted("info")),
                ("compactMetadata", Object::new(metadata).to_string()),
            ],
        );
    }

    fn new_turn(&mut self, role: Role, text: &str) {
        if role == Role::Assistant {
            let message = new_message(self.transcript, &self.name(text), text);
            return self.new_line("assistant", &[("message", message)]);
        }
        let mut members = vec![("message", user_message(text))];
        if role == Role::User && !std::mem::replace(&mut self.has_summary, true) {
            members.push(("isVisibleInTranscriptOnly", "true".to_owned()));
            members.push(("isCompactSummary", "true".to_owned()));
        }
        self.new_line("user", &members);
    }

    /// Writes the lines of a turn again, with the blocks that stay.
    fn turn(&mut self, turn: &Turn, blocks: &[DraftBlock]) {
        let source = self.transcript.source();
        let mut lines: Vec<(Range<usize>, Vec<Stays<'_>>)> = Vec::new();
        for stays in turn.stays(blocks) {
            let place = line_at(source, stays.0.raw.start);
            match lines.last_mut() {
                Some((last, blocks)) if *last == place => blocks.push(stays),
                _ => lines.push((place, vec![stays])),
            }
        }
        for (place, blocks) in lines {
            self.line(text_at(source, place), &blocks);
        }
    }

    /// Tells whether a turn is written as messages, not as what the agent says on its own.
    fn is_message(&self, turn: &DraftTurn) -> bool {
        let DraftTurn::Of { turn, blocks } = turn else {
            return true;
        };
        let turn = self.transcript.turns.get(*turn);
        let block = turn.and_then(|it| it.blocks.get(blocks.first()?.block));
        let is_message = |block: &Block| {
            let source = self.transcript.source();
            let line = text_at(source, line_at(source, block.raw.start));
            members(line).contains_key("message")
        };
        block.is_some_and(is_message)
    }

    fn line(&mut self, line: &str, blocks: &[Stays<'_>]) {
        let members = members(line);
        let mut changes = Vec::new();
        if let Some(message) = members.get("message") {
            let message = message.get();
            changes.push(("message", self.message(message, blocks)));
        } else if let Some(text) = self.plain_words(blocks) {
            let rest = [("message", user_message(text)), ("isMeta", "true".to_owned())];
            return self.new_line("user", &rest);
        }
        changes.push(("parentUuid", quoted_or_null(self.parent.as_deref())));
        let old = string(members.get("uuid"));
        let uuid = self.name(old.as_deref().unwrap_or(line));
        changes.push(("uuid", quoted(&uuid)));
        let caller = string(members.get("sourceToolAssistantUUID"));
        if let Some(caller) = caller.and_then(|it| self.renamed.get(&it)) {
            changes.push(("sourceToolAssistantUUID", quoted(caller)));
        }
        if let Some(old) = old {
            self.renamed.insert(old, uuid.clone());
        }
        self.push(uuid, &with_members(line.trim_end(), changes));
    }

    /// What the agent said on its own, if it says it otherwise now.
    fn plain_words<'b>(&self, blocks: &[Stays<'b>]) -> Option<&'b str> {
        let (block, change) = blocks.first()?;
        match (change, &block.content) {
            (Some(Change::Text(text)), _) => Some(text),
            (None, Content::Text(text)) if self.is_past_messages => Some(text),
            _ => None,
        }
    }

    fn message(&self, message: &str, blocks: &[Stays<'_>]) -> String {
        let blocks = blocks.iter();
        let content = blocks.map(|(block, change)| self.content(block, *change));
        let content = write_content(&content.collect::<Vec<_>>());
        let members = members(message);
        let usage = members.get("usage").map(|it| ("usage", nothing_counted(it.get())));
        let id = string(members.get("id")).map(|it| ("id", quoted(&self.message_id(&it))));
        with_members(message, [("content", content)].into_iter().chain(usage).chain(id))
    }

    /// The new id of a message; all of its lines get the same.
    fn message_id(&self, old: &str) -> String {
        let name = Name::of(&[&self.transcript.source().len(), &old]);
        format!("msg_{}", name.uuid().replace('-', ""))
    }

    fn content(&self, block: &Block, change: Option<&Change>) -> String {
        let raw = self.transcript.raw(block);
        match (change, raw.starts_with('"')) {
            (Some(Change::Text(text)), true) => quoted(text),
            (None, true) => raw.to_owned(),
            (Some(Change::Text(_)), false) if is_other(block) => raw.to_owned(),
            _ => write_block(raw, change),
        }
    }
}

/// Tells whether a block cannot become a text.
fn is_other(block: &Block) -> bool {
    matches!(block.content, Content::Thinking(_) | Content::Other(_))
}

/// Nothing was billed for a line that is written again; the first one has the bill.
fn nothing_counted(usage: &str) -> String {
    let members = members(usage);
    let counted = members.keys().filter(|key| key.ends_with("_tokens")).cloned();
    let counted: Vec<String> = counted.collect();
    with_members(usage, counted.iter().map(|key| (key.as_str(), "0".to_owned())))
}

fn new_message(transcript: &Transcript, name: &str, text: &str) -> String {
    let model = transcript.model.as_deref().unwrap_or(SYNTHETIC);
    let block = Object::new([("type", quoted("text")), ("text", quoted(text))]);
    message(name, model, &block.to_string())
}

fn user_message(text: &str) -> String {
    let members = [("role", quoted("user")), ("content", quoted(text))];
    Object::new(members).to_string()
}

/// Writes a message of the model with one block.
pub(super) fn message(name: &str, model: &str, block: &str) -> String {
    let id = format!("msg_{}", name.replace('-', ""));
    let usage = [("input_tokens", "0".to_owned()), ("output_tokens", "0".to_owned())];
    let message = Object::new([
        ("id", quoted(&id)),
        ("type", quoted("message")),
        ("role", quoted("assistant")),
        ("model", quoted(model)),
        ("content", format!("[{block}]")),
        ("stop_reason", "null".to_owned()),
        ("stop_sequence", "null".to_owned()),
        ("usage", Object::new(usage).to_string()),
    ]);
    message.to_string()
}
