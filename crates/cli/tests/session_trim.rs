//! `loadline session trim`

use serde_json::{Value, json};

use crate::common::{World, json as document, loadline, run};

/// A session that reads a long file and edits a line of it, many turns ago.
fn session() -> String {
    let file: String = (1..400)
        .map(|line| format!("{line}→    let total_{line} = compute_part({line});\n"))
        .collect();
    let mut messages = vec![
        json!({"role": "user", "content": "Rename the totals in src/bill/totals.rs. Never touch tests."}),
    ];
    for number in 0..30 {
        let id = format!("call_{number}");
        let (name, input, output) = match number {
            3 => ("Read", json!({"file_path": "/w/src/bill/totals.rs"}), file.clone()),
            _ => (
                "Bash",
                json!({"command": format!("cargo test part_{number}")}),
                format!("running 3 tests\ntest part_{number} ... ok\n").repeat(40),
            ),
        };
        messages.push(json!({"role": "assistant", "content": [
            {"type": "text", "text": format!("Step {number}: look at total_17 again.")},
            {"type": "tool_use", "id": id, "name": name, "input": input}]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": output}]}));
    }
    Value::from(messages).to_string()
}

fn world() -> World {
    World::new(&format!("//- /session.json\n{}\n", session()))
}

const TRIM: [&str; 7] =
    ["session", "trim", "session.json", "--counter", "o200k", "--budget", "3000"];

#[test]
fn f174_what_is_left_replays_and_the_original_is_not_touched() {
    let world = world();
    let before = std::fs::read(world.work().path("session.json")).unwrap();
    let run = run(&world, &TRIM);
    assert_eq!(run.code, 0, "{run}");
    let messages: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(messages[0]["role"], "user");
    assert!(run.stdout.contains("Never touch tests."), "{run}");
    assert!(run.stdout.contains("= compute_part("), "{run}");
    assert!(run.stderr.contains(" tokens left by o200k; the original is "), "{run}");
    assert_eq!(std::fs::read(world.work().path("session.json")).unwrap(), before);
}

#[test]
fn every_turn_has_a_fate() {
    let world = world();
    let trimmed = document(&world, &TRIM);
    assert_eq!(trimmed["strategy"], "coverage");
    assert!(trimmed["after"].as_u64().unwrap() <= 3_000);
    let turns = trimmed["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 61);
    assert_eq!(turns[0]["fate"], "kept");
    let content = trimmed["content"].as_str().unwrap();
    let handle = trimmed["handle"].as_str().unwrap();
    assert!(content.contains(handle));
    let told = run(&world, &[&TRIM[..], &["--explain"]].concat());
    assert!(told.stderr.contains("turn 1 user: kept\n"), "{told}");
}

#[test]
fn a_session_is_replaced_only_after_its_original_is_kept() {
    let world = world();
    let path = world.work().path("session.json");
    let before = std::fs::read(&path).unwrap();
    let world = world.with("LOADLINE_DATA_DIR", "session.json");
    let refused = run(&world, &[&TRIM[..], &["--in-place"]].concat());
    assert_eq!(refused.code, 1, "{refused}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let world = world.with("LOADLINE_DATA_DIR", "");
    let replaced = run(&world, &[&TRIM[..], &["--in-place", "--no-cache"]].concat());
    assert_eq!((replaced.code, replaced.stdout.as_str()), (0, ""), "{replaced}");
    assert!(std::fs::read(&path).unwrap().len() < before.len() / 2);
    let restored = run(&world, &["session", "restore", "session.json", "-o", "again.json"]);
    assert_eq!(restored.code, 0, "{restored}");
    assert_eq!(std::fs::read(world.work().path("again.json")).unwrap(), before);
    let mut piped = loadline(&world, &["session", "trim", "-", "--budget", "9k", "--in-place"]);
    assert_eq!(world.run_with(&mut piped, "[]").code, 2);
}

#[test]
fn a_budget_below_the_least_says_the_least() {
    let world = world();
    let args = ["session", "trim", "session.json", "-c", "o200k", "--budget"];
    let small = run(&world, &[&args[..], &["20"]].concat());
    assert_eq!(small.code, 1, "{small}");
    assert!(small.stderr.contains("LL-CTX-003"), "{small}");
    assert!(small.stderr.contains("raise the budget to "), "{small}");
}

#[test]
fn what_the_caller_wants_stays() {
    let world = world();
    let wish = ["--preserve", "total_333 "];
    let run = run(&world, &[&TRIM[..], &wish].concat());
    assert!(run.stdout.contains("let total_333 ="), "{run}");
}

#[test]
fn what_is_no_session_is_said() {
    let world = World::new("//- /a.txt\nhello\n//- /b.json\n{\"a\": 1}\n//- /empty.json\n");
    for file in ["a.txt", "b.json", "empty.json"] {
        let run = run(&world, &["session", "trim", file, "--budget", "8k"]);
        assert_eq!(run.code, 1, "{run}");
        assert!(run.stderr.contains("LL-SES-00"), "{run}");
    }
}
