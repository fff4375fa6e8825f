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
    let counter = &options.counter;
    let system = transcript.turns.iter().filter(|it| it.role == Role::System);
    let system: u64 = system.map(|it| turn_tokens(counter, it).get()).sum();
    let budget = options.budget.get();
    let over = |missing: u64| SessionError::OverBudget {
        needed: Tokens::new(budget.saturating_add(missing)),
        available: options.budget,
    };
    let room = budget
        .checked_sub(system)
        .ok_or_else(|| over(system - budget))?;
    let material = Material::of(transcript, counter);
    let worth = Worth::of(&material);
    let wishes = Wishes {
        keep_last: options.keep_last,
        preserve: &options.preserve,
    };
    let mut choice = Choice::new(&material, &worth, room, wishes);
    choice.take_required().map_err(over)?;
    choice.offer();
    choice.fill();
    let write = |choice: &Choice<'_, '_>| {
        let draft = write::write(&material, choice, options.handle.as_deref());
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
        if tokens <= budget {
            break;
        }
        if !choice.give_back(tokens - budget + 2) {
            return Err(over((tokens - budget) as u64));
        }
        (draft, tokens) = write(&choice);
    }
    match tokens <= budget {
        true => Ok(draft),
        false => Err(over((tokens - budget) as u64)),
    }
}
