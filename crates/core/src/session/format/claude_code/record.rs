//! The lines of a session of Claude Code and how they hang together.

use std::collections::HashSet;

use serde_json::value::RawValue;

use super::attachment;
use crate::Remark;
use crate::session::format::anthropic;
use crate::session::format::frame::{Entry, each_entry};
use crate::session::format::json::{Members, Source, members, string};
use crate::session::format::links::{Links, Path, Start};
use crate::session::transcript::{Block, Content};

/// Types of lines that no model is shown.
const PASSED_OVER: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "attribution-snapshot",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "summary",
    "tag",
    "task-summary",
    "worktree-state",
];

/// Tells whether lines of a type are known to be no context.
pub(super) fn is_passed_over(kind: &str) -> bool {
    PASSED_OVER.contains(&kind)
}

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    /// Something that the agent tells the model on its own.
    Attachment,
    /// What a command of the user printed.
    LocalCommand,
    /// Where a compaction took place.
    Boundary,
    /// No context.
    Passed(String),
    /// Not known.
    Unknown(String),
}

/// A line.
pub(super) struct Record<'a> {
    pub(super) kind: Kind,
    pub(super) line: Source<'a>,
    pub(super) uuid: Option<String>,
    pub(super) time: Option<String>,
    is_side: bool,
    /// What is said: a message, an attachment, or the output of a command.
    said: Option<&'a RawValue>,
    message_id: Option<String>,
}

impl<'a> Record<'a> {
    fn of(entry: &Entry<'a>) -> Record<'a> {
        let members = &entry.members;
        let kind = kind(members);
        let said = match kind {
            Kind::Attachment => members.get("attachment"),
            Kind::LocalCommand => members.get("content"),
            _ => members.get("message"),
        };
        let mut record = Record {
            kind,
            line: entry.line,
            uuid: string(members.get("uuid")),
            time: string(members.get("timestamp")),
            is_side: is_true(members, "isSidechain"),
            said: said.copied(),
            message_id: None,
        };
        if record.kind == Kind::Assistant {
            let id = record.of_message("id");
            record.message_id = id.and_then(|raw| serde_json::from_str(raw).ok());
        }
        record
    }

    /// Tells whether a model is shown lines of this kind.
    pub(super) fn is_shown(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant | Kind::Attachment | Kind::LocalCommand)
    }

    fn is_message(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant)
    }

    /// The id of the message of the model that the line is a part of.
    pub(super) fn message_id(&self) -> Option<&str> {
        self.message_id.as_deref()
    }

    /// Returns a member of the message as JSON.
    pub(super) fn of_message(&self, key: &str) -> Option<&'a str> {
        let members = members(self.said?.get());
        members.get(key).map(|raw| raw.get())
    }

    /// Reads what the line says. The blocks know their places in the source.
    ///
    /// Models now and then say nothing but line breaks, which the agent does not
    /// send back, since providers refuse that.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let Some(said) = self.said else {
            return Vec::new();
        };
        let mut blocks = match self.kind {
            Kind::User | Kind::Assistant => {
                let members = members(said.get());
                let content = members.get("content");
                content.map_or_else(Vec::new, |it| anthropic::blocks(self.line, it))
            }
            Kind::Attachment => {
                let text = attachment::text(said.get()).into_iter();
                let raw = self.line.place(said.get());
                text.map(|it| Block::new(Content::Text(it), raw.clone())).collect()
            }
            _ => anthropic::blocks(self.line, said),
        };
        let is_blank =
            |it: &Block| matches!(&it.content, Content::Text(it) if it.trim().is_empty());
        blocks.retain(|block| !is_blank(block));
        blocks
    }

    /// The calls that the line answers.
    pub(super) fn answers(&self) -> Vec<String> {
        // Most lines of the user answer something, but texts can be long.
        if !self.line.text.contains("\"tool_result\"") {
            return Vec::new();
        }
        let answered = |block: Block| match block.content {
            Content::Result(result) => Some(result.call),
            _ => None,
        };
        self.blocks().into_iter().filter_map(answered).collect()
    }

    /// The calls that the line makes.
    pub(super) fn calls(&self) -> Vec<String> {
        if self.kind != Kind::Assistant {
            return Vec::new();
        }
        let made = |block: Block| match block.content {
            Content::Call(call) => Some(call.id),
            _ => None,
        };
        self.blocks().into_iter().filter_map(made).collect()
    }
}

