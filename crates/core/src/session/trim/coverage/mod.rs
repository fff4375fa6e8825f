//! Lines by what the next turns are likely to refer to.
//!
//! The session is taken apart into lines with their atoms; each atom is worth
//! what it is likely to be referred to. What must stay is taken first: how it
//! began, what the user said, the last units. The rest of the budget goes to
//! the lines that bring the most worth for their tokens, each atom counted once.

mod choose;
mod current;
mod facts;
mod material;
mod model;
mod relevance;
mod stale;
mod trace;
mod worth;
mod write;

use super::TrimOptions;
use crate::session::cost::{turn_tokens, turns_tokens};
use crate::session::draft::Draft;
use crate::session::error::SessionError;
use crate::session::transcript::{Role, Transcript};
use crate::tokens::Tokens;
use choose::{Choice, Wishes};
use material::Material;
use worth::Worth;

/// How often a draft that is too large is made smaller.
const TRIES: usize = 60;

/// Chooses lines within the budget.
pub(super) fn draft(transcript: &Transcript, options: &TrimOptions) -> Result<Draft, SessionError> {
    let material = Material::of(transcript, &options.counter);
    let worth = Worth::of(&material);
    let attempt = |budget| draft_within(&material, &worth, options, budget);
    let available = options.budget;
    attempt(available.get()).map_err(|missing| SessionError::OverBudget {
        needed: Tokens::new(least_budget(
            available.get().saturating_add(missing),
            attempt,
        )),
        available,
    })
}

/// Returns a budget that will do. What must stay takes shares of the budget, so
/// that more of it has to be tried.
fn least_budget(from: u64, attempt: impl Fn(u64) -> Result<Draft, u64>) -> u64 {
    let mut budget = from;
    for _ in 0..TRIES {
        match attempt(budget) {
            Ok(_) => break,
            Err(missing) => budget = budget.saturating_add(missing.max(budget / 32)),
        }
    }
    budget
}

/// Chooses lines within a budget, or returns how many tokens are missing.
fn draft_within(
    material: &Material<'_>,
    worth: &Worth,
    options: &TrimOptions,
    budget: u64,
) -> Result<Draft, u64> {
    let (transcript, counter) = (material.transcript, &options.counter);
    let system = transcript.turns.iter().filter(|it| it.role == Role::System);
    let system: u64 = system.map(|it| turn_tokens(counter, it).get()).sum();
    let room = budget
        .checked_sub(system)
        .ok_or(system - budget.min(system))?;
    let wishes = Wishes {
        keep_last: options.keep_last,
        preserve: &options.preserve,
    };
    let mut choice = Choice::new(material, worth, room, wishes);
    choice.take_required()?;
    choice.offer();
    choice.fill();
    let write = |choice: &Choice<'_, '_>| {
        let draft = write::write(material, choice, options.handle.as_deref());
        let tokens = turns_tokens(counter, &draft.turns(transcript)).get() as i64;
        (draft, tokens)
    };
    let (mut draft, mut tokens) = write(&choice);
    let budget = budget as i64;
    if tokens < budget - budget / 64 {
        choice.fill_more(budget - tokens - budget / 250);
        (draft, tokens) = write(&choice);
    }
    for _ in 0..TRIES {
        if tokens <= budget || !choice.give_back(tokens - budget + 2) {
            break;
        }
        (draft, tokens) = write(&choice);
    }
    if tokens <= budget {
        Ok(draft)
    } else {
        Err((tokens - budget) as u64)
    }
}

#[cfg(test)]
mod tests;
