//! What exactly is a model shown in one phase of a work, or from many sources at once?
//!
//! ```text
//! window   state + phase -> parts -> required -> the rest by limit -> messages -> recount
//! fill     sources + budget -> shares -> items -> select -> text
//! ```
//!
//! [`build_window`] makes the prompt of a phase, [`window_messages`] is its last step
//! alone, and [`fill_context`] is the general case: named sources, each with its
//! share of one budget. Every one of them is within its budget or is an error that
//! says what is too large.

mod error;
mod fill;
mod message;
mod messages;
mod parts;
mod phase;
mod source;
mod state;
mod trim;
mod write;

pub use error::WindowError;
pub use fill::{FilledContext, FilledItem, FilledSource, fill_context, rescore};
pub use message::{ChatMessage, read_messages};
pub use messages::{MessageWindow, window_messages};
pub use phase::{Most, PartRule, Phase, Phases, RoleStrategy};
pub use source::{ContextItem, ContextSource, read_sources as read_context_sources};
pub use state::{CurrentUnit, Failure, Texts, Unit, UnitStatus, WorkState};
pub use write::{WindowUsage, provider_messages};

use crate::Note;
use crate::budget::{Allocation, Budget};
use crate::select::{Item, Policy, select};
use crate::session::BLOCK_TOKENS;
use crate::tokens::{Counter, Tokens};
use messages::Row;
use parts::{Gathered, called, gather, title};
use phase::MESSAGES;

/// How a window is built.
#[derive(Clone, Debug)]
pub struct WindowOptions {
    /// Counts what the budget speaks of.
    pub counter: Counter,
    /// The whole window, answer included.
    pub window: Tokens,
    /// What is held back for the answer; `None` for what the phase says.
    pub response: Option<Tokens>,
    /// How much the role wants to see.
    pub strategy: RoleStrategy,
}

impl WindowOptions {
    /// The usual window of 100,000 tokens, all of which may be filled.
    pub fn new(counter: Counter) -> WindowOptions {
        WindowOptions {
            counter,
            window: Tokens::new(100_000),
            response: None,
            strategy: RoleStrategy::Adaptive,
        }
    }
}

/// The prompt of one phase, within its budget.
#[derive(Clone, Debug)]
#[must_use]
pub struct PhaseWindow {
    /// The phase.
    pub phase: String,
    /// What it is made of beside messages, in order; parts with nothing to show are not here.
    pub parts: Vec<WindowPart>,
    /// The messages, with the marker where any are left out.
    pub messages: Vec<ChatMessage>,
    /// How many messages are left out.
    pub omitted_messages: usize,
    /// What all of it costs, counted as it is written.
    pub tokens: Tokens,
    /// What it might cost.
    pub available: Tokens,
    /// What is held back for the answer.
    pub response: Tokens,
    /// What there was no room for.
    pub left_out: Vec<LeftOut>,
    /// What was odd.
    pub notes: Vec<Note>,
    /// How many messages stand before the marker.
    first: usize,
    /// What the messages cost.
    messages_tokens: Tokens,
}

/// One part of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowPart {
    /// What it is: `system`, `units`, or a name of the state's own parts.
    pub name: String,
    /// Its heading, if it has one.
    pub title: Option<String>,
    /// Whether all of it must be here.
    pub required: bool,
    /// Its texts, in order.
    pub items: Vec<WindowItem>,
    /// What it costs with its heading.
    pub tokens: Tokens,
}

/// One text of a part, as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowItem {
    /// What it is called.
    pub name: String,
    /// The text.
    pub text: String,
    /// What it costs.
    pub tokens: Tokens,
}

/// Something that there was no room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The part it belongs to.
    pub part: String,
    /// What it is called.
    pub name: String,
    /// What it would have cost.
    pub tokens: Tokens,
}

