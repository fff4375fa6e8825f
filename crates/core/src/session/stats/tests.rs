use serde_json::{Value, json};

use super::*;
use crate::session::cost::call_text;
use crate::session::transcript::Usage;
use crate::session::{read_session, turns_tokens};

fn counter(name: &str) -> Counter {
    name.parse().unwrap()
}

fn read(messages: &Value) -> Transcript {
    read_session(messages.to_string().into_bytes(), None).unwrap()
}

/// A session in which a file is read three times, once in other lines.
fn session() -> Transcript {
    let read_call = |id: &str, path: &str| json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": path}});
    let result =
        |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": text});
    read(&json!([
        {"role": "user", "content": "Look at main.rs."},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Let me see."},
            {"type": "text", "text": "I will."},
            read_call("1", "/work/src/main.rs"),
        ]},
        {"role": "user", "content": [result("1", "fn main() {\n    println!();\n}")]},
        {"role": "assistant", "content": [read_call("2", "src/main.rs"), read_call("3", "/work/src/main.rs")]},
        {"role": "user", "content": [
            result("2", "fn main() {\n    println!();\n}"),
            result("3", "// the rest of the file"),
            {"type": "text", "text": "And?"},
        ]},
        {"role": "assistant", "content": "It prints a line."},
    ]))
}

#[test]
fn f154_a_session_is_measured_by_role_kind_and_turn() {
    let (transcript, counter) = (session(), counter("o200k"));
    let stats = session_stats(&transcript, &counter);
    assert_eq!(stats.tokens, turns_tokens(&counter, &transcript.turns));
    assert_eq!(stats.user_turns, 2, "results alone are not a message of the user");
    let roles = stats.roles.iter().map(|(role, it)| (role.name(), it.blocks));
    assert_eq!(roles.collect::<Vec<_>>(), [("user", 2), ("assistant", 6), ("tool", 3)]);
    let sum = Tokens::saturating_sum(stats.roles.iter().map(|(_, it)| it.tokens));
    assert_eq!(sum, stats.tokens);
    let mut kinds: Vec<_> = stats.kinds.iter().map(|(kind, it)| (kind.name(), it.blocks)).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, [("text", 4), ("thinking", 1), ("tool call", 3), ("tool result", 3)]);
    assert_eq!(stats.growth.len(), 6);
    assert_eq!(stats.growth.last(), Some(&stats.tokens));
    assert!(stats.growth.is_sorted());
    assert_eq!(stats.largest.len(), 10);
    assert!(stats.largest.is_sorted_by_key(|block| std::cmp::Reverse(block.tokens)));
}

#[test]
fn f155_a_call_costs_its_name_its_arguments_and_its_frame() {
    let (transcript, counter) = (session(), counter("o200k"));
    let tool = &session_stats(&transcript, &counter).tools[0];
    assert_eq!((tool.name.as_str(), tool.calls, tool.errors), ("Read", 3, 0));
    let calls = transcript.turns.iter().flat_map(Turn::calls);
    let texts = calls.map(|call| counter.count(&call_text(&call.name, &call.arguments)));
    let frames = Tokens::new(3 * BLOCK_TOKENS);
    let texts = Tokens::saturating_sum(texts);
    assert_eq!(tool.call_tokens, texts.saturating_add(frames));
    // What is billed for a call besides its text is measured.
    assert_eq!(counter.framing().tool_round(1), 22);
}

#[test]
fn f158_content_may_be_a_text() {
    let text =
        session_stats(&read(&json!([{"role": "user", "content": "hello"}])), &counter("o200k"));
    let block = json!([{"role": "user", "content": [{"type": "text", "text": "hello"}]}]);
    assert_eq!(text, session_stats(&read(&block), &counter("o200k")));
    assert_eq!(text.user_turns, 1);
}

