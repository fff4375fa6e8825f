//! Sessions of opencode: found, read, written and checked.

use serde_json::Value;

use super::super::testing::{assert_drafts_come_back, read, show, unchecked};
use crate::session::draft::{Draft, DraftTurn};
use crate::session::transcript::{Role, Usage};
use crate::session::{SessionFormat, check_session, read_session};

const DOCUMENT: &str = r#"{
  "info": {"id": "ses_1", "directory": "/work", "version": "1.2.26"},
  "messages": [
    {"info": {"id": "msg_000000000001aaaaaaaaaaaaaa", "role": "user", "time": {"created": 1000}, "agent": "build",
      "model": {"providerID": "p", "modelID": "m"}, "system": "be brief"},
     "parts": [
      {"id": "prt_1", "type": "text", "text": "look"},
      {"id": "prt_2", "type": "text", "text": "not shown", "ignored": true},
      {"id": "prt_3", "type": "text", "text": "shown", "synthetic": true},
      {"id": "prt_4", "type": "file", "mime": "text/plain", "url": "file:///a"},
      {"id": "prt_5", "type": "file", "mime": "image/png", "filename": "b.png", "url": "data:"}]},
    {"info": {"id": "msg_000000000002aaaaaaaaaaaaaa", "role": "assistant", "time": {"created": 2000}, "modelID": "m",
      "tokens": {"input": 9, "output": 9, "cache": {"read": 9, "write": 9}}},
     "parts": [
      {"id": "prt_6", "type": "step-start", "snapshot": "s"},
      {"id": "prt_7", "type": "reasoning", "text": "hm", "metadata": {"x": 1.50}},
      {"id": "prt_8", "type": "text", "text": "I look."},
      {"id": "prt_9", "type": "tool", "callID": "c1", "tool": "bash", "messageID": "msg_000000000002aaaaaaaaaaaaaa",
       "state": {"status": "completed", "input": {"command": "ls"}, "output": "a\nb", "time": {"start": 1, "end": 2}}},
      {"id": "prt_a", "type": "tool", "callID": "c2", "tool": "read",
       "state": {"status": "completed", "input": {"path": "a"}, "output": "old", "attachments": [{}], "time": {"start": 1, "end": 2, "compacted": 3}}},
      {"id": "prt_b", "type": "step-finish", "tokens": {"input": 60, "output": 7, "reasoning": 3, "cache": {"read": 40, "write": 2}}},
      {"id": "prt_c", "type": "step-start"},
      {"id": "prt_d", "type": "tool", "callID": "c3", "tool": "read",
       "state": {"status": "error", "input": {"path": "b"}, "error": "no such file", "time": {"start": 1, "end": 2}}},
      {"id": "prt_e", "type": "tool", "callID": "c3", "tool": "bash",
       "state": {"status": "running", "input": {"command": "sleep"}, "time": {"start": 1}}},
      {"id": "prt_f", "type": "patch", "files": ["a"]},
      {"id": "prt_g", "type": "step-start"},
      {"id": "prt_h", "type": "text", "text": "Done."}]},
    {"info": {"id": "msg_000000000003aaaaaaaaaaaaaa", "role": "assistant", "time": {"created": 3000}, "error": {"name": "APIError"}},
     "parts": [{"id": "prt_i", "type": "text", "text": "lost"}]},
    {"info": {"id": "msg_000000000004aaaaaaaaaaaaaa", "role": "user", "time": {"created": 4000}},
     "parts": [{"id": "prt_j", "type": "text", "text": "thanks"}, {"id": "prt_k", "type": "omen", "of": 1}]}
  ]
}
"#;

#[test]
fn f154_steps_are_read_as_rounds() {
    let session = read(DOCUMENT);
    assert_eq!(session.format, SessionFormat::Opencode);
    assert_eq!(session.session.as_deref(), Some("ses_1"));
    assert_eq!(session.directory.as_deref(), Some("/work"));
    assert_eq!(session.model.as_deref(), Some("m"));
    assert_eq!(
        show(&session.turns),
        [
            "system be brief",
            "user look | shown | <image>",
            "assistant (hm) | I look. | c1=bash{\"command\":\"ls\"} | c2=read{\"path\":\"a\"}",
            "tool c1>a\nb | c2>[Old tool result content cleared]",
            "assistant c3=read{\"path\":\"b\"} | c3=bash{\"command\":\"sleep\"}",
            "tool c3>!no such file | c3>![Tool execution was interrupted]",
            "assistant Done.",
            "user thanks | <omen>",
        ]
    );
    let usage = Usage { input: 60, output: 7, cache_read: 40, cache_write: 2 };
    assert_eq!(session.turns[2].usage, Some(usage));
    assert_eq!(check_session(&session), []);
}

