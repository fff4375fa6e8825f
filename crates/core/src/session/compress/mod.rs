//! How does a long result become a short one that still says what matters?
//!
//! What is kept depends on what the tool did: the end of a command's output and
//! its errors, both ends of a file, some of every file that a search found, the
//! first and last items of a list, whole hunks of a diff, every kind of line of
//! a log. All of it stands verbatim, in order, and a marker says how much there
//! was and how to have it back.

mod arguments;
mod choose;
mod items;
mod order;
mod whole;

/// Tells whether a text is a diff.
pub(crate) fn is_diff(text: &str) -> bool {
    let head: Vec<&str> = text.lines().take(60).collect();
    order::is_diff(&head)
}

pub(crate) use arguments::{ArgumentRule, shorten_arguments};
pub(crate) use whole::tool_uses;
pub use whole::{CompressOptions, Compressed, CompressedPiece, Thinking, compress_session};

use std::borrow::Cow;

use regex::Regex;
use serde_json::Value;

use super::marker::Marker;
use super::tool::ToolKind;
use crate::tokens::{Counter, Tokens};
use choose::{Chosen, Room};

/// A text of this many bytes per token of a limit is over it, whatever the
/// counter: no vocabulary has words that long.
const LONGEST_TOKEN: u64 = 512;

/// Up to this many bytes a text is counted; what it was before is estimated beyond.
const COUNTED: usize = 1 << 20;

/// The least that a limit can be: a marker must fit.
const LEAST_TOKENS: u64 = 48;
const LEAST_BYTES: usize = 240;

/// The call that a result answers.
#[derive(Clone, Copy, Debug)]
pub struct ToolUse<'a> {
    /// The tool.
    pub name: &'a str,
    /// What it was given.
    pub arguments: &'a Value,
    /// Whether it failed; then twice as much is kept.
    pub is_error: bool,
}

/// How long a result may be.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultLimits {
    /// A result up to this stays as it is, and a longer one is cut to it or to less.
    pub most: ResultSize,
    /// The most characters that are kept of a longer one.
    pub chars: usize,
    /// The most characters that are kept where there are too few lines to choose from.
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

    /// At most so many tokens, whatever it takes.
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
            ..self.clone()
        }
    }
}

/// What was kept of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
}

impl ResultStrategy {
    /// Returns the name that results use.
    pub fn name(self) -> &'static str {
        match self {
            ResultStrategy::HeadTail => "head-tail",
            ResultStrategy::Tail => "tail",
            ResultStrategy::Elements => "elements",
            ResultStrategy::Items => "items",
            ResultStrategy::Distinct => "distinct",
            ResultStrategy::Hunks => "hunks",
            ResultStrategy::Characters => "characters",
        }
    }
}

/// A result that was made shorter.
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

/// Makes the result of a tool shorter, or returns `None` where there is nothing to gain.
///
/// `handle` is the name under which the whole text can be had back. Takes time
/// with the length of the text only as far as looking for lines and errors
/// does; tokens are counted of what is kept.
///
/// ```
/// use loadline::session::{ResultLimits, ToolUse, compress_result};
/// use loadline::tokens::Counter;
/// let counter: Counter = "o200k".parse()?;
/// let arguments = serde_json::json!({"command": "make"});
/// let tool = ToolUse { name: "Bash", arguments: &arguments, is_error: false };
/// let output: String = (0..5_000).map(|line| format!("step {line} of the build\n")).collect();
/// let limits = ResultLimits::default();
/// let short = compress_result(&tool, &output, &limits, &counter, Some("k3f9c2td"));
/// let short = short.ok_or("it is long enough")?;
/// assert!(short.after < short.before);
/// assert!(short.text.contains("of 5,000 lines; recall k3f9c2td]"));
/// assert!(short.text.ends_with("step 4999 of the build"));
/// assert_eq!(compress_result(&tool, "ok", &limits, &counter, None), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compress_result(
    tool: &ToolUse<'_>,
    text: &str,
    limits: &ResultLimits,
    counter: &Counter,
    handle: Option<&str>,
) -> Option<CompressedText> {
    let press = Press {
        limits: if tool.is_error {
            Cow::Owned(limits.doubled())
        } else {
            Cow::Borrowed(limits)
        },
        counter,
        marker: Marker { handle, turn: None },
        preserve: &[],
        kind: ToolKind::of(tool.name, tool.arguments).0,
        is_error: tool.is_error,
    };
    press.compress(text)
}

/// All that decides what becomes of a text.
#[derive(Clone, Debug)]
pub(crate) struct Press<'a> {
    pub(crate) limits: Cow<'a, ResultLimits>,
    pub(crate) counter: &'a Counter,
    pub(crate) marker: Marker<'a>,
    /// Lines that match stay like errors do.
    pub(crate) preserve: &'a [Regex],
    pub(crate) kind: ToolKind,
    pub(crate) is_error: bool,
}

