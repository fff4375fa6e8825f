//! `loadline bill`

use insta::assert_snapshot;
use serde_json::json;

use crate::common::{World, find, json as document, names, run, write_home};

const LOG: &str = ".claude/projects/-w-app/s1.jsonl";

/// A request of Claude Code at a minute of an hour.
fn request(minute: u32, model: &str, [input, write, long, read]: [u64; 4]) -> String {
    let row = json!({
        "type": "assistant", "requestId": format!("r{minute}"), "sessionId": "s1", "cwd": "/w/app",
        "timestamp": format!("2026-01-30T{:02}:{:02}:00.000Z", 10 + minute / 60, minute % 60),
        "message": {"id": format!("m{minute}"), "model": model, "usage": {
            "input_tokens": input, "output_tokens": 100,
            "cache_creation_input_tokens": write + long, "cache_read_input_tokens": read,
            "cache_creation": {"ephemeral_1h_input_tokens": long}}},
    });
    format!("{row}\n")
}

/// A session in which each cause occurs once.
fn session() -> String {
    let sonnet = "claude-sonnet-4-5";
    [
        request(0, sonnet, [3, 30_000, 0, 20_000]),
        request(1, sonnet, [3, 50_000, 0, 50_000]),
        // Half an hour later.
        request(31, sonnet, [3, 90_000, 0, 20_000]),
        // Another model.
        request(32, "claude-haiku-4-5", [3, 110_000, 0, 0]),
        request(33, "claude-haiku-4-5", [3, 1_000, 0, 110_000]),
        // Something in the middle is another.
        request(34, "claude-haiku-4-5", [3, 62_000, 0, 50_000]),
        // Tools are others.
        request(35, "claude-haiku-4-5", [3, 113_000, 0, 0]),
        // A summary of it all.
        request(36, "claude-haiku-4-5", [3, 30_000, 0, 15_000]),
    ]
    .concat()
}

fn world(log: &str) -> World {
    let world = World::new("");
    write_home(&world, LOG, log);
    world
}

#[test]
fn f308_why_each_token_was_paid() {
    let world = world(&session());
    assert_snapshot!(run(&world, &["bill"]), @r"
    $1.08 for 8 requests in 1 log

    paid for             tokens   cost
    input                    24  $0.00   0 %
    written to a cache  486,000  $1.03  95 %  ████████████████
    read from a cache   265,000  $0.04   4 %  ▋
    output                  800  $0.01   1 %  ▏

    paid again because of              requests   tokens   cost
    pause longer than the cache lives         1   80,000  $0.30  28 %
    change of tools or system prompt          1  112,000  $0.14  13 %
    change of model                           1  110,000  $0.14  13 %
    edited prefix                             1   61,000  $0.08   7 %
    compaction                                1   30,003  $0.04   3 %
    in all $0.69 (64 %) for what had been sent before

    Trimming sessions when their cache was cold would have saved about $0.40 (37 %), reckoned with a tenth of it read again: `loadline resume` does that.

    project  requests   cost  again                    mostly because of
    /w/app          8  $1.08  $0.69  ████████████████  pause longer than the cache lives
    ");
    let bill = document(&world, &["bill", "--by", "session"]);
    let used = document(&world, &["usage"]);
    assert_eq!(bill["total"], used["total"], "totals agree");
    assert_eq!(names(&bill["sessions"][0]["again"], "cause").len(), 5, "{bill}");
    let paid: f64 = ["input", "output", "cache_read", "cache_write"]
        .iter()
        .map(|key| bill["total"]["costs"][key].as_f64().unwrap())
        .sum();
    assert!((paid - bill["total"]["cost"].as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn f308_a_bill_of_an_odd_log() {
    // Half written, without a model, with a clock that goes back, of a model nobody knows.
    let log = [
        request(40, "claude-sonnet-4-5", [5, 10_000, 0, 0]),
        request(20, "claude-sonnet-4-5", [5, 10_000, 0, 0]),
        request(50, "somebody-else", [5, 10_000, 0, 0]),
        request(51, "claude-sonnet-4-5", [u64::MAX / 2, 10_000, 0, 0]),
        "{\"type\":\"assistant\",\"usage\":".to_owned(),
    ]
    .concat();
    let world = world(&log);
    let bill = document(&world, &["bill"]);
    assert_eq!((&bill["total"]["requests"], &bill["total"]["unpriced"]), (&json!(4), &json!(1)));
    run(&world, &["bill", "--since", "2026-01-31"]).begins("No requests in ");
    // What is kept of a log is forgotten when it changes.
    write_home(&world, LOG, request(1, "claude-sonnet-4-5", [5, 10, 0, 0]));
    assert_eq!(document(&world, &["bill"])["total"]["requests"], 1);
    assert_eq!(document(&world, &["bill"])["total"]["requests"], 1, "from the cache");
}

#[test]
fn f308_tools_that_nobody_calls() {
    let call = |name: &str| json!({"type": "tool_use", "id": name, "name": name, "input": {}});
    let row = json!({
        "type": "assistant", "uuid": "a", "parentUuid": "u", "requestId": "r", "sessionId": "s1",
        "message": {"id": "m", "role": "assistant", "model": "claude-sonnet-4-5",
            "content": [call("Bash"), call("mcp__docs__find")],
            "usage": {"input_tokens": 3, "cache_creation_input_tokens": 20_000, "output_tokens": 9}},
    });
    let asked = json!({"type": "user", "uuid": "u", "parentUuid": null, "sessionId": "s1",
        "message": {"role": "user", "content": "go"}});
    let world = world(&format!("{asked}\n{row}\n"));
    assert!(run(&world, &["bill", "tools"]).stdout.contains("docs"), "called, though not set up");
    let servers = json!({"mcpServers": {
        "own": {"command": env!("CARGO_BIN_EXE_loadline"), "args": ["mcp"]},
        "far": {"type": "http", "url": "http://127.0.0.1:1/"},
        "gone": {"command": "no-such-program-here"},
    }});
    world.work().write(".mcp.json", servers.to_string());
    run(&world, &["bill", "tools"])
        .shows(&["take about 19,9", "Never called in these sessions: far, gone, own."]);
    let found = document(&world, &["bill", "tools", "--ask"]);
    let server = |name: &str| find(&found["servers"], "name", name).clone();
    assert_eq!(server("own")["tools"], 6, "{found}");
    assert!(server("own")["tokens"].as_u64() > Some(500), "{found}");
    assert_eq!(server("own")["sum"], server("own")["tokens"], "one request");
    assert_eq!(server("docs")["calls"], 1);
    assert!(server("gone")["error"].as_str().unwrap().contains("does not start"), "{found}");
    assert_eq!(server("far")["error"], "called over the network, not asked");
}
