//! Sessions of Claude Code, as they are and as they should not be.

use super::*;
use crate::session::draft::DraftTurn;
use crate::session::format::testing::{assert_drafts_come_back, read, texts, unchecked};
use crate::session::{check_session, read_session};

/// A line of a session; `rest` are members that are JSON already.
fn line(kind: &str, uuid: &str, parent: Option<&str>, rest: &str) -> String {
    let parent = parent.map_or_else(|| "null".to_owned(), |it| format!("\"{it}\""));
    format!(
        "{{\"parentUuid\":{parent},\"isSidechain\":false,\"userType\":\"external\",\
         \"cwd\":\"/w\",\"sessionId\":\"s-1\",\"version\":\"2.1.0\",\"gitBranch\":\"main\",\
         \"type\":\"{kind}\",{rest},\"uuid\":\"{uuid}\",\
         \"timestamp\":\"2026-01-02T03:04:05.678Z\"}}\n"
    )
}

fn user(uuid: &str, parent: Option<&str>, text: &str) -> String {
    let message = format!("\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}");
    line("user", uuid, parent, &message)
}

fn result(uuid: &str, parent: &str, call: &str, text: &str) -> String {
    let message = format!(
        "\"message\":{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"{call}\",\
         \"type\":\"tool_result\",\"content\":\"{text}\"}}]}},\
         \"toolUseResult\":{{\"stdout\":\"{text}\"}},\"sourceToolAssistantUUID\":\"{parent}\""
    );
    line("user", uuid, Some(parent), &message)
}

fn model(uuid: &str, parent: &str, id: &str, block: &str) -> String {
    let message = format!(
        "\"message\":{{\"model\":\"claude-x\",\"id\":\"{id}\",\"type\":\"message\",\
         \"role\":\"assistant\",\"content\":[{block}],\"stop_reason\":null,\
         \"usage\":{{\"input_tokens\":3,\"cache_creation_input_tokens\":40,\
         \"cache_read_input_tokens\":500,\"output_tokens\":7}}}},\"requestId\":\"r\""
    );
    line("assistant", uuid, Some(parent), &message)
}

fn call(id: &str) -> String {
    format!(
        "{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"Bash\",\"input\":{{\"command\":\"ls\"}}}}"
    )
}

fn text(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":\"{text}\"}}")
}

const THOUGHT: &str = r#"{"type":"thinking","thinking":"hm","signature":"c2ln"}"#;

