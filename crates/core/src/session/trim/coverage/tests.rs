//! Lines stay by what the next turns are likely to refer to.

use serde_json::{Value, json};

use crate::session::{
    Content, Transcript, TrimOptions, check_session, read_session, trim, turns_tokens,
    write_session,
};
use crate::tokens::{Counter, Tokens};

fn counter() -> Counter {
    "o200k".parse().expect("a counter")
}

fn session(rounds: &[(&str, Value, String)]) -> Transcript {
    let mut messages = vec![json!({"role": "user", "content": "Make the invoice totals right."})];
    for (number, (name, input, output)) in rounds.iter().enumerate() {
        let id = format!("c{number}");
        messages.push(json!({"role": "assistant", "content": [
            {"type": "tool_use", "id": id, "name": name, "input": input}]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": output}]}));
    }
    let source = Value::from(messages).to_string().into_bytes();
    read_session(source, None).expect("a session")
}

fn trimmed(transcript: &Transcript, budget: u64) -> Transcript {
    let options = TrimOptions {
        handle: Some("k3f9c2td".to_owned()),
        ..TrimOptions::new(counter(), Tokens::new(budget))
    };
    let trimmed = trim(transcript, &options).expect("it fits");
    let written = write_session(transcript, &trimmed.draft).unwrap();
    let after = read_session(written, None).expect("a session");
    assert_eq!(check_session(&after), []);
    let tokens = turns_tokens(&counter(), &after.turns);
    assert_eq!(tokens, trimmed.after);
    assert!(tokens <= options.budget, "{tokens}");
    after
}

fn text(transcript: &Transcript) -> String {
    let blocks = transcript.turns.iter().flat_map(|turn| &turn.blocks);
    let texts = blocks.map(|block| match &block.content {
        Content::Text(text) => text.clone(),
        Content::Result(result) => result.text.clone(),
        Content::Call(call) => call.arguments.to_string(),
        _ => String::new(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn noise(seed: usize) -> String {
    let line =
        |number: usize| format!("note_{seed}_{number}: entry {number} of run {seed} is done\n");
    (0..60).map(line).collect()
}

fn commands(count: usize) -> Vec<(&'static str, Value, String)> {
    (0..count)
        .map(|seed| ("Bash", json!({"command": format!("make part{seed}")}), noise(seed)))
        .collect()
}

#[test]
fn what_was_read_long_ago_is_quoted_under_its_call() {
    let file = (0..200).map(|it| format!("fn part_{it}_of_invoice() {{ body_{it}() }}\n"));
    let mut rounds = vec![("Read", json!({"file_path": "src/invoice.rs"}), file.collect())];
    rounds.extend(commands(20));
    let grep = json!({"pattern": "part_42_of_invoice"});
    rounds.push(("Grep", grep, "src/main.rs:3: part_42_of_invoice()".to_owned()));
    let text = text(&trimmed(&session(&rounds), 2_000));
    assert!(
        text.contains(
            "[2 Read] src/invoice.rs
"
        ),
        "{text}"
    );
    assert!(text.contains("part_42_of_invoice"), "{text}");
}

#[test]
fn the_last_results_stay_whole_and_old_ones_are_lines_under_their_call() {
    let rounds = commands(30);
    let after = trimmed(&session(&rounds), 4_000);
    let text = text(&after);
    assert!(text.contains("note_29_0: entry 0 of run 29 is done"), "{text}");
    assert!(text.contains("Make the invoice totals right."));
    assert!(text.contains("recall k3f9c2td"), "{text}");
}

#[test]
fn calls_keep_their_shape() {
    let long = "let a_b = 1;\n".repeat(300);
    let write = json!({"file_path": "a.rs", "content": long, "mode": 420});
    let mut rounds = vec![("Write", write, "ok".to_owned())];
    rounds.extend(commands(6));
    let after = trimmed(&session(&rounds), 1_500);
    let call = after.turns.iter().flat_map(|turn| turn.calls()).find(|it| it.name == "Write");
    if let Some(call) = call {
        assert_eq!(call.arguments["file_path"], "a.rs");
        assert_eq!(call.arguments["mode"], 420);
    }
}

#[test]
fn the_same_session_gives_the_same_bytes() {
    let transcript = session(&commands(25));
    let once = trimmed(&transcript, 3_000);
    assert_eq!(once.source(), trimmed(&transcript, 3_000).source());
}
