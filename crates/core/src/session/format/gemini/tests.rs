//! Chats of the Gemini CLI: found, read, written and checked.

use super::super::testing::{assert_drafts_come_back, read, show, unchecked};
use crate::session::draft::{Draft, DraftTurn};
use crate::session::transcript::{Role, Usage};
use crate::session::{SessionFormat, check_session, read_session};

const LOG: &str = r#"{"sessionId":"s-1","projectHash":"h","startTime":"2026-01-02T03:04:05.000Z","kind":"main"}
{"$set":{"messages":[{"id":"m0","timestamp":"2026-01-02T03:04:05.000Z","type":"user","content":[{"text":"<session_context>\ntoday"}]}],"lastUpdated":"2026-01-02T03:04:05.000Z"}}
{"id":"i1","timestamp":"2026-01-02T03:04:06.000Z","type":"info","content":"hello"}
{"id":"m1","timestamp":"2026-01-02T03:04:06.000Z","type":"user","content":[{"text":"what is here?"},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}
{"$set":{"lastUpdated":"2026-01-02T03:04:06.000Z"}}
{"id":"m2","timestamp":"2026-01-02T03:04:07.000Z","type":"gemini","content":"","thoughts":[{"subject":"Looking","description":"I look.","timestamp":"2026-01-02T03:04:07.000Z"}],"tokens":{"input":100,"output":7,"cached":40,"thoughts":3,"tool":0,"total":110},"model":"gemini-3"}
{"id":"m2","timestamp":"2026-01-02T03:04:07.000Z","type":"gemini","content":"","thoughts":[{"subject":"Looking","description":"I look.","timestamp":"2026-01-02T03:04:07.000Z"}],"tokens":{"input":100,"output":7,"cached":40,"thoughts":3,"tool":0,"total":110},"model":"gemini-3","toolCalls":[{"id":"c1","name":"ls","args":{"path":"."},"result":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.txt"}}}],"status":"success","resultDisplay":"1 item"},{"id":"c2","name":"cat","args":{"path":"b"},"result":[{"functionResponse":{"id":"c2","name":"cat","response":{"error":"no such file"}}},{"inlineData":{"mimeType":"image/png","data":"AA=="}}],"status":"error"}]}
{"id":"u2","timestamp":"2026-01-02T03:04:08.000Z","type":"user","content":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.txt"}}},{"functionResponse":{"id":"c2","name":"cat","response":{"error":"no such file"}}}]}
{"id":"m3","timestamp":"2026-01-02T03:04:09.000Z","type":"gemini","content":[],"thoughts":[],"tokens":null}
{"id":"m4","timestamp":"2026-01-02T03:04:10.000Z","type":"gemini","content":"There is a.txt.","thoughts":[],"model":"gemini-3"}
"#;

const TURNS: [&str; 5] = [
    "user <session_context>\ntoday",
    "user what is here? | <image>",
    "assistant c1=ls{\"path\":\".\"} | c2=cat{\"path\":\"b\"}",
    "tool c1>a.txt | c2>!no such file+1",
    "assistant There is a.txt.",
];

fn after(lines: &str) -> Vec<String> {
    show(&read(format!("{LOG}{lines}")).turns)
}

#[test]
fn f154_the_last_of_each_message_counts() {
    let session = read(LOG);
    assert_eq!(session.format, SessionFormat::Gemini);
    assert_eq!(session.session.as_deref(), Some("s-1"));
    assert_eq!(session.model.as_deref(), Some("gemini-3"));
    assert_eq!(show(&session.turns), TURNS);
    let usage = Usage { input: 60, output: 10, cache_read: 40, cache_write: 0 };
    assert_eq!(session.turns[2].usage, Some(usage));
    assert_eq!(session.unknown.len(), 0);
    assert_eq!(check_session(&session), []);
}

#[test]
fn f156_what_is_no_context_is_counted() {
    let session = read(format!("{LOG}{}\n", r#"{"id":"x","type":"omen"}"#));
    let passed_over: Vec<(&str, usize)> =
        session.passed_over.iter().map(|it| (it.0.as_str(), *it.1)).collect();
    // The message that grew, the results that stand twice, the message that says nothing.
    assert_eq!(passed_over, [("$set", 2), ("info", 1), ("repeated", 3), ("session", 1)]);
    assert_eq!(session.unknown.get("omen"), Some(&1));
}

#[test]
fn what_is_written_is_read_again() {
    assert_drafts_come_back(LOG);
    assert_drafts_come_back(format!("{LOG}{{\"id\":\"m5"));
    assert_drafts_come_back(DOCUMENT);
    assert_drafts_come_back(MODERN);
}

const DOCUMENT: &str = r#"{
  "sessionId": "s-1",
  "projectHash": "h",
  "messages": [
    {"id": "1", "timestamp": "2026-01-02T03:04:05Z", "type": "user", "content": "hi"},
    {"id": "2", "timestamp": "2026-01-02T03:04:06Z", "type": "gemini", "content": "ho",
     "toolCalls": [{"id": "c", "name": "f", "args": {"a": 1.50}, "result": "r", "status": "success"}]},
    {"id": "3", "timestamp": "2026-01-02T03:04:07Z", "type": "warning", "content": "w"},
    {"id": "4", "timestamp": "2026-01-02T03:04:08Z", "type": "gemini", "content": "done"}
  ],
  "lastUpdated": "2026-01-02T03:04:08Z"
}
"#;

#[test]
fn f158_a_document_is_read_too() {
    let turns = ["user hi", "assistant ho | c=f{\"a\":1.5}", "tool c>r", "assistant done"];
    assert_eq!(show(&read(DOCUMENT).turns), turns);
}

/// As the CLI writes messages once it has compressed or masked something.
const MODERN: &str = r#"{"sessionId":"s-1","projectHash":"h"}
{"$set":{"messages":[{"id":"m1","type":"user","content":[{"text":"go"}]},{"id":"m2","type":"gemini","content":[{"text":"hm","thought":true},{"functionCall":{"id":"c1","name":"ls","args":{"path":"."}},"thoughtSignature":"S"},{"functionCall":{"id":"c2","name":"pwd","args":{}}}],"thoughts":[{"subject":"","description":"hm"}],"toolCalls":[{"id":"c1","name":"ls","args":{"path":"."},"result":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a"}}},{"functionResponse":{"id":"c2","name":"pwd","response":{"output":"/"}}}]},{"id":"c2","name":"pwd","args":{},"result":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a"}}},{"functionResponse":{"id":"c2","name":"pwd","response":{"output":"/"}}}]}]},{"id":"m3","type":"user","content":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a"}}},{"functionResponse":{"id":"c2","name":"pwd","response":{"output":"/"}}},{"text":"and then?"}]},{"id":"m4","type":"gemini","content":[{"functionCall":{"id":"c3","name":"f","args":{}}}]},{"id":"m5","type":"user","content":[{"functionResponse":{"id":"c3","name":"f","response":{"x":[1]}}}]}]}}
"#;

#[test]
fn calls_may_stand_in_the_content() {
    assert_eq!(
        show(&read(MODERN).turns),
        [
            "user go",
            "assistant (hm) | c1=ls{\"path\":\".\"} | c2=pwd{}",
            "tool c1>a | c2>/",
            "user and then?",
            "assistant c3=f{}",
            "tool c3>{\"x\":[1]}",
        ]
    );
}

#[test]
fn a_draft_is_one_record_at_the_end() {
    let session = read(LOG);
    let mut draft = Draft::whole(&session);
    let (role, text) = (Role::User, "what was cut".to_owned());
    draft.turns.splice(1..4, [DraftTurn::New { role, text }]);
    let written = String::from_utf8(unchecked(&session, &draft)).expect("text");
    let added = written.strip_prefix(LOG).expect("the log as it was");
    assert_eq!(added.lines().count(), 1);
    assert!(added.starts_with(r#"{"$set":{"messages":[{"id":"m0","#), "{added}");
    // Messages that come later follow on it.
    let more =
        r#"{"id":"m6","timestamp":"2026-01-02T03:05:00.000Z","type":"user","content":"more"}"#;
    let again = read(format!("{written}{more}\n"));
    let turns = [TURNS[0], "user what was cut", TURNS[4], "user more"];
    assert_eq!(show(&again.turns), turns);
}

#[test]
fn messages_can_be_taken_back() {
    assert_eq!(after("{\"$rewindTo\":\"m2\"}\n"), TURNS[..2]);
    assert_eq!(after("{\"$rewindTo\":\"nothing\"}\n"), [""; 0]);
}

#[test]
fn calls_must_be_answered() {
    let call = r#"{"id":"m9","type":"gemini","content":"","toolCalls":[{"id":"c9","name":"f","args":{},"status":"executing"}]}"#;
    let found = check_session(&read(format!("{LOG}{call}\n")));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule, "every call must be answered before anything else");
}

#[test]
fn what_is_no_chat_is_refused() {
    let format = Some(SessionFormat::Gemini);
    assert!(read_session(b"nothing\n".to_vec(), format).is_err());
    let odd = read(format!("{LOG}not json\n"));
    assert_eq!(odd.notes.len(), 1);
}