#[test]
fn only_lines_that_were_shown_before_are_repeated() {
    let mut transcript = session();
    transcript.directory = Some("/work".to_owned());
    let stats = session_stats(&transcript, &counter("o200k"));
    let [file] = stats.files.as_slice() else {
        panic!("{:?}", stats.files);
    };
    assert_eq!((file.path.as_str(), file.reads), ("src/main.rs", 3));
    assert_eq!(stats.repeated(), file.repeated);
    let once = stats.largest.iter().filter(|it| it.kind == BlockKind::ToolResult);
    let first = once.map(|it| it.tokens).max().unwrap();
    assert_eq!(file.repeated, first, "the second read, and not the third");
    assert_eq!(stats.largest[0].about, "/work/src/main.rs");
}

/// A session of rounds with one call, billed as Claude 3 bills, with 1,000 unseen.
fn billed_session(counter: &Counter, thinks: bool) -> Transcript {
    let mut messages = vec![json!({"role": "user", "content": "Run the tests, please."})];
    for round in 0..6 {
        let id = round.to_string();
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("cargo test {}", "a b ".repeat(round * 7))}});
        let thought = json!({"type": "thinking", "thinking": ""});
        let content: Vec<Value> = thinks.then_some(thought).into_iter().chain([call]).collect();
        messages.push(json!({"role": "assistant", "content": content}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": "ok ".repeat(40 + round * 30)},
        ]}));
    }
    messages.push(json!({"role": "assistant", "content": "All green."}));
    let mut transcript = read(&json!(messages));
    let framing = counter.framing();
    let mut sent = 1_000 + counter.count("Run the tests, please.").get() + 3;
    for number in (1..transcript.turns.len()).step_by(2) {
        let calls: Vec<_> = transcript.turns[number].calls().collect();
        let called = counter.count(&wire::Wire::Tags.calls(&calls)).get();
        let thought = if thinks { 77 } else { 0 };
        let results = transcript.turns.get(number + 1).into_iter().flat_map(Turn::results);
        let results: u64 = results.map(|it| counter.count(&it.text).get()).sum();
        let texts: u64 = transcript.turns[number].texts().map(|it| counter.count(it).get()).sum();
        let frame = if calls.is_empty() { 3 } else { 0 };
        let output = called + thought + texts + frame;
        let grown = output + results + u64::try_from(framing.tool_round(1)).unwrap();
        transcript.turns[number].usage =
            Some(Usage { input: 10, output, cache_read: sent - 10, cache_write: 0 });
        sent += grown;
    }
    transcript
}

#[test]
fn f015_what_was_billed_is_compared_by_growth() {
    let counter = counter("claude-3");
    for thinks in [false, true] {
        let stats = session_stats(&billed_session(&counter, thinks), &counter);
        let billed = stats.billed.clone().unwrap();
        assert_eq!(billed.requests, 7);
        assert_eq!(billed.unseen, Tokens::new(1_000));
        let growth = billed.growth.unwrap();
        assert_eq!((growth.compared, growth.billed), (6, growth.counted));
        assert_eq!(growth.residual.p95, 0.0);
        assert_eq!(billed.next, stats.next_request());
        let said = counter.count("All green.").get() + 3;
        assert_eq!(billed.next.get(), billed.sent.get() + said);
        // Replies with thinking that is not shown cannot be counted, nor calibrated by.
        assert_eq!(billed.replies.map(|it| it.residual.p95), (!thinks).then_some(0.0));
        assert_eq!(billed.calibration.is_some(), !thinks);
    }
}

#[test]
fn f015_sessions_without_bills_are_counted_alone() {
    let stats = session_stats(&session(), &counter("o200k"));
    assert_eq!(stats.billed, None);
    assert_eq!(stats.next_request(), stats.tokens);
    let pressure = stats.pressure(Tokens::new(stats.tokens.get() * 2)).unwrap();
    assert_eq!(pressure.percent(), 50);
}

#[test]
fn an_empty_session_has_nothing() {
    let transcript = Transcript::empty(crate::session::SessionFormat::Anthropic);
    let stats = session_stats(&transcript, &counter("o200k"));
    assert_eq!(stats.tokens, Tokens::ZERO);
    assert_eq!((stats.roles.len(), stats.tools.len(), stats.growth.len()), (0, 0, 0));
    assert_eq!((stats.span, stats.billed), (None, None));
}
