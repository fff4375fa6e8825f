//! `loadline resume`, and the clock of the cache in the status line and the hook.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::{World, json as document, parsed, piped, run, with_program, write_home};

/// A minute after the last request of the session, and an hour after it.
const WARM: &str = "1767261660";
const COLD: &str = "1767265200";

/// A session of Claude Code with 60 long rounds, the last at 2026-01-01T10:00:00Z.
fn session(directory: &str) -> String {
    let mut lines = Vec::new();
    let mut parent = Value::Null;
    for round in 0..60_u64 {
        let (user, answer) = (format!("u{round}"), format!("a{round}"));
        let words: String = (0..120).map(|it| format!(" item_{round}_{it}")).collect();
        lines.push(json!({"type": "user", "uuid": user, "parentUuid": parent, "sessionId": "s1",
            "cwd": directory, "timestamp": "2026-01-01T09:00:00.000Z",
            "message": {"role": "user", "content": format!("look at{words}")}}));
        let sent = 20_000 + round * 1_500;
        lines.push(json!({"type": "assistant", "uuid": answer, "parentUuid": user,
            "sessionId": "s1", "cwd": directory, "requestId": format!("r{round}"),
            "timestamp": format!("2026-01-01T{:02}:{:02}:00.000Z", 9 + (round + 1) / 60, (round + 1) % 60),
            "message": {"id": format!("m{round}"), "role": "assistant", "type": "message",
                "model": "claude-sonnet-4-5",
                "content": [{"type": "text", "text": format!("saw{words}")}],
                "usage": {"input_tokens": 10, "output_tokens": 100,
                    "cache_creation_input_tokens": 1_500, "cache_read_input_tokens": sent}}}));
        parent = Value::from(answer);
    }
    lines.iter().map(|it| format!("{it}\n")).collect()
}

/// A world with that session and an agent that writes down how it was called.
fn world() -> (World, PathBuf, String) {
    let world = World::new("");
    let project = world.work().path("").canonicalize().unwrap();
    let text = session(&project.display().to_string());
    let log = write_home(&world, ".claude/projects/p/s1.jsonl", &text);
    (with_program(world, "claude", "echo \"$@\" > \"$HOME/called\""), log, text)
}

#[cfg(unix)]
#[test]
fn f309_a_warm_session_is_resumed_as_it_is_and_a_cold_one_trimmed() {
    let (world, log, text) = world();
    let called = || fs::read_to_string(world.home().join("called")).unwrap();
    let resume = |now: &str| run(&world, &["resume", "--yes", "--now", now, "--", "-p", "go on"]);
    assert_eq!(resume(WARM).code, 0);
    assert_eq!(called(), "--resume s1 -p go on\n");
    assert_eq!(fs::read_to_string(&log).unwrap(), text, "a warm prefix is never touched");

    let plan = document(&world, &["resume", "--dry-run", "--now", COLD]);
    assert_eq!(plan["command"], json!(["claude", "--resume", "s1"]));
    let (before, after) = (&plan["cache"]["sent"], &plan["trimmed"]["sent"]);
    assert!(after.as_u64().unwrap() * 2 < before.as_u64().unwrap(), "{plan}");
    assert!(plan["trimmed"]["cost"].as_f64() < plan["cold_cost"].as_f64(), "{plan}");
    assert_eq!(fs::read_to_string(&log).unwrap(), text, "a dry run writes nothing");

    resume(COLD).exits(0).says(&["trimmed: 110,110 -> "]);
    assert!(fs::read_to_string(&log).unwrap().contains("compact_boundary"));
    assert_eq!(run(&world, &["session", "undo"]).code, 0);
    assert_eq!(fs::read_to_string(&log).unwrap(), text, "byte for byte");
}

#[test]
fn f309_what_it_would_do_is_told_and_asked_for() {
    let (world, log, text) = world();
    let told = run(&world, &["resume", "claude-code", "--dry-run", "--now", COLD])
        .shows(&[
            "its cache is cold; the next turn sends at least",
            "as it is    110,110 tokens for $0.3",
        ])
        .stdout;
    assert!(told.ends_with("would trim it, then run: claude --resume s1\n"), "{told}");
    let told = run(&world, &["resume", "claude-code", "s1", "--dry-run", "--now", WARM])
        .shows(&["its cache is warm for 4:00"])
        .stdout;
    assert!(told.ends_with("would run: claude --resume s1\n"), "{told}");
    // Nobody can be asked.
    run(&world, &["resume", "--no-start", "--now", COLD])
        .says(&["--yes or resume.auto = true trims it"]);
    assert_eq!(fs::read_to_string(&log).unwrap(), text);
    let world = world.with("LOADLINE_RESUME_AUTO", "true");
    let as_it_is = document(&world, &["resume", "--no-start", "--as-it-is", "--now", COLD]);
    assert_eq!(as_it_is["trimmed"], Value::Null);
    let world = world.with("LOADLINE_RESUME_LEAST", "200k");
    let small = document(&world, &["resume", "--no-start", "--now", COLD]);
    assert_eq!(small["trimmed"], Value::Null, "not worth it");
    run(&world, &["resume", "codex"]).exits(2).says(&["no session of codex in "]);
    run(&world, &["resume", "claude-code", "nobody"])
        .says(&["no session of claude-code named \"nobody\" in "]);
}

#[test]
fn f309_the_clock_of_the_cache_is_shown_and_a_cold_one_told_of() {
    let (world, log, _) = world();
    let line = |now: &str| {
        let body = json!({"transcript_path": log});
        piped(&world, &["statusline", "--color", "never", "--now", now], body.to_string()).stdout
    };
    assert_eq!(line(WARM), "warm for 4:00, next $0.03, cold $0.41\n");
    assert_eq!(line(COLD), "cold, next $0.41\n");
    let prompt = |now: &str| {
        let event = json!({"hook_event_name": "UserPromptSubmit", "transcript_path": log});
        piped(&world, &["hook", "claude-code", "user-prompt", "--now", now], event.to_string())
            .stdout
    };
    assert_eq!(prompt(WARM), "");
    let told = parsed(&prompt(COLD));
    let message = told["systemMessage"].as_str().unwrap();
    assert!(message.starts_with("The cache is cold: 110,110 tokens are written again for $0.34."));
    assert!(message.contains("goes on with about 36,000 for $0.07"), "{message}");
}
