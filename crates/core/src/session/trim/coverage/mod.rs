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

use super::{Outcome, TrimOptions};
use crate::budget::Allocation;
use crate::fit::{Order, Policy, fit};
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

/// Parts of the room that what must stay is given, one after another: where it costs more
/// than was thought, less of it stays rather than none.
const PARTS: [f64; 6] = [1.0, 0.9, 0.75, 0.5, 0.25, 0.0];

/// Chooses lines within the budget.
pub(super) fn draft(
    transcript: &Transcript,
    options: &TrimOptions,
) -> Result<Outcome, SessionError> {
    let (session, remarks) = SessionLines::of(transcript, &options.counter);
    let values = Values::of(&session);
    let policy = Policy { order: Order::Rate, least_room: LEAST_ROOM, ..Policy::default() };
    let with = |required: Required<'_, '_>| {
        let mut choice = Choice::new(required, &session, &values, options);
        fit(choice.items(), &Allocation::of(options.budget), &policy, &mut choice)
    };
    let system = system_tokens(transcript, &options.counter);
    let room = options.budget.saturating_sub(system).get() as f64;
    let within = |part: f64| with(Required::within(&session, options, (room * part) as u64)).ok();
    let fitted = match PARTS.into_iter().find_map(within) {
        Some(fitted) => fitted,
        None => with(Required::nothing(&session, options))?,
    };
    Ok(Outcome { draft: fitted.written, remarks, summary: None })
}

#[cfg(test)]
mod tests;
