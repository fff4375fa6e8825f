//! What the tests of all formats share: drafts of every shape, written and read again.

use serde_json::Value;

use super::SessionFormat;
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::transcript::{Call, CallResult, Content, Role, Transcript, Turn};
use crate::session::units::units;
use crate::session::{check_session, read_session, write_session};

/// Reads a session whose format must be found by its content.
pub(super) fn read(source: &str) -> Transcript {
    read_session(source.as_bytes().to_vec(), None).expect("a session")
}

/// Shows turns line by line: the role, then each block.
pub(super) fn show(turns: &[Turn]) -> Vec<String> {
    let show = |turn: &Turn| {
        let blocks: Vec<String> = turn
            .blocks
            .iter()
            .map(|it| show_content(&it.content))
            .collect();
        format!("{} {}", turn.role.name(), blocks.join(" | "))
    };
    turns.iter().map(show).collect()
}

fn show_content(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Thinking(text) => format!("({text})"),
        Content::Call(Call {
            id,
            name,
            arguments,
        }) => format!("{id}={name}{arguments}"),
        Content::Result(CallResult {
            call,
            text,
            is_error,
            images,
        }) => {
            let error = if *is_error { "!" } else { "" };
            let images = if *images > 0 {
                format!("+{images}")
            } else {
                String::new()
            };
            format!("{call}>{error}{text}{images}")
        }
        Content::Image => "<image>".to_owned(),
        Content::Other(kind) => format!("<{kind}>"),
    }
}

/// Writes drafts of every shape and reads them again.
pub(super) fn check_rewrites(source: &str) {
    check_some(source, 1);
}

/// As [`check_rewrites`], with every so many drafts.
pub(super) fn check_some(source: &str, every: usize) {
    let transcript = read(source);
    let whole = Draft::whole(&transcript);
    assert_eq!(write_session(&transcript, &whole), source.as_bytes());
    let is_valid = check_session(&transcript).is_empty();
    for draft in drafts(&transcript).into_iter().step_by(every) {
        let written = write_session(&transcript, &draft);
        assert_eq!(written, write_session(&transcript, &draft));
        let again = read_session(written.clone(), Some(transcript.format)).expect("a session");
        let end = &written[written.len().saturating_sub(4_000)..];
        let text = String::from_utf8_lossy(end);
        let expected = blocks(transcript.format, &draft.turns(&transcript));
        assert_eq!(blocks(again.format, &again.turns), expected, "in {text}");
        assert!(
            !is_valid || check_session(&again).is_empty(),
            "{:?} in {text}",
            check_session(&again)
        );
        // A list of nothing but texts could be anyone's.
        let is_plain = transcript.format == SessionFormat::OpenAiResponses;
        if !again.turns.is_empty() && !is_plain {
            assert_eq!(
                SessionFormat::detect(&written),
                Ok(transcript.format),
                "in {text}"
            );
        }
    }
}

/// Lists blocks with their roles, whatever turns they make up.
fn blocks(format: SessionFormat, turns: &[Turn]) -> Vec<(Role, Content)> {
    // Reasoning goes with what it led to; its own tests look at it.
    let drops = matches!(
        format,
        SessionFormat::Codex | SessionFormat::OpenAiResponses
    );
    let turns = turns.iter().flat_map(|turn| {
        let blocks = turn.blocks.iter();
        blocks.map(|block| (turn.role, block.content.clone()))
    });
    turns
        .filter(|(_, content)| !(drops && matches!(content, Content::Thinking(_))))
        .collect()
}

/// Makes drafts that leave out, change and add, but never part a call from its result.
fn drafts(transcript: &Transcript) -> Vec<Draft> {
    let count = units(transcript).len();
    let mut drafts = Vec::new();
    for number in 0..count {
        drafts.push(draft(transcript, |it| it != number, false, ""));
        drafts.push(draft(transcript, |it| it >= number, false, "added"));
        drafts.push(draft(transcript, |it| it <= number, true, ""));
    }
    drafts.push(draft(transcript, |_| true, true, "added"));
    drafts.push(draft(transcript, |it| it % 2 == 0, false, "added"));
    drafts.push(draft(
        transcript,
        |it| it % 2 == 1,
        true,
        "added \"text\"\n",
    ));
    drafts
}

fn draft(
    transcript: &Transcript,
    keeps: impl Fn(usize) -> bool,
    changes: bool,
    added: &str,
) -> Draft {
    let units = units(transcript);
    let mut turns = Vec::new();
    for (number, turn) in transcript.turns.iter().enumerate() {
        let mut kept = Vec::new();
        let mut starts = false;
        for (block, it) in turn.blocks.iter().enumerate() {
            let is_here =
                |it: &crate::session::units::Part| it.turn == number && it.blocks.contains(&block);
            let unit = units.iter().position(|it| it.parts.iter().any(is_here));
            let first = unit.map(|unit| &units[unit].parts[0]);
            starts |= block == 0 && first.is_some_and(|it| it.turn == number);
            if unit.is_none_or(&keeps) {
                let change = change(&it.content).filter(|_| changes && turn.role != Role::System);
                kept.push(DraftBlock { block, change });
            }
        }
        if starts && !added.is_empty() {
            let (role, text) = (Role::User, format!("{added} {number}"));
            turns.push(DraftTurn::New { role, text });
        }
        if !kept.is_empty() {
            turns.push(DraftTurn::Of {
                turn: number,
                blocks: kept,
            });
        }
    }
    Draft { turns }
}

fn change(content: &Content) -> Option<Change> {
    match content {
        Content::Text(text) => Some(Change::Text(format!("{text} changed"))),
        Content::Result(_) => Some(Change::Text("[cut]\n".to_owned())),
        Content::Call(call) => {
            let mut arguments = call.arguments.clone();
            shorten(&mut arguments);
            Some(Change::Arguments(arguments))
        }
        Content::Image => Some(Change::Text("[image]".to_owned())),
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
