//! `loadline session trim`

use serde_json::{Value, json};

use crate::common::{World, json as document, piped, run};

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
fn f174_what_is_left_replays_with_a_fate_for_every_turn_and_the_original_is_not_touched() {
    let world = world();
    let before = std::fs::read(world.work().path("session.json")).unwrap();
    let trimmed = run(&world, &TRIM)
        .exits(0)
        .shows(&["Never touch tests.", "= compute_part("])
        .says(&[" tokens left by o200k; the original is "]);
    let messages: Vec<Value> = serde_json::from_str(&trimmed.stdout).unwrap();
    assert_eq!(messages[0]["role"], "user");
    assert_eq!(std::fs::read(world.work().path("session.json")).unwrap(), before);
    let trimmed = document(&world, &TRIM);
    assert_eq!(trimmed["strategy"], "coverage");
    assert!(trimmed["after"].as_u64().unwrap() <= 3_000);
    let turns = trimmed["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 61);
    assert_eq!(turns[0]["fate"], "kept");
    let content = trimmed["content"].as_str().unwrap();
    let handle = trimmed["handle"].as_str().unwrap();
    assert!(content.contains(handle));
    run(&world, &[&TRIM[..], &["--explain"]].concat()).says(&["turn 1 user: kept\n"]);
    let args = ["session", "trim", "session.json", "-c", "o200k", "--budget"];
    run(&world, &[&args[..], &["20"]].concat())
        .exits(1)
        .says(&["LL-CTX-003", "raise the budget to "]);
    let wish = ["--preserve", "total_333 "];
    run(&world, &[&TRIM[..], &wish].concat()).shows(&["let total_333 ="]);
}

#[test]
fn a_session_is_replaced_only_after_its_original_is_kept() {
    let world = world();
    let path = world.work().path("session.json");
    let before = std::fs::read(&path).unwrap();
    let world = world.with("LOADLINE_DATA_DIR", "session.json");
    run(&world, &[&TRIM[..], &["--in-place"]].concat()).exits(1);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let world = world.with("LOADLINE_DATA_DIR", "");
    run(&world, &[&TRIM[..], &["--in-place", "--no-cache"]].concat()).exits(0).prints("");
    assert!(std::fs::read(&path).unwrap().len() < before.len() / 2);
    run(&world, &["session", "restore", "session.json", "-o", "again.json"]).exits(0);
    assert_eq!(std::fs::read(world.work().path("again.json")).unwrap(), before);
    let args = ["session", "trim", "-", "--budget", "9k", "--in-place"];
    piped(&world, &args, "[]").exits(2);
}

/// The `message.id`s of a log of Claude Code before and after its last boundary.
fn message_ids(log: &str) -> (Vec<String>, Vec<String>) {
    let lines: Vec<&str> = log.lines().collect();
    let boundary = lines.iter().rposition(|line| line.contains("compact_boundary")).unwrap();
    let ids = |lines: &[&str]| {
        let lines = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter_map(|line| line["message"]["id"].as_str().map(str::to_owned)).collect()
    };
    (ids(&lines[..boundary]), ids(&lines[boundary..]))
}

#[test]
fn f174_claude_code_does_not_join_what_stays_with_what_was() {
    let world = world();
    let convert = ["session", "convert", "session.json", "--to", "claude-code", "-o", "log.jsonl"];
    assert_eq!(run(&world, &convert).code, 0);
    let log = world.work().read("log.jsonl");
    world
        .work()
        .write("helper.jsonl", log.replace("\"isSidechain\":false", "\"isSidechain\":true"));
    let trim = |file: &str, budget: &str, strategy: &str| {
        let args = ["session", "trim", file, "-c", "o200k", "--budget", budget, "--strategy"];
        run(&world, &[&args[..], &[strategy]].concat())
    };
    for file in ["log.jsonl", "helper.jsonl"] {
        let compressed = run(&world, &["session", "compress", file, "-c", "o200k"]);
        let trims = ["coverage", "priority", "window"].map(|it| trim(file, "3k", it));
        for written in [compressed].into_iter().chain(trims) {
            let (before, after) = message_ids(&written.stdout);
            assert!(!after.is_empty() && after.iter().all(|it| !before.contains(it)), "{written}");
            // A log that already has a boundary gets new names again.
            world.work().write("again.jsonl", &written.stdout);
            let again = trim("again.jsonl", "1k", "priority");
            let (before, after) = message_ids(&again.stdout);
            assert!(!after.is_empty() && after.iter().all(|it| !before.contains(it)), "{again}");
        }
    }
}

#[test]
fn more_budget_is_never_refused_and_keeps_no_fewer_of_the_newest_turns() {
    let world = world();
    for strategy in ["coverage", "priority", "window"] {
        let mut newest = 0;
        for budget in ["150", "300", "700", "1k", "1500", "2k", "3k", "4k", "5200", "8k"] {
            let args =
                ["session", "trim", "session.json", "-c", "o200k", "-b", budget, "--strategy"];
            let trimmed = document(&world, &[&args[..], &[strategy]].concat());
            let messages: Vec<Value> =
                serde_json::from_str(trimmed["content"].as_str().unwrap()).unwrap();
            assert_eq!(messages[0]["role"], "user", "{strategy} {budget}");
            let kept = |it: &&Value| it["fate"] != "cut";
            let turns = trimmed["turns"].as_array().unwrap();
            let kept = turns.iter().rev().take_while(kept).count();
            assert!(kept >= newest, "{strategy} {budget}: {kept} of the newest, {newest} before");
            newest = kept;
        }
        assert!(newest > 2, "{strategy}");
    }
}

#[test]
fn what_no_provider_takes_goes_with_a_remark() {
    let world = World::new("");
    let text = "a line of the result\n".repeat(50);
    let result = |id: usize| json!({"type": "tool_result", "tool_use_id": format!("c{id}"), "content": text});
    let call = |id: usize| json!({"type": "tool_use", "id": format!("c{id}"), "name": "Bash", "input": {"command": "ls"}});
    let orphans: Vec<Value> =
        (0..20).map(|it| json!({"role": "user", "content": [result(it)]})).collect();
    let mut open = orphans.clone();
    open.insert(0, json!({"role": "assistant", "content": [{"type": "text", "text": "I begin."}]}));
    open.push(json!({"role": "assistant", "content": [call(99)]}));
    for (session, strategy) in [orphans, open]
        .iter()
        .flat_map(|it| ["coverage", "priority", "window"].map(|strategy| (it, strategy)))
    {
        world.work().write("s.json", Value::from(session.clone()).to_string());
        let args = ["session", "trim", "s.json", "-b", "500", "--strategy", strategy];
        let trimmed = document(&world, &args);
        let messages: Vec<Value> =
            serde_json::from_str(trimmed["content"].as_str().unwrap()).unwrap();
        assert!(trimmed["after"].as_u64() > Some(0), "{strategy}: {trimmed}");
        assert_eq!(messages[0]["role"], "user", "{strategy}: {trimmed}");
        let content = trimmed["content"].as_str().unwrap();
        assert!(!content.contains("tool_"), "{strategy}: {content}");
        assert!(content.contains(trimmed["handle"].as_str().unwrap()), "{strategy}: {content}");
        run(&world, &args).says(&["a result has no call"]);
    }
}

#[test]
fn what_is_no_session_is_said() {
    let world = World::new("//- /a.txt\nhello\n//- /b.json\n{\"a\": 1}\n//- /empty.json\n");
    for file in ["a.txt", "b.json", "empty.json"] {
        run(&world, &["session", "trim", file, "--budget", "8k"]).exits(1).says(&["LL-SES-00"]);
    }
}

#[test]
fn f295_what_the_next_turn_refers_to_is_kept_where_the_newest_turns_would_lose_it() {
    let world = world();
    // Lines of the file that the work is about, which was read 26 rounds ago.
    let needed = " = compute_part(";
    let kept = |strategy: &str| {
        let run = run(&world, &[&TRIM[..], &["--strategy", strategy]].concat()).exits(0);
        run.stdout.contains(needed)
    };
    assert!(kept("coverage"));
    assert!(!kept("window"));
}
