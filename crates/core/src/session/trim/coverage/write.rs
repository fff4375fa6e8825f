//! Writes the chosen lines as turns again.
//!
//! Lines of the first and the last units stay in their messages; older ones go into one
//! message in order, under a headline for each call.

use std::ops::Range;

use super::choose::Choice;
use super::lines::{BlockInfo, Kind, with_strings};
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::marker::Marker;
use crate::session::transcript::{Content, Role};

/// Stands for lines that were left out.
const GAP: &str = "…";

/// Writes a draft of the chosen lines.
pub(super) fn write(choice: &Choice<'_, '_>, handle: Option<&str>) -> Draft {
    let turns = &choice.session.transcript.turns;
    let mut draft = Draft::default();
    in_place(choice, 0..choice.first, &mut draft);
    let excerpts = excerpts(choice);
    let begins = |turn: &DraftTurn| match turn {
        DraftTurn::Of { turn, .. } => turns[*turn].role == Role::User,
        DraftTurn::New { role, .. } => *role == Role::User,
    };
    // A session begins with the user, and what is cut leads back to the whole.
    if !excerpts.is_empty() || handle.is_some() || !draft.turns.iter().any(begins) {
        draft
            .turns
            .push(DraftTurn::New { role: Role::User, text: cut_text(choice, &excerpts, handle) });
    }
    in_place(choice, choice.tail..choice.session.units.len(), &mut draft);
    keep_system(choice, &mut draft);
    draft
}

/// Puts the instructions of the system back: those before the first message stay there,
/// later ones go before what followed them.
fn keep_system(choice: &Choice<'_, '_>, draft: &mut Draft) {
    let turns = &choice.session.transcript.turns;
    let is_system = |turn: &usize| turns[*turn].role == Role::System;
    for turn in (0..turns.len()).filter(is_system) {
        let is_later = |it: &DraftTurn| matches!(it, DraftTurn::Of { turn: of, .. } if *of > turn);
        let place = if (0..turn).all(|it| is_system(&it)) {
            Some(turn)
        } else {
            draft.turns.iter().position(is_later)
        };
        let end = draft.turns.len();
        let kept = DraftTurn::kept(choice.session.transcript, turn);
        draft.turns.insert(place.unwrap_or(end).min(end), kept);
    }
}

/// What is said in the place of what was cut.
fn cut_text(choice: &Choice<'_, '_>, excerpts: &[String], handle: Option<&str>) -> String {
    if excerpts.is_empty() {
        let kept = choice.chosen.iter().filter(|it| **it).count();
        let marker = Marker { handle, turn: None };
        return marker.kept(kept, choice.session.lines.len(), "lines");
    }
    let recall = match handle {
        Some(handle) => format!("; `loadline recall {handle}:TURN` shows a turn whole"),
        None => String::new(),
    };
    let text = format!(
        "Excerpts of earlier turns ([turn tool] argument, then lines; {GAP} marks omissions{recall})\n{}",
        excerpts.join("\n")
    );
    text.trim_end().to_owned()
}

/// The lines of turns that are no longer messages, under their headlines.
fn excerpts(choice: &Choice<'_, '_>) -> Vec<String> {
    let mut lines = Vec::new();
    // The blocks of a group need not follow one another: several calls, then several results.
    let mut blocks: Vec<Vec<usize>> = vec![Vec::new(); choice.groups.len()];
    for (number, group) in choice.group_of.iter().enumerate() {
        if let Some(group) = group.filter(|it| choice.groups[*it].is_open) {
            blocks[group].push(number);
        }
    }
    for (group, blocks) in choice.groups.iter().zip(blocks) {
        lines.extend(group.is_open.then(|| group.headline.clone()));
        for number in blocks {
            let range = choice.session.blocks[number].lines.clone();
            if range.clone().any(|it| choice.chosen[it]) {
                lines.extend(shown(choice, range, false));
            }
        }
    }
    lines
}

/// The chosen lines of a range, with marks for what is left out between them.
fn shown(choice: &Choice<'_, '_>, range: Range<usize>, marks_end: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut gap = false;
    let mut joined = false;
    for line in range {
        let info = &choice.session.lines[line];
        if !choice.chosen[line] {
            gap |= !info.text.trim().is_empty();
            joined = false;
            continue;
        }
        match lines.last_mut() {
            Some(last) if joined && info.continues => last.push_str(info.text),
            _ => {
                lines.extend(std::mem::take(&mut gap).then(|| GAP.to_owned()));
                lines.push(info.text.to_owned());
            }
        }
        joined = true;
    }
    lines.extend((gap && marks_end).then(|| GAP.to_owned()));
    lines
}

/// Units that stay messages, with the lines that were chosen of them.
fn in_place(choice: &Choice<'_, '_>, units: Range<usize>, draft: &mut Draft) {
    let blocks = choice.session.blocks.iter().enumerate();
    for (number, block) in blocks.filter(|(_, it)| units.contains(&it.unit)) {
        let Some(kept) = block_in_place(choice, number, block) else {
            continue;
        };
        match draft.turns.last_mut() {
            Some(DraftTurn::Of { turn, blocks }) if *turn == block.turn => blocks.push(kept),
            _ => draft.turns.push(DraftTurn::Of { turn: block.turn, blocks: vec![kept] }),
        }
    }
}

fn block_in_place(
    choice: &Choice<'_, '_>,
    number: usize,
    block: &BlockInfo<'_>,
) -> Option<DraftBlock> {
    if block.kind == Kind::Opaque {
        return choice.opaque[number].then(|| DraftBlock::kept(block.block));
    }
    let session = choice.session;
    let is_whole = |mut range: Range<usize>| {
        range.all(|it| choice.chosen[it] || session.lines[it].text.trim().is_empty())
    };
    let any = block.lines.clone().any(|it| choice.chosen[it]);
    let is_text = matches!(block.kind, Kind::User | Kind::Assistant);
    if is_text && !any {
        return None;
    }
    if is_whole(block.lines.clone()) {
        return Some(DraftBlock::kept(block.block));
    }
    let change = match &session.transcript.turns[block.turn].blocks[block.block].content {
        Content::Call(call) => {
            let mut end = block.lines.start;
            let mut texts = (0..block.strings.len()).map(|string| {
                let rest = &session.lines[end..block.lines.end];
                let of_string = rest.iter().take_while(|it| it.string as usize == string);
                let range = end..end + of_string.count();
                end = range.end;
                if is_whole(range.clone()) {
                    return block.strings[string].to_owned();
                }
                shown(choice, range, true).join("\n")
            });
            Change::Arguments(with_strings(&call.arguments, &mut texts))
        }
        _ => Change::Text(shown(choice, block.lines.clone(), true).join("\n")),
    };
    Some(DraftBlock::changed(block.block, change))
}
