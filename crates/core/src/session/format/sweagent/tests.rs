//! Trajectories of SWE-agent, as they are and as they should not be.

use super::*;
use crate::session::draft::DraftTurn;
use crate::session::format::testing::{assert_drafts_come_back, read, texts, unchecked};
use crate::session::{check_session, read_session};

/// A document as the agent prints it, with calls of tools.
fn with_tools() -> String {
    let document = json!({
        "environment": "main",
        "trajectory": [{"action": "ls", "observation": "a b", "response": "look"}],
        "history": [
            {"message_type": "system_prompt", "role": "system", "content": "be kind", "agent": "main"},
            {"message_type": "observation", "role": "user", "content": "fix it", "agent": "main"},
            {"role": "assistant", "content": "look", "thought": "look", "action": "ls", "agent": "main",
             "tool_calls": [{"function": {"arguments": "{\"command\":\"ls\"}", "name": "bash"}, "id": "c1", "type": "function"}],
             "thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]},
            {"role": "tool", "content": "a b", "agent": "main", "tool_call_ids": ["c1"]},
            {"role": "assistant", "content": "", "agent": "main",
             "tool_calls": [{"function": {"arguments": "not json", "name": "submit"}, "id": "c2", "type": "function"}]},
            {"role": "tool", "agent": "main", "tool_call_ids": ["c2"],
             "content": [{"type": "text", "text": "seen"}, {"type": "image_url", "image_url": {}}]},
            {"role": "user", "agent": "main", "content": [{"type": "text", "text": "and"}, {"type": "image_url", "image_url": {}}]},
            {"role": "assistant", "agent": "main", "content": "bye"},
        ],
        "info": {"exit_status": "submitted"},
    });
    serde_json::to_string_pretty(&document).expect("JSON") + "\n"
}

const PLAIN: &str = r#"{"environment": "swe_main", "trajectory": [], "history": [{"role": "system", "content": "s", "agent": "primary"}, {"role": "user", "content": "demo", "agent": "primary", "is_demo": true}, {"role": "assistant", "content": "try\n```\nls\n```", "thought": "try", "action": "ls", "agent": "primary"}, {"role": "user", "content": "a b", "agent": "primary"}], "info": {}}"#;

#[test]
fn messages_and_calls_are_read() {
    let transcript = read(with_tools().as_bytes());
    assert_eq!(transcript.format, SessionFormat::SweAgent);
    assert_eq!(
        texts(&transcript),
        [
            "be kind",
            "fix it",
            "(hm)",
            "look",
            r#"c1=bash{"command":"ls"}"#,
            "c1>a b",
            r#"c2=submit"not json""#,
            "c2>seen+1",
            "and",
            "<image>",
            "bye",
        ]
    );
    assert_eq!(check_session(&transcript), []);
    let plain = read(PLAIN.as_bytes());
    assert_eq!(texts(&plain), ["s", "demo", "try\n```\nls\n```", "a b"]);
    assert_eq!(check_session(&plain), []);
}

#[test]
fn every_draft_comes_back() {
    assert!(assert_drafts_come_back(with_tools().as_bytes()) > 100);
    assert!(assert_drafts_come_back(PLAIN.as_bytes()) > 30);
}

#[test]
fn all_but_the_history_stays() {
    let transcript = read(PLAIN.as_bytes());
    let turns = [0, 3].map(|turn| DraftTurn::kept(&transcript, turn));
    let draft = Draft { turns: turns.to_vec() };
    let written = String::from_utf8(unchecked(&transcript, &draft)).expect("text");
    assert_eq!(
        written,
        r#"{"environment": "swe_main", "trajectory": [], "history": [{"role": "system", "content": "s", "agent": "primary"}, {"role": "user", "content": "a b", "agent": "primary"}], "info": {}}"#
    );
    // What was printed on many lines stays so.
    let source = with_tools();
    let transcript = read(source.as_bytes());
    let mut draft = Draft::whole(&transcript);
    draft.turns.pop();
    let written = String::from_utf8(unchecked(&transcript, &draft)).expect("text");
    let value: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(serde_json::to_string_pretty(&value).expect("JSON") + "\n", written);
}

#[test]
fn steps_stand_in_for_a_history() {
    let source = r#"{"environment":"e","trajectory":[{"response":"look","observation":"a b"},{"response":"bye","observation":""}]}"#;
    let transcript = read(source.as_bytes());
    assert_eq!(texts(&transcript), ["look", "a b", "bye"]);
    assert_eq!(transcript.notes.len(), 1);
    assert!(assert_drafts_come_back(source.as_bytes()) > 10);
}

#[test]
fn what_is_no_message_is_noted() {
    let source = r#"{"trajectory":[],"history":[5,{"role":"user","content":"hi"},{"role":"assistant","content":""},{"role":"tool","content":"x","tool_call_ids":["c"]}]}"#;
    let transcript = read(source.as_bytes());
    assert_eq!((transcript.turns.len(), transcript.notes.len()), (2, 1));
    assert_eq!(transcript.passed_over["empty message"], 1);
    assert_eq!(check_session(&transcript).len(), 1);
    assert_drafts_come_back(source.as_bytes());
    for broken in [r#"{"trajectory":"#, r#"{"history":5}"#, "[]"] {
        let read = read_session(broken.into(), Some(SessionFormat::SweAgent));
        assert!(read.is_err(), "{broken}");
    }
}
