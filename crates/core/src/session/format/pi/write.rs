//! Writes a trimmed session of pi: the log, a compaction, and what stays.

use std::collections::HashSet;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::message::{Speaker, result_key, role};
use super::{Context, Items, Kind};
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn, Stays};
use crate::session::format::frame::{line_at, open_end};
use crate::session::format::json::{Object, members, quoted, quoted_or_null, value, with_members};
use crate::session::format::names::{Name, last_time};
use crate::session::format::parts::{new_text, with_result_text, with_text, write_content};
use crate::session::transcript::{Block, Content, Role, Transcript, Turn};

/// Writes a draft.
pub(super) fn write(transcript: &Transcript, draft: &Draft) -> Vec<u8> {
    let source = transcript.source();
    let items = Items::of(source, &mut Vec::new());
    let mut writer = Writer {
        transcript,
        items: &items,
        lines: open_end(source),
        ids: items.all.iter().filter_map(|it| it.id.clone()).collect(),
        parent: items.leaf().and_then(|leaf| items.all[leaf].id.clone()),
        time: last_time(items.all.iter().map(|it| &it.time)),
    };
    let (summary, rest) = writer.summary(draft);
    let kept = writer.kept_whole(rest);
    writer.compaction(&summary, kept);
    if kept.is_none() {
        for turn in rest {
            writer.turn(turn);
        }
    }
    writer.lines
}

struct Writer<'a> {
    transcript: &'a Transcript,
    items: &'a Items<'a>,
    lines: Vec<u8>,
    /// The ids that are in use.
    ids: HashSet<String>,
    /// The entry before.
    parent: Option<String>,
    time: String,
}