impl Press<'_> {
    /// Makes a text shorter, or returns `None` where there is nothing to gain.
    pub(crate) fn compress(&self, text: &str) -> Option<CompressedText> {
        if self.fits(text) {
            None
        } else {
            self.compress_long(text, estimate(self.counter, text))
        }
    }

    /// The same, where the tokens of the text are known.
    pub(crate) fn compress_known(&self, text: &str, before: Tokens) -> Option<CompressedText> {
        let fits = match self.limits.most {
            ResultSize::Bytes(_) => self.fits(text),
            ResultSize::Tokens(most) => before.get() <= most.get().max(LEAST_TOKENS),
        };
        if fits {
            None
        } else {
            self.compress_long(text, before)
        }
    }

    fn compress_long(&self, text: &str, before: Tokens) -> Option<CompressedText> {
        let (chosen, strategy) = self.cut(text)?;
        let after = self.counter.count(&chosen.text);
        // Less than a tenth is not worth what is lost.
        let is_gain = after.get().saturating_mul(10) <= before.get().saturating_mul(9);
        is_gain.then_some(CompressedText {
            text: chosen.text,
            before,
            after,
            strategy,
            kept_lines: chosen.kept,
            total_lines: chosen.total,
        })
    }

    fn fits(&self, text: &str) -> bool {
        match self.limits.most {
            ResultSize::Bytes(most) => text.len() <= most.max(LEAST_BYTES),
            ResultSize::Tokens(most) => {
                let most = most.get().max(LEAST_TOKENS);
                let is_huge = text.len() as u64 > most.saturating_mul(LONGEST_TOKEN);
                !is_huge && self.counter.count_up_to(text, Tokens::new(most)).is_some()
            }
        }
    }

    fn cut(&self, text: &str) -> Option<(Chosen, ResultStrategy)> {
        if self.limits.by_tool
            && let Some(list) = items::find(text)
        {
            let chosen = self.fit(self.limits.chars, |room| {
                items::choose(text, &list, self.limits.items, room, self.marker)
            });
            if let Some(chosen) = chosen {
                return Some((chosen, ResultStrategy::Items));
            }
        }
        let lines: Vec<&str> = choose::lines(text);
        let few = self.limits.head_lines.min(10) + self.limits.tail_lines.min(10) + 2;
        if lines.len() > few {
            let (order, strategy) = self.order(&lines);
            let chosen = self.fit(self.limits.chars, |room| {
                choose::choose(&lines, &order, room, self.marker)
            });
            if let Some(chosen) = chosen {
                return Some((chosen, strategy));
            }
        }
        let chosen = self.fit(self.limits.few_lines_chars, |room| {
            choose::characters(text, lines.len(), room, self.marker)
        })?;
        Some((chosen, ResultStrategy::Characters))
    }

    /// Ranks lines by how much they are wanted.
    fn order(&self, lines: &[&str]) -> (order::Order, ResultStrategy) {
        let limits = &self.limits;
        let ends = order::Ends {
            head: limits.head_lines,
            tail: limits.tail_lines,
        };
        let strategy = match self.kind {
            _ if !limits.by_tool => ResultStrategy::HeadTail,
            _ if order::is_diff(lines) => ResultStrategy::Hunks,
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

    /// Gives a choice less room until what it chooses is within the limit.
    fn fit(&self, chars: usize, choice: impl Fn(Room) -> Option<Chosen>) -> Option<Chosen> {
        let most = match self.limits.most {
            ResultSize::Bytes(most) => most.max(LEAST_BYTES) as u64,
            ResultSize::Tokens(most) => most.get().max(LEAST_TOKENS),
        };
        let size = |text: &str| match self.limits.most {
            ResultSize::Bytes(_) => text.len() as u64,
            ResultSize::Tokens(_) => self.counter.count(text).get(),
        };
        let per_unit = match self.limits.most {
            ResultSize::Bytes(_) => 1,
            ResultSize::Tokens(_) => 6,
        };
        let ceiling = usize::try_from(most.saturating_mul(per_unit)).unwrap_or(usize::MAX);
        let mut room = Room {
            chars: chars.min(ceiling),
            lines: self
                .limits
                .head_lines
                .saturating_add(self.limits.tail_lines),
            head_ratio: self.limits.head_ratio,
        };
        let mut best: Option<Chosen> = None;
        for _ in 0..12 {
            let chosen = choice(room)?;
            let size = size(&chosen.text).max(1);
            if size <= most {
                best = Some(chosen);
                break;
            }
            // A little less than would just fit, since what is left may be denser.
            let scaled = room.chars as u128 * u128::from(most) * 97 / (u128::from(size) * 100);
            let next = usize::try_from(scaled).unwrap_or(usize::MAX);
            room.chars = next.min(room.chars.saturating_sub(1));
        }
        best
    }
}

/// Counts a text, or a sample of a very long one.
pub(crate) fn estimate(counter: &Counter, text: &str) -> Tokens {
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
