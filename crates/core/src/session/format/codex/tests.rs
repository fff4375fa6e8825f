//! Logs of Codex: found, read, written and checked.

use super::super::testing::{assert_drafts_come_back, read, show, unchecked};
use crate::session::draft::{Draft, DraftTurn};
use crate::session::transcript::{Role, Usage};
use crate::session::{SessionFormat, check_session, read_session};

const LOG: &str = r##"{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"id":"s-1","cwd":"/work","base_instructions":{"text":"You are Codex."}}}
{"timestamp":"2026-01-02T03:04:05.000Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}
{"timestamp":"2026-01-02T03:04:05.100Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"},{"type":"input_text","text":"more rules"}]}}
{"timestamp":"2026-01-02T03:04:05.100Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/work</cwd>"}]}}
{"timestamp":"2026-01-02T03:04:05.200Z","type":"turn_context","payload":{"turn_id":"t1","cwd":"/work","model":"gpt-5.5"}}
{"timestamp":"2026-01-02T03:04:05.300Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix the test"}]}}
{"timestamp":"2026-01-02T03:04:05.300Z","type":"event_msg","payload":{"type":"user_message","message":"fix the test"}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"response_item","payload":{"summary":[],"type":"reasoning"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}],"phase":"commentary"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c1"}}
{"timestamp":"2026-01-02T03:04:07.000Z","type":"response_item","payload":{"type":"tool_search_call","call_id":"c2","status":"completed","execution":"client","arguments":{"query":"q"}}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"a.rs\nb.rs"}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"response_item","payload":{"type":"tool_search_output","call_id":"c2","status":"completed","execution":"client","tools":[]}}
{"timestamp":"2026-01-02T03:04:08.000Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":100,"cached_input_tokens":40,"output_tokens":7}}}}
{"timestamp":"2026-01-02T03:04:09.000Z","type":"response_item","payload":{"type":"ghost_snapshot","ghost_commit":{}}}
{"timestamp":"2026-01-02T03:04:09.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Fixed."}]}}
{"timestamp":"2026-01-02T03:04:10.000Z","type":"event_msg","payload":{"type":"token_count","info":null}}
"##;

const INSTRUCTIONS: &str = "system You are Codex.";

fn after(lines: &str) -> Vec<String> {
    show(&read(format!("{LOG}{lines}")).turns)
}

#[test]
fn f154_only_items_and_instructions_are_context() {
    let session = read(LOG);
    assert_eq!(session.format, SessionFormat::Codex);
    assert_eq!(session.session.as_deref(), Some("s-1"));
    assert_eq!(session.model.as_deref(), Some("gpt-5.5"));
    assert_eq!(session.directory.as_deref(), Some("/work"));
    assert_eq!(
        show(&session.turns),
        [
            INSTRUCTIONS,
            "system rules | more rules",
            "user <environment_context>\n  <cwd>/work</cwd>",
            "user fix the test",
            "assistant () | I look. | c1=exec_command{\"cmd\":\"ls\"} | c2=tool_search{\"query\":\"q\"}",
            "tool c1>a.rs\nb.rs | c2>[]",
            "assistant Fixed.",
        ]
    );
    let usage = Usage { input: 60, output: 7, cache_read: 40, cache_write: 0 };
    assert_eq!(session.turns[4].usage, Some(usage));
    assert_eq!(session.turns[6].usage, None);
    assert_eq!(session.turns[4].model.as_deref(), Some("gpt-5.5"));
    assert_eq!(check_session(&session), []);
}

#[test]
fn f156_what_is_no_context_is_counted() {
    let session = read(format!("{LOG}{}\n", r#"{"timestamp":"","type":"omen","payload":{}}"#));
    let passed_over: Vec<(&str, usize)> =
        session.passed_over.iter().map(|it| (it.0.as_str(), *it.1)).collect();
    assert_eq!(
        passed_over,
        [
            ("event_msg task_started", 1),
            ("event_msg token_count", 2),
            ("event_msg user_message", 1),
            ("ghost_snapshot", 1),
            ("session_meta", 1),
            ("turn_context", 1),
        ]
    );
    assert_eq!(session.unknown.get("omen"), Some(&1));
}

#[test]
fn what_is_written_is_read_again() {
    assert_drafts_come_back(LOG);
    assert_drafts_come_back(format!("{LOG}{{\"timestamp\":\"20"));
}

#[test]
fn a_draft_is_one_compaction_at_the_end() {
    let session = read(LOG);
    let mut draft = Draft::whole(&session);
    let (role, text) = (Role::User, "what was cut".to_owned());
    draft.turns.splice(4..6, [DraftTurn::New { role, text }]);
    let written = String::from_utf8(unchecked(&session, &draft)).expect("text");
    let added: Vec<&str> = written.strip_prefix(LOG).expect("the log as it was").lines().collect();
    let start = r#"{"timestamp":"2026-01-02T03:04:10.000Z","type":"compacted","payload":{"message":"what was cut","replacement_history":[{"type":"message","role":"developer""#;
    assert!(added[0].starts_with(start), "{}", added[0]);
    assert!(!added[0].contains("You are Codex."));
    // The rules stay, so Codex must not say them again.
    assert!(added[1].contains("turn_context"));
    let dropped = Draft { turns: draft.turns.into_iter().skip(3).collect() };
    let written = String::from_utf8(unchecked(&session, &dropped)).expect("text");
    assert!(!written[LOG.len()..].contains("turn_context"));
}

#[test]
fn a_compaction_replaces_what_was_before() {
    let compacted = r#"{"timestamp":"2026-01-02T04:00:00.000Z","type":"compacted","payload":{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"fix the test"}]},{"type":"compaction","encrypted_content":"AA"}]}}
{"timestamp":"2026-01-02T04:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}}
"#;
    assert_eq!(
        after(compacted),
        [INSTRUCTIONS, "user fix the test", "assistant <compaction>", "user go on"]
    );
    assert_drafts_come_back(format!("{LOG}{compacted}"));
}

#[test]
fn an_old_compaction_keeps_what_the_user_said() {
    let compacted = r#"{"timestamp":"2026-01-02T04:00:00.000Z","type":"compacted","payload":{"message":"the test is fixed"}}
"#;
    assert_eq!(after(compacted), [INSTRUCTIONS, "user fix the test", "user the test is fixed"]);
    assert_drafts_come_back(format!("{LOG}{compacted}"));
}

#[test]
fn turns_can_be_taken_back() {
    let more = r#"{"timestamp":"","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<turn_aborted>"}]}}
{"timestamp":"","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"no, wait"}]}}
{"timestamp":"","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}
"#;
    assert_eq!(after(more), show(&read(LOG).turns));
}

#[test]
fn outputs_must_answer_calls() {
    let orphan = r#"{"timestamp":"","type":"response_item","payload":{"type":"function_call_output","call_id":"c9","output":"o"}}
"#;
    let found = check_session(&read(format!("{LOG}{orphan}")));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rule, "an output must answer a call before it");
}

#[test]
fn what_is_no_log_is_refused() {
    let format = Some(SessionFormat::Codex);
    assert!(read_session(b"nothing\nof this\n".to_vec(), format).is_err());
    let odd =
        read_session(format!("\u{fffd}\n{LOG}not json\n").into_bytes(), None).expect("a session");
    assert_eq!(odd.notes.len(), 2);
}
