//! Sessions of pi: one entry on each line, linked to a tree by `id` and `parentId`.
//!
//! What is context follows pi's own rules: the path to the last entry; after a
//! compaction its summary, the entries from the first one that it keeps, and
//! what came later. Results are messages of their own. The words that pi puts
//! around summaries are its own and are not part of the turns.
//!
//! A trimmed session is the log with a `compaction` at its end. If only a summary
//! and the end of the session stay, that entry names the first one that is kept.
//! Otherwise it names itself, so that pi keeps nothing before it, and the turns
//! that stay follow as entries. A draft that does not begin with new words for a
//! summary gets an empty one.
//!
//! Entries of the first version have neither ids nor parents: each follows the
//! one before, and pi itself names them when it opens the file, whatever they are
//! called. So what is added to such a file has no ids either, and says by number
//! which entry is kept. Files without a header, whose messages may have results
//! among their blocks, are read in the same way.

mod build;
mod message;
#[cfg(test)]
mod tests;
mod write;

use std::collections::HashSet;

use serde_json::value::RawValue;

use super::check::{Answers, Violation, check_rounds};
use super::frame::{Entry, Head, Layout, each_entry, is};
use super::json::{Members, Source, members, string};
use super::links::{Links, Path};
use super::{Codec, SessionFormat, malformed};
use crate::Remark;
use crate::session::draft::Draft;
use crate::session::error::SessionError;
use crate::session::transcript::{Transcript, Turn};

pub(super) struct Pi;

impl Codec for Pi {
    fn recognises(&self, head: &Head<'_>) -> bool {
        let is_header = |it: &Members<'_>| {
            is(it, "type", "session")
                && it.contains_key("id")
                && (it.contains_key("cwd") || it.contains_key("version"))
        };
        let is_message = |it: &Members<'_>| {
            (is(it, "type", "message") || !it.contains_key("type"))
                && it.get("message").is_some_and(|raw| message::role(raw).is_some())
        };
        head.layout != Layout::List && head.objects.iter().any(|it| is_header(it) || is_message(it))
    }

    fn read(&self, source: &[u8], transcript: &mut Transcript) -> Result<(), SessionError> {
        let items = Items::of(source, &mut transcript.notes);
        if items.all.is_empty() {
            return Err(malformed(SessionFormat::Pi, "it has no records"));
        }
        let context = Context::of(&items);
        let first = context.path.entries.first().map(|it| items.all[*it].line.start);
        let remarks = items.links.remarks(&context.path, first.unwrap_or(0), "id");
        transcript.notes.extend(remarks);
        context.read(&items, transcript);
        if let Some(header) = items.all.iter().find(|it| it.kind == Kind::Header) {
            let members = header.members();
            transcript.session = string(members.get("id"));
            transcript.directory = string(members.get("cwd"));
        }
        Ok(())
    }

    fn write(&self, transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError> {
        Ok(write::write(transcript, draft))
    }

    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
        build::build(turns, transcript)
    }

    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        let items = Items::of(transcript.source(), &mut Vec::new());
        let mut found: Vec<Violation> = Vec::from_iter(Context::of(&items).path.violation());
        if items.links.twice > 0 {
            let rule = "every record must have an id of its own";
            found.push(Violation { turn: 0, rule });
        }
        found.extend(check_rounds(&transcript.turns, Answers::Optional));
        found
    }
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Header,
    Message,
    /// A message of an extension.
    Custom,
    /// What was said on a branch that was left.
    Branch,
    /// The summary of all that came before, but for what it keeps.
    Compaction,
    /// The model that is used from here on.
    Model,
    Passed(String),
    Unknown(String),
}

/// Types of entries that no model is shown.
const PASSED_OVER: &[&str] = &["custom", "label", "session_info", "thinking_level_change"];

/// An entry.
struct Item<'a> {
    kind: Kind,
    line: Source<'a>,
    id: Option<String>,
    time: Option<String>,
}

impl<'a> Item<'a> {
    fn of(entry: &Entry<'a>) -> Item<'a> {
        let members = &entry.members;
        let kind = string(members.get("type")).unwrap_or_default();
        let kind = match kind.as_str() {
            "session" => Kind::Header,
            "message" => message_kind(members),
            "custom_message" => Kind::Custom,
            "branch_summary" => Kind::Branch,
            "compaction" => Kind::Compaction,
            "model_change" => Kind::Model,
            name if PASSED_OVER.contains(&name) => Kind::Passed(name.to_owned()),
            // The first sessions of this kind were lines of messages and nothing else.
            "" if members.contains_key("message") => message_kind(members),
            "" => Kind::Unknown("no type".to_owned()),
            name => Kind::Unknown(name.to_owned()),
        };
        Item {
            kind,
            line: entry.line,
            id: string(members.get("id")),
            time: string(members.get("timestamp")),
        }
    }

    fn members(&self) -> Members<'a> {
        members(self.line.text)
    }
}

