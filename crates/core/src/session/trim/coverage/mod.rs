//! Chooses lines by what the next turns are likely to refer to.
//!
//! The session is taken apart into lines and what they mention; each mention has the
//! value that it is likely to be referred to. What must stay is taken first: how it
//! began, what the user said, the last units. The rest of the budget goes to the lines
//! that bring the most value for their tokens, each mention counted once.

mod choose;
mod current;
mod facts;
mod lines;
mod model;
mod relevance;
mod required;
mod stale;
mod trace;
mod value;
mod write;

use super::TrimOptions;
use crate::budget::Allocation;
use crate::fit::{Order, Policy, fit};
use crate::session::draft::Draft;
use crate::session::error::SessionError;
use crate::session::transcript::Transcript;
use crate::session::trim::piece::system_tokens;
use crate::tokens::Tokens;
use choose::Choice;
use lines::SessionLines;
use required::Required;
use value::Values;

/// Nothing worth reading fits into less than this.
const LEAST_ROOM: Tokens = Tokens::new(13);

/// Chooses lines within the budget.
pub(super) fn draft(transcript: &Transcript, options: &TrimOptions) -> Result<Draft, SessionError> {
    let session = SessionLines::of(transcript, &options.counter);
    let values = Values::of(&session);
    let policy = Policy { order: Order::Rate, least_room: LEAST_ROOM, ..Policy::default() };
    let within = |room: Tokens| {
        let required = Required::within(&session, options, room.get());
        let mut choice = Choice::new(required, &session, &values, options);
        fit(choice.items(), &Allocation::of(options.budget), &policy, &mut choice)
    };
    let system = system_tokens(transcript, &options.counter);
    // What must stay takes parts of the budget. Where that is too much, there is only
    // room for the least that is a session.
    let fitted = within(options.budget.saturating_sub(system)).or_else(|_| within(Tokens::ZERO))?;
    Ok(fitted.written)
}

#[cfg(test)]
mod tests;
