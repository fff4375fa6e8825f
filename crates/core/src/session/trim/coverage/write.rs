//! The lines that were chosen, as turns again.

use super::choose::Choice;
use super::material::{BlockInfo, Kind, Material, with_strings};
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::marker::Marker;
use crate::session::transcript::{Content, Role};

/// What stands for lines that were left out.
const GAP: &str = "…";

/// Writes a draft of the lines that were chosen.
pub(super) fn write(
    material: &Material<'_>,
    choice: &Choice<'_, '_>,
    handle: Option<&str>,
) -> Draft {
    let mut draft = Draft::default();
    let first = usize::from(choice.has_first());
    in_place(material, choice, 0..first, &mut draft);
    let excerpts = excerpts(material, choice);
    let begins = |turn: &DraftTurn| match turn {
        DraftTurn::Of { turn, .. } => material.transcript.turns[*turn].role == Role::User,
        DraftTurn::New { .. } => true,
    };
    // A session begins with the user, and what is cut leads back to the whole.
    if !excerpts.is_empty() || handle.is_some() || !draft.turns.iter().any(begins) {
        draft.turns.push(DraftTurn::New {
            role: Role::User,
            text: cut_text(material, choice, &excerpts, handle),
        });
    }
    in_place(
        material,
        choice,
        choice.tail..material.units.len(),
        &mut draft,
    );
    for (turn, it) in material.transcript.turns.iter().enumerate() {
        if it.role == Role::System {
            let later = |it: &DraftTurn| matches!(it, DraftTurn::Of { turn: of, .. } if *of > turn);
            let leads = material.transcript.turns[..turn]
                .iter()
                .all(|it| it.role == Role::System);
            let place = draft.turns.iter().position(later).filter(|_| !leads);
            let place = if leads {
                turn
            } else {
                place.unwrap_or(draft.turns.len())
            };
            let kept = DraftTurn::kept(material.transcript, turn);
            draft.turns.insert(place.min(draft.turns.len()), kept);
        }
    }
    draft
}

/// What is said in the place of what was cut.
fn cut_text(
    material: &Material<'_>,
    choice: &Choice<'_, '_>,
    excerpts: &[String],
    handle: Option<&str>,
) -> String {
    if excerpts.is_empty() {
        let kept = choice.chosen.iter().filter(|it| **it).count();
        let marker = Marker { handle, turn: None };
        return marker.kept(kept, material.lines.len(), "lines");
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

/// The lines of turns that are no messages any more, under their headlines.
fn excerpts(material: &Material<'_>, choice: &Choice<'_, '_>) -> Vec<String> {
    let mut lines = Vec::new();
    // The blocks of a group need not follow one another: several calls, then several results.
    let mut blocks: Vec<Vec<usize>> = vec![Vec::new(); choice.groups.len()];
    for (number, group) in choice.group_of.iter().enumerate() {
        if let Some(group) = group {
            blocks[*group].push(number);
        }
    }
    for (group, blocks) in choice.groups.iter().zip(blocks) {
        if !group.is_open {
            continue;
        }
        lines.push(group.headline.clone());
        for number in blocks {
            let range = material.blocks[number].lines.clone();
            if range.clone().any(|it| choice.chosen[it]) {
                lines.extend(shown(material, choice, range, false));
            }
        }
    }
    lines
}

/// The chosen lines of a range, with marks for what is left out between them.
fn shown(
    material: &Material<'_>,
    choice: &Choice<'_, '_>,
    range: std::ops::Range<usize>,
    marks_end: bool,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut gap = false;
    let mut joined = false;
    for line in range {
        let info = &material.lines[line];
        if !choice.chosen[line] {
            gap |= !info.text.trim().is_empty();
            joined = false;
            continue;
        }
        match lines.last_mut() {
            Some(last) if joined && info.continues => last.push_str(info.text),
            _ => {
                if std::mem::take(&mut gap) {
                    lines.push(GAP.to_owned());
                }
                lines.push(info.text.to_owned());
            }
        }
        joined = true;
    }
    if gap && marks_end {
        lines.push(GAP.to_owned());
    }
    lines
}

/// Units that stay messages, with the lines that were chosen of them.
fn in_place(
    material: &Material<'_>,
    choice: &Choice<'_, '_>,
    units: std::ops::Range<usize>,
    draft: &mut Draft,
) {
    let blocks = material.blocks.iter().enumerate();
    for (number, block) in blocks.filter(|(_, it)| units.contains(&it.unit)) {
        let Some(kept) = block_in_place(material, choice, number, block) else {
            continue;
        };
        match draft.turns.last_mut() {
            Some(DraftTurn::Of { turn, blocks }) if *turn == block.turn => blocks.push(kept),
            _ => draft.turns.push(DraftTurn::Of {
                turn: block.turn,
                blocks: vec![kept],
            }),
        }
    }
}

fn block_in_place(
    material: &Material<'_>,
    choice: &Choice<'_, '_>,
    number: usize,
    block: &BlockInfo<'_>,
) -> Option<DraftBlock> {
    if block.kind == Kind::Solid {
        return choice.solid[number].then(|| DraftBlock::kept(block.block));
    }
    let is_whole = |mut range: std::ops::Range<usize>| {
        range.all(|it| choice.chosen[it] || material.lines[it].text.trim().is_empty())
    };
    let any = block.lines.clone().any(|it| choice.chosen[it]);
    let is_text = matches!(block.kind, Kind::User | Kind::Assistant);
    if is_text && !any {
        return None;
    }
    if is_whole(block.lines.clone()) {
        return Some(DraftBlock::kept(block.block));
    }
    let change = match &material.transcript.turns[block.turn].blocks[block.block].content {
        Content::Call(call) => {
            let mut texts = (0..block.strings.len()).map(|string| {
                let of_string = |line: &usize| material.lines[*line].string as usize == string;
                let start = block
                    .lines
                    .clone()
                    .find(of_string)
                    .unwrap_or(block.lines.end);
                let count = block.lines.clone().skip_while(|it| !of_string(it));
                let range = start..start + count.take_while(of_string).count();
                if is_whole(range.clone()) {
                    return block.strings[string].to_owned();
                }
                shown(material, choice, range, true).join("\n")
            });
            Change::Arguments(with_strings(&call.arguments, &mut texts))
        }
        _ => Change::Text(shown(material, choice, block.lines.clone(), true).join("\n")),
    };
    Some(DraftBlock::changed(block.block, change))
}
