//! Compares what was billed with what is counted.
//!
//! A provider reports for every request what was sent, which includes a
//! system prompt and the schemas of tools, which no log shows. So what is
//! compared is growth: what two requests differ by, against what stands between
//! them in the log. What a model thought without showing it is billed in its
//! reply, and is taken from there.

use std::ops::Range;

use serde::Serialize;

use super::Counts;
use super::wire::Wire;
use crate::session::score::brings_only_results;
use crate::session::transcript::{Block, Call, Content, Role, Transcript, Turn, Usage};
use crate::tokens::{Calibration, Counter, Framing, Residual, Sample, Tokens};

/// What the provider counted for the requests of a session, against our count.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Billed {
    /// Requests with a bill.
    pub requests: usize,
    /// What the last of them sent.
    pub sent: Tokens,
    /// What the first one sent besides what the log shows: system prompt and tools.
    pub unseen: Tokens,
    /// What the next request would send: the last bill, and what was said since.
    #[serde(skip)]
    pub next: Tokens,
    /// What each request sent more than the one before; `None` without two to compare.
    pub growth: Option<Compared>,
    /// Replies; `None` where none is shown whole.
    pub replies: Option<Compared>,
    /// What a request after each turn would send, by the bill before it.
    #[serde(skip)]
    pub filled: Vec<Tokens>,
    /// Factor and price per call that would make counts of plain text bills.
    pub calibration: Option<Calibration>,
}

/// Counts next to bills.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    /// How many were compared.
    pub compared: usize,
    /// What was billed for them together.
    pub billed: Tokens,
    /// What is counted for them together.
    pub counted: Tokens,
    /// How far a single count is from its bill.
    #[serde(flatten)]
    pub residual: Residual,
}

/// A request with a bill, by the reply it got.
struct Request<'a> {
    /// Where the reply begins and ends, in turns.
    turns: Range<usize>,
    id: Option<&'a str>,
    model: Option<&'a str>,
    usage: Option<Usage>,
}

/// What stands between two requests, as the model is shown it.
#[derive(Default)]
struct Stretch {
    calls: u32,
    /// The calls as the model writes them.
    called: u64,
    /// Texts of the reply.
    texts: u64,
    has_text: bool,
    /// Thinking that is shown, and whether there was any.
    thinking: u64,
    has_thinking: bool,
    results: u64,
    messages: u32,
    /// What the user said.
    said: u64,
    /// Whether everything in it can be counted; pictures cannot.
    is_complete: bool,
}

/// Compares a session with its bills, if it has any.
pub(super) fn billed(
    transcript: &Transcript,
    counter: &Counter,
    counts: &Counts,
) -> Option<Billed> {
    let requests = requests(&transcript.turns);
    let (first, last) = (requests.first()?, requests.last()?);
    let meter = Meter {
        turns: &transcript.turns,
        counts,
        counter,
        framing: counter.framing(),
        wire: Wire::of(counter),
    };
    let before = meter.stretch(0..first.turns.start);
    let unseen = first.sent().saturating_sub(meter.sent_for(&before, 0));
    let (memory, pairs) = meter.fit(&requests);
    let after = meter.stretch(last.turns.start..transcript.turns.len());
    let thought = match memory {
        Memory::Never => 0,
        Memory::UntilUser if after.messages > 0 => 0,
        Memory::UntilUser | Memory::Always => meter.hidden(&after, last),
    };
    Some(Billed {
        requests: requests.len(),
        sent: Tokens::new(last.sent()),
        unseen: Tokens::new(unseen),
        next: Tokens::new(last.sent() + meter.sent_for(&after, thought)),
        growth: Compared::of(&pairs.growth),
        replies: Compared::of(&pairs.replies),
        filled: filled(&requests, unseen, counts),
        calibration: Calibration::fit(&pairs.samples).ok(),
    })
}

/// How the window filled: by the bill of the last request, and what was said since.
fn filled(requests: &[Request<'_>], unseen: u64, counts: &Counts) -> Vec<Tokens> {
    let mut bills = requests.iter().peekable();
    // What a bill says, and what was counted up to it.
    let (mut base, mut before) = (unseen, 0);
    let mut filled = Vec::new();
    let mut grown = 0;
    for (number, growth) in counts.growth().into_iter().enumerate() {
        if let Some(request) = bills.next_if(|it| it.turns.start == number) {
            (base, before) = (request.sent(), grown);
        }
        grown = growth.get();
        filled.push(Tokens::new(base.saturating_add(grown - before)));
    }
    filled
}

/// Lists the requests with a bill.
///
/// A reply may be several turns: lines of one message, or parts of one answer
/// of which only one carries the bill.
fn requests(turns: &[Turn]) -> Vec<Request<'_>> {
    let mut requests: Vec<Request<'_>> = Vec::new();
    let replies = turns.iter().enumerate();
    for (number, turn) in replies.filter(|(_, turn)| turn.role == Role::Assistant) {
        match requests.last_mut().filter(|it| it.takes(number, turn)) {
            Some(request) => request.take(number, turn),
            None => requests.push(Request {
                turns: number..number + 1,
                id: turn.id.as_deref(),
                model: turn.model.as_deref(),
                usage: turn.usage,
            }),
        }
    }
    requests.retain(|request| request.sent() > 0);
    requests
}

