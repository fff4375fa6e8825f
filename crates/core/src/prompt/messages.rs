//! The messages of a window: the first, the newest that fit, and a marker between.

use std::borrow::Cow;

use super::message::{ChatMessage, groups, sound};
use crate::Remark;
use crate::agents::{BLOCK_TOKENS, Role};
use crate::fit::{SlidingWindow, slide_lazily, window_marker};
use crate::tokens::{Counter, Tokens};

/// The phase of a marker where no message says one.
const FIRST_PHASE: &str = "planning";

/// Messages that are left of many.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct KeptMessages {
    /// What stays, in order, with the marker where anything is left out.
    pub messages: Vec<ChatMessage>,
    /// How many stay, without the marker.
    pub kept: usize,
    /// How many are left out.
    pub omitted: usize,
    /// What all of it costs.
    pub tokens: Tokens,
    /// What was odd.
    pub remarks: Vec<Remark>,
    /// How many stand before the marker: the first, with its group.
    pub(super) first: usize,
}

/// Keeps the first message, the newest that fit, and a marker for what is between.
///
/// The first and the newest stay even where they alone are over `most`, so compare
/// [`tokens`](KeptMessages::tokens). Calls stay with their results, and no message
/// is cut. Only what is kept is counted, so that a very long row costs little.
///
/// ```
/// use loadline::prompt::{ChatMessage, keep_messages};
/// use loadline::agents::Role;
/// use loadline::tokens::{Counter, Tokens};
/// let counter: Counter = "heuristic".parse()?;
/// let message = |number| ChatMessage::new(Role::User, format!("{number:0>184}"));
/// let messages: Vec<ChatMessage> = (0..50).map(message).collect();
/// let window = keep_messages(&messages, Tokens::new(270), &counter);
/// assert_eq!(window.messages[1].members()["content"], "[45 earlier messages omitted for brevity]");
/// assert_eq!((window.kept, window.omitted), (5, 45));
/// # Ok::<(), loadline::tokens::CounterError>(())
/// ```
pub fn keep_messages(messages: &[ChatMessage], most: Tokens, counter: &Counter) -> KeptMessages {
    let mut remarks = Vec::new();
    let row = Row::new(messages, counter, &mut remarks);
    let mut window = row.window(most);
    window.remarks = remarks;
    window
}

/// Messages that can be sent, and which of them belong together.
pub(super) struct Row<'a> {
    messages: Vec<Cow<'a, ChatMessage>>,
    groups: Vec<usize>,
    counter: &'a Counter,
}

impl<'a> Row<'a> {
    /// Leaves out what no provider takes.
    pub(super) fn new(
        messages: &'a [ChatMessage],
        counter: &'a Counter,
        remarks: &mut Vec<Remark>,
    ) -> Row<'a> {
        let messages = sound(messages, remarks);
        let groups = groups(&messages.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        Row { messages, groups, counter }
    }

    /// Returns the least that messages may cost: the first and the newest.
    pub(super) fn least(&self) -> Tokens {
        let slide = self.slide(Tokens::ZERO);
        let marker = match slide.omitted {
            0 => Tokens::ZERO,
            omitted => marker_tokens(self.counter, omitted),
        };
        let kept = (0..slide.first).chain(slide.from..self.messages.len());
        let kept = kept.map(|number| self.messages[number].tokens(self.counter));
        Tokens::saturating_sum(kept).saturating_add(marker)
    }

    /// Returns what stays within so many tokens, and never less than the least.
    pub(super) fn window(&self, most: Tokens) -> KeptMessages {
        let slide = self.slide(most);
        let tail = &self.messages[slide.from..];
        let head = self.messages[..slide.first].iter();
        let mut messages: Vec<ChatMessage> = head.map(|it| it.clone().into_owned()).collect();
        if slide.omitted > 0 {
            let newest = self.messages[slide.from - 1].as_ref();
            messages.push(marker(slide.omitted, newest, tail.first().map(AsRef::as_ref)));
        }
        messages.extend(tail.iter().map(|it| it.clone().into_owned()));
        let costs = messages.iter().map(|it| it.tokens(self.counter));
        KeptMessages {
            tokens: Tokens::saturating_sum(costs),
            kept: slide.first + tail.len(),
            omitted: slide.omitted,
            messages,
            remarks: Vec::new(),
            first: slide.first,
        }
    }

    /// Slides, and keeps the newest group whatever it costs.
    fn slide(&self, most: Tokens) -> SlidingWindow {
        let mut slide = slide_lazily(
            &self.groups,
            most,
            |omitted| marker_tokens(self.counter, omitted),
            |number| self.messages[number].tokens(self.counter),
        );
        let last = self.groups.chunk_by(|a, b| a == b).next_back();
        let newest = self.groups.len() - last.map_or(0, <[usize]>::len);
        slide.from = slide.from.min(newest.max(slide.first));
        slide.omitted = slide.from - slide.first;
        slide
    }
}

/// Says how many messages are left out before the first that stays, and when the newest of
/// them was sent.
pub(super) fn marker(
    omitted: usize,
    newest: &ChatMessage,
    first_kept: Option<&ChatMessage>,
) -> ChatMessage {
    let phase = first_kept.and_then(ChatMessage::phase).unwrap_or(FIRST_PHASE);
    ChatMessage::new(Role::System, window_marker(omitted)).in_phase(phase).sent_with(newest)
}

/// What a marker for so many messages costs at most.
fn marker_tokens(counter: &Counter, omitted: usize) -> Tokens {
    // A number of as many nines is as long as any below it.
    let nines = 10_usize.saturating_pow(omitted.to_string().len() as u32) - 1;
    let (text, nines) = (window_marker(omitted), window_marker(nines));
    let longest = counter.count(&text).max(counter.count(&nines));
    longest.saturating_add(Tokens::new(BLOCK_TOKENS))
}