/// Builds the prompt of a phase: what is required, then the other parts in the order
/// and within the limits of the phase, then messages in what is left.
///
/// ```
/// use loadline::{Phases, WindowOptions, WorkState, build_window};
/// let (state, _) = WorkState::read(br#"{
///     "systemPrompt": "You write small functions.",
///     "designDocument": "A cache with a limit.",
///     "typeDefinitions": "type Key = string",
///     "currentUnit": {"name": "evict", "description": "drops the oldest entry"},
///     "messages": [{"role": "user", "content": "Go on."}]
/// }"#)?;
/// let phases = Phases::builtin()?;
/// let options = WindowOptions::new("o200k".parse()?);
/// let window = build_window(&state, phases.find("implementation")?, &options)?;
/// assert!(window.tokens <= window.available);
/// assert_eq!(window.parts.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build_window(
    state: &WorkState,
    phase: &Phase,
    options: &WindowOptions,
) -> Result<PhaseWindow, WindowError> {
    let counter = &options.counter;
    let response = options.response.unwrap_or(phase.response);
    let budget = Budget::of(options.window)
        .reserve("response", response)
        .precision(counter.precision())
        .build()?;
    let available = budget.available();
    let mut notes = Vec::new();
    let gathered = gather(state, phase, &mut notes);
    let has_messages = phase.parts.iter().any(|rule| rule.part == MESSAGES);
    let messages = if has_messages {
        &state.messages[..]
    } else {
        &[]
    };
    let row = Row::new(messages, counter, &mut notes);
    let mut window = PhaseWindow::required(phase, &gathered, &row, counter);
    window.available = available;
    window.response = response;
    window.check(&row, available)?;
    window.fill(phase, &gathered, &row, options);
    window.notes = notes;
    window.trim_to(available, counter)
}