impl Request<'_> {
    fn sent(&self) -> u64 {
        self.usage.map_or(0, |usage| usage.sent())
    }

    fn output(&self) -> u64 {
        self.usage.map_or(0, |usage| usage.output)
    }

    /// Tells whether a turn belongs to this reply.
    fn takes(&self, number: usize, turn: &Turn) -> bool {
        let same_id = self.id.is_some() && self.id == turn.id.as_deref();
        let follows = self.turns.end == number;
        let one_bill = self.usage.is_none() || turn.usage.is_none() || self.usage == turn.usage;
        same_id || follows && one_bill
    }

    fn take(&mut self, number: usize, turn: &Turn) {
        self.turns.end = number + 1;
        // The bill of an unfinished reply grows with it.
        let grown = turn.usage.filter(|usage| usage.output >= self.output());
        self.usage = grown.or(self.usage);
    }
}

/// Counts as bills do.
struct Meter<'a> {
    turns: &'a [Turn],
    counts: &'a Counts,
    counter: &'a Counter,
    framing: Framing,
    wire: Wire,
}

/// Bills next to counts: growth, replies, and growth of plain text for calibration.
#[derive(Default)]
struct Pairs {
    growth: Vec<(u64, u64)>,
    replies: Vec<(u64, u64)>,
    samples: Vec<Sample>,
}

/// How long a model is shown again what it thought. Providers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Always,
    UntilUser,
    Never,
}

