//! What was billed, against what is counted.
//!
//! A provider reports for every request all that was sent, and that holds a
//! system prompt and the schemas of tools, which no log shows. So what is
//! compared is growth: what two requests differ by, against what stands between
//! them in the log. What a model thought without showing it is billed in its
//! reply, and is taken from there.

use std::ops::Range;

use super::wire::Wire;
use super::{Counts, is_user};
use crate::session::transcript::{Block, Call, Content, Role, Transcript, Turn, Usage};
use crate::tokens::{Calibration, Counter, Framing, Residual, Sample, Tokens};

/// What the provider counted for the requests of a session, against our count.
#[derive(Clone, Debug, PartialEq)]
pub struct Billed {
    /// Requests with a bill.
    pub requests: usize,
    /// What the last of them sent.
    pub sent: Tokens,
    /// What the first one sent beside what the log shows: system prompt and tools.
    pub unseen: Tokens,
    /// What the next request would send: the last bill, and what was said since.
    pub next: Tokens,
    /// What each request sent more than the one before; `None` without two to compare.
    pub growth: Option<Compared>,
    /// Replies; `None` where none is shown whole.
    pub replies: Option<Compared>,
    /// Factor and price per call that would make counts of plain text bills.
    pub calibration: Option<Calibration>,
}

/// Counts beside bills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// How many were compared.
    pub compared: usize,
    /// What was billed for them together.
    pub billed: Tokens,
    /// What is counted for them together.
    pub counted: Tokens,
    /// How far a single count is from its bill.
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
struct Stretch<'a> {
    calls: Vec<&'a Call>,
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

/// Compares a session with its bills, where it has any.
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
    let after = meter.stretch(last.turns.start..transcript.turns.len());
    let next = last.sent() + meter.sent_for(&after, meter.hidden(&after, last));
    let pairs = meter.pairs(&requests);
    Some(Billed {
        requests: requests.len(),
        sent: Tokens::new(last.sent()),
        unseen: Tokens::new(unseen),
        next: Tokens::new(next),
        growth: Compared::of(&pairs.growth),
        replies: Compared::of(&pairs.replies),
        calibration: Calibration::fit(&pairs.samples).ok(),
    })
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

/// Bills beside counts: growth, replies, and growth of plain text for calibration.
#[derive(Default)]
struct Pairs {
    growth: Vec<(u64, u64)>,
    replies: Vec<(u64, u64)>,
    samples: Vec<Sample>,
}

impl<'a> Meter<'a> {
    fn pairs(&self, requests: &[Request<'_>]) -> Pairs {
        let mut pairs = Pairs::default();
        // Thinking since the user last spoke; OpenAI's models forget it then.
        let mut kept = 0;
        for (request, next) in requests.iter().zip(requests.iter().skip(1)) {
            let stretch = self.stretch(request.turns.start..next.turns.start);
            let hidden = self.hidden(&stretch, request);
            let forgets = stretch.messages > 0 && self.wire == Wire::Json;
            let counted = match forgets {
                true => i128::from(self.sent_for(&stretch, 0)) - i128::from(kept),
                false => i128::from(self.sent_for(&stretch, hidden)),
            };
            kept = if forgets { 0 } else { kept + hidden };
            let grown = i128::from(next.sent()) - i128::from(request.sent());
            let grown = (u64::try_from(grown), u64::try_from(counted));
            if let (Ok(billed @ 1..), Ok(counted)) = grown
                && stretch.is_complete
                && request.model == next.model
            {
                pairs.growth.push((billed, counted));
                if !stretch.has_thinking {
                    pairs.samples.push(Sample {
                        counted: Tokens::new(self.text(&stretch)),
                        calls: u32::try_from(stretch.calls.len()).unwrap_or(u32::MAX),
                        billed: Tokens::new(billed),
                    });
                }
            }
            if !stretch.has_thinking && request.output() > 0 {
                pairs.replies.push((request.output(), self.reply(&stretch)));
            }
        }
        pairs
    }

    /// Gathers what stands in some turns.
    fn stretch(&self, turns: Range<usize>) -> Stretch<'a> {
        let mut stretch = Stretch {
            is_complete: true,
            ..Stretch::default()
        };
        for number in turns {
            let turn = &self.turns[number];
            stretch.messages += u32::from(is_user(turn) || turn.role == Role::System);
            for (place, block) in turn.blocks.iter().enumerate() {
                stretch.add(turn.role, block, self.counts.bare(number, place));
            }
        }
        stretch
    }

    /// What thinking costs that is sent back: by the bill of its reply where
    /// that is whole, else by what is shown of it.
    fn hidden(&self, stretch: &Stretch<'_>, request: &Request<'_>) -> u64 {
        if !stretch.has_thinking {
            return 0;
        }
        // Logs that were written while the reply came in have a bill of a few tokens.
        match request.output().checked_sub(self.reply(stretch)) {
            Some(rest) if rest > 0 => rest,
            _ => plus(stretch.thinking, self.framing.thinking),
        }
    }

    /// What a stretch adds to a request.
    fn sent_for(&self, stretch: &Stretch<'_>, hidden: u64) -> u64 {
        let calls = u32::try_from(stretch.calls.len()).unwrap_or(u32::MAX);
        let framing = &self.framing;
        let reply = match (calls, stretch.has_text) {
            (0, true) => framing.reply,
            (_, true) => framing.beside_calls,
            (_, false) => 0,
        };
        let messages = framing.message.saturating_mul(i64::from(stretch.messages));
        let frame = reply + messages + framing.tool_round(calls);
        plus(self.text(stretch) + hidden, frame)
    }

    /// What a reply is billed, without its thinking.
    fn reply(&self, stretch: &Stretch<'_>) -> u64 {
        let calls = u32::try_from(stretch.calls.len()).unwrap_or(u32::MAX);
        let frame = match (calls, stretch.has_text) {
            (0, _) => self.framing.reply,
            (_, true) => self.framing.beside_calls + self.framing.tool_calls(calls),
            (_, false) => self.framing.tool_calls(calls),
        };
        plus(stretch.texts + self.called(stretch), frame)
    }

    /// All of a stretch that is text.
    fn text(&self, stretch: &Stretch<'_>) -> u64 {
        stretch.texts + self.called(stretch) + stretch.results + stretch.said
    }

    fn called(&self, stretch: &Stretch<'_>) -> u64 {
        self.counter.count(&self.wire.calls(&stretch.calls)).get()
    }
}

impl<'a> Stretch<'a> {
    fn add(&mut self, role: Role, block: &'a Block, tokens: u64) {
        match &block.content {
            Content::Call(call) => self.calls.push(call),
            Content::Result(result) => {
                self.results += tokens;
                self.is_complete &= result.images == 0;
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
            Content::Image | Content::Other(_) => {
                self.said += tokens;
                self.is_complete = false;
            }
        }
    }
}

impl Compared {
    /// Compares bills with counts; `None` where there are none.
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

fn plus(tokens: u64, frame: i64) -> u64 {
    tokens.saturating_add_signed(frame)
}
