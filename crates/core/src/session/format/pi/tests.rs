//! Sessions of pi, as they are and as they should not be.

use serde_json::{Value, json};

use super::*;
use crate::session::draft::DraftTurn;
use crate::session::format::testing::{assert_drafts_come_back, read, texts, unchecked};
use crate::session::transcript::Role;
use crate::session::{check_session, convert_session};

fn log(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn header() -> Value {
    json!({"type": "session", "version": 3, "id": "s-1", "timestamp": "2026-01-02T03:04:05.000Z", "cwd": "/w"})
}

fn entry(id: &str, parent: Option<&str>, message: Value) -> Value {
    json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-02T03:04:05.000Z", "message": message})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1})
}

fn answer(blocks: Value) -> Value {
    json!({
        "role": "assistant", "content": blocks, "api": "x", "provider": "anthropic", "model": "claude-x",
        "usage": {"input": 10, "output": 5, "cacheRead": 100, "cacheWrite": 0, "totalTokens": 115, "cost": {"total": 1}},
        "stopReason": "stop", "timestamp": 2
    })
}

fn result(call: &str, text: &str) -> Value {
    json!({
        "role": "toolResult", "toolCallId": call, "toolName": "bash",
        "content": [{"type": "text", "text": text}, {"type": "image", "data": "AA", "mimeType": "image/png"}],
        "details": {"x": 1}, "isError": false, "timestamp": 3
    })
}

fn lines() -> Vec<Value> {
    let calls = json!([
        {"type": "thinking", "thinking": "hm", "thinkingSignature": "c2ln"},
        {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}},
        {"type": "toolCall", "id": "c2", "name": "read", "arguments": {"path": "a"}}
    ]);
    vec![
        header(),
        json!({"type": "model_change", "id": "e0", "parentId": null, "timestamp": "2026-01-02T03:04:05.000Z", "provider": "anthropic", "modelId": "claude-y"}),
        json!({"type": "thinking_level_change", "id": "e1", "parentId": "e0", "timestamp": "2026-01-02T03:04:05.000Z", "thinkingLevel": "high"}),
        entry("e2", Some("e1"), user("fix the bug")),
        entry("e3", Some("e2"), answer(calls)),
        entry("e4", Some("e3"), result("c1", "one")),
        entry("e5", Some("e4"), result("c2", "two")),
        entry("e6", Some("e5"), answer(json!([{"type": "text", "text": "done"}]))),
        entry("e7", Some("e6"), json!({"role": "user", "content": "thanks", "timestamp": 4})),
    ]
}

fn new(text: &str) -> DraftTurn {
    DraftTurn::New { role: Role::User, text: text.to_owned() }
}

