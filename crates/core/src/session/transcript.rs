//! What a model was shown in a session, whatever agent wrote it down.
//!
//! A transcript holds only what is context: turns of blocks. The bytes it was
//! read from stay with it, and each block knows its place in them, so that what
//! is not changed is written again byte for byte.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use jiff::Timestamp;
use serde::Serializer;
use serde_json::Value;

use super::format::SessionFormat;
use crate::Remark;
pub use crate::agents::Role;

/// A session that was read.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Who wrote it.
    pub format: SessionFormat,
    /// The name that the agent gave the session.
    pub session: Option<String>,
    /// The model that was used last.
    pub model: Option<String>,
    /// The directory that the agent worked in.
    pub directory: Option<String>,
    /// What the model would be shown next, in order.
    pub turns: Vec<Turn>,
    /// Records that are not context, by their type: progress, snapshots, other branches.
    pub passed_over: BTreeMap<String, usize>,
    /// Records of types that are not known, by their type.
    pub unknown: BTreeMap<String, usize>,
    /// What could not be read as it should: lines that are not JSON, repeated ids, broken links.
    pub notes: Vec<Remark>,
    /// The bytes it was read from.
    pub(crate) source: Vec<u8>,
}

/// One message of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub blocks: Vec<Block>,
    /// The name of the message.
    pub id: Option<String>,
    /// When it was said.
    pub time: Option<Timestamp>,
    /// The model that answered.
    pub model: Option<String>,
    /// What the provider counted for the request that this turn answers.
    pub usage: Option<Usage>,
}

/// A part of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What it says.
    pub content: Content,
    /// Where its JSON is in the source; empty if it has none of its own.
    pub(crate) raw: Range<usize>,
}

/// What a block says.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// What the model thought. Kept byte for byte or dropped whole, since it may be signed.
    Thinking(String),
    /// The model asks for a tool.
    Call(Call),
    /// What a tool answered.
    Result(CallResult),
    /// A picture or another document that is not text, and its tokens.
    Image(u64),
    /// A block of a type that is not known; passed through.
    Other(String),
}

/// The model asks for a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name that the result refers to.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is given.
    pub arguments: Value,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    /// The call that is answered.
    pub call: String,
    /// The texts of the answer, joined by line breaks.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
    /// Pictures and documents in it.
    pub images: Images,
}

/// How many pictures there are, and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Images {
    /// How many there are.
    pub count: usize,
    /// Their tokens, as the provider counts them by size.
    pub tokens: u64,
}

/// What the provider counted for one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens that were sent and not remembered.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Tokens that were sent and read from the provider's cache.
    pub cache_read: u64,
    /// Tokens that were sent and written to the provider's cache.
    pub cache_write: u64,
}

impl Usage {
    /// Returns everything that was sent.
    pub fn sent(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

impl Transcript {
    /// Makes a transcript that holds nothing yet.
    pub(crate) fn empty(format: SessionFormat) -> Transcript {
        Transcript {
            format,
            session: None,
            model: None,
            directory: None,
            turns: Vec::new(),
            passed_over: BTreeMap::new(),
            unknown: BTreeMap::new(),
            notes: Vec::new(),
            source: Vec::new(),
        }
    }

    /// Counts a record that is not context.
    pub(crate) fn pass_over(&mut self, kind: &str) {
        *self.passed_over.entry(kind.to_owned()).or_default() += 1;
    }

    /// Counts a record of a type that is not known.
    pub(crate) fn count_unknown(&mut self, kind: &str) {
        *self.unknown.entry(kind.to_owned()).or_default() += 1;
    }

    /// Returns the bytes that the transcript was read from.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// Returns what the provider counted for the last request, sent and received.
    pub(crate) fn last_counted(&self) -> Option<u64> {
        let usage = self.turns.iter().rev().find_map(|turn| turn.usage)?;
        Some(usage.sent().saturating_add(usage.output))
    }

    /// Returns the JSON of a block as in the source.
    pub(crate) fn raw(&self, block: &Block) -> &str {
        let bytes = self.source.get(block.raw.clone()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl Turn {
    /// Makes a turn of blocks; the rest is not known.
    pub(crate) fn new(role: Role, blocks: Vec<Block>) -> Turn {
        Turn { role, blocks, id: None, time: None, model: None, usage: None }
    }

    /// Returns the calls of the turn.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().filter_map(|block| match &block.content {
            Content::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Returns the results that the turn brings.
    pub fn results(&self) -> impl Iterator<Item = &CallResult> {
        self.blocks.iter().filter_map(|block| match &block.content {
            Content::Result(result) => Some(result),
            _ => None,
        })
    }

    /// Tells whether the user says something here: neither results of tools alone, nor
    /// what the agent's program put in the user's place.
    pub fn is_users(&self) -> bool {
        let is_said = |block: &Block| match &block.content {
            Content::Result(_) => false,
            Content::Text(text) => !is_injected(text),
            _ => true,
        };
        self.role == Role::User && self.blocks.iter().any(is_said)
    }

    /// Returns the plain texts of the turn.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| match &block.content {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }
}

impl Block {
    /// Makes a block whose JSON stands at `raw`.
    pub(crate) fn new(content: Content, raw: Range<usize>) -> Block {
        Block { content, raw }
    }
}

/// Tells whether a text begins as those that programs put in the user's place.
pub(crate) fn is_injected(text: &str) -> bool {
    const BEGINNINGS: [&str; 6] = [
        "# AGENTS",
        "Caveat:",
        "This session is being continued",
        "[Request interrupted",
        "Base directory for this skill",
        "[image]",
    ];
    let text = text.trim_start();
    let is_tag = text.strip_prefix('<').is_some_and(|rest| {
        let mut letters = rest.chars();
        !(letters.next() == Some('h') && letters.next().is_some_and(|it| it.is_ascii_digit()))
    });
    is_tag || BEGINNINGS.iter().any(|it| text.starts_with(it))
}

/// Something known of each call by its id. Some agents use an id again (`call_0`), so
/// that a result belongs to the last call of its id before it.
pub(crate) struct ById<'a, T>(HashMap<&'a str, Vec<(usize, T)>>);

impl<'a, T> ById<'a, T> {
    pub(crate) fn of(transcript: &'a Transcript, know: impl Fn(&'a Call) -> T) -> ById<'a, T> {
        let mut by_id: HashMap<&str, Vec<(usize, T)>> = HashMap::new();
        for (number, turn) in transcript.turns.iter().enumerate() {
            for call in turn.calls() {
                by_id.entry(&call.id).or_default().push((number, know(call)));
            }
        }
        ById(by_id)
    }

    /// Returns what is known of a call or a result in a turn.
    pub(crate) fn get(&self, turn: usize, id: &str) -> Option<&T> {
        let calls = self.0.get(id)?.iter().rev();
        calls.into_iter().find(|(number, _)| *number <= turn).map(|it| &it.1)
    }
}

/// Writes a place as people count, from 1.
pub(crate) fn one_based<S: Serializer>(place: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(*place as u64 + 1)
}
