//! Windows of phases, rounds and their usage: F021, F126 to F131, F136 to F153, F278.

use serde_json::{Value, json};

use super::with;
use crate::common::{World, json as document, list, names, run};

fn state() -> Value {
    let approved = |name: &str| json!({"name": name, "status": "approved", "file": format!("{name}.ts"), "code": format!("code of {name}")});
    json!({
        "systemPrompt": "You write.",
        "featureDescription": "A cache feature.",
        "designDocument": "A cache with a limit.",
        "typeDefinitions": "type Key = string",
        "currentUnit": "evict",
        "units": [
            approved("one"), approved("two"), approved("three"), approved("four"),
            {"name": "bare", "status": "approved"},
            {"name": "evict", "status": "in_progress", "description": "drops the oldest"},
        ],
        "tests": ["assert evict"],
        "failures": [{"name": "Two twice", "error": "bang", "expected": "1", "received": "2", "stack": "at ``` x"}],
        "messages": [{"role": "user", "content": "First request"}, {"role": "assistant", "content": "ok"}],
    })
}

fn built(world: &World, more: &[&str]) -> Value {
    let args =
        [&["window", "build", "--state", "state.json", "--counter", "o200k"][..], more].concat();
    document(world, &args)
}

fn world() -> World {
    World::new(&format!("//- /state.json\n{}\n", state()))
}

/// The parts of a window with the names of what is in them.
fn parts(window: &Value) -> Vec<(String, Value)> {
    let named = |it: &Value| (it["part"].as_str().unwrap().to_owned(), it["items"].clone());
    list(&window["parts"]).iter().map(named).collect()
}

#[test]
fn f021_f136_f137_f138_f139_each_phase_sees_its_parts() {
    let world = world();
    for (phase, response, want) in [
        ("planning", 2_000, vec!["system", "feature"]),
        ("interface", 3_000, vec!["system", "design", "types"]),
        ("implementation", 1_500, vec!["system", "design", "types", "unit", "tests", "units"]),
        ("testing", 1_500, vec!["system", "design", "types", "unit", "failures", "implementation"]),
        ("complete", 1_000, vec!["system", "design"]),
    ] {
        let window = built(&world, &["--phase", phase]);
        let names: Vec<String> = parts(&window).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, want, "{phase}");
        assert_eq!(window["response"], response, "{phase}");
        assert_eq!(window["available"], 100_000 - response, "{phase}");
        assert_eq!(window["messages"]["kept"], 2, "{phase}");
    }
    let mut bare = state();
    bare.as_object_mut().unwrap().remove("typeDefinitions");
    world.work().write("state.json", bare.to_string());
    let interface = built(&world, &["--phase", "interface"]);
    assert_eq!(parts(&interface).len(), 2, "types only where there are any");
}

#[test]
fn f140_f141_failures_are_written_in_full_with_the_code_they_name() {
    let window = built(&world(), &["--phase", "testing"]);
    let system = window["content"]["system"].as_str().unwrap();
    let failure = "### Failed Test: Two twice\n**Error**: bang\n**Expected**: 1\n**Received**: 2\n\
                   **Stack**:\n````\nat ``` x\n````\n";
    assert!(system.contains(failure), "{system}");
    let units = parts(&window).pop().unwrap();
    assert_eq!(units, ("implementation".to_owned(), json!(["two"])), "by name, in lower case");
}

#[test]
fn f142_f151_f152_f153_the_newest_approved_units_within_half_of_what_is_left() {
    let world = world();
    let units = |window: &Value| parts(window).into_iter().find(|(name, _)| name == "units");
    let all = built(&world, &["--phase", "implementation"]);
    let last = json!(["two", "three", "four"]);
    assert_eq!(units(&all).unwrap().1, last, "the last 3 that have code");
    // The first to go are previous units, the oldest first; what is required stays.
    let small = built(&world, &["--phase", "implementation", "--window", "1590"]);
    assert_eq!(units(&small), None);
    assert_eq!(names(&small["left_out"], "name"), ["two", "three", "four"]);
    assert_eq!(parts(&small)[3].1, json!(["evict"]));
    assert_eq!(small["messages"]["kept"], 2);
    assert!(small["tokens"].as_u64() <= small["available"].as_u64());
    let args = ["--state", "state.json", "--phase", "implementation", "--window", "1510"];
    run(&world, &[&["window", "build"], &args[..]].concat()).exits(1).says(&["LL-CTX-003"]);
}

