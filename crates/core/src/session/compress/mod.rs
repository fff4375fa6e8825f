//! Shortens long results of tools so that what matters stays.
//!
//! What is kept depends on what the tool did: the end of a command's output and
//! its errors, both ends of a file, some of every file that a search found, the
//! first and last items of a list, whole hunks of a diff, every kind of line of
//! a log. All of it stands verbatim and in order, and a marker says how much there
//! was and how to recall it.

mod arguments;
mod choose;
mod items;
mod order;
mod whole;

pub(crate) use arguments::{ArgumentRule, shorten_arguments};
pub(crate) use order::is_diff;
pub(crate) use whole::last_answer;
pub use whole::{CompressOptions, Compressed, CompressedPiece, Thinking, compress_session};

use regex::Regex;
use serde::Serialize;
use serde_json::Value;

use super::marker::Marker;
use super::tool::ToolKind;
use super::transcript::Call;
use crate::tokens::{Counter, Tokens};
use choose::{Kept, Room};

/// A text of this many bytes per token of a limit is over it, whatever the
/// counter: no vocabulary has words that long.
const LONGEST_TOKEN: u64 = 512;

/// A longer text is not counted but estimated from samples.
const COUNTED: usize = 1 << 20;

/// The least that a limit can be: a marker must fit.
const LEAST_TOKENS: u64 = 48;
const LEAST_BYTES: usize = 240;

/// The call that a result answers; by default one that is not known.
#[derive(Clone, Copy, Debug)]
pub struct ToolUse<'a> {
    /// The tool.
    pub name: &'a str,
    /// What it was given.
    pub arguments: &'a Value,
    /// Whether it failed; then twice as much is kept.
    pub is_error: bool,
}

impl Default for ToolUse<'_> {
    fn default() -> Self {
        ToolUse { name: "", arguments: &Value::Null, is_error: false }
    }
}

impl<'a> ToolUse<'a> {
    pub(crate) fn of(call: &'a Call) -> ToolUse<'a> {
        ToolUse { name: &call.name, arguments: &call.arguments, is_error: false }
    }

    pub(crate) fn kind(&self) -> ToolKind {
        ToolKind::of(self.name, self.arguments).0
    }
}

/// How long a result may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResultLimits {
    /// A result up to this stays as it is; a longer one is cut to it or to less.
    pub most: ResultSize,
    /// The most characters that are kept of a longer one.
    pub chars: usize,
    /// The most characters that are kept if there are too few lines to choose from.
    pub few_lines_chars: usize,
    /// The most lines that are kept of the beginning.
    pub head_lines: usize,
    /// The most lines that are kept of the end.
    pub tail_lines: usize,
    /// The share of the beginning, where characters are cut.
    pub head_ratio: f64,
    /// Items of a list that are kept at either end.
    pub items: usize,
    /// Whether the tool decides what is kept; otherwise it is the first and the last lines.
    pub by_tool: bool,
}

/// How long a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultSize {
    /// In tokens of the counter.
    Tokens(Tokens),
    /// In bytes.
    Bytes(usize),
}

impl Default for ResultLimits {
    /// Above 2,000 tokens: 8,000 characters, of at most 300 and 200 lines.
    fn default() -> ResultLimits {
        ResultLimits {
            most: ResultSize::Tokens(Tokens::new(2_000)),
            chars: 8_000,
            few_lines_chars: 8_000,
            head_lines: 300,
            tail_lines: 200,
            head_ratio: 0.6,
            items: 5,
            by_tool: true,
        }
    }
}

impl ResultLimits {
    /// Above 2,000 tokens: the first and the last ten lines, or 500 characters of a few long ones.
    pub fn short() -> ResultLimits {
        ResultLimits {
            few_lines_chars: 500,
            head_lines: 10,
            tail_lines: 10,
            by_tool: false,
            ..ResultLimits::default()
        }
    }

    /// Above 1,000 bytes: five lines of either end. For what is long ago.
    pub fn old() -> ResultLimits {
        ResultLimits {
            most: ResultSize::Bytes(1_000),
            chars: 1_000,
            few_lines_chars: 500,
            head_lines: 5,
            tail_lines: 5,
            ..ResultLimits::default()
        }
    }