impl Writer<'_> {
    /// Splits a draft into words for the summary and the turns after it.
    fn summary<'d>(&self, draft: &'d Draft) -> (String, &'d [DraftTurn]) {
        let text = match draft.turns.first() {
            Some(DraftTurn::New { role: Role::User, text }) => Some(text.clone()),
            Some(DraftTurn::Of { turn, blocks }) => self.summary_again(*turn, blocks),
            _ => None,
        };
        match text {
            Some(text) => (text, &draft.turns[1..]),
            None => (String::new(), &draft.turns),
        }
    }

    /// The words of a summary that was there before.
    fn summary_again(&self, turn: usize, blocks: &[DraftBlock]) -> Option<String> {
        let turn = self.transcript.turns.get(turn)?;
        let [it] = blocks else { return None };
        let block = turn.blocks.get(it.block)?;
        let item = self.item_of(block)?;
        match (&self.items.all[item].kind, &it.change, &block.content) {
            (Kind::Compaction, Some(Change::Text(text)), _) => Some(text.clone()),
            (Kind::Compaction, None, Content::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// Returns the number of the entry that a block stands in.
    fn item_of(&self, block: &Block) -> Option<usize> {
        let start = line_at(self.transcript.source(), block.raw.start).start;
        let items = &self.items.all;
        items.binary_search_by_key(&start, |it| it.line.start).ok()
    }

    /// Returns the first entry of turns that are the end of the session as it was.
    fn kept_whole(&self, turns: &[DraftTurn]) -> Option<usize> {
        let all = self.transcript.turns.len();
        let first = all.checked_sub(turns.len()).filter(|it| *it < all)?;
        let is_kept = |(number, turn): (usize, &DraftTurn)| {
            *turn == DraftTurn::kept(self.transcript, first + number)
        };
        if !turns.iter().enumerate().all(is_kept) {
            return None;
        }
        let item = self.item_of(self.transcript.turns[first].blocks.first()?)?;
        let context = Context::of(self.items);
        let id = self.items.all[item].id.as_deref();
        let is_found =
            self.items.is_linear || id.is_some_and(|id| self.items.links.find(id) == Some(item));
        let is_kept = self.items.all[item].kind != Kind::Compaction;
        (is_found && is_kept && context.path.entries.contains(&item)).then_some(item)
    }

    fn compaction(&mut self, summary: &str, kept: Option<usize>) {
        let tokens = self.transcript.last_counted().unwrap_or(0);
        let summary = quoted(summary);
        let own = self.new_id(&summary);
        let first = match (self.items.is_linear, kept) {
            (true, kept) => {
                let number = kept.unwrap_or(self.items.all.len());
                ("firstKeptEntryIndex", number.to_string())
            }
            (false, Some(item)) => {
                let id = self.items.all[item].id.as_deref();
                ("firstKeptEntryId", quoted(id.unwrap_or(&own)))
            }
            (false, None) => ("firstKeptEntryId", quoted(&own)),
        };
        let tokens = ("tokensBefore", tokens.to_string());
        self.new_entry("compaction", own, &[("summary", summary), first, tokens]);
    }

    /// Returns an id that is not in use, for an entry that holds this.
    fn new_id(&mut self, content: &str) -> String {
        let parent = self.parent.as_deref().unwrap_or_default();
        let name = Name::of(&[&parent, &self.lines.len(), &content]);
        // pi's ids have eight digits; more are taken if those are in use.
        let candidates = (8..=64).map(|count| name.digits(count));
        let id = candidates.into_iter().find(|id| !self.ids.contains(id));
        let id = id.unwrap_or_else(|| name.uuid());
        self.ids.insert(id.clone());
        id
    }

    fn push(&mut self, id: String, line: &str) {
        self.lines.extend_from_slice(line.as_bytes());
        self.lines.push(b'\n');
        self.parent = Some(id);
    }

    /// The members that make an entry a part of the tree.
    fn links(&self, id: &str) -> Vec<(&'static str, String)> {
        if self.items.is_linear {
            return Vec::new();
        }
        let parent = quoted_or_null(self.parent.as_deref());
        vec![("id", quoted(id)), ("parentId", parent)]
    }

    fn new_entry(&mut self, kind: &str, id: String, rest: &[(&str, String)]) {
        let mut members: Vec<(&str, String)> = vec![("type", quoted(kind))];
        members.extend(self.links(&id));
        members.push(("timestamp", quoted(&self.time)));
        members.extend_from_slice(rest);
        self.push(id, &Object::new(members).to_string());
    }

    fn new_message(&mut self, role: Role, text: &str) {
        let message = match role {
            Role::Assistant => self.assistant_message(text),
            _ => self.user_message(text),
        };
        let id = self.new_id(&message);
        self.new_entry("message", id, &[("message", message)]);
    }

    fn turn(&mut self, turn: &DraftTurn) {
        match turn {
            DraftTurn::New { role, text } => self.new_message(*role, text),
            DraftTurn::Of { turn, blocks } => {
                if let Some(turn) = self.transcript.turns.get(*turn) {
                    self.turn_again(turn, blocks);
                }
            }
        }
    }

    /// Writes the entry of a turn again, with the blocks that stay.
    fn turn_again(&mut self, turn: &Turn, blocks: &[DraftBlock]) {
        let stay = turn.stays(blocks);
        let Some((first, change)) = stay.first() else {
            return;
        };
        let Some(item) = self.item_of(first).map(|it| &self.items.all[it]) else {
            return;
        };
        let members = item.members();
        let mut changes = match (&item.kind, members.get("message")) {
            (Kind::Message, Some(raw)) => {
                let message = match (role(raw), change) {
                    // What was made of several members is said in plain words now.
                    (Some(Speaker::Command | Speaker::Summary), Some(Change::Text(text))) => {
                        self.user_message(text)
                    }
                    (Some(Speaker::Command | Speaker::Summary), _) => raw.get().to_owned(),
                    (Some(Speaker::Result), change) => result_again(raw.get(), *change),
                    _ => self.message_again(raw.get(), &stay),
                };
                vec![("message", message)]
            }
            (Kind::Custom, _) => vec![("content", self.content(&stay))],
            (Kind::Branch, _) => match change {
                Some(Change::Text(text)) => vec![("summary", quoted(text))],
                _ => Vec::new(),
            },
            // A summary that another one stands before.
            _ => {
                if let (_, Some(Change::Text(text))) | (Content::Text(text), None) =
                    (&first.content, change)
                {
                    self.new_message(Role::User, text);
                }
                return;
            }
        };
        let id = self.new_id(item.id.as_deref().unwrap_or(item.line.text));
        changes.extend(self.links(&id));
        self.push(id, &with_members(item.line.text, changes));
    }

    fn user_message(&self, text: &str) -> String {
        let content = json!([{"type": "text", "text": text}]);
        json!({"role": "user", "content": content, "timestamp": self.millisecond()}).to_string()
    }

    fn assistant_message(&self, text: &str) -> String {
        json!({
            "role": "assistant",
            "content": [{"type": "text", "text": text}],
            "api": "unknown",
            "provider": "unknown",
            "model": self.transcript.model.as_deref().unwrap_or("unknown"),
            "usage": no_usage(),
            "stopReason": "stop",
            "timestamp": self.millisecond(),
        })
        .to_string()
    }

    fn millisecond(&self) -> i64 {
        let time: Timestamp = self.time.parse().unwrap_or_default();
        time.as_millisecond()
    }

    fn message_again(&self, message: &str, stay: &[Stays<'_>]) -> String {
        let mut changes = vec![("content", self.content(stay))];
        if members(message).contains_key("usage") {
            // It spoke of a longer session, and pi would compact again at once.
            changes.push(("usage", no_usage().to_string()));
        }
        with_members(message, changes)
    }

    fn content(&self, stay: &[Stays<'_>]) -> String {
        let blocks = stay.iter();
        let blocks: Vec<String> = blocks
            .map(|(block, change)| write_block(self.transcript.raw(block), block, *change))
            .collect();
        write_content(&blocks)
    }
}

/// Writes a block, changed or byte for byte.
fn write_block(raw: &str, block: &Block, change: Option<&Change>) -> String {
    match (&block.content, change) {
        (Content::Result(_), change) => result_again(raw, change),
        (content @ (Content::Text(_) | Content::Image(_)), Some(Change::Text(text))) => {
            with_text(raw, content, "text", text)
        }
        (Content::Call(_), Some(Change::Arguments(arguments))) => {
            with_members(raw, [("arguments", arguments.to_string())])
        }
        _ => raw.to_owned(),
    }
}

/// Writes a result; parts that are not text stay.
fn result_again(raw: &str, change: Option<&Change>) -> String {
    let Some(text) = new_text(change) else {
        return raw.to_owned();
    };
    let key = result_key(&value(raw));
    let content = members(raw).get(key).map_or("", |it| it.get());
    with_members(raw, [(key, with_result_text(content, "text", text))])
}

/// What is counted for a message that no provider counted.
pub(super) fn no_usage() -> Value {
    let cost = json!({"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0});
    json!({
        "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": cost,
    })
}
