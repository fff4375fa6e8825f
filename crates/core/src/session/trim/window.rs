//! Keeps the first message and the newest that fit.
//!
//! The plainest way to trim: nothing is cut within, nothing is weighed, and what
//! is left has one gap with a marker that says how many messages it was.

use std::collections::BTreeSet;

use super::piece::{Piece, assemble, pieces, system_tokens, turn_count};
use super::shrink::Shrinker;
use super::{Outcome, TrimOptions};
use crate::fit::{WindowMessage, slide_window, window_marker};
use crate::session::cost::BLOCK_TOKENS;
use crate::session::error::SessionError;
use crate::session::marker::Marker;
use crate::session::transcript::Transcript;
use crate::tokens::Tokens;

/// Keeps the first unit and the newest within the budget.
///
/// Units are whole, but for the first and the last where nothing would be left otherwise.
pub(super) fn draft(
    transcript: &Transcript,
    options: &TrimOptions,
) -> Result<Outcome, SessionError> {
    let counter = &options.counter;
    let (mut pieces, remarks) = pieces(transcript, counter);
    let system = system_tokens(transcript, counter);
    let total = turn_count(&pieces);
    let marker = marker_tokens(options, total);
    let room = options.budget.saturating_sub(system);
    let shrinker = Shrinker::new(transcript, options);
    if let [first, rest @ ..] = pieces.as_mut_slice() {
        let last = rest.last().map_or(Tokens::ZERO, |it| it.tokens);
        let newest = last.min(Tokens::new(room.get() / 2));
        let most = room.saturating_sub(newest.saturating_add(marker));
        *first = shrinker.shrink(first, most).unwrap_or_else(|| shrinker.smallest(first));
    }
    let first = pieces.first().map_or(Tokens::ZERO, |piece| piece.tokens);
    let least = Tokens::saturating_sum([system, first, marker]);
    if least > options.budget {
        return Err(SessionError::OverBudget { needed: least, available: options.budget });
    }
    let (preserved, room) = preserved(transcript, options, &pieces, room);
    let message = |(group, piece): (usize, &Piece)| WindowMessage {
        tokens: if preserved.contains(&group) { Tokens::ZERO } else { piece.tokens },
        group,
    };
    let messages: Vec<WindowMessage> = pieces.iter().enumerate().map(message).collect();
    // The marker is always there: even where no message goes, something was cut.
    let room = room.saturating_sub(marker);
    let mut window = slide_window(&messages, room, |_| Tokens::ZERO);
    if let [first, .., last] = pieces.as_mut_slice()
        && window.from > messages.len() - 1
    {
        let left = room.saturating_sub(first.tokens);
        if let Some(newest) = shrinker.shrink(last, left) {
            *last = newest;
            window.from = messages.len() - 1;
        }
    }
    let stays = |(number, _): &(usize, &Piece)| {
        *number < window.first || *number >= window.from || preserved.contains(number)
    };
    let kept: Vec<&Piece> = pieces.iter().enumerate().filter(stays).map(|it| it.1).collect();
    let omitted = total - turn_count(kept.iter().copied());
    let words = marker_text(options, omitted, total);
    Ok(Outcome { draft: assemble(transcript, kept, Some(words)), remarks, summary: None })
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
    let recall = Marker { handle, turn }.kept(total - omitted, total, "messages");
    let gap = (omitted > 0).then(|| window_marker(omitted));
    let recall = (handle.is_some() || gap.is_none()).then_some(recall);
    gap.into_iter().chain(recall).collect::<Vec<_>>().join("\n")
}

/// The most that a marker for some of `total` messages costs.
fn marker_tokens(options: &TrimOptions, total: usize) -> Tokens {
    let longest = format!("{}\n{}", window_marker(total), marker_text(options, 0, total));
    let text = options.counter.count(&longest);
    text.saturating_add(Tokens::new(BLOCK_TOKENS))
}
