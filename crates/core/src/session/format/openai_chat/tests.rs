//! Messages of OpenAI's chat: found, read, written and checked.

use super::super::testing::{assert_drafts_come_back, read, show};
use crate::session::transcript::Role;
use crate::session::{SessionFormat, check_session, read_session};

const BODY: &str = r#"{"model":"gpt-4.1", "temperature": 0.70,
"messages":[
 {"role":"system","content":"be brief"},
 {"role":"user","content":[{"type":"text","text":"what is in a.txt?"},
   {"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},
 {"role":"assistant","content":"I look.","refusal":null,"tool_calls":[
   {"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\": \"a.txt\"}"}},
   {"id":"c2","type":"function","function":{"name":"odd","arguments":"{not json"}}]},
 {"role":"tool","tool_call_id":"c1","content":"alpha"},
 {"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]},
 {"role":"assistant","content":null,"function_call":{"name":"list","arguments":"{}"}},
 {"role":"function","name":"list","content":"a.txt"},
 {"role":"assistant","content":[{"type":"text","text":"alpha."},{"type":"refusal","refusal":"no"}],"vendor":{"x":1.50}},
 {"role":"user","content":"thanks"}],
"stream":true}
"#;

fn rules(source: &str) -> Vec<(usize, &'static str)> {
    let found = check_session(&read(source)).into_iter();
    found.map(|it| (it.turn, it.rule)).collect()
}

#[test]
fn f154_messages_are_read_with_roles_calls_and_results() {
    let session = read(BODY);
    assert_eq!(session.format, SessionFormat::OpenAiChat);
    assert_eq!(session.model.as_deref(), Some("gpt-4.1"));
    assert_eq!(
        show(&session.turns),
        [
            "system be brief",
            "user what is in a.txt? | <image>",
            "assistant I look. | c1=read{\"path\":\"a.txt\"} | c2=odd\"{not json\"",
            "tool c1>alpha",
            "tool c2>b\nc",
            "assistant list=list{}",
            "tool list>a.txt",
            "assistant alpha. | <refusal>",
            "user thanks",
        ]
    );
    assert_eq!(check_session(&session), []);
}

#[test]
fn f158_a_content_may_be_a_text() {
    let session = read(r#"[{"role":"developer","content":"x"},{"role":"user","content":"hällo"}]"#);
    assert_eq!(show(&session.turns), ["system x", "user hällo"]);
}

#[test]
fn what_is_written_is_read_again() {
    assert_drafts_come_back(BODY);
    assert_drafts_come_back(lines());
}

fn lines() -> String {
    let body: serde_json::Value = serde_json::from_str(BODY).expect("json");
    let messages = body["messages"].as_array().expect("a list");
    messages.iter().map(|it| format!("{it}\n")).collect()
}

#[test]
fn a_half_written_line_is_noted() {
    let source = format!("{}{{\"role\":\"assist", lines());
    let session = read(&source);
    assert_eq!(session.turns.len(), 9);
    assert_eq!(session.notes.len(), 1);
    assert_drafts_come_back(&source);
}

#[test]
fn what_belongs_to_others_is_left_to_them() {
    let plain = r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#;
    assert_eq!(read(plain).format, SessionFormat::Anthropic);
    let blocks = r#"[{"role":"user","content":"a"},{"role":"assistant","content":[
        {"type":"tool_use","id":"t","name":"n","input":{}}]},{"role":"user","content":[
        {"type":"tool_result","tool_use_id":"t","content":"r"}]}]"#;
    assert_eq!(read(blocks).format, SessionFormat::Anthropic);
    let parts = r#"[{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}]"#;
    assert_eq!(read(parts).format, SessionFormat::OpenAiChat);
}

#[test]
fn calls_must_be_answered_before_anything_else() {
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]}"#;
    let result = r#"{"role":"tool","tool_call_id":"c1","content":"r"}"#;
    let user = r#"{"role":"user","content":"u"}"#;
    let answered = "every call must be answered before anything else";
    let orphan = "a result must answer a call before it";
    let empty = "a message of the model must not be empty";
    assert_eq!(rules(&format!("[{user},{call},{result},{user}]")), []);
    assert_eq!(rules(&format!("[{user},{call},{user},{result}]")), [(3, answered), (4, orphan)]);
    assert_eq!(rules(&format!("[{user},{call}]")), [(2, answered)]);
    assert_eq!(rules(&format!("[{user},{result}]")), [(2, orphan)]);
    let nothing = r#"{"role":"assistant","content":null,"tool_calls":[]}"#;
    assert_eq!(rules(&format!("[{user},{nothing}]")), [(2, empty)]);
}

#[test]
fn what_is_no_session_is_refused() {
    let format = Some(SessionFormat::OpenAiChat);
    assert!(read_session(b"not json".to_vec(), format).is_err());
    assert!(read_session(br#"{"messages":1}"#.to_vec(), format).is_err());
    let odd = read_session(br#"[1,{"role":"user","content":"a"},{"role":"x"}]"#.to_vec(), format);
    let odd = odd.expect("a session");
    assert_eq!((odd.turns.len(), odd.notes.len()), (1, 2));
    assert_eq!(odd.turns[0].role, Role::User);
}