#[test]
fn f156_what_is_no_context_is_counted() {
    let session = read(DOCUMENT);
    let passed_over: Vec<(&str, usize)> =
        session.passed_over.iter().map(|it| (it.0.as_str(), *it.1)).collect();
    assert_eq!(
        passed_over,
        [
            ("failed", 1),
            ("file", 1),
            ("patch", 1),
            ("step-finish", 1),
            ("step-start", 3),
            ("text", 1)
        ]
    );
    assert_eq!(session.unknown.get("omen"), Some(&1));
}

#[test]
fn what_is_written_is_read_again() {
    assert_drafts_come_back(DOCUMENT);
    assert_drafts_come_back(compacted(""));
    assert_drafts_come_back(compacted(r#", "tail_start_id": "b""#));
}

#[test]
fn messages_sort_as_they_are_written() {
    let session = read(DOCUMENT);
    let mut draft = Draft::whole(&session);
    for at in [7, 6, 4, 2, 1] {
        let (role, text) = (Role::User, format!("added before {at}"));
        draft.turns.insert(at, DraftTurn::New { role, text });
    }
    let written = unchecked(&session, &draft);
    let document: Value = serde_json::from_slice(&written).expect("json");
    let messages = document["messages"].as_array().expect("a list");
    let names: Vec<(u64, &str)> = messages
        .iter()
        .map(|it| &it["info"])
        .map(|it| {
            (it["time"]["created"].as_u64().expect("a time"), it["id"].as_str().expect("an id"))
        })
        .collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(names.windows(2).all(|it| it[0] != it[1]), "{names:?}");
    // A message that was cut in two keeps its parts with it.
    let second = &messages[5];
    assert_eq!(second["parts"][0]["id"], "prt_c");
    assert_eq!(second["parts"][0]["messageID"], second["info"]["id"]);
}

/// A session that was compacted, with what the compaction says besides.
fn compacted(besides: &str) -> String {
    let text = |id: &str, role: &str, info: &str, text: &str| {
        let info = format!(r#"{{"id":"{id}","role":"{role}"{info}}}"#);
        format!(r#"{{"info":{info},"parts":[{{"type":"text","text":"{text}"}}]}}"#)
    };
    let marker = format!(
        r#"{{"info":{{"id":"d","role":"user"}},"parts":[{{"type":"compaction","auto":true{besides}}}]}}"#
    );
    let summary = r#","parentID":"d","summary":true,"finish":"stop""#;
    let messages = [
        text("a", "user", "", "first"),
        text("b", "user", "", "second"),
        text("c", "assistant", "", "third"),
        marker,
        text("e", "assistant", summary, "summary"),
        text("f", "user", "", "last"),
    ];
    format!(r#"{{"info":{{"id":"s"}},"messages":[{}]}}"#, messages.join(","))
}

#[test]
fn a_compaction_hides_what_was_before() {
    let marker = "user What did we do so far?";
    let session = read(compacted(""));
    assert_eq!(show(&session.turns), [marker, "assistant summary", "user last"]);
    assert_eq!(session.passed_over.get("compacted"), Some(&3));
    let session = read(compacted(r#","tail_start_id":"b""#));
    let turns = [marker, "assistant summary", "user second", "assistant third", "user last"];
    assert_eq!(show(&session.turns), turns);
}

#[test]
fn what_is_no_session_is_refused() {
    let format = Some(SessionFormat::Opencode);
    assert!(read_session(b"{\"info\":{}}".to_vec(), format).is_err());
    assert!(read_session(DOCUMENT.as_bytes()[..300].to_vec(), format).is_err());
    let empty = read(r#"{"info":{"id":"s"},"messages":[]}"#);
    assert_eq!(empty.turns.len(), 0);
}