impl PhaseWindow {
    /// Puts down what has to be there: required parts, the first and the newest message.
    fn required(
        phase: &Phase,
        gathered: &[Gathered<'_>],
        row: &Row<'_>,
        counter: &Counter,
    ) -> PhaseWindow {
        let parts = gathered.iter().map(|part| {
            let all = 0..if part.rule.required {
                part.items.len()
            } else {
                0
            };
            WindowPart::of(part, &all.collect::<Vec<_>>(), counter)
        });
        let least = row.window(Tokens::ZERO);
        let mut window = PhaseWindow {
            phase: phase.name.clone(),
            parts: parts.collect(),
            messages: Vec::new(),
            omitted_messages: 0,
            tokens: Tokens::ZERO,
            available: Tokens::ZERO,
            response: Tokens::ZERO,
            left_out: Vec::new(),
            notes: Vec::new(),
            first: 0,
            messages_tokens: Tokens::ZERO,
        };
        window.set_messages(least);
        window.recount(counter);
        window
    }

    /// Fails where what is required does not fit, and names the largest of it.
    fn check(&self, row: &Row<'_>, available: Tokens) -> Result<(), WindowError> {
        match self.tokens <= available {
            true => Ok(()),
            false => Err(self.too_large(row.least(), available)),
        }
    }

    /// Adds what is not required, part by part, and messages when their turn comes.
    fn fill(
        &mut self,
        phase: &Phase,
        gathered: &[Gathered<'_>],
        row: &Row<'_>,
        options: &WindowOptions,
    ) {
        let aim = options.strategy.range().map(|(_, most)| most);
        let aim = aim.unwrap_or(Tokens::MAX).min(self.available);
        let mut rest = aim.saturating_sub(self.tokens);
        for rule in &phase.parts {
            let limit = rule.most.map_or(rest, |most| most.of(rest));
            if rule.part == MESSAGES {
                let least = self.messages_tokens;
                // A limit is for all messages, what is left beside the least for the others.
                let room = match rule.most {
                    Some(phase::Most::Tokens(most)) => most.min(least.saturating_add(rest)),
                    _ => least.saturating_add(limit),
                };
                self.set_messages(row.window(room));
                rest = rest.saturating_sub(self.messages_tokens.saturating_sub(least));
                continue;
            }
            let number = gathered.iter().position(|part| part.rule.part == rule.part);
            let Some(number) = number.filter(|_| !rule.required) else {
                continue;
            };
            let part = &gathered[number];
            let chosen = part.choose(limit, &options.counter);
            self.parts[number] = WindowPart::of(part, &chosen, &options.counter);
            rest = rest.saturating_sub(self.parts[number].tokens);
            let others = (0..part.items.len()).filter(|number| !chosen.contains(number));
            self.left_out.extend(others.map(|number| LeftOut {
                part: rule.part.clone(),
                name: part.items[number].name.clone(),
                tokens: options.counter.count(&part.items[number].text),
            }));
        }
        self.recount(&options.counter);
    }

    fn set_messages(&mut self, window: MessageWindow) {
        self.first = window.first;
        self.messages_tokens = window.tokens;
        self.omitted_messages = window.omitted;
        self.messages = window.messages;
    }

    /// Counts the window as it is written.
    fn recount(&mut self, counter: &Counter) {
        let text = self.system_text();
        let dress = match text.is_empty() {
            true => Tokens::ZERO,
            false => Tokens::new(BLOCK_TOKENS),
        };
        let system = counter.count(&text).saturating_add(dress);
        self.tokens = system.saturating_add(self.messages_tokens);
    }

    /// Names the largest of what is required.
    fn too_large(&self, messages: Tokens, available: Tokens) -> WindowError {
        let parts = self.parts.iter().filter(|part| part.required);
        let parts = parts.map(|part| (part.tokens, called(&part.name)));
        let all = parts.chain([(messages, called(MESSAGES))]);
        let largest = all.max_by_key(|(tokens, _)| *tokens);
        let (tokens, part) = largest.unwrap_or_default();
        WindowError::TooLarge {
            part,
            tokens,
            needed: self.tokens,
            available,
        }
    }
}

impl Gathered<'_> {
    /// Chooses items within a limit, the preferred first, past what does not fit.
    fn choose(&self, limit: Tokens, counter: &Counter) -> Vec<usize> {
        let heading = WindowPart::heading_tokens(self, counter);
        let Some(room) = limit.checked_sub(heading) else {
            return Vec::new();
        };
        let count = self.rule.count.unwrap_or(usize::MAX);
        let mut items: Vec<Item<usize>> = Vec::new();
        for place in 0..self.items.len().min(count) {
            let number = match self.newest_first {
                true => self.items.len() - 1 - place,
                false => place,
            };
            let text = &self.items[number].text;
            // What is larger than all the room need not be counted to its end.
            let Some(tokens) = counter.count_up_to(text, room) else {
                continue;
            };
            let tokens = tokens.saturating_add(JOINT);
            let score = -(place as f64);
            items.push(Item::new(number, score).rendition("full", tokens));
        }
        let allocation = Allocation::of(room);
        let Ok(selection) = select(items, &allocation, Policy::default()) else {
            return Vec::new();
        };
        let chosen = selection
            .ranked()
            .filter(|(_, _, fate)| fate.rendition().is_some());
        let mut chosen: Vec<usize> = chosen.map(|(number, _, _)| *number).collect();
        chosen.sort_unstable();
        chosen
    }
}

/// What stands between two texts, at most.
const JOINT: Tokens = Tokens::new(2);

impl WindowPart {
    fn of(part: &Gathered<'_>, chosen: &[usize], counter: &Counter) -> WindowPart {
        let items = chosen.iter().map(|&number| {
            let material = &part.items[number];
            WindowItem {
                name: material.name.clone(),
                tokens: counter.count(&material.text),
                text: material.text.clone(),
            }
        });
        let items: Vec<WindowItem> = items.collect();
        let texts = items.iter().map(|item| item.tokens.saturating_add(JOINT));
        let texts = Tokens::saturating_sum(texts);
        WindowPart {
            name: part.rule.part.clone(),
            title: title(part.rule),
            required: part.rule.required,
            tokens: match items.is_empty() {
                true => Tokens::ZERO,
                false => texts.saturating_add(WindowPart::heading_tokens(part, counter)),
            },
            items,
        }
    }

    fn heading_tokens(part: &Gathered<'_>, counter: &Counter) -> Tokens {
        let title = title(part.rule);
        title.map_or(Tokens::ZERO, |title| {
            counter.count(&format!("## {title}\n\n"))
        })
    }
}

#[cfg(test)]
mod tests;
