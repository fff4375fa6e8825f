//! Shortens the results of a whole session by size and age.
//!
//! The last turns stay as they are. Results above the limit are cut the way
//! their tool asks for; in a large session what is long ago is cut much harder,
//! arguments included. What people and models said is never touched.

use std::collections::HashMap;

use regex::Regex;
use serde::Serialize;

use super::arguments::{ArgumentRule, shorten_arguments};
use super::{Compressor, ResultLimits, ResultStrategy, ToolUse};
use crate::session::cost::{BLOCK_TOKENS, turns_tokens};
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::marker::Marker;
use crate::session::score::places;
use crate::session::transcript::{Block, ById, Call, Content, Role, Transcript, Turn, one_based};
use crate::tokens::{Counter, Tokens};

/// How a session is compressed.
#[derive(Clone, Debug)]
pub struct CompressOptions {
    /// Counts what is long.
    pub counter: Counter,
    /// How long results may be.
    pub limits: ResultLimits,
    /// How long results of turns that are long ago may be.
    pub old_limits: ResultLimits,
    /// Turns at the end that stay as they are.
    pub keep_last: usize,
    /// Turns from the end at which the others begin to be long ago.
    pub old_after: usize,
    /// Bytes of a session up to which nothing in it is long ago.
    pub small_session: usize,
    /// What becomes of thoughts.
    pub thinking: Thinking,
    /// Lines that match any of these stay, as far as they fit.
    pub preserve: Vec<Regex>,
    /// Recalls the whole session; markers name it.
    pub handle: Option<String>,
}

impl CompressOptions {
    /// The usual limits: the last 4 turns whole, older ones by tool, those before the
    /// last 16 hard where the session has more than 100 KB.
    pub fn new(counter: Counter) -> CompressOptions {
        CompressOptions {
            counter,
            limits: ResultLimits::default(),
            old_limits: ResultLimits::old(),
            keep_last: 4,
            old_after: 16,
            small_session: 100_000,
            thinking: Thinking::default(),
            preserve: Vec::new(),
            handle: None,
        }
    }
}

/// What becomes of thoughts. They may be signed, so none is ever changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    /// They stay.
    Keep,
    /// Those of the last answer and of the last turns stay.
    #[default]
    KeepLast,
    /// They go.
    Drop,
}

/// A compressed session.
#[derive(Clone, Debug)]
#[must_use]
pub struct Compressed {
    /// What to write.
    pub draft: Draft,
    /// The tokens before.
    pub before: Tokens,
    /// The tokens after; never more.
    pub after: Tokens,
    /// The shortened blocks, in order.
    pub pieces: Vec<CompressedPiece>,
}

/// A shortened block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompressedPiece {
    /// The number of its turn, from 0.
    #[serde(serialize_with = "one_based")]
    pub turn: usize,
    /// Its number in the turn, from 0.
    #[serde(serialize_with = "one_based")]
    pub block: usize,
    /// The tool that was asked or that answered; `None` for thoughts.
    pub tool: Option<String>,
    /// How it was shortened.
    pub strategy: ResultStrategy,
    /// The tokens before.
    pub before: Tokens,
    /// The tokens after.
    pub after: Tokens,
}

/// Shortens the results and arguments of a session by size and age.
///
/// ```
/// use loadline::session::{CompressOptions, compress_session, read_session};
/// let session = read_session(br#"[{"role":"user","content":"hello"}]"#.to_vec(), None)?;
/// let compressed = compress_session(&session, &CompressOptions::new("o200k".parse()?));
/// assert!(compressed.pieces.is_empty(), "a greeting is short enough");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compress_session(transcript: &Transcript, options: &CompressOptions) -> Compressed {
    let before = turns_tokens(&options.counter, &transcript.turns);
    let mut run = Run {
        options,
        uses: ById::of(transcript, ToolUse::of),
        ages: ages(transcript),
        last_answer: last_answer(transcript),
        may_drop_thinking: transcript.format.codec().may_drop_thinking(),
        is_large: transcript.source().len() > options.small_session,
        asked_for_diff: false,
        pieces: Vec::new(),
    };
    let turns = 0..transcript.turns.len();
    let turns = turns.filter_map(|turn| run.turn(transcript, turn)).collect();
    let mut draft = Draft { turns };
    let thoughts = run.pieces.iter().filter(|it| it.strategy == ResultStrategy::Dropped);
    let costs: Vec<u64> = thoughts.map(|it| it.before.get() + BLOCK_TOKENS).collect();
    if !costs.is_empty() {
        // A thought has no place for a marker, so one in front leads back to all of them.
        let (role, text) = (Role::User, run.thoughts_marker(transcript, costs.len()));
        let marker = options.counter.count(&text).get() + BLOCK_TOKENS;
        if marker >= costs.iter().sum() {
            let kept = CompressOptions { thinking: Thinking::Keep, ..options.clone() };
            return compress_session(transcript, &kept);
        }
        let is_system = |turn: &Turn| turn.role == Role::System;
        let first = transcript.turns.iter().take_while(|it| is_system(it)).count();
        draft.turns.insert(first.min(draft.turns.len()), DraftTurn::New { role, text });
    }
    let after = turns_tokens(&options.counter, &draft.turns(transcript));
    let pieces = run.pieces;
    Compressed { draft, before, after, pieces }
}

/// Returns the turn of the last answer, whose thoughts a provider may ask for.
pub(crate) fn last_answer(transcript: &Transcript) -> Option<usize> {
    let is_answer = |turn: &Turn| turn.role == Role::Assistant;
    transcript.turns.iter().rposition(is_answer)
}

