//! Takes a session apart into lines, each with its cost and its mentions.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use serde_json::Value;

use crate::Remark;
use crate::session::cost::{BLOCK_TOKENS, block_tokens, call_text};
use crate::session::mentions::{MentionKind, mentions};
use crate::session::tool::{ToolKind, headline};
use crate::session::transcript::{Block, Content, Role, Transcript};
use crate::session::units::{Unit, units};
use crate::tokens::Counter;

/// Lines longer than this and a quarter are cut into pieces of about this many bytes.
const PIECE: usize = 240;
/// How far back a piece may end before that.
const SLACK: usize = 60;
/// The fewest bytes of a line that can be told from others by its text.
const SHORTEST_KEY: usize = 12;

/// A session taken apart.
pub(super) struct SessionLines<'a> {
    pub(super) transcript: &'a Transcript,
    pub(super) units: Vec<Unit>,
    pub(super) blocks: Vec<BlockInfo<'a>>,
    /// The lines of all blocks, one after another.
    pub(super) lines: Vec<Line<'a>>,
    /// The mentions of all lines, one after another.
    line_mentions: Vec<u32>,
    /// Every mention once: what it is, and how many bytes it has.
    pub(super) mentions: Vec<(MentionKind, u32)>,
    /// Mentions by the hash of what they are; their texts would need more room than the session.
    names: HashMap<u64, u32>,
    /// The mentions that are paths.
    paths: Vec<(u32, &'a str)>,
    /// How many texts of lines there are.
    pub(super) keys: usize,
    /// Texts of lines by their hash.
    key_names: HashMap<u64, u32>,
    /// How many files there are.
    pub(super) files: usize,
    file_names: HashMap<String, u32>,
    /// The file that a mention is the path of.
    pub(super) file_of_mention: HashMap<u32, u32>,
}

/// A block of a unit.
pub(super) struct BlockInfo<'a> {
    pub(super) unit: usize,
    pub(super) turn: usize,
    pub(super) block: usize,
    pub(super) kind: Kind,
    /// The file that it is about, by number.
    pub(super) file: Option<u32>,
    /// The last component of that file's path.
    pub(super) base: Option<String>,
    /// The tool, for calls and results.
    pub(super) tool: &'a str,
    /// The call that it makes or answers.
    pub(super) call: Option<&'a str>,
    /// What its call is about, in one line.
    pub(super) headline: String,
    pub(super) lines: Range<usize>,
    /// The strings of a call's arguments.
    pub(super) strings: Vec<&'a str>,
    /// The names of those strings: the keys that they stand under.
    pub(super) names: Vec<&'a str>,
    /// What it costs without its lines.
    pub(super) bare: u64,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    Call(ToolKind),
    Result(ToolKind),
    /// Thinking, pictures and what is not known: whole or not at all.
    Opaque,
}

/// A line, or a piece of a long one.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: u32,
    /// Where its mentions stand among all.
    mentions: (u32, u32),
    /// Whether it goes on with the line before it.
    pub(super) continues: bool,
    /// The string of a call that it belongs to.
    pub(super) string: u32,
    /// Its text by number, without a line number; `None` for short ones.
    pub(super) key: Option<u32>,
}

impl<'a> SessionLines<'a> {
    pub(super) fn of(
        transcript: &'a Transcript,
        counter: &Counter,
    ) -> (SessionLines<'a>, Vec<Remark>) {
        let (units, remarks) = units(transcript);
        let mut session = SessionLines {
            transcript,
            units,
            blocks: Vec::new(),
            lines: Vec::new(),
            line_mentions: Vec::new(),
            mentions: Vec::new(),
            names: HashMap::new(),
            paths: Vec::new(),
            keys: 0,
            key_names: HashMap::new(),
            files: 0,
            file_names: HashMap::new(),
            file_of_mention: HashMap::new(),
        };
        for unit in 0..session.units.len() {
            let mut calls = HashMap::new();
            for part in session.units[unit].parts.clone() {
                for number in part.blocks {
                    let block = &transcript.turns[part.turn].blocks[number];
                    let place = (unit, part.turn, number);
                    session.add(block, place, &mut calls, counter);
                }
            }
        }
        session.link_paths();
        (session, remarks)
    }