    /// At most this many tokens, and no other limits.
    pub(crate) fn at_most(tokens: Tokens) -> ResultLimits {
        ResultLimits {
            most: ResultSize::Tokens(tokens),
            chars: usize::MAX,
            few_lines_chars: usize::MAX,
            head_lines: usize::MAX,
            tail_lines: usize::MAX,
            ..ResultLimits::default()
        }
    }

    /// The same limits, twice as generous.
    #[must_use]
    pub fn doubled(&self) -> ResultLimits {
        ResultLimits {
            most: match self.most {
                ResultSize::Tokens(most) => ResultSize::Tokens(most.saturating_add(most)),
                ResultSize::Bytes(most) => ResultSize::Bytes(most.saturating_mul(2)),
            },
            chars: self.chars.saturating_mul(2),
            few_lines_chars: self.few_lines_chars.saturating_mul(2),
            head_lines: self.head_lines.saturating_mul(2),
            tail_lines: self.tail_lines.saturating_mul(2),
            items: self.items.saturating_mul(2),
            ..*self
        }
    }
}

/// How a block was shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResultStrategy {
    /// Lines of the beginning and of the end.
    HeadTail,
    /// The end, and lines that tell of errors.
    Tail,
    /// Some of every file that was found.
    Elements,
    /// The first and the last items of a JSON array.
    Items,
    /// One line of each kind, the last ones and those that tell of errors.
    Distinct,
    /// Whole hunks of a diff.
    Hunks,
    /// Characters of the beginning and of the end.
    Characters,
    /// The arguments of a call, with shorter strings.
    Arguments,
    /// Nothing: the block was dropped.
    Dropped,
}

/// A shortened result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct CompressedText {
    /// What is left, with a marker.
    pub text: String,
    /// The tokens before; of more than a megabyte they are estimated.
    pub before: Tokens,
    /// The tokens after; always fewer.
    pub after: Tokens,
    /// What was kept.
    pub strategy: ResultStrategy,
    /// Lines that were kept, whole or in part.
    pub kept_lines: usize,
    /// Lines that there were.
    pub total_lines: usize,
}

/// Shortens texts by one set of limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compressor<'a> {
    pub(crate) limits: ResultLimits,
    pub(crate) counter: &'a Counter,
    pub(crate) marker: Marker<'a>,
    /// Lines that match stay like errors do.
    pub(crate) preserve: &'a [Regex],
    pub(crate) kind: ToolKind,
    pub(crate) is_error: bool,
}

/// The most that a text may cost, in tokens or in bytes.
struct Limit<'a> {
    most: ResultSize,
    counter: &'a Counter,
}

impl Limit<'_> {
    fn most(&self) -> Tokens {
        Tokens::new(match self.most {
            ResultSize::Bytes(most) => most.max(LEAST_BYTES) as u64,
            ResultSize::Tokens(most) => most.get().max(LEAST_TOKENS),
        })
    }

    fn size(&self, text: &str) -> Tokens {
        match self.most {
            ResultSize::Bytes(_) => Tokens::new(text.len() as u64),
            ResultSize::Tokens(_) => self.counter.count(text),
        }
    }

    /// The most characters that could fit.
    fn chars(&self) -> usize {
        let per_unit = match self.most {
            ResultSize::Bytes(_) => 1,
            ResultSize::Tokens(_) => 6,
        };
        let chars = self.most().get().saturating_mul(per_unit);
        usize::try_from(chars).unwrap_or(usize::MAX)
    }

    fn holds(&self, text: &str) -> bool {
        match self.most {
            ResultSize::Bytes(_) => self.size(text) <= self.most(),
            ResultSize::Tokens(_) => {
                let is_huge = text.len() as u64 > self.most().get().saturating_mul(LONGEST_TOKEN);
                !is_huge && self.counter.count_up_to(text, self.most()).is_some()
            }
        }
    }
}