/// How many turns came after each; results are as old as their call.
fn ages(transcript: &Transcript) -> HashMap<usize, usize> {
    let places = places(transcript);
    let last = places.last().map_or(0, |(_, place)| *place);
    let age = |(turn, place)| (turn, last - place);
    places.into_iter().map(age).collect()
}

struct Run<'a> {
    options: &'a CompressOptions,
    uses: ById<'a, ToolUse<'a>>,
    ages: HashMap<usize, usize>,
    last_answer: Option<usize>,
    may_drop_thinking: bool,
    is_large: bool,
    /// Whether the user's last words were about a diff.
    asked_for_diff: bool,
    pieces: Vec<CompressedPiece>,
}

/// How long ago a turn was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    Recent,
    Middle,
    Old,
}

/// What replaces a block, and what that costs before and after.
type Shorter = (Change, ResultStrategy, Tokens, Tokens);

impl<'a> Run<'a> {
    /// Returns what is left of a turn; one that only thought may be gone.
    fn turn(&mut self, transcript: &'a Transcript, number: usize) -> Option<DraftTurn> {
        let turn = &transcript.turns[number];
        if turn.role == Role::User && turn.texts().next().is_some() {
            let is_about_diff = |text: &str| text.to_lowercase().contains("diff");
            self.asked_for_diff = turn.texts().any(is_about_diff);
        }
        let blocks: Vec<DraftBlock> = turn
            .blocks
            .iter()
            .enumerate()
            .filter_map(|(place, block)| self.block(number, place, block))
            .collect();
        let is_gone = blocks.is_empty() && !turn.blocks.is_empty();
        (!is_gone).then_some(DraftTurn::Of { turn: number, blocks })
    }

    /// Says how many thoughts stay, and how to recall the others.
    fn thoughts_marker(&self, transcript: &Transcript, dropped: usize) -> String {
        let blocks = transcript.turns.iter().flat_map(|turn| &turn.blocks);
        let is_thought = |it: &&Block| matches!(it.content, Content::Thinking(_));
        let total = blocks.filter(is_thought).count();
        let marker = Marker { handle: self.options.handle.as_deref(), turn: None };
        marker.kept(total - dropped, total, "thoughts")
    }

    fn block(&mut self, turn: usize, block: usize, content: &'a Block) -> Option<DraftBlock> {
        let (tool, shorter) = match &content.content {
            Content::Thinking(text) if self.drops(turn) => {
                let before = self.options.counter.count(text);
                self.pieces.push(CompressedPiece {
                    turn,
                    block,
                    tool: None,
                    strategy: ResultStrategy::Dropped,
                    before,
                    after: Tokens::ZERO,
                });
                return None;
            }
            Content::Call(call) => (call.name.as_str(), self.call(turn, call)),
            Content::Result(result) => {
                let known = self.uses.get(turn, &result.call).copied();
                let tool = ToolUse { is_error: result.is_error, ..known.unwrap_or_default() };
                (tool.name, self.result(turn, &tool, &result.text))
            }
            _ => ("", None),
        };
        let Some((change, strategy, before, after)) = shorter else {
            return Some(DraftBlock::kept(block));
        };
        self.pieces.push(CompressedPiece {
            turn,
            block,
            tool: Some(tool.to_owned()),
            strategy,
            before,
            after,
        });
        Some(DraftBlock::changed(block, change))
    }

    fn call(&self, turn: usize, call: &Call) -> Option<Shorter> {
        let rule = match self.age(turn) {
            Age::Recent => return None,
            Age::Middle => ArgumentRule::Long,
            Age::Old => ArgumentRule::Old,
        };
        let compressor = self.compressor(turn, &ToolUse::of(call));
        let (shorter, before, after) = shorten_arguments(&compressor, call, rule)?;
        let change = Change::Arguments(shorter);
        Some((change, ResultStrategy::Arguments, before, after))
    }

    fn result(&self, turn: usize, tool: &ToolUse<'_>, text: &str) -> Option<Shorter> {
        if self.age(turn) == Age::Recent {
            return None;
        }
        let mut compressor = self.compressor(turn, tool).with_room_for_errors();
        let mut short = compressor.compress(text)?;
        if self.asked_for_diff && short.strategy == ResultStrategy::Hunks && !tool.is_error {
            compressor.limits = compressor.limits.doubled();
            short = compressor.compress(text)?;
        }
        let change = Change::Text(short.text);
        Some((change, short.strategy, short.before, short.after))
    }

    fn compressor(&self, turn: usize, tool: &ToolUse<'_>) -> Compressor<'_> {
        Compressor {
            limits: match self.age(turn) {
                Age::Old => self.options.old_limits,
                Age::Recent | Age::Middle => self.options.limits,
            },
            counter: &self.options.counter,
            marker: Marker { handle: self.options.handle.as_deref(), turn: Some(turn) },
            preserve: &self.options.preserve,
            kind: tool.kind(),
            is_error: tool.is_error,
        }
    }

    fn age(&self, turn: usize) -> Age {
        let age = self.ages.get(&turn).copied().unwrap_or(0);
        if age < self.options.keep_last {
            Age::Recent
        } else if self.is_large && age >= self.options.old_after {
            Age::Old
        } else {
            Age::Middle
        }
    }

    fn drops(&self, turn: usize) -> bool {
        let goes = match self.options.thinking {
            Thinking::Keep => false,
            Thinking::KeepLast => self.last_answer != Some(turn) && self.age(turn) != Age::Recent,
            Thinking::Drop => true,
        };
        goes && self.may_drop_thinking
    }
}
