//! What every format promises, for the tests of each.

use serde_json::Value;

use super::SessionFormat;
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::transcript::{CallResult, Content, Role, Transcript, Turn};
use crate::session::units::units;
use crate::session::{check_session, read_session, write_session};

/// How many units are left out in every combination.
const UNITS: usize = 6;

/// Reads a session whose format must be found by its content.
pub(super) fn read(source: impl AsRef<[u8]>) -> Transcript {
    read_session(source.as_ref().to_vec(), None).expect("a session")
}

/// Writes a draft that breaks rules, too.
pub(super) fn unchecked(transcript: &Transcript, draft: &Draft) -> Vec<u8> {
    let codec = transcript.format.codec();
    codec.write(transcript, draft).expect("a session")
}

/// Shows turns line by line: the role, then each block.
pub(super) fn show(turns: &[Turn]) -> Vec<String> {
    let show = |turn: &Turn| {
        let blocks: Vec<String> = turn.blocks.iter().map(|it| text(&it.content)).collect();
        format!("{} {}", turn.role.name(), blocks.join(" | "))
    };
    turns.iter().map(show).collect()
}

/// Shows the blocks of a session.
pub(super) fn texts(transcript: &Transcript) -> Vec<String> {
    let blocks = transcript.turns.iter().flat_map(|turn| &turn.blocks);
    blocks.map(|block| text(&block.content)).collect()
}

fn text(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Thinking(text) => format!("({text})"),
        Content::Call(call) => format!("{}={}{}", call.id, call.name, call.arguments),
        Content::Result(CallResult { call, text, is_error, images }) => {
            let error = if *is_error { "!" } else { "" };
            let images = match images.count {
                0 => String::new(),
                images => format!("+{images}"),
            };
            format!("{call}>{error}{text}{images}")
        }
        Content::Image(_) => "<image>".to_owned(),
        Content::Other(kind) => format!("<{kind}>"),
    }
}

/// Writes many drafts of a session and reads each back; returns how many.
///
/// What starts with words of the user must be a session that a provider takes.
pub(super) fn assert_drafts_come_back(source: impl AsRef<[u8]>) -> usize {
    let transcript = read(&source);
    let is_valid = check_session(&transcript).is_empty();
    let whole = write_session(&transcript, &Draft::whole(&transcript));
    assert_eq!(whole.as_deref(), Ok(source.as_ref()));
    let mut tried = 0;
    for mask in 0..1_usize << units(&transcript).0.len().min(UNITS) {
        for way in 0..16 {
            let draft = draft(&transcript, mask, way);
            let turns = draft.turns(&transcript);
            // Without words of the user some formats have no place for the instructions.
            let is_said = turns.iter().any(|turn| turn.role == Role::User);
            if !is_said || draft.is_whole(&transcript) {
                continue;
            }
            let written = unchecked(&transcript, &draft);
            let context = || {
                let end = &written[written.len().saturating_sub(4_000)..];
                format!("mask {mask:b} way {way}: {}", String::from_utf8_lossy(end))
            };
            let back = read_session(written.clone(), Some(transcript.format)).expect("a session");
            let expected = blocks(back.format, &turns);
            assert_eq!(blocks(back.format, &back.turns), expected, "{}", context());
            if is_valid && way & 1 == 1 {
                let checked = write_session(&transcript, &draft);
                assert_eq!(checked.as_deref(), Ok(written.as_slice()), "{}", context());
            }
            // A list of nothing but texts could be anyone's.
            if back.format != SessionFormat::OpenAiResponses {
                let found = SessionFormat::detect(&written);
                assert_eq!(found, Ok(transcript.format), "{}", context());
            }
            tried += 1;
        }
    }
    tried
}

/// Lists blocks with their roles, whatever turns they make up.
fn blocks(format: SessionFormat, turns: &[Turn]) -> Vec<(Role, Content)> {
    // Reasoning goes with what it led to; tests of its own look at it.
    let drops = !format.codec().may_drop_thinking();
    let blocks = turns.iter().flat_map(|turn| {
        let blocks = turn.blocks.iter();
        blocks.map(|block| (turn.role, block.content.clone()))
    });
    blocks.filter(|(_, content)| !(drops && matches!(content, Content::Thinking(_)))).collect()
}

/// Chooses units by the bits of a mask; `way` begins with new words (1), changes what
/// stays (2), leaves out thoughts (4), and adds words before what stays (8).
fn draft(transcript: &Transcript, mask: usize, way: usize) -> Draft {
    let new = |text: &str| DraftTurn::New { role: Role::User, text: text.to_owned() };
    let mut stays: Vec<Vec<DraftBlock>> = vec![Vec::new(); transcript.turns.len()];
    let mut starts = vec![false; transcript.turns.len()];
    let is_left = |unit: usize| unit < UNITS && mask >> unit & 1 == 0;
    for (number, unit) in units(transcript).0.iter().enumerate() {
        for part in unit.parts.iter().filter(|_| !is_left(number)) {
            for block in part.blocks.clone() {
                let content = &transcript.turns[part.turn].blocks[block].content;
                if way & 4 == 4 && matches!(content, Content::Thinking(_)) {
                    continue;
                }
                let change = change(content).filter(|_| way & 2 == 2);
                stays[part.turn].push(DraftBlock { block, change });
            }
        }
        let first = &unit.parts[0];
        starts[first.turn] |= first.blocks[0] == 0;
    }
    let is_system = |turn: &&Turn| turn.role == Role::System;
    let systems = transcript.turns.iter().take_while(is_system).count();
    let mut draft = Draft::default();
    for (turn, mut blocks) in stays.into_iter().enumerate() {
        if turn == systems && way & 1 == 1 {
            draft.turns.push(new("what came before"));
        }
        blocks.sort_by_key(|it| it.block);
        if is_system(&&transcript.turns[turn]) {
            draft.turns.push(DraftTurn::kept(transcript, turn));
        } else if !blocks.is_empty() {
            if way & 8 == 8 && starts[turn] {
                draft.turns.push(new(&format!("added \"before\" {turn}\n")));
            }
            draft.turns.push(DraftTurn::Of { turn, blocks });
        }
    }
    draft
}

fn change(content: &Content) -> Option<Change> {
    match content {
        Content::Text(_) | Content::Result(_) => Some(Change::Text("a \"few\"\nwords".to_owned())),
        Content::Image(_) => Some(Change::Text("[image]".to_owned())),
        Content::Call(call) => {
            let mut arguments = call.arguments.clone();
            shorten(&mut arguments);
            Some(Change::Arguments(arguments))
        }
        Content::Thinking(_) | Content::Other(_) => None,
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => *text = "…".to_owned(),
        Value::Array(elements) => elements.iter_mut().for_each(shorten),
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}