fn kind(members: &Members<'_>) -> Kind {
    let name = string(members.get("type")).unwrap_or_default();
    match name.as_str() {
        "user" if members.contains_key("message") => Kind::User,
        // What went wrong is shown to the user alone.
        "assistant" if is_true(members, "isApiErrorMessage") => {
            Kind::Passed("assistant/error".to_owned())
        }
        "assistant" if members.contains_key("message") => Kind::Assistant,
        "attachment" => attachment_kind(members),
        "system" => match string(members.get("subtype")).unwrap_or_default().as_str() {
            "compact_boundary" => Kind::Boundary,
            "local_command" => Kind::LocalCommand,
            subtype => Kind::Passed(format!("system/{subtype}")),
        },
        name if is_passed_over(name) => Kind::Passed(name.to_owned()),
        "" => Kind::Unknown("no type".to_owned()),
        name => Kind::Unknown(name.to_owned()),
    }
}

fn attachment_kind(members: &Members<'_>) -> Kind {
    let inner = members.get("attachment").map_or("", |attachment| attachment.get());
    let inner = self::members(inner);
    let name = string(inner.get("type")).unwrap_or_default();
    match attachment::fate(&name, &inner) {
        attachment::Fate::Shown => Kind::Attachment,
        attachment::Fate::Hidden => Kind::Passed(format!("attachment/{name}")),
        attachment::Fate::Unknown => Kind::Unknown(format!("attachment/{name}")),
    }
}

fn is_true(members: &Members<'_>, key: &str) -> bool {
    members.get(key).is_some_and(|raw| raw.get() == "true")
}

/// The lines of a session.
#[derive(Default)]
pub(super) struct Records<'a> {
    pub(super) all: Vec<Record<'a>>,
    pub(super) links: Links,
    /// The leaf that the agent wrote down, and whether the user chose it.
    leaf: Option<(String, bool)>,
    /// Whether every message is of a side chain: the log of an agent that another one called.
    is_side: bool,
    /// Lines that a compaction took out of the tree.
    gone: HashSet<usize>,
}

