//! Keeps the first message and the newest that fit.
//!
//! The plainest way to trim: nothing is cut within, nothing is weighed, and what
//! is left has one gap with a marker that says how many messages it was.

use std::collections::BTreeSet;

use super::piece::{Piece, assemble, pieces, system_tokens};
use super::{Outcome, TrimOptions};
use crate::fit::{WindowMessage, slide_window, window_marker};
use crate::session::cost::BLOCK_TOKENS;
use crate::session::draft::DraftTurn;
use crate::session::error::SessionError;
use crate::session::marker::Marker;
use crate::session::transcript::{Role, Transcript};
use crate::tokens::Tokens;

/// Keeps the first unit and the newest within the budget.
pub(super) fn draft(
    transcript: &Transcript,
    options: &TrimOptions,
) -> Result<Outcome, SessionError> {
    let counter = &options.counter;
    let (pieces, remarks) = pieces(transcript, counter);
    let system = system_tokens(transcript, counter);
    let first = pieces.first().map_or(Tokens::ZERO, |piece| piece.tokens);
    // The budget is never exceeded: a first message that does not fit is an error.
    let total = pieces.iter().map(|piece| piece.parts.len()).sum();
    let least = Tokens::saturating_sum([system, first, marker_tokens(options, total)]);
    let room = options.budget.checked_sub(system);
    let Some(room) = room.filter(|_| least <= options.budget) else {
        return Err(SessionError::OverBudget { needed: least, available: options.budget });
    };
    let (preserved, room) = preserved(transcript, options, &pieces, room);
    let messages: Vec<WindowMessage> = pieces
        .iter()
        .enumerate()
        .map(|(group, piece)| WindowMessage {
            tokens: if preserved.contains(&group) { Tokens::ZERO } else { piece.tokens },
            group,
        })
        .collect();
    let window = slide_window(&messages, room, |_| marker_tokens(options, total));
    let stays = |number: &usize| {
        *number < window.first || *number >= window.from || preserved.contains(number)
    };
    let omitted = (0..pieces.len()).filter(|number| !stays(number));
    let omitted = omitted.map(|number| pieces[number].parts.len()).sum();
    let kept = (0..pieces.len()).filter(stays).map(|number| &pieces[number]);
    let behind = pieces.first().map_or(0, Piece::last_turn);
    let marker = (omitted > 0).then(|| {
        let (role, text) = (Role::User, marker_text(options, omitted, total));
        (behind, DraftTurn::New { role, text })
    });
    Ok(Outcome { draft: assemble(transcript, kept, marker), remarks, summary: None })
}

/// Sets room aside for units with lines to preserve, newest first, while the last
/// units that were asked for still fit.
fn preserved(
    transcript: &Transcript,
    options: &TrimOptions,
    pieces: &[Piece],
    room: Tokens,
) -> (BTreeSet<usize>, Tokens) {
    let keep_last = options.keep_last.unwrap_or(1);
    let from = pieces.len().saturating_sub(keep_last).max(1);
    let needed = pieces.iter().take(1).chain(pieces.iter().skip(from));
    let needed = Tokens::saturating_sum(needed.map(|piece| piece.tokens));
    let marker = marker_tokens(options, transcript.turns.len());
    let mut spare = room.saturating_sub(needed.saturating_add(marker));
    let mut taken = BTreeSet::new();
    let mut left = room;
    for number in (1..from.min(pieces.len())).rev() {
        let piece = &pieces[number];
        let is_wanted = piece.matching(transcript, &options.preserve).next().is_some();
        if is_wanted && piece.tokens <= spare {
            spare = spare.saturating_sub(piece.tokens);
            left = left.saturating_sub(piece.tokens);
            taken.insert(number);
        }
    }
    (taken, left)
}

/// Says how many messages do not stay, and how to recall them.
fn marker_text(options: &TrimOptions, omitted: usize, total: usize) -> String {
    let (handle, turn) = (options.handle.as_deref(), None);
    let recall = handle.map(|_| Marker { handle, turn }.kept(total - omitted, total, "messages"));
    let lines = [Some(window_marker(omitted)), recall];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    lines.join("\n")
}

/// The most that a marker for some of `total` messages costs.
fn marker_tokens(options: &TrimOptions, total: usize) -> Tokens {
    let longest = format!(
        "{}{}",
        window_marker(total),
        marker_text(options, 0, total).trim_start_matches(&window_marker(0))
    );
    let text = options.counter.count(&longest);
    text.saturating_add(Tokens::new(BLOCK_TOKENS))
}
