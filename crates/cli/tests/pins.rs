//! Compaction that the user owns: pins, undo, thresholds.

use serde_json::{Value, json};

use crate::common::{World, json as document, parsed, piped, run};

/// Forty messages, 1,000 tokens and more.
fn talk() -> String {
    let say = |number: usize| {
        let role = ["user", "assistant"][number % 2];
        json!({"role": role, "content": format!("words of turn {number} {}", "and so on ".repeat(12))})
    };
    (0..40).map(say).collect::<Value>().to_string()
}

fn world() -> World {
    let world = World::new(
        "//- /AGENTS.md\n# Rules\n## Tests <!-- pin -->\nNever skip them.\n## Style\nShort lines.\n",
    );
    world.work().write("s.json", talk());
    world
}

#[test]
fn f306_pins_stay_in_trims_compactions_and_handoffs() {
    let world = world();
    for pin in ["Ship on Friday.", "AGENTS.md#Style"] {
        assert_eq!(run(&world, &["pin", pin]).code, 0);
    }
    let pinned = "Ship on Friday.\n## Style\nShort lines.\n## Tests\nNever skip them.\n";
    assert_eq!(run(&world, &["pin"]).stdout, pinned);
    let listed = document(&world, &["pin"]);
    assert_eq!(listed["file"], ".loadline/pins.md");
    assert_eq!(listed["pins"][0], "Ship on Friday.");
    for strategy in ["coverage", "priority", "window"] {
        let args = ["session", "trim", "s.json", "--budget", "500", "--strategy", strategy];
        let trimmed = document(&world, &args);
        assert!(trimmed["after"].as_u64() <= Some(500), "{trimmed}");
        let content = trimmed["content"].as_str().unwrap();
        for line in pinned.lines() {
            assert!(content.contains(line), "{strategy}: {line} in {content}");
        }
    }
    let event = json!({"hook_event_name": "PreCompact", "session_id": "s",
        "transcript_path": world.work().path("s.json"), "cwd": world.work().path("")});
    let hook = |world: &World, agent: &str, moment: &str| {
        piped(world, &["hook", agent, moment], event.to_string()).stdout
    };
    let world = world.with("LOADLINE_COMPACT_INSTRUCTIONS", "Keep the schema.");
    let told = hook(&world, "claude-code", "pre-compact");
    for part in ["Keep the schema.", "Ship on Friday.", "Never skip them.", "loadline recall "] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert_eq!(run(&world, &["pin", "--remove", "Ship on Friday."]).code, 0);
    assert_eq!(run(&world, &["pin", "--remove", "Ship on Friday."]).code, 2);
    assert!(!run(&world, &["pin"]).stdout.contains("Friday"));
}

#[test]
fn agents_that_take_a_summary_get_what_the_next_turns_need() {
    let world = world();
    let line = |number: usize| {
        json!({"type": "message", "id": format!("e{number}"), "parentId": number.checked_sub(1).map(|it| format!("e{it}")),
            "message": {"role": if number.is_multiple_of(2) { "user" } else { "assistant" }, "content": [{"type": "text", "text": format!("turn {number} of src/a{number}.rs")}]}})
    };
    let head = json!({"type": "session", "version": 3, "id": "s", "cwd": "/w"});
    let lines: Vec<String> =
        [head].into_iter().chain((0..20).map(line)).map(|it| it.to_string()).collect();
    world.work().write("pi.jsonl", lines.join("\n") + "\n");
    let event = json!({"transcript_path": world.work().path("pi.jsonl"), "first_kept": "e10"});
    let answer = piped(&world, &["hook", "pi", "pre-compact"], event.to_string()).stdout;
    let summary = serde_json::from_str::<Value>(&answer).unwrap()["summary"].clone();
    let summary = summary.as_str().unwrap();
    assert!(summary.contains("turn 9 of src/a9.rs"), "{summary}");
    assert!(!summary.contains("turn 10 of"), "that is kept: {summary}");
}

#[test]
fn f307_an_undo_brings_the_session_back_and_can_be_undone() {
    let world = world();
    assert_eq!(run(&world, &["session", "undo"]).code, 2, "nothing was changed yet");
    let trim = ["session", "trim", "s.json", "--budget", "500", "--in-place"];
    assert_eq!(run(&world, &trim).code, 0);
    let trimmed = world.work().read("s.json");
    assert_ne!(trimmed, talk());
    run(&world, &["session", "undo"]).exits(0);
    assert_eq!(world.work().read("s.json"), talk());
    let redone = document(&world, &["session", "undo", "s.json"]);
    assert_eq!(redone["bytes"].as_u64(), Some(trimmed.len() as u64), "{redone}");
    assert_eq!(world.work().read("s.json"), trimmed);
}

#[test]
fn a_threshold_of_the_user_is_told_by_the_status_line_and_when_the_agent_stops() {
    let world = world();
    let usage = json!({"input_tokens": 130_000, "output_tokens": 100});
    let log = [
        json!({"type": "user", "uuid": "u", "parentUuid": null, "message": {"role": "user", "content": "go"}}),
        json!({"type": "assistant", "uuid": "a", "parentUuid": "u", "message":
            {"id": "m", "role": "assistant", "model": "claude-sonnet-4-5", "usage": usage,
             "content": [{"type": "text", "text": "done"}]}}),
    ];
    world.work().write("log.jsonl", log.map(|it| it.to_string() + "\n").concat());
    let event =
        json!({"hook_event_name": "Stop", "transcript_path": world.work().path("log.jsonl")});
    let stop =
        |world: &World| piped(world, &["hook", "claude-code", "stop"], event.to_string()).stdout;
    let line = |world: &World| {
        let body = json!({"context_window": {"context_window_size": 1000, "used_percentage": 65}});
        piped(world, &["statusline", "--color", "never"], body.to_string()).stdout
    };
    assert_eq!(stop(&world), "");
    assert!(!line(&world).contains("time to trim"));
    let world = world.with("LOADLINE_COMPACT_AT", "60");
    let told = parsed(&stop(&world));
    let message = told["systemMessage"].as_str().unwrap();
    assert!(message.starts_with("Context at 65% (compact.at = 60)."), "{message}");
    assert!(message.contains("loadline session trim --in-place "), "{message}");
    assert!(line(&world).contains("time to trim"));
    let world = world.with("LOADLINE_COMPACT_AT", "70");
    assert_eq!(stop(&world), "");
}