fn message_kind(members: &Members<'_>) -> Kind {
    match members.get("message").map(|raw| message::role(raw)) {
        Some(Some(_)) => Kind::Message,
        Some(None) => Kind::Unknown("message of an unknown role".to_owned()),
        None => Kind::Unknown("message".to_owned()),
    }
}

/// The entries of a session.
struct Items<'a> {
    all: Vec<Item<'a>>,
    links: Links,
    /// Whether the entries have no ids.
    is_linear: bool,
}

impl<'a> Items<'a> {
    fn of(source: &'a [u8], notes: &mut Vec<Remark>) -> Items<'a> {
        let mut items = Items { all: Vec::new(), links: Links::default(), is_linear: false };
        let mut parents = Vec::new();
        let mut version = None;
        each_entry(source, notes, |entry| {
            let item = Item::of(&entry);
            if item.kind == Kind::Header {
                let number = entry.members.get("version").map(|raw| raw.get());
                version = version.or(Some(number.and_then(|it| it.parse().ok()).unwrap_or(1)));
            }
            parents.push(string(entry.members.get("parentId")));
            items.all.push(item);
            true
        });
        let entries = items.all.iter().filter(|it| it.kind != Kind::Header);
        let has_ids = entries.into_iter().any(|it| it.id.is_some());
        items.is_linear = version.map_or(!has_ids, |version: u64| version < 2);
        items.link(parents);
        items
    }

    fn link(&mut self, parents: Vec<Option<String>>) {
        let mut before: Option<String> = None;
        for (number, (item, parent)) in self.all.iter().zip(parents).enumerate() {
            if item.kind == Kind::Header {
                self.links.add(None, None);
                continue;
            }
            let (name, parent) = match item.id.as_deref().filter(|_| !self.is_linear) {
                Some(id) => (id.to_owned(), parent),
                None => (format!("#{number}"), before.take()),
            };
            self.links.add(Some(&name), parent);
            before = Some(name);
        }
    }

    /// Returns the entry that the next one would be added to.
    fn leaf(&self) -> Option<usize> {
        self.all.iter().rposition(|it| it.kind != Kind::Header)
    }
}

/// What the model would be shown next.
struct Context {
    /// The entries from the root to the leaf.
    path: Path,
    /// The last compaction on the path.
    compaction: Option<usize>,
    /// The entries that are shown, in order.
    shown: Vec<usize>,
}

impl Context {
    fn of(items: &Items<'_>) -> Context {
        let path = items.leaf().map(|leaf| items.links.path(leaf));
        let path = path.unwrap_or_default();
        let entries = &path.entries;
        let at = entries.iter().rposition(|it| items.all[*it].kind == Kind::Compaction);
        let shown = match at {
            None => entries.clone(),
            Some(at) => {
                let first = first_kept(items, entries[at]);
                let kept = entries[..at].iter().skip_while(|it| Some(**it) != first);
                let mut shown = vec![entries[at]];
                shown.extend(kept);
                shown.extend(&entries[at + 1..]);
                shown
            }
        };
        Context { compaction: at.map(|at| entries[at]), path, shown }
    }

    fn read(&self, items: &Items<'_>, transcript: &mut Transcript) {
        let mut taken: HashSet<usize> = HashSet::new();
        for number in &self.shown {
            let item = &items.all[*number];
            // Only the last compaction speaks.
            if item.kind == Kind::Compaction && self.compaction != Some(*number) {
                continue;
            }
            let turn = message::turn(item);
            transcript.model = turn
                .as_ref()
                .and_then(|turn| turn.model.clone())
                .or_else(|| message::model(item))
                .or(transcript.model.take());
            if let Some(turn) = turn {
                taken.insert(*number);
                transcript.turns.push(turn);
            }
        }
        let on_path: HashSet<usize> = self.path.entries.iter().copied().collect();
        let shown: HashSet<usize> = self.shown.iter().copied().collect();
        for (number, item) in items.all.iter().enumerate() {
            let name = match &item.kind {
                Kind::Unknown(name) => {
                    transcript.count_unknown(name);
                    continue;
                }
                _ if taken.contains(&number) => continue,
                Kind::Passed(name) => name,
                Kind::Header => "session",
                Kind::Model => "model_change",
                Kind::Compaction => "compaction",
                _ if shown.contains(&number) => "not sent",
                _ if on_path.contains(&number) => "compacted",
                _ => "other branch",
            };
            transcript.pass_over(name);
        }
    }
}

/// Returns the first entry that a compaction keeps.
fn first_kept(items: &Items<'_>, compaction: usize) -> Option<usize> {
    let members = items.all[compaction].members();
    let by_number = |raw: &&RawValue| raw.get().parse::<usize>().ok();
    if items.is_linear {
        members.get("firstKeptEntryIndex").and_then(by_number)
    } else {
        items.links.find(&string(members.get("firstKeptEntryId"))?)
    }
}