impl Compressor<'_> {
    /// Gives failures twice as much room.
    pub(crate) fn with_room_for_errors(mut self) -> Self {
        if self.is_error {
            self.limits = self.limits.doubled();
        }
        self
    }

    /// Shortens a text, or returns `None` if there is nothing to gain.
    ///
    /// Takes time with the length of the text only as far as looking for lines and
    /// errors does; tokens are counted of what is kept.
    pub(crate) fn compress(&self, text: &str) -> Option<CompressedText> {
        if self.limit().holds(text) {
            None
        } else {
            self.compress_long(text, estimate(self.counter, text))
        }
    }

    /// The same, where the tokens of the text are known.
    pub(crate) fn compress_known(&self, text: &str, before: Tokens) -> Option<CompressedText> {
        let limit = self.limit();
        let fits = match limit.most {
            ResultSize::Bytes(_) => limit.holds(text),
            ResultSize::Tokens(_) => before <= limit.most(),
        };
        if fits { None } else { self.compress_long(text, before) }
    }

    fn compress_long(&self, text: &str, before: Tokens) -> Option<CompressedText> {
        let (kept, strategy) = self.cut(text)?;
        let after = self.counter.count(&kept.text);
        // Less than a tenth is not worth what is lost.
        let is_gain = after.get().saturating_mul(10) <= before.get().saturating_mul(9);
        is_gain.then_some(CompressedText {
            text: kept.text,
            before,
            after,
            strategy,
            kept_lines: kept.lines,
            total_lines: kept.total,
        })
    }

    fn limit(&self) -> Limit<'_> {
        Limit { most: self.limits.most, counter: self.counter }
    }

    fn cut(&self, text: &str) -> Option<(Kept, ResultStrategy)> {
        let (limits, limit, marker) = (&self.limits, self.limit(), self.marker);
        let room = |chars: usize| Room {
            chars: chars.min(limit.chars()),
            lines: limits.head_lines.saturating_add(limits.tail_lines),
            head_ratio: limits.head_ratio,
        };
        let list = if limits.by_tool { items::find(text) } else { None };
        let chars = room(limits.chars).chars;
        if let Some(kept) = list.and_then(|it| it.keep(limits.items, chars, &limit, marker)) {
            return Some((kept, ResultStrategy::Items));
        }
        let lines: Vec<&str> = choose::lines(text);
        let few = limits.head_lines.min(10) + limits.tail_lines.min(10) + 2;
        if lines.len() > few {
            let (order, strategy) = self.order(&lines);
            let kept = choose::choose(&lines, &order, room(limits.chars), &limit, marker);
            if let Some(kept) = kept {
                return Some((kept, strategy));
            }
        }
        let room = room(limits.few_lines_chars);
        let kept = choose::characters(text, lines.len(), room, &limit, marker)?;
        Some((kept, ResultStrategy::Characters))
    }

    /// Ranks lines by how much they are wanted.
    fn order(&self, lines: &[&str]) -> (order::Order, ResultStrategy) {
        let limits = &self.limits;
        let ends = order::Ends { head: limits.head_lines, tail: limits.tail_lines };
        let strategy = match self.kind {
            _ if !limits.by_tool => ResultStrategy::HeadTail,
            _ if order::are_diff(lines) => ResultStrategy::Hunks,
            ToolKind::Search => ResultStrategy::Elements,
            ToolKind::Command | ToolKind::Other if order::are_matches(lines) => {
                ResultStrategy::Elements
            }
            ToolKind::Command | ToolKind::Other if order::is_log(lines) => ResultStrategy::Distinct,
            ToolKind::Command => ResultStrategy::Tail,
            _ => ResultStrategy::HeadTail,
        };
        let shows_text = matches!(self.kind, ToolKind::Read | ToolKind::Search);
        let errors = self.is_error || limits.by_tool && !shows_text;
        let mut order = order::Order::first(lines, ends, errors, self.preserve);
        match strategy {
            ResultStrategy::Tail => order.tail(lines.len()),
            ResultStrategy::Elements => order.elements(lines),
            ResultStrategy::Distinct => order.distinct(lines),
            ResultStrategy::Hunks => order.hunks(lines),
            _ => order.head_tail(lines.len()),
        }
        (order, strategy)
    }
}

/// Counts a text, or a sample of a very long one.
fn estimate(counter: &Counter, text: &str) -> Tokens {
    const PARTS: usize = 16;
    if text.len() <= COUNTED {
        return counter.count(text);
    }
    let length = COUNTED / PARTS / 4;
    let (mut counted, mut bytes) = (0_u64, 0_u64);
    for part in 0..PARTS {
        let start = text.floor_char_boundary(text.len() / PARTS * part);
        let end = text.floor_char_boundary(start + length);
        counted += counter.count(&text[start..end]).get();
        bytes += (end - start) as u64;
    }
    let scaled = u128::from(counted) * text.len() as u128 / u128::from(bytes.max(1));
    Tokens::new(u64::try_from(scaled).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