#[test]
fn f145_a_role_sees_as_much_as_its_strategy_allows() {
    let mut state = state();
    let long = "word ".repeat(1_000);
    let messages: Vec<Value> = (0..60)
        .map(|number| json!({"role": if number % 2 == 0 { "user" } else { "assistant" }, "content": long}))
        .collect();
    state["messages"] = messages.into();
    let world = World::new(&format!("//- /state.json\n{state}\n"));
    for (strategy, most) in [("broad", 18_000), ("focused", 8_000), ("change-focused", 10_000)] {
        let window = built(&world, &["--phase", "complete", "--strategy", strategy]);
        let tokens = window["tokens"].as_u64().unwrap();
        assert!(tokens <= most && tokens > most / 2, "{strategy}: {tokens}");
    }
}

const ROUND: &str = r#"{"modules": ["auth", "db"], "findings": ["tokens never expire", "no index"],
    "relationships": [{"from": "auth", "to": "db", "type": "reads"}], "open_questions": ["who?", "when?"]}"#;

#[test]
fn f126_f128_the_ends_of_lists_go_first_and_the_document_says_what_stays() {
    let world = World::new(&format!("//- /r.json\n{}\n", ROUND.replace('\n', " ")));
    let round = |budget: &str| {
        let args = ["round", "compress", "r.json", "--counter", "o200k", "-q", "--budget", budget];
        let compressed = document(&world, &args);
        assert!(compressed["tokens"].as_u64().unwrap() <= budget.parse().unwrap());
        compressed["rounds"][0].clone()
    };
    let lists = ["open_questions", "findings", "relationships", "modules"];
    for (budget, lengths) in [
        ("60", [2, 2, 1, 2]),
        ("35", [0, 2, 1, 2]),
        ("30", [0, 1, 1, 2]),
        ("25", [0, 1, 0, 2]),
        ("15", [0, 1, 0, 0]),
    ] {
        let round = round(budget);
        let found = lists.map(|list| round[list].as_array().unwrap().len());
        assert_eq!(found, lengths, "{budget}: {round}");
    }
}

#[test]
fn f127_a_round_hands_on_2000_tokens() {
    let finding = "word ".repeat(5_000);
    let world = World::new(&format!("//- /r.json\n{{\"findings\": [\"{finding}\"]}}\n"));
    let compressed = document(&world, &["round", "compress", "r.json", "--counter", "o200k", "-q"]);
    assert_eq!(compressed["budget"], 2_000);
    let tokens = compressed["tokens"].as_u64().unwrap();
    assert!(tokens <= 2_000 && tokens > 1_900, "cut, not dropped: {tokens}");
    let both =
        ["round", "compress", "r.json", "r.json", "--counter", "o200k", "-q", "--total", "2500"];
    assert!(document(&world, &both)["tokens"].as_u64().unwrap() <= 2_500);
}

#[test]
fn f129_f130_f131_rounds_keep_their_books() {
    let ledger = json!([
        {"round": 1, "input": 1_000, "output": 500, "context": 200, "fileContent": 600, "budget": 2_000},
        {"round": 2, "input": 8_500, "output": 100, "context": 0, "fileContent": 0, "budget": 10_000},
    ]);
    let world = World::new(&format!("//- /ledger.json\n{ledger}\n"));
    run(&world, &["round", "usage", "ledger.json", "--lines"])
        .shows(&["Round 1 tokens: input=1000, output=500, context=200, files=600"]);
    let shown = run(&world, &["round", "usage", "ledger.json"]).to_string();
    assert!(shown.contains("Round 1: 1,000 input, 500 output (50% budget)"), "{shown}");
    let warning = "Round 2: 85% of token budget used (8,500/10,000 tokens)";
    assert!(shown.contains(warning), "{shown}");
    let later = with(&world, &[("round.warn_at", "86")], &["round", "usage", "ledger.json"]);
    assert!(!later.to_string().contains("of token budget used"), "{later}");
}