impl Meter<'_> {
    /// Compares in the way in which the bills come out best.
    fn fit(&self, requests: &[Request<'_>]) -> (Memory, Pairs) {
        let error = |pairs: &Pairs| -> u64 {
            let errors = pairs.growth.iter();
            errors.map(|(billed, counted)| billed.abs_diff(*counted)).sum()
        };
        // Growth that cannot have been is left out, so fewer pairs are worse.
        let badness = |pairs: &Pairs| (std::cmp::Reverse(pairs.growth.len()), error(pairs));
        let ends = requests.iter().skip(1).map(|next| next.turns.start);
        let between: Vec<Stretch> = requests
            .iter()
            .zip(ends)
            .map(|(request, end)| self.stretch(request.turns.start..end))
            .collect();
        let by = |memory| (memory, self.pairs(requests, &between, memory));
        let always = by(Memory::Always);
        let others = [Memory::UntilUser, Memory::Never].map(by);
        others.into_iter().fold(always, |best, other| {
            if badness(&other.1) < badness(&best.1) { other } else { best }
        })
    }

    fn pairs(&self, requests: &[Request<'_>], between: &[Stretch], memory: Memory) -> Pairs {
        let mut pairs = Pairs::default();
        // Thinking since the user last spoke.
        let mut kept = 0;
        let pairs_of_requests = requests.iter().zip(requests.iter().skip(1));
        for ((request, next), stretch) in pairs_of_requests.zip(between) {
            let hidden = self.hidden(stretch, request);
            let (shown, forgotten) = match memory {
                Memory::Always => (hidden, 0),
                Memory::UntilUser if stretch.messages > 0 => (0, std::mem::take(&mut kept)),
                Memory::UntilUser => (hidden, 0),
                Memory::Never => (0, 0),
            };
            kept += shown;
            let counted = self.sent_for(stretch, shown).checked_sub(forgotten);
            let billed = next.sent().checked_sub(request.sent());
            let comparable = stretch.is_complete && request.model == next.model;
            if let (Some(billed @ 1..), Some(counted), true) = (billed, counted, comparable) {
                pairs.growth.push((billed, counted));
                pairs.samples.extend(self.sample(stretch, billed));
            }
            pairs.replies.extend(self.reply_pair(stretch, request));
        }
        pairs
    }

    /// Growth to calibrate by: plain text and calls.
    fn sample(&self, stretch: &Stretch, billed: u64) -> Option<Sample> {
        (!stretch.has_thinking).then(|| Sample {
            counted: Tokens::new(stretch.text()),
            calls: stretch.calls,
            billed: Tokens::new(billed),
        })
    }

    /// A reply that is shown whole, next to its bill.
    fn reply_pair(&self, stretch: &Stretch, request: &Request<'_>) -> Option<(u64, u64)> {
        let (billed, counted) = (request.output(), self.reply(stretch));
        // Logs that were written while the reply came in have a bill of a few tokens.
        let is_finished = billed.saturating_mul(2) >= counted;
        (!stretch.has_thinking && billed > 0 && is_finished).then_some((billed, counted))
    }

    /// Gathers what stands in some turns.
    fn stretch(&self, turns: Range<usize>) -> Stretch {
        let mut stretch = Stretch { is_complete: true, ..Stretch::default() };
        let calls: Vec<&Call> = self.turns[turns.clone()].iter().flat_map(Turn::calls).collect();
        stretch.calls = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        stretch.called = self.counter.count(&self.wire.calls(&calls)).get();
        for number in turns {
            let turn = &self.turns[number];
            stretch.messages += u32::from(is_message(turn) || turn.role == Role::System);
            for (place, block) in turn.blocks.iter().enumerate() {
                stretch.add(turn.role, block, self.counts.bare(number, place));
            }
        }
        stretch
    }

    /// What thinking costs that is sent back: by the bill of its reply where
    /// that is whole, else by what is shown of it.
    fn hidden(&self, stretch: &Stretch, request: &Request<'_>) -> u64 {
        if !stretch.has_thinking {
            return 0;
        }
        match request.output().checked_sub(self.reply(stretch)) {
            Some(rest) if rest > 0 => rest,
            _ => plus(stretch.thinking, self.framing.thinking),
        }
    }

    /// What a stretch adds to a request.
    fn sent_for(&self, stretch: &Stretch, hidden: u64) -> u64 {
        let calls = stretch.calls;
        let framing = &self.framing;
        let reply = match (calls, stretch.has_text) {
            (0, true) => framing.reply,
            (_, true) => framing.text_with_calls,
            (_, false) => 0,
        };
        let messages = framing.message.saturating_mul(i64::from(stretch.messages));
        let frame = reply + messages + framing.tool_round(calls);
        plus(stretch.text() + hidden, frame)
    }

    /// What a reply is billed, without its thinking.
    fn reply(&self, stretch: &Stretch) -> u64 {
        let calls = stretch.calls;
        let frame = match (calls, stretch.has_text) {
            (0, _) => self.framing.reply,
            (_, true) => self.framing.text_with_calls + self.framing.tool_calls(calls),
            (_, false) => self.framing.tool_calls(calls),
        };
        plus(stretch.texts + stretch.called, frame)
    }
}

impl Stretch {
    /// All of it that is text.
    fn text(&self) -> u64 {
        self.texts + self.called + self.results + self.said
    }

    fn add(&mut self, role: Role, block: &Block, tokens: u64) {
        match &block.content {
            // Counted together, as the model writes them.
            Content::Call(_) => {}
            Content::Result(result) => {
                self.results += tokens;
                self.is_complete &= result.images.count == 0;
            }
            Content::Text(_) if role == Role::Assistant => {
                self.texts += tokens;
                self.has_text = true;
            }
            Content::Thinking(_) => {
                self.thinking += tokens;
                self.has_thinking = true;
            }
            Content::Text(_) => self.said += tokens,
            Content::Image(_) | Content::Other(_) => {
                self.said += tokens;
                self.is_complete = false;
            }
        }
    }
}

impl Compared {
    /// Compares bills with counts; `None` if there are none.
    fn of(pairs: &[(u64, u64)]) -> Option<Compared> {
        let error = |(billed, counted): &(u64, u64)| {
            billed.abs_diff(*counted) as f64 / (*billed).max(1) as f64
        };
        let sum = |side: fn(&(u64, u64)) -> u64| {
            let tokens = pairs.iter().map(side).fold(0, u64::saturating_add);
            Tokens::new(tokens)
        };
        Some(Compared {
            compared: pairs.len(),
            billed: sum(|pair| pair.0),
            counted: sum(|pair| pair.1),
            residual: Residual::of(pairs.iter().map(error).collect())?,
        })
    }
}

/// Tells whether a turn is a message of its own, not results of tools alone.
fn is_message(turn: &Turn) -> bool {
    turn.role == Role::User && !turn.blocks.is_empty() && !brings_only_results(turn)
}

fn plus(tokens: u64, frame: i64) -> u64 {
    tokens.saturating_add_signed(frame)
}