/// The lines that a draft adds to a log.
fn added(source: &str, draft: &Draft) -> Vec<Value> {
    let written = unchecked(&read(source.as_bytes()), draft);
    let added = written.strip_prefix(source.as_bytes()).expect("the log");
    let added = std::str::from_utf8(added).expect("text").lines();
    added.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn f154_results_and_thoughts_are_read_where_they_are() {
    let transcript = read(log(&lines()).as_bytes());
    assert_eq!(transcript.format, SessionFormat::Pi);
    assert_eq!(
        texts(&transcript),
        [
            "fix the bug",
            "(hm)",
            r#"c1=bash{"command":"ls"}"#,
            r#"c2=read{"path":"a"}"#,
            "c1>one+1",
            "c2>two+1",
            "done",
            "thanks",
        ]
    );
    use Role::{Assistant, Tool, User};
    let roles: Vec<Role> = transcript.turns.iter().map(|it| it.role).collect();
    assert_eq!(roles, [User, Assistant, Tool, Tool, Assistant, User]);
    assert_eq!(transcript.turns[1].usage.map(|it| it.sent()), Some(110));
    assert_eq!(transcript.model.as_deref(), Some("claude-x"));
    assert_eq!(transcript.directory.as_deref(), Some("/w"));
    assert_eq!(transcript.turns[2].results().next().map(|it| it.images.count), Some(1));
    assert_eq!(check_session(&transcript), []);
}

#[test]
fn f155_arguments_of_calls_are_values() {
    let transcript = read(log(&lines()).as_bytes());
    let call = transcript.turns[1].calls().next().expect("a call");
    assert_eq!(call.arguments, json!({"command": "ls"}));
}

#[test]
fn f156_entries_without_messages_are_no_context() {
    let mut lines = lines();
    lines.push(
        json!({"type": "custom", "id": "e8", "parentId": "e7", "customType": "x", "data": {}}),
    );
    lines.push(json!({"type": "brand_new", "id": "e9", "parentId": "e8"}));
    let transcript = read(log(&lines).as_bytes());
    assert_eq!(transcript.turns.len(), 6);
    let names: Vec<&str> = transcript.passed_over.keys().map(String::as_str).collect();
    assert_eq!(names, ["custom", "model_change", "session", "thinking_level_change"]);
    assert_eq!(transcript.unknown["brand_new"], 1);
}

#[test]
fn f158_content_may_be_a_text() {
    let source = log(&[
        json!({"type": "message", "message": {"role": "user", "content": "hi"}}),
        json!({"type": "message", "message": {"role": "assistant", "content": [
            {"type": "thinking", "text": "hm"},
            {"type": "toolCall", "id": "c", "name": "ls", "arguments": {}}
        ]}}),
        json!({"type": "message", "message": {"role": "user", "content": [
            {"type": "toolResult", "toolCallId": "c", "content": "a b"},
            {"type": "brand_new"}
        ]}}),
    ]);
    let transcript = read(source.as_bytes());
    assert_eq!(transcript.format, SessionFormat::Pi);
    assert_eq!(texts(&transcript), ["hi", "(hm)", "c=ls{}", "c>a b", "<brand_new>"]);
    assert!(assert_drafts_come_back(source.as_bytes()) > 10);
}

#[test]
fn what_other_entries_say_is_context_as_pi_has_it() {
    let mut lines = lines();
    lines.extend([
        entry("f1", Some("e7"), json!({"role": "bashExecution", "command": "make", "output": "no", "exitCode": 2, "cancelled": false, "truncated": false, "timestamp": 5})),
        entry("f2", Some("f1"), json!({"role": "bashExecution", "command": "secret", "output": "", "excludeFromContext": true, "timestamp": 5})),
        json!({"type": "custom_message", "id": "f3", "parentId": "f2", "customType": "x", "content": "note", "display": true}),
        json!({"type": "branch_summary", "id": "f4", "parentId": "f3", "fromId": "e2", "summary": "elsewhere"}),
        entry("f5", Some("f4"), answer(json!([{"type": "text", "text": "half"}]))),
        entry("f6", Some("f5"), user("on")),
    ]);
    lines[13]["message"]["stopReason"] = json!("aborted");
    let source = log(&lines);
    let transcript = read(source.as_bytes());
    assert_eq!(
        texts(&transcript)[8..],
        ["Ran `make`\n```\nno\n```\n\nCommand exited with code 2", "note", "elsewhere", "on",]
    );
    assert_eq!(transcript.passed_over["not sent"], 2);
    assert_drafts_come_back(source.as_bytes());
}

#[test]
fn a_compaction_keeps_what_it_says() {
    let mut lines = lines();
    lines.push(json!({"type": "compaction", "id": "k", "parentId": "e7", "timestamp": "2026-01-02T03:04:06.000Z", "summary": "so far", "firstKeptEntryId": "e6", "tokensBefore": 9}));
    lines.push(entry("g", Some("k"), user("go on")));
    let source = log(&lines);
    let transcript = read(source.as_bytes());
    assert_eq!(texts(&transcript), ["so far", "done", "thanks", "go on"]);
    assert_eq!(transcript.passed_over["compacted"], 4);
    assert_drafts_come_back(source.as_bytes());
}

#[test]
fn only_the_branch_of_the_last_entry_is_context() {
    let mut lines = lines();
    lines.push(entry("x", Some("e2"), answer(json!([{"type": "text", "text": "instead"}]))));
    let transcript = read(log(&lines).as_bytes());
    assert_eq!(texts(&transcript), ["fix the bug", "instead"]);
    assert_eq!(transcript.passed_over["other branch"], 5);
}

#[test]
fn every_draft_comes_back() {
    assert!(assert_drafts_come_back(log(&lines()).as_bytes()) > 100);
}

#[test]
fn a_summary_and_the_end_are_one_entry() {
    let source = log(&lines());
    let transcript = read(source.as_bytes());
    let kept = (4..6).map(|turn| DraftTurn::kept(&transcript, turn));
    let turns = std::iter::once(new("so far")).chain(kept).collect();
    let added = added(&source, &Draft { turns });
    let [compaction] = added.as_slice() else {
        panic!("{added:?}");
    };
    assert_eq!(compaction["type"], "compaction");
    assert_eq!(compaction["parentId"], "e7");
    assert_eq!(compaction["firstKeptEntryId"], "e6");
    assert_eq!(compaction["summary"], "so far");
    assert_eq!(compaction["tokensBefore"], 115);
}

#[test]
fn other_drafts_are_entries_after_a_compaction_that_keeps_nothing() {
    let source = log(&lines());
    let transcript = read(source.as_bytes());
    let turns = [0, 4].map(|turn| DraftTurn::kept(&transcript, turn));
    let added = added(&source, &Draft { turns: turns.to_vec() });
    let [compaction, user, model] = added.as_slice() else {
        panic!("{added:?}");
    };
    assert_eq!(compaction["firstKeptEntryId"], compaction["id"]);
    assert_eq!(compaction["summary"], "");
    assert_eq!(user["parentId"], compaction["id"]);
    assert_eq!(model["parentId"], user["id"]);
    assert_eq!(model["message"]["usage"]["totalTokens"], 0);
    assert_eq!(model["message"]["model"], "claude-x");
}

#[test]
fn entries_of_the_first_version_have_no_ids() {
    let mut lines = lines();
    for line in &mut lines {
        let line = line.as_object_mut().expect("an object");
        line.remove("version");
        if line["type"] != "session" {
            line.remove("id");
            line.remove("parentId");
        }
    }
    let source = log(&lines);
    let transcript = read(source.as_bytes());
    assert_eq!(transcript.turns.len(), 6);
    let kept = DraftTurn::kept(&transcript, 5);
    let turns = vec![new("so far"), kept];
    let added = added(&source, &Draft { turns });
    assert_eq!(added.len(), 1);
    assert_eq!(added[0]["firstKeptEntryIndex"], 8);
    assert_eq!(added[0].get("id"), None);
    assert!(assert_drafts_come_back(source.as_bytes()) > 100);
}

#[test]
fn half_a_line_stays_and_is_noted() {
    let mut source = log(&lines()).into_bytes();
    source.extend_from_slice(b"{\"type\":\"mess");
    let transcript = read(&source);
    assert_eq!((transcript.turns.len(), transcript.notes.len()), (6, 1));
    assert_drafts_come_back(&source);
}

#[test]
fn broken_links_are_noted() {
    let lost = log(&[header(), entry("a", Some("nowhere"), user("hi"))]);
    let transcript = read(lost.as_bytes());
    assert_eq!((transcript.turns.len(), transcript.notes.len()), (1, 1));
    assert_eq!(check_session(&transcript).len(), 1);
    let circle =
        log(&[header(), entry("a", Some("b"), user("one")), entry("b", Some("a"), user("two"))]);
    let transcript = read(circle.as_bytes());
    assert_eq!((transcript.turns.len(), transcript.notes.len()), (2, 1));
    let mut twice = lines();
    twice.push(entry("e7", Some("e6"), user("again")));
    twice.push(entry("e8", Some("e7"), result("c9", "of nothing")));
    let twice = log(&twice);
    let transcript = read(twice.as_bytes());
    assert_eq!(texts(&transcript)[7..], ["again", "c9>of nothing+1"]);
    assert_eq!(check_session(&transcript).len(), 2);
    assert_drafts_come_back(twice.as_bytes());
}

#[test]
fn results_of_one_round_become_one_message_of_the_user() {
    let transcript = read(log(&lines()).as_bytes());
    let draft = Draft::whole(&transcript);
    let built = convert_session(&transcript, &draft, SessionFormat::ClaudeCode).expect("a session");
    let back = read(&built);
    assert_eq!(texts(&back), texts(&transcript), "thoughts and pictures, too");
    assert_eq!((back.turns.len(), check_session(&back).len()), (5, 0));
}
