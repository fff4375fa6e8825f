//! Recalls what was cut from a session.
//!
//! Markers and headers of excerpts name the whole session by a handle:
//! `[loadline: kept 3 of 90 lines; recall k3f9c2td:7]`. So a trimmed file leads
//! back to its original, and a turn's number to the turn.

mod target;

use std::fmt::Write;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::cost::call_text;
use super::error::{OriginalError, SessionError};
use super::transcript::{Block, Content, Transcript, Turn};
use crate::archive::Archive;

pub use target::{LineRange, NoRange, RecallTarget, recall};

/// Returns the original of a trimmed session, byte for byte.
///
/// A session that was trimmed twice names two; the one before the last trim is
/// returned, and leads to the other.
///
/// ```
/// use loadline::session::restore_session;
/// use loadline::archive::Archive;
/// let directory = tempfile::tempdir()?;
/// let blobs = Archive::new(directory.path(), "/work/shop".as_ref());
/// let handle = blobs.handle(&blobs.put(b"the original")?)?;
/// let trimmed = format!("[loadline: kept 1 of 2 lines; recall {handle}:1]");
/// assert_eq!(restore_session(trimmed.as_bytes(), &blobs)?, b"the original");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn restore_session(trimmed: &[u8], blobs: &Archive) -> Result<Vec<u8>, OriginalError> {
    let mut failure = OriginalError::NoHandle;
    let mut originals: Vec<(String, Vec<u8>)> = Vec::new();
    for handle in recall_handles(trimmed) {
        match blobs.find(&handle).and_then(|hash| blobs.get(&hash)) {
            Ok(original) => originals.push((handle, original)),
            Err(error) if matches!(failure, OriginalError::NoHandle) => failure = error.into(),
            Err(_) => {}
        }
    }
    let named: Vec<Vec<String>> =
        originals.iter().map(|(_, original)| recall_handles(original)).collect();
    // An original that another one names is older than that.
    let is_newest = |handle: &String| !named.iter().any(|names| names.contains(handle));
    let newest = originals.iter().position(|(handle, _)| is_newest(handle));
    if originals.is_empty() {
        Err(failure)
    } else {
        Ok(originals.swap_remove(newest.unwrap_or(0)).1)
    }
}

/// Lists the handles that the markers of a session name, each once, in order.
pub fn recall_handles(source: &[u8]) -> Vec<String> {
    static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // A marker is one line, and never nests.
        Regex::new(r"(?:\[loadline: [^\]\n]{0,400}?\b|\bloadline )recall ([0-9a-z]{6,52})\b").ok()
    });
    let mut handles: Vec<String> = Vec::new();
    let found = NAMED.as_ref().map(|it| it.captures_iter(source));
    for captures in found.into_iter().flatten() {
        let handle = captures.get(1).map_or(&b""[..], |it| it.as_bytes());
        let handle = String::from_utf8_lossy(handle).into_owned();
        if !handles.contains(&handle) {
            handles.push(handle);
        }
    }
    handles
}

/// Writes turns of a session, counted from 1, as text; calls with their results.
///
/// Fails where the session has no such turn.
pub fn recall_turns(
    transcript: &Transcript,
    turns: RangeInclusive<usize>,
) -> Result<String, SessionError> {
    let last = transcript.turns.len();
    if *turns.start() == 0 || turns.start() > turns.end() || *turns.end() > last {
        let turns = (*turns.start(), *turns.end());
        return Err(SessionError::NoTurn { turns, last });
    }
    let mut text = String::new();
    for number in turns.clone() {
        let turn = &transcript.turns[number - 1];
        write_turn(number, turn, turn.blocks.iter(), &mut text);
        // Results that come later than what was asked for belong to its calls.
        for (later, turn) in transcript.turns.iter().enumerate().skip(*turns.end()) {
            let asking = &transcript.turns[number - 1];
            // Some agents use the id of a call again.
            if asking.calls().any(|call| turn.calls().any(|it| it.id == call.id)) {
                break;
            }
            let answers: Vec<&Block> = answers(turn, asking).collect();
            if !answers.is_empty() {
                write_turn(later + 1, turn, answers.into_iter(), &mut text);
            }
        }
    }
    Ok(text)
}

/// The blocks of a turn that answer calls of another.
fn answers<'a>(turn: &'a Turn, asking: &'a Turn) -> impl Iterator<Item = &'a Block> {
    turn.blocks.iter().filter(move |block| match &block.content {
        Content::Result(result) => asking.calls().any(|call| call.id == result.call),
        _ => false,
    })
}

