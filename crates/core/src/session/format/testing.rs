//! What every format promises, for the tests of each.

use serde_json::Value;

use super::SessionFormat;
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::transcript::{Content, Role, Transcript, Turn};
use crate::session::units::units;
use crate::session::{check_session, read_session, write_session};

/// Reads a session that is one.
pub(super) fn read(source: &[u8]) -> Transcript {
    read_session(source.to_vec(), None).expect("a session")
}

/// Who said what, without places, names and times.
pub(super) fn said(turns: &[Turn]) -> Vec<(Role, Vec<Content>)> {
    let content = |turn: &Turn| turn.blocks.iter().map(|it| it.content.clone()).collect();
    turns
        .iter()
        .map(|turn| (turn.role, content(turn)))
        .collect()
}

/// The texts and results of a session, for short assertions.
pub(super) fn texts(transcript: &Transcript) -> Vec<String> {
    let blocks = transcript.turns.iter().flat_map(|turn| &turn.blocks);
    blocks
        .map(|block| match &block.content {
            Content::Text(text) => text.clone(),
            Content::Thinking(text) => format!("thinking {text}"),
            Content::Call(call) => format!("call {} {} {}", call.id, call.name, call.arguments),
            Content::Result(result) => format!("result {} {}", result.call, result.text),
            Content::Image => "image".to_owned(),
            Content::Other(kind) => format!("other {kind}"),
        })
        .collect()
}

/// Writes many drafts of a session and reads each back.
///
/// Returns how many were tried.
pub(super) fn assert_drafts_come_back(source: &[u8]) -> usize {
    let transcript = read(source);
    let is_valid = check_session(&transcript).is_empty();
    assert_eq!(
        write_session(&transcript, &Draft::whole(&transcript)),
        source
    );
    let units = units(&transcript).len().min(9);
    let mut tried = 0;
    for mask in 0..1_usize << units {
        for way in 0..8 {
            let draft = draft(&transcript, mask, way);
            if draft.turns.is_empty() || draft.is_whole(&transcript) {
                continue;
            }
            let written = write_session(&transcript, &draft);
            assert_eq!(written, write_session(&transcript, &draft));
            let format = Some(transcript.format);
            let back = read_session(written.clone(), format).expect("a session");
            let found = SessionFormat::detect(&written).expect("a format");
            assert_eq!(found, transcript.format);
            let context = format!(
                "mask {mask:b} way {way}: {}",
                String::from_utf8_lossy(&written)
            );
            assert_eq!(
                said(&back.turns),
                said(&draft.turns(&transcript)),
                "{context}"
            );
            if is_valid && way & 1 == 1 {
                assert_eq!(check_session(&back), [], "{context}");
            }
            tried += 1;
        }
    }
    tried
}

/// Chooses units by the bits of a mask; `way` begins with new words (1), changes
/// what stays (2), and leaves out thoughts (4).
fn draft(transcript: &Transcript, mask: usize, way: usize) -> Draft {
    let mut draft = Draft::default();
    if way & 1 == 1 {
        draft.turns.push(DraftTurn::New {
            role: Role::User,
            text: "what came before".to_owned(),
        });
    }
    let mut stays: Vec<Vec<DraftBlock>> = vec![Vec::new(); transcript.turns.len()];
    for (number, unit) in units(transcript).iter().enumerate() {
        for part in unit
            .parts
            .iter()
            .filter(|_| number >= 9 || mask >> number & 1 == 1)
        {
            for block in part.blocks.clone() {
                let content = &transcript.turns[part.turn].blocks[block].content;
                if way & 4 == 4 && matches!(content, Content::Thinking(_)) {
                    continue;
                }
                let change = change(content).filter(|_| way & 2 == 2);
                stays[part.turn].push(DraftBlock { block, change });
            }
        }
    }
    for (turn, blocks) in stays.into_iter().enumerate() {
        if transcript.turns[turn].role == Role::System {
            draft.turns.push(DraftTurn::kept(transcript, turn));
        } else if !blocks.is_empty() {
            draft.turns.push(DraftTurn::Of { turn, blocks });
        }
    }
    draft
}

fn change(content: &Content) -> Option<Change> {
    match content {
        Content::Text(_) | Content::Result(_) => Some(Change::Text("a \"few\"\nwords".to_owned())),
        Content::Call(call) => {
            let mut arguments = call.arguments.clone();
            for value in arguments.as_object_mut()?.values_mut() {
                *value = Value::from("less");
            }
            Some(Change::Arguments(arguments))
        }
        _ => None,
    }
}