impl<'a> Records<'a> {
    /// Reads the lines of a source; those that cannot be read are noted.
    pub(super) fn of(source: &'a [u8], notes: &mut Vec<Remark>) -> Records<'a> {
        let mut records = Records::default();
        let mut preserved = None;
        let mut is_linked = false;
        each_entry(source, notes, |entry| {
            let record = Record::of(&entry);
            let parent = string(entry.members.get("parentUuid"));
            is_linked |= parent.is_some();
            match &record.kind {
                Kind::Boundary => {
                    records.leaf = None;
                    preserved = Preserved::of(&entry.members, records.all.len());
                }
                Kind::Passed(kind) if kind == "last-prompt" => {
                    let leaf = string(entry.members.get("leafUuid"));
                    let leaf = leaf.map(|it| (it, is_true(&entry.members, "explicit")));
                    records.leaf = leaf.or(records.leaf.take());
                }
                _ => {}
            }
            records.links.add(record.uuid.as_deref(), parent);
            records.all.push(record);
            true
        });
        let mut messages = records.all.iter().filter(|it| it.is_message());
        records.is_side = messages.all(|it| it.is_side);
        if !is_linked {
            records.link_in_order();
        }
        if let Some(preserved) = preserved {
            preserved.relink(&mut records);
        }
        records
    }

    /// Links lines that name no parents, as they are printed rather than stored.
    fn link_in_order(&mut self) {
        let mut before: Option<&str> = None;
        for (number, record) in self.all.iter().enumerate() {
            if let Some(before) = before.filter(|_| record.kind != Kind::Boundary) {
                self.links.set_parent(number, before);
            }
            before = record.uuid.as_deref().or(before);
        }
    }

    /// Tells whether a line is of the conversation itself.
    pub(super) fn is_main(&self, record: &Record<'_>) -> bool {
        record.is_side == self.is_side
    }

    /// Tells whether a line is the one that its uuid leads to.
    pub(super) fn survives(&self, number: usize) -> bool {
        let uuid = self.all.get(number).and_then(|it| it.uuid.as_deref());
        uuid.is_none_or(|uuid| self.links.find(uuid) == Some(number))
            && !self.gone.contains(&number)
    }

    /// Returns the line that the next one would be added to.
    ///
    /// That is the last line, or the leaf that the agent wrote down if the last
    /// line does not come from it.
    pub(super) fn leaf(&self) -> Option<usize> {
        let is_tail = |it: &usize| {
            let record = &self.all[*it];
            record.uuid.is_some() && self.is_main(record) && self.survives(*it)
        };
        let tail = (0..self.all.len()).rev().find(is_tail);
        let noted = self.leaf.as_ref();
        let noted = noted.and_then(|(uuid, is_chosen)| Some((self.links.find(uuid)?, *is_chosen)));
        let leaf = match (noted, tail) {
            (Some((leaf, false)), Some(tail)) => {
                let is_before = self.links.path(tail).entries.contains(&leaf);
                Some(if is_before { tail } else { leaf })
            }
            (Some((leaf, _)), _) => Some(leaf),
            (None, tail) => tail,
        };
        let spoken = leaf.and_then(|leaf| {
            let path = self.links.path(leaf);
            let mut upwards = path.entries.into_iter().rev();
            upwards.find(|it| self.all[*it].is_message())
        });
        // A compaction that was cut off leaves a boundary that nothing follows.
        spoken.or_else(|| {
            let is_spoken = |it: &usize| {
                let record = &self.all[*it];
                record.is_message() && self.is_main(record) && self.survives(*it)
            };
            (0..self.all.len()).rev().find(is_spoken)
        })
    }

    /// Returns the lines that lead to a leaf.
    pub(super) fn path(&self, leaf: usize) -> Path {
        let mut path = self.links.path(leaf);
        let cut = path.entries.iter().rposition(|it| self.gone.contains(it));
        if let Some(cut) = cut {
            path.entries.drain(..=cut);
            path.start = Start::Root;
        }
        path
    }

    /// Returns the nearest line above that is part of the conversation.
    pub(super) fn spoken_parent(&self, number: usize) -> Option<usize> {
        let mut parent = self.links.parent(number)?;
        for _ in 0..self.all.len() {
            if self.all[parent].is_shown() {
                return Some(parent);
            }
            parent = self.links.parent(parent)?;
        }
        None
    }
}

/// Lines from before a boundary that a compaction kept.
struct Preserved {
    boundary: usize,
    /// What the lines follow now.
    anchor: String,
    /// The first and the last, or all of them.
    lines: Kept,
}

enum Kept {
    Between(String, String),
    All(Vec<String>),
}

impl Preserved {
    fn of(members: &Members<'_>, boundary: usize) -> Option<Preserved> {
        let metadata = members.get("compactMetadata")?;
        let metadata: Members<'_> = serde_json::from_str(metadata.get()).ok()?;
        let (inner, is_list) = match metadata.get("preservedMessages") {
            Some(list) => (list, true),
            None => (metadata.get("preservedSegment")?, false),
        };
        let inner: Members<'_> = serde_json::from_str(inner.get()).ok()?;
        let lines = if is_list {
            Kept::All(serde_json::from_str(inner.get("uuids")?.get()).ok()?)
        } else {
            Kept::Between(string(inner.get("headUuid"))?, string(inner.get("tailUuid"))?)
        };
        Some(Preserved { boundary, anchor: string(inner.get("anchorUuid"))?, lines })
    }

    /// Puts the lines after their anchor, and takes what else is before the boundary out.
    fn relink(self, records: &mut Records<'_>) {
        let lines = match self.lines {
            Kept::All(lines) => lines,
            Kept::Between(head, tail) => {
                let Some(tail) = records.links.find(&tail) else {
                    return;
                };
                let path = records.links.path(tail).entries;
                let uuids = path
                    .iter()
                    .filter_map(|it| records.all[*it].uuid.clone())
                    .skip_while(|uuid| *uuid != head);
                uuids.collect()
            }
        };
        let numbers: Vec<usize> = lines.iter().filter_map(|it| records.links.find(it)).collect();
        let Some(last) = lines.last().filter(|_| numbers.len() == lines.len()) else {
            return;
        };
        for number in 0..records.all.len() {
            let follows = records.links.parent_name(number) == Some(&self.anchor);
            if follows && !numbers.contains(&number) {
                records.links.set_parent(number, last);
            }
        }
        let anchors = std::iter::once(&self.anchor).chain(&lines);
        for (number, parent) in numbers.iter().zip(anchors) {
            records.links.set_parent(*number, parent);
        }
        let kept: HashSet<usize> = numbers.into_iter().collect();
        records.gone = (0..self.boundary).filter(|it| !kept.contains(it)).collect();
    }
}
