//! Builds the exact prompt for one phase of work, or from many sources at once.
//!
//! ```text
//! prompt   state + phase -> parts -> required -> the rest by limit -> messages -> trim
//! fill     sources + budget -> shares -> items -> fit -> text
//! ```
//!
//! [`build_prompt`] makes the prompt of a phase, [`keep_messages`] trims messages alone,
//! and [`fill_sources`] is the general case: named sources, each with its share of one
//! budget. The result is within its budget, or an error says what is too large.

mod assemble;
mod error;
mod fill;
mod message;
mod messages;
mod parts;
mod phase;
mod rounds;
mod source;
mod state;
mod trim;
mod write;

pub use error::PromptError;
pub use fill::{FilledItem, FilledPrompt, FilledSource, fill_sources};
pub use message::{ChatMessage, read_messages};
pub use messages::{KeptMessages, keep_messages};
pub use phase::{Most, PartRule, Phase, Phases, RoleStrategy};
pub use rounds::{
    CompressedRounds, RoundContext, RoundError, RoundOptions, RoundReport, compress_rounds,
    read_rounds, round_schema,
};
pub use source::{PromptSource, SourceItem, read_sources};
pub use state::{CurrentUnit, Failure, SystemPrompt, Texts, Unit, UnitStatus, WorkState};
pub use write::{ConvertMessages, PromptUsage, Provider, provider_messages};

use serde::Serialize;

use crate::Remark;
use crate::budget::Budget;
use crate::tokens::{Counter, Tokens};
use messages::Row;
use parts::{FAILURE_LINES, gather, shrink_failures};
use phase::MESSAGES;

/// How a window is built.
#[derive(Clone, Debug)]
pub struct PromptOptions {
    /// Counts what the budget speaks of.
    pub counter: Counter,
    /// The whole window, answer included.
    pub window: Tokens,
    /// What is held back for the answer; `None` for what the phase says.
    pub response: Option<Tokens>,
    /// How much the role wants to see.
    pub strategy: RoleStrategy,
}

impl PromptOptions {
    /// The usual window of 100,000 tokens, all of which may be filled.
    pub fn new(counter: Counter) -> PromptOptions {
        PromptOptions {
            counter,
            window: Tokens::new(100_000),
            response: None,
            strategy: RoleStrategy::Adaptive,
        }
    }
}

/// The prompt of one phase, within its budget.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Prompt {
    /// The phase.
    pub phase: String,
    /// Its parts other than messages, in order; parts with nothing to show are left out.
    pub parts: Vec<PromptPart>,
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
    pub remarks: Vec<Remark>,
    /// How many messages stand before the marker.
    first: usize,
    /// What the messages cost.
    messages_tokens: Tokens,
}

/// One part of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptPart {
    /// What it is: `system`, `units`, or a name of the state's own parts.
    pub name: String,
    /// Its heading, if it has one.
    pub title: Option<String>,
    /// Whether all of it must be here.
    pub required: bool,
    /// Its texts, in order.
    pub items: Vec<PromptItem>,
    /// What it costs with its heading.
    pub tokens: Tokens,
}

/// One text of a part, as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptItem {
    /// What it is called.
    pub name: String,
    /// The text.
    pub text: String,
    /// What it costs.
    pub tokens: Tokens,
}

/// Something that there was no room for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
/// use loadline::prompt::{Phases, PromptOptions, WorkState, build_prompt};
/// let (state, _) = WorkState::read(br#"{
///     "systemPrompt": "You write small functions.",
///     "designDocument": "A cache with a limit.",
///     "typeDefinitions": "type Key = string",
///     "currentUnit": {"name": "evict", "description": "drops the oldest entry"},
///     "messages": [{"role": "user", "content": "Go on."}]
/// }"#)?;
/// let phases = Phases::builtin()?;
/// let options = PromptOptions::new("o200k".parse()?);
/// let window = build_prompt(&state, phases.find("implementation")?, &options)?;
/// assert!(window.tokens <= window.available);
/// assert_eq!(window.parts.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build_prompt(
    state: &WorkState,
    phase: &Phase,
    options: &PromptOptions,
) -> Result<Prompt, PromptError> {
    let counter = &options.counter;
    let response = options.response.unwrap_or(phase.response);
    let budget = Budget::of(options.window)
        .reserve("response", response)
        .precision(counter.precision())
        .build()?;
    let available = budget.available();
    let mut remarks = Vec::new();
    let mut gathered = gather(state, phase, &mut remarks);
    let has_messages = phase.parts.iter().any(|rule| rule.part == MESSAGES);
    let messages = if has_messages { &state.messages[..] } else { &[] };
    let row = Row::new(messages, counter, &mut remarks);
    let mut window = Prompt::required(phase, &gathered, &row, counter);
    // Failing tests are shrunk from their middle before anything required is refused.
    for lines in FAILURE_LINES {
        if window.tokens <= available || !shrink_failures(&mut gathered, lines) {
            break;
        }
        window = Prompt::required(phase, &gathered, &row, counter);
    }
    window.available = available;
    window.response = response;
    window.check(&row, available)?;
    window.fill(phase, &gathered, &row, options);
    window.remarks = remarks;
    window.trim_to(available, counter)
}