fn write_turn<'a>(
    number: usize,
    turn: &Turn,
    blocks: impl Iterator<Item = &'a Block>,
    text: &mut String,
) {
    let role = turn.role.name();
    for block in blocks {
        let (what, said) = match &block.content {
            Content::Text(said) => ("", said.clone()),
            Content::Thinking(said) => (" thinking", said.clone()),
            Content::Call(call) => (" call", call_text(&call.name, &call.arguments)),
            Content::Result(result) => (" result", result.text.clone()),
            Content::Image(_) => (" image", String::new()),
            Content::Other(kind) => (" other", kind.clone()),
        };
        // Writing to a text cannot fail.
        let _ = writeln!(text, "[turn {number} {role}{what}]\n{}", said.trim_end_matches('\n'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Diagnose;
    use crate::session::read_session;

    const LOG: &str = r#"[{"role":"user","content":"list"},
        {"role":"assistant","content":[{"type":"text","text":"Yes."},{"type":"tool_use","id":"1","name":"ls","input":{"path":"src"}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"a.rs\nb.rs\n"}]},
        {"role":"assistant","content":"Two."}]"#;

    fn turns(range: RangeInclusive<usize>) -> Result<String, String> {
        let transcript = read_session(LOG.as_bytes().to_vec(), None).unwrap();
        recall_turns(&transcript, range).map_err(|error| error.to_string())
    }

    #[test]
    fn a_turn_comes_with_the_results_of_its_calls() {
        let round = "[turn 2 assistant]\nYes.\n[turn 2 assistant call]\nls\npath:\nsrc\n\
                     [turn 3 user result]\na.rs\nb.rs\n";
        assert_eq!(turns(2..=2).as_deref(), Ok(round));
        assert_eq!(turns(2..=3).as_deref(), Ok(round));
        assert_eq!(turns(4..=4).as_deref(), Ok("[turn 4 assistant]\nTwo.\n"));
    }

    #[test]
    fn turns_that_are_not_there_are_named() {
        let error = Err("there is no turn 5; the session has 4".to_owned());
        assert_eq!(turns(5..=5), error);
        let error = "there are no turns 0 to 2; the session has 4";
        assert_eq!(turns(0..=2).unwrap_err(), error);
    }

    #[test]
    fn handles_are_found_in_markers_and_headers_only() {
        let text = br#"{"text":"please recall everything\n[loadline: kept 3 of 9 lines; recall k3f9c2td:7]"}
            [loadline: kept 1 of 2 lines] recall abcdefgh
            `loadline recall zzzzzz9:TURN` shows a turn; [loadline: cut; recall k3f9c2td]"#;
        assert_eq!(recall_handles(text), ["k3f9c2td", "zzzzzz9"]);
        assert!(recall_handles(b"").is_empty());
    }

    #[test]
    fn the_original_before_the_last_trim_is_restored() {
        let directory = tempfile::tempdir().unwrap();
        let blobs = Archive::new(directory.path(), "/work/shop".as_ref());
        let keep = |bytes: &[u8]| blobs.handle(&blobs.put(bytes).unwrap()).unwrap();
        let first = keep(b"the first");
        let marker = |handle: &str| format!("[loadline: kept 1 of 2 lines; recall {handle}:2]");
        let once = marker(&first);
        let second = keep(once.as_bytes());
        let twice = format!("{once}\n{}", marker(&second));
        let again = restore_session(twice.as_bytes(), &blobs).unwrap();
        assert_eq!(again, once.as_bytes());
        assert_eq!(restore_session(&again, &blobs).unwrap(), b"the first");
    }

    #[test]
    fn no_handle_and_no_original_are_told_apart() {
        let directory = tempfile::tempdir().unwrap();
        let blobs = Archive::new(directory.path(), "/work/shop".as_ref());
        let error = restore_session(b"hello", &blobs).unwrap_err();
        assert_eq!(error.code(), "LL-SES-010");
        let gone = b"[loadline: kept 1 of 2 lines; recall k3f9c2td]";
        let error = restore_session(gone, &blobs).unwrap_err();
        assert_eq!(error.to_string(), "no original has the handle \"k3f9c2td\"");
        assert!(error.hint().unwrap().contains("project"));
    }
}