    /// Finds the files that paths in the text are about.
    fn link_paths(&mut self) {
        for (mention, path) in std::mem::take(&mut self.paths) {
            let path = canonical(MentionKind::Path, path);
            if let Some(&file) = self.file_names.get(&file_key(&path)) {
                self.file_of_mention.insert(mention, file);
            }
        }
    }

    /// Returns the mentions of a line.
    pub(super) fn mentions_of(&self, line: usize) -> &[u32] {
        let (start, end) = self.lines[line].mentions;
        &self.line_mentions[start as usize..end as usize]
    }

    /// Returns the mentions of a text that are known.
    pub(super) fn known_mentions(&self, text: &str) -> Vec<u32> {
        let mut known = Vec::new();
        mentions(text, |kind, text| {
            known.extend(self.names.get(&hash(kind, &canonical(kind, text))));
        });
        known.sort_unstable();
        known.dedup();
        known
    }

    fn add(
        &mut self,
        block: &'a Block,
        (unit, turn, number): (usize, usize, usize),
        calls: &mut HashMap<&'a str, (ToolKind, Option<String>, &'a str, String)>,
        counter: &Counter,
    ) {
        let mut info = BlockInfo {
            unit,
            turn,
            block: number,
            kind: Kind::Opaque,
            file: None,
            base: None,
            tool: "",
            call: None,
            headline: String::new(),
            lines: self.lines.len()..self.lines.len(),
            strings: Vec::new(),
            names: Vec::new(),
            bare: BLOCK_TOKENS,
        };
        let mut path = None;
        match &block.content {
            Content::Text(text) => {
                info.kind = match self.transcript.turns[turn].role {
                    Role::Assistant => Kind::Assistant,
                    _ => Kind::User,
                };
                self.add_lines(text, 0, counter);
            }
            Content::Call(call) => {
                let (kind, file) = ToolKind::of(&call.name, &call.arguments);
                info.kind = Kind::Call(kind);
                info.headline = headline(&call.arguments, file.as_deref());
                info.tool = &call.name;
                info.call = Some(&call.id);
                strings(&call.arguments, "", &mut |name, text| {
                    info.names.push(name);
                    info.strings.push(text);
                });
                let blank = blank_text(&call.name, &call.arguments);
                info.bare += counter.count(&blank).get();
                for (string, text) in info.strings.iter().enumerate() {
                    self.add_lines(text, string as u32, counter);
                }
                let headline = info.headline.clone();
                calls.insert(&call.id, (kind, file.clone(), &call.name, headline));
                path = file;
            }
            Content::Result(result) => {
                info.call = Some(&result.call);
                info.kind = Kind::Result(ToolKind::Other);
                if let Some((kind, file, tool, headline)) = calls.get(result.call.as_str()) {
                    info.kind = Kind::Result(*kind);
                    (info.tool, info.headline) = (tool, headline.clone());
                    path.clone_from(file);
                }
                self.add_lines(&result.text, 0, counter);
            }
            Content::Thinking(_) | Content::Image(_) | Content::Other(_) => {
                info.bare = block_tokens(counter, block).get();
            }
        }
        info.lines.end = self.lines.len();
        if let Some(path) = path {
            let path = path.trim_end_matches('/');
            let next = self.file_names.len() as u32;
            info.file = Some(*self.file_names.entry(file_key(path)).or_insert(next));
            info.base = path.rsplit('/').next().map(str::to_owned);
            self.files = self.file_names.len();
        }
        self.blocks.push(info);
    }

    fn add_lines(&mut self, text: &'a str, string: u32, counter: &Counter) {
        let marked = is_patch(text);
        for line in text.split('\n') {
            let mut rest = line;
            let mut continues = false;
            loop {
                let (piece, tail) = rest.split_at(piece_length(rest));
                self.add_line(piece, (continues, marked), string, counter);
                if tail.is_empty() {
                    break;
                }
                (rest, continues) = (tail, true);
            }
        }
    }

    fn add_line(
        &mut self,
        text: &'a str,
        (continues, marked): (bool, bool),
        string: u32,
        counter: &Counter,
    ) {
        let start = self.line_mentions.len();
        let (names, list, line_mentions) =
            (&mut self.names, &mut self.mentions, &mut self.line_mentions);
        let paths = &mut self.paths;
        mentions(text, |kind, text| {
            let name = hash(kind, &canonical(kind, text));
            let next = list.len() as u32;
            let mention = *names.entry(name).or_insert_with(|| {
                list.push((kind, text.len() as u32));
                if kind == MentionKind::Path {
                    paths.push((next, text));
                }
                next
            });
            line_mentions.push(mention);
        });
        line_mentions[start..].sort_unstable();
        let mut kept = start;
        for at in start..line_mentions.len() {
            if at == start || line_mentions[at] != line_mentions[at - 1] {
                line_mentions[kept] = line_mentions[at];
                kept += 1;
            }
        }
        line_mentions.truncate(kept);
        let bare = match text.strip_prefix(['-', '+', ' ']) {
            Some(rest) if marked => rest.trim(),
            _ => without_number(text),
        };
        let key = (bare.len() >= SHORTEST_KEY).then(|| {
            let next = self.key_names.len() as u32;
            *self.key_names.entry(hash((), bare)).or_insert(next)
        });
        self.keys = self.key_names.len();
        let tokens = if text.is_empty() { 1 } else { counter.count(text).get() as u32 + 1 };
        self.lines.push(Line {
            text,
            tokens,
            mentions: (start as u32, self.line_mentions.len() as u32),
            continues,
            string,
            key,
        });
    }
}

