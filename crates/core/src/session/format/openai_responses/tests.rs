//! Items of OpenAI's Responses API: found, read, written and checked.

use super::super::testing::{assert_drafts_come_back, read, show, unchecked};
use crate::session::draft::{Change, Draft, DraftBlock, DraftTurn};
use crate::session::{SessionFormat, check_session, read_session};

const BODY: &str = r#"{"model":"gpt-5","instructions":"be brief","input":[
 {"role":"user","content":"list the files"},
 {"type":"message","role":"user","content":[{"type":"input_text","text":"and look"},{"type":"input_image","image_url":"data:"}]},
 {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"AA"},
 {"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"I look.","annotations":[]}]},
 {"type":"function_call","id":"fc_1","call_id":"c1","name":"ls","arguments":"{\"path\":\".\"}"},
 {"type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"*** Begin Patch"},
 {"type":"function_call_output","call_id":"c1","output":"a.txt"},
 {"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"done"},{"type":"input_image","image_url":"data:"}]},
 {"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}},
 {"type":"local_shell_call","call_id":"c3","status":"completed","action":{"type":"exec","command":["pwd"]}},
 {"type":"local_shell_call_output","call_id":"c3","output":"{\"output\":\"/\"}"},
 {"type":"telepathy","strength":1.50},
 {"type":"message","role":"assistant","content":"done"}
],"store":false}"#;

#[test]
fn f154_items_are_read_as_turns() {
    let session = read(BODY);
    assert_eq!(session.format, SessionFormat::OpenAiResponses);
    assert_eq!(session.model.as_deref(), Some("gpt-5"));
    assert_eq!(
        show(&session.turns),
        [
            "system be brief",
            "user list the files",
            "user and look | <image>",
            "assistant (hm) | I look. | c1=ls{\"path\":\".\"} | c2=apply_patch{\"input\":\"*** Begin Patch\"}",
            "tool c1>a.txt | c2>done+1",
            "assistant <web_search_call> | c3=local_shell{\"type\":\"exec\",\"command\":[\"pwd\"]}",
            "tool c3>{\"output\":\"/\"}",
            "assistant <telepathy> | done",
        ]
    );
    assert_eq!(session.unknown.get("telepathy"), Some(&1));
    assert_eq!(session.unknown.len(), 1);
    assert_eq!(check_session(&session), []);
}

#[test]
fn what_is_written_is_read_again() {
    assert_drafts_come_back(BODY);
    let start = BODY.find('[').expect("a list");
    let list = &BODY[start..=BODY.rfind(']').expect("a list")];
    assert_drafts_come_back(list);
    let items: Vec<serde_json::Value> = serde_json::from_str(list).expect("json");
    let lines: String = items.iter().map(|it| format!("{it}\n")).collect();
    assert_drafts_come_back(&lines);
    assert_drafts_come_back(format!("{lines}{{\"type\":\"mess"));
}

#[test]
fn f158_the_input_may_be_a_text() {
    let source = r#"{"model":"gpt-5","input":"hello"}"#;
    assert_eq!(show(&read(source).turns), ["user hello"]);
    assert_drafts_come_back(source);
}

/// Writes a draft that keeps these blocks of the turn with the reasoning.
fn rewritten(kept: &[(usize, Option<&str>)]) -> String {
    let session = read(BODY);
    let block = |(block, change): &(usize, Option<&str>)| DraftBlock {
        block: *block,
        change: change.map(|text| Change::Text(text.to_owned())),
    };
    let blocks = kept.iter().map(block).collect();
    let turns = vec![DraftTurn::kept(&session, 1), DraftTurn::Of { turn: 3, blocks }];
    let written = unchecked(&session, &Draft { turns });
    String::from_utf8(written).expect("text")
}

#[test]
fn reasoning_stays_only_with_the_item_it_led_to() {
    assert!(rewritten(&[(0, None), (1, None)]).contains("rs_1"));
    assert!(!rewritten(&[(0, None), (2, None)]).contains("rs_1"));
    assert!(!rewritten(&[(0, None), (1, Some("other"))]).contains("rs_1"));
    assert!(!rewritten(&[(0, None)]).contains("rs_1"));
    assert!(!rewritten(&[(1, None)]).contains("rs_1"));
}

#[test]
fn items_that_stay_keep_their_bytes() {
    let written = rewritten(&[(0, None), (1, None), (2, None)]);
    for line in BODY.lines().filter(|it| it.contains("rs_1") || it.contains("fc_1")) {
        assert!(written.contains(line.trim().trim_end_matches(',')), "{line}");
    }
}

#[test]
fn calls_and_outputs_must_answer_each_other() {
    let rules = |items: &str| {
        let found = check_session(&read(format!("[{items}]"))).into_iter();
        found.map(|it| (it.turn, it.rule)).collect::<Vec<_>>()
    };
    let user = r#"{"type":"message","role":"user","content":"u"}"#;
    let call = r#"{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}"#;
    let output = r#"{"type":"function_call_output","call_id":"c","output":"o"}"#;
    let reasoning = r#"{"type":"reasoning","id":"rs","summary":[]}"#;
    assert_eq!(rules(&format!("{user},{call},{output}")), []);
    assert_eq!(rules(&format!("{user},{call}")), [(2, "every call must have its output")]);
    assert_eq!(rules(&format!("{user},{output}")), [(2, "an output must answer a call before it")]);
    assert_eq!(
        rules(&format!("{user},{reasoning},{user}")),
        [(2, "reasoning must stand before the item that it led to")]
    );
}

#[test]
fn what_is_no_item_is_noted_or_refused() {
    let format = Some(SessionFormat::OpenAiResponses);
    assert!(read_session(b"{\"input\":3}".to_vec(), format).is_err());
    let odd =
        read_session(br#"[7,{"type":"message","role":"user","content":"a"}]"#.to_vec(), format);
    let odd = odd.expect("a session");
    assert_eq!((odd.turns.len(), odd.notes.len()), (1, 1));
}
