//! Every format can be written from every other: what was said, called and
//! answered survives, and what was valid stays valid.

use serde_json::Value;

use super::SessionFormat;
use super::testing::read;
use crate::session::draft::Draft;
use crate::session::transcript::{Content, Role, Transcript};
use crate::session::{check_session, convert_session, read_session};

const SESSION: &str = r#"{"system":"be brief","messages":[
 {"role":"user","content":"look at a.txt"},
 {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"S"},{"type":"text","text":"I look."},
   {"type":"tool_use","id":"c1","name":"read","input":{"path":"a.txt","lines":[1,2]}},
   {"type":"tool_use","id":"c2","name":"bash","input":{"command":"ls"}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"alpha\nbeta"},
   {"type":"tool_result","tool_use_id":"c2","content":"no such file","is_error":true},
   {"type":"text","text":"and then?"}]},
 {"role":"assistant","content":[{"type":"tool_use","id":"c3","name":"bash","input":{}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"c3","content":""}]},
 {"role":"assistant","content":[{"type":"text","text":"Done: \"ä\""}]}]}"#;

fn convert(transcript: &Transcript, to: SessionFormat) -> Transcript {
    let convert = || convert_session(transcript, &Draft::whole(transcript), to);
    let written = convert().expect("a session");
    assert_eq!(convert().as_deref(), Ok(written.as_slice()));
    let detected = read_session(written.clone(), None).expect("a session");
    let text = String::from_utf8_lossy(&written);
    assert_eq!(detected.format, to, "in {text}");
    assert_eq!(check_session(&detected), [], "in {text}");
    assert_eq!((detected.notes.len(), detected.unknown.len()), (0, 0), "in {text}");
    detected
}

/// Lists what every format must carry over.
fn said(transcript: &Transcript) -> Vec<(&'static str, String, Value)> {
    let mut said = Vec::new();
    // Not every format has a place for the instructions of the system.
    let turns = transcript.turns.iter().filter(|turn| turn.role != Role::System);
    for turn in turns {
        for block in &turn.blocks {
            said.extend(match &block.content {
                Content::Text(text) => Some((turn.role.name(), text.clone(), Value::Null)),
                Content::Call(call) => {
                    let name = format!("{} {}", call.id, call.name);
                    Some(("call", name, call.arguments.clone()))
                }
                Content::Result(result) => {
                    Some(("result", result.call.clone(), Value::from(result.text.as_str())))
                }
                _ => None,
            });
        }
    }
    said
}

#[test]
fn every_format_is_written_from_every_other() {
    let original = read(SESSION);
    let expected = said(&original);
    assert_eq!(expected.len(), 10);
    for from in SessionFormat::all().filter(|it| *it != original.format) {
        let source = convert(&original, from);
        assert_eq!(said(&source), expected, "{from}");
        for to in SessionFormat::all().filter(|it| *it != from) {
            assert_eq!(said(&convert(&source, to)), expected, "{from} to {to}");
        }
    }
}

#[test]
fn what_no_provider_takes_is_put_right() {
    // Ids that stand twice, an answer that came late, one that never came, one to nothing.
    let source = r#"[{"type":"message","role":"user","content":"go"},
        {"type":"function_call","call_id":"c:1","name":"f","arguments":""},
        {"type":"function_call_output","call_id":"c:1","output":"one"},
        {"type":"function_call","call_id":"c:1","name":"f","arguments":"[2]"},
        {"type":"function_call","call_id":"c3","name":"g","arguments":"{}"},
        {"type":"message","role":"user","content":"well?"},
        {"type":"function_call_output","call_id":"c:1","output":"two"},
        {"type":"function_call_output","call_id":"c9","output":"nine"}]"#;
    let expected = [
        ("user", "go".to_owned(), Value::Null),
        ("call", "c_1 f".to_owned(), serde_json::json!({})),
        ("result", "c_1".to_owned(), Value::from("one")),
        ("call", "c_1_2 f".to_owned(), serde_json::json!({"input": [2]})),
        ("call", "c3 g".to_owned(), serde_json::json!({})),
        ("result", "c_1_2".to_owned(), Value::from("two")),
        ("result", "c3".to_owned(), Value::from("aborted")),
        ("user", "well?".to_owned(), Value::Null),
        ("user", "nine".to_owned(), Value::Null),
    ];
    let session = read(source);
    for to in SessionFormat::all().filter(|it| *it != session.format) {
        assert_eq!(said(&convert(&session, to)), expected, "{to}");
    }
}