fn hash(kind: impl Hash, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind, text).hash(&mut hasher);
    hasher.finish()
}

/// Files are known by their name and the directory that they are in.
fn file_key(path: &str) -> String {
    let mut parts = path.rsplitn(3, '/');
    let (base, parent) = (parts.next().unwrap_or_default(), parts.next());
    parent.map_or(base.to_owned(), |parent| format!("{parent}/{base}"))
}

/// Paths are known by their last three components, so that absolute and relative forms meet.
fn canonical(kind: MentionKind, text: &str) -> std::borrow::Cow<'_, str> {
    if kind != MentionKind::Path {
        return text.into();
    }
    let parts: Vec<&str> =
        text.split('/').filter(|part| !matches!(*part, "" | "." | ".." | "~")).collect();
    parts[parts.len().saturating_sub(3)..].join("/").into()
}

/// Returns how many bytes of a line go into its first piece.
fn piece_length(line: &str) -> usize {
    if line.len() <= PIECE + SLACK {
        return line.len();
    }
    let mut end = PIECE;
    while !line.is_char_boundary(end) {
        end += 1;
    }
    let from = line.floor_char_boundary(end - SLACK);
    match line[from..end].rfind([' ', ',', ';', ')', '}']) {
        Some(at) => from + at + 1,
        None => end,
    }
}

/// Returns a line without blanks around it and the number that a reader put before it.
pub(super) fn without_number(line: &str) -> &str {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let after = &text[digits..];
    let after = after.strip_prefix(' ').unwrap_or(after);
    let marks = ['→', '\t', '|', ':'];
    match after.strip_prefix(marks) {
        Some(rest) if digits > 0 => rest.trim(),
        _ => text.trim_end(),
    }
}

/// Calls `found` with the strings of a value and the keys that they stand under, in order.
fn strings<'a>(value: &'a Value, name: &'a str, found: &mut impl FnMut(&'a str, &'a str)) {
    match value {
        Value::String(text) => found(name, text),
        Value::Array(elements) => elements.iter().for_each(|it| strings(it, name, found)),
        Value::Object(members) => members.iter().for_each(|(name, it)| strings(it, name, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Tells whether a text is a patch, whose lines begin with a mark.
pub(super) fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
}

/// Writes other strings in the places of a value's own, in order.
pub(super) fn with_strings(value: &Value, list: &mut impl Iterator<Item = String>) -> Value {
    match value {
        Value::String(_) => Value::String(list.next().unwrap_or_default()),
        Value::Array(elements) => elements.iter().map(|it| with_strings(it, list)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let pairs = members.map(|(key, it)| (key.clone(), with_strings(it, list)));
            Value::Object(pairs.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Returns what is read of a call without its strings.
fn blank_text(name: &str, arguments: &Value) -> String {
    let blank = with_strings(arguments, &mut std::iter::repeat(String::new()));
    call_text(name, &blank)
}
