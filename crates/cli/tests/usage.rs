//! `loadline usage`

use insta::assert_snapshot;

use crate::common::{World, json as document, run, write_home};

const CLAUDE: &str = r#"{"type":"assistant","requestId":"r1","timestamp":"2026-01-30T23:59:00.000Z","cwd":"/w/app","message":{"id":"m1","model":"claude-sonnet-4-5","usage":{"input_tokens":1000,"output_tokens":1,"cache_creation_input_tokens":10000,"cache_read_input_tokens":500000}}}
{"type":"assistant","requestId":"r1","timestamp":"2026-01-30T23:59:01.000Z","cwd":"/w/app","message":{"id":"m1","model":"claude-sonnet-4-5","usage":{"input_tokens":1000,"output_tokens":9000,"cache_creation_input_tokens":10000,"cache_read_input_tokens":500000}}}
{"type":"assistant","requestId":"r2","timestamp":"2026-02-01T10:00:00.000Z","cwd":"/w/app","message":{"id":"m2","model":"claude-sonnet-4-5","usage":{"input_tokens":2000,"output_tokens":3000}}}
"#;

const CODEX: &str = r#"{"timestamp":"2026-02-01T03:04:05.000Z","type":"session_meta","payload":{"id":"s","cwd":"/w/tool"}}
{"timestamp":"2026-02-01T03:04:06.000Z","type":"turn_context","payload":{"model":"gpt-5"}}
{"timestamp":"2026-02-01T03:04:08.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":107},"last_token_usage":{"input_tokens":100000,"cached_input_tokens":40000,"output_tokens":7000}}}}
"#;

fn world() -> World {
    let world = World::new("");
    let write = |path: &str, text: &str| write_home(&world, path, text);
    write(".claude/projects/-w-app/a.jsonl", CLAUDE);
    // A session that was resumed repeats what came before.
    write(".claude/projects/-w-app/b.jsonl", CLAUDE);
    write(".codex/sessions/2026/02/01/rollout-1.jsonl", CODEX);
    write(".codex/sessions/2026/02/01/notes.txt", "not a log");
    write(".pi/agent/sessions/--w--/empty.jsonl", "");
    write(".gemini/tmp/x/chats/session-1.json", "{ damaged");
    world
}

#[test]
fn f133_all_sessions_by_day_and_model() {
    assert_snapshot!(run(&world(), &["usage"]), @r"
    day         requests   input   cached  output   cost
    2026-01-30         1  11,000  500,000   9,000  $0.33  ████████████████
    2026-02-01         2  62,000   40,000  10,000  $0.20  █████████▊

    model              requests   input   cached  output   cost
    claude-sonnet-4-5         2  13,000  500,000  12,000  $0.38  ████████████████
    gpt-5                     1  60,000   40,000   7,000  $0.15  ██████▍

    $0.53 for 3 requests in 5 logs: 613,000 sent, 19,000 received; caches saved $1.39 (72 %)
    ");
}

#[test]
fn f133_usage_by_project_for_some_days_and_of_logs_elsewhere() {
    let world = world();
    run(&world, &["usage", "--by", "project", "--by", "agent", "--agent", "codex"])
        .shows(&["/w/tool"])
        .hides(&["/w/app"]);
    let used = document(&world, &["usage", "--since", "2026-01-31"]);
    assert_eq!(used["total"]["requests"], 2);
    let used = document(&world, &["usage", "--since", "2026-01-31", "--offset", "+01:00"]);
    assert_eq!(used["total"]["requests"], 3, "the day began an hour earlier there");
    let used = document(&world, &["usage", "--until", "2026-01-30"]);
    assert_eq!(used["days"][0]["name"], "2026-01-30");
    assert_eq!(used["total"]["output"], 9000, "each request once, as it ended");
    run(&world, &["usage", "--offset", "2"]).exits(2);
    let logs = world.home().join(".codex");
    let logs = logs.to_str().unwrap();
    let used = document(&world, &["usage", "--logs", logs]);
    assert_eq!(used["agents"][0]["name"], "codex");
    run(&world, &["usage", "--logs", "nowhere"]).exits(1);
    let moved = World::new("");
    write_home(&moved, "elsewhere/projects/p/a.jsonl", CLAUDE);
    let directory = moved.home().join("elsewhere");
    let moved = moved.with("CLAUDE_CONFIG_DIR", directory.to_str().unwrap());
    assert_eq!(document(&moved, &["usage"])["total"]["requests"], 2);
    let none = run(&World::new(""), &["usage"]);
    assert_eq!(none.to_string(), "No requests in 0 logs.\n");
}

#[test]
fn f240_a_session_is_trimmed_before_a_run_and_its_pressure_told_after() {
    let world =
        World::new("//- /s.json\n[{\"role\":\"user\",\"content\":\"word word word word\"}]\n");
    run(&world, &["session", "trim", "s.json", "--budget", "100", "-o", "t.json"]).exits(0);
    let args = ["session", "pressure", "t.json", "--window", "20", "--format", "footer"];
    run(&world, &args).shows(&["📊 Context: "]);
}