/// A session with calls side by side, whose first result is beside the path.
fn session() -> String {
    [
        line("progress", "p0", None, r#""data":{"type":"hook_progress"}"#),
        user("u1", Some("p0"), "fix the bug"),
        model("a1", "u1", "m1", THOUGHT),
        model("a2", "a1", "m1", &call("c1")),
        model("a3", "a2", "m1", &call("c2")),
        result("r1", "a2", "c1", "one"),
        result("r2", "a3", "c2", "two"),
        line("progress", "p1", Some("r2"), r#""data":{}"#),
        model("a4", "r2", "m2", &text("it is fixed")),
        line("system", "s1", Some("a4"), r#""subtype":"turn_duration","durationMs":5"#),
        "{\"type\":\"file-history-snapshot\",\"messageId\":\"u1\",\"snapshot\":{}}\n".to_owned(),
        user("u2", Some("s1"), "thanks"),
        model("a5", "u2", "m3", &text("welcome")),
    ]
    .concat()
}

#[test]
fn f154_lines_of_one_message_are_one_turn() {
    let transcript = read(session().as_bytes());
    assert_eq!(transcript.format, SessionFormat::ClaudeCode);
    assert_eq!(
        texts(&transcript),
        [
            "fix the bug",
            "(hm)",
            r#"c1=Bash{"command":"ls"}"#,
            r#"c2=Bash{"command":"ls"}"#,
            "c1>one",
            "c2>two",
            "it is fixed",
            "thanks",
            "welcome",
        ]
    );
    let roles: Vec<Role> = transcript.turns.iter().map(|it| it.role).collect();
    use Role::{Assistant, User};
    assert_eq!(roles, [User, Assistant, User, Assistant, User, Assistant]);
    assert_eq!(transcript.session.as_deref(), Some("s-1"));
    assert_eq!(transcript.directory.as_deref(), Some("/w"));
    assert_eq!(transcript.model.as_deref(), Some("claude-x"));
    let usage = transcript.turns[1].usage.expect("usage");
    assert_eq!((usage.sent(), usage.output), (543, 7));
    assert_eq!(transcript.passed_over["progress"], 2);
    assert_eq!(transcript.passed_over["system/turn_duration"], 1);
    assert!(transcript.unknown.is_empty() && transcript.notes.is_empty());
    assert_eq!(check_session(&transcript), []);
}

#[test]
fn blocks_know_their_places() {
    let transcript = read(session().as_bytes());
    let call = &transcript.turns[1].blocks[1];
    assert!(transcript.raw(call).starts_with("{\"type\":\"tool_use\""));
    assert_eq!(transcript.raw(&transcript.turns[0].blocks[0]), "\"fix the bug\"");
}

#[test]
fn only_the_path_to_the_leaf_is_context() {
    let mut log = session();
    log += &user("u3", Some("a4"), "another way");
    log += &line("user", "x1", Some("a4"), r#""message":{"role":"user","content":"hidden"}"#)
        .replace("\"isSidechain\":false", "\"isSidechain\":true");
    let transcript = read(log.as_bytes());
    let texts = texts(&transcript);
    assert_eq!(texts.last().map(String::as_str), Some("another way"));
    assert!(!texts.iter().any(|it| it == "thanks" || it == "hidden"));
    assert_eq!(transcript.passed_over["other branch"], 2);
    assert_eq!(transcript.passed_over["sidechain"], 1);
}

#[test]
fn a_leaf_that_the_agent_noted_is_followed() {
    let mut log = session();
    log += &user("u3", Some("a4"), "another way");
    let noted = "{\"type\":\"last-prompt\",\"leafUuid\":\"a5\",\"sessionId\":\"s-1\"}\n";
    let transcript = read((log.clone() + noted).as_bytes());
    assert_eq!(texts(&transcript).last().map(String::as_str), Some("welcome"));
    // The last line comes from the leaf, so it is the leaf by now.
    let transcript = read((log + &noted.replace("a5", "a4")).as_bytes());
    assert_eq!(texts(&transcript).last().map(String::as_str), Some("another way"));
}

#[test]
fn a_log_of_only_a_side_chain_is_a_session() {
    let log = session().replace("\"isSidechain\":false", "\"isSidechain\":true");
    assert_eq!(read(log.as_bytes()).turns.len(), 6);
    assert_drafts_come_back(log.as_bytes());
}

#[test]
fn a_compaction_begins_the_context_anew() {
    let log = session()
        + &line(
            "system",
            "b1",
            None,
            r#""logicalParentUuid":"a5","subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{"trigger":"auto","preTokens":9}"#,
        )
        + &line(
            "user",
            "u5",
            Some("b1"),
            r#""message":{"role":"user","content":"summary"},"isCompactSummary":true,"isVisibleInTranscriptOnly":true"#,
        );
    let transcript = read(log.as_bytes());
    assert_eq!(texts(&transcript), ["summary"]);
    assert_eq!(transcript.passed_over["compacted"], 9);
    assert_eq!(transcript.passed_over["system/compact_boundary"], 1);
}

#[test]
fn lines_that_a_compaction_preserves_stay() {
    let kept = [
        r#""preservedSegment":{"headUuid":"u2","anchorUuid":"u5","tailUuid":"a5"}"#,
        r#""preservedMessages":{"anchorUuid":"u5","uuids":["u2","a5"]}"#,
    ];
    for kept in kept {
        let metadata = format!(
            r#""subtype":"compact_boundary","content":"","compactMetadata":{{"trigger":"auto",{kept}}}"#
        );
        let log = session()
            + &line("system", "b1", None, &metadata)
            + &user("u5", Some("b1"), "summary")
            + &user("u6", Some("u5"), "go on");
        let transcript = read(log.as_bytes());
        assert_eq!(texts(&transcript), ["summary", "thanks", "welcome", "go on"]);
        assert_drafts_come_back(log.as_bytes());
    }
}

#[test]
fn a_boundary_that_nothing_follows_changes_nothing() {
    let log = session() + &line("system", "b1", None, r#""subtype":"compact_boundary""#);
    assert_eq!(read(log.as_bytes()).turns.len(), 6);
}

#[test]
fn what_the_agent_tells_the_model_is_context() {
    let attachment = |uuid: &str, parent: &str, inner: &str| {
        line("attachment", uuid, Some(parent), &format!("\"attachment\":{inner}"))
    };
    let log = session()
        + &attachment("t1", "a5", r#"{"type":"skill_listing","content":"- pdf"}"#)
        + &attachment("t2", "t1", r#"{"type":"queued_command","prompt":"and test"}"#)
        + &attachment("t3", "t2", r#"{"type":"hook_non_blocking_error","stderr":"no"}"#)
        + &attachment("t4", "t3", r#"{"type":"task_reminder","content":[]}"#)
        + &attachment("t5", "t4", r#"{"type":"brand_new","content":"x"}"#)
        + &line(
            "system",
            "t6",
            Some("t5"),
            r#""subtype":"local_command","content":"<local-command-stdout>ok</local-command-stdout>""#,
        )
        + &line(
            "user",
            "t7",
            Some("t6"),
            r#""isMeta":true,"message":{"role":"user","content":[{"type":"text","text":"meta"},{"type":"image","source":{}},{"type":"brand_new"}]}"#,
        );
    let transcript = read(log.as_bytes());
    assert_eq!(
        texts(&transcript)[9..],
        [
            "<system-reminder>\n- pdf\n</system-reminder>",
            "and test",
            "<local-command-stdout>ok</local-command-stdout>",
            "meta",
            "<image>",
            "<brand_new>",
        ]
    );
    assert_eq!(transcript.passed_over["attachment/task_reminder"], 1);
    assert_eq!(transcript.passed_over["attachment/hook_non_blocking_error"], 1);
    assert_eq!(transcript.unknown["attachment/brand_new"], 1);
    assert_drafts_come_back(log.as_bytes());
}

#[test]
fn every_draft_comes_back() {
    assert!(assert_drafts_come_back(session().as_bytes()) > 200);
}

#[test]
fn a_trimmed_log_is_the_log_and_more() {
    let log = session();
    let transcript = read(log.as_bytes());
    let summary = DraftTurn::New { role: Role::User, text: "what came before".to_owned() };
    let kept = (4..6).map(|turn| DraftTurn::kept(&transcript, turn));
    let draft = Draft { turns: std::iter::once(summary).chain(kept).collect() };
    let written = unchecked(&transcript, &draft);
    let added = written.strip_prefix(log.as_bytes()).expect("the log");
    let added: Vec<Value> = std::str::from_utf8(added)
        .expect("text")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let [boundary, summary, user, model] = added.as_slice() else {
        panic!("{added:?}");
    };
    assert_eq!(boundary["subtype"], "compact_boundary");
    assert_eq!(boundary["parentUuid"], Value::Null);
    assert_eq!(boundary["logicalParentUuid"], "a5");
    assert_eq!(boundary["compactMetadata"]["preTokens"], 550);
    assert_eq!(summary["isCompactSummary"], true);
    for (line, parent) in [(summary, boundary), (user, summary), (model, user)] {
        assert_eq!(line["parentUuid"], parent["uuid"]);
        assert_eq!(line["sessionId"], "s-1");
        assert_eq!(line["timestamp"], "2026-01-02T03:04:05.678Z");
    }
    assert_ne!(model["message"]["id"], "m3", "the agent would join it with the original");
    assert_eq!(model["requestId"], "r");
    // What was counted spoke of the whole session.
    assert_eq!(model["message"]["usage"]["cache_read_input_tokens"], 0);
    let back = read_session(written, None).expect("a session");
    assert_eq!(back.turns[2].usage, None);
    // And once more.
    let again = Draft { turns: vec![DraftTurn::kept(&back, 0)] };
    let again = read(unchecked(&back, &again));
    assert_eq!(texts(&again), ["what came before"]);
}

#[test]
fn half_a_line_stays_and_is_noted() {
    let mut log = session().into_bytes();
    log.extend_from_slice(b"{\"type\":\"user\",\"mess");
    let transcript = read(&log);
    assert_eq!((transcript.turns.len(), transcript.notes.len()), (6, 1));
    assert_drafts_come_back(&log);
    let mut binary = b"\xff\xfe\n".to_vec();
    binary.extend_from_slice(session().as_bytes());
    assert_eq!(read(&binary).notes.len(), 1);
    assert_drafts_come_back(&binary);
}

#[test]
fn broken_links_are_noted() {
    let lost = user("u1", Some("nowhere"), "hello");
    let transcript = read(lost.as_bytes());
    assert_eq!((transcript.turns.len(), transcript.notes.len()), (1, 1));
    assert_eq!(check_session(&transcript).len(), 1);
    let circle = user("u1", Some("u2"), "one") + &user("u2", Some("u1"), "two");
    let transcript = read(circle.as_bytes());
    assert_eq!(texts(&transcript), ["one", "two"]);
    assert_eq!(transcript.notes.len(), 1);
    let twice =
        session() + &user("u2", Some("s1"), "thanks a lot") + &model("a6", "u2", "m9", &text("ok"));
    let transcript = read(twice.as_bytes());
    assert_eq!(texts(&transcript)[7..], ["thanks a lot", "ok"]);
    assert_eq!(transcript.notes.len(), 1);
}

#[test]
fn results_without_calls_are_refused() {
    let log = session() + &result("r9", "a5", "c9", "what");
    let transcript = read(log.as_bytes());
    let found = check_session(&transcript);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].turn, 7);
    let open = session() + &model("a6", "a5", "m9", &call("c7"));
    assert_eq!(check_session(&read(open.as_bytes())).len(), 1);
}

#[test]
fn errors_of_the_provider_are_not_context() {
    let log = session()
        + &model("a6", "a5", "m9", &text("API Error"))
            .replace("\"requestId\"", "\"isApiErrorMessage\":true,\"requestId\"");
    assert_eq!(read(log.as_bytes()).turns.len(), 6);
}

#[test]
fn blank_texts_are_not_sent() {
    let log = session()
        + &model("a6", "a5", "m9", &text("\\n\\n"))
        + &model("a7", "a6", "m9", &text("so"));
    let transcript = read(log.as_bytes());
    assert_eq!(texts(&transcript).last().map(String::as_str), Some("so"));
    assert_eq!(transcript.turns.len(), 7);
    assert_eq!(transcript.passed_over["blank message"], 1);
    assert_eq!(check_session(&transcript), []);
}

#[test]
fn what_is_no_session_is_said_to_be_none() {
    use crate::session::SessionError;
    assert!(matches!(read_session(b" \n".to_vec(), None), Err(SessionError::Empty)));
    for source in ["{\"a\":1}\n{\"b\":2}\n", "plain words", "[1, 2]"] {
        let read = read_session(source.into(), None);
        assert!(matches!(read, Err(SessionError::Unknown { .. })), "{source}");
    }
    let read = read_session(b"plain words".to_vec(), Some(SessionFormat::ClaudeCode));
    assert!(matches!(read, Err(SessionError::Malformed { .. })));
}
