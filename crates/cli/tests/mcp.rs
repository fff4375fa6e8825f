//! `loadline mcp` over standard input and output: lines in, lines out.

mod attacks;
mod client;

use std::fs;

use loadline::tokens::{Counter, Tokens};
use serde_json::{Value, json};

use crate::common::{World, names, piped, run, write_home};
pub(crate) use client::meta;
use client::{Client, text};

const FIXTURE: &str = r#"
    //- /src/clock.py
    """Sessions and when they expire."""


    class Session:
        def expire(self, now):
            return now > self.end


    def sessions_expire(sessions, now):
        return [session for session in sessions if session.expire(now)]
    //- /src/other.py
    def unrelated(value):
        return value
    //- /README.md
    # Clock

    Tells when sessions expire.
    //- /.env
    TOKEN=very-secret
    "#;

const TOOLS: [&str; 6] = ["pack", "search", "outline", "read", "recall", "status"];

fn world() -> World {
    World::new(FIXTURE)
}

#[test]
fn the_handshake_of_older_revisions_is_answered_with_their_own() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let world = world();
        let mut client = Client::start(&world, &[]);
        let hello = client.greet(revision);
        assert_eq!(hello["result"]["protocolVersion"], revision);
        assert_eq!(hello["result"]["serverInfo"]["name"], "loadline");
        let tools = client.request("tools/list", json!({}));
        assert_eq!(names(&tools["result"]["tools"], "name"), TOOLS, "{revision}");
        assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    }
}

#[test]
fn the_revision_without_a_handshake_is_served_from_the_first_request() {
    let world = world();
    let mut client = Client::start(&world, &[]);
    let found = client.request("server/discover", json!({"_meta": meta()}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let params = json!({"_meta": meta(), "name": "search",
        "arguments": {"query": "sessions expire"}});
    let answer = client.request("tools/call", params);
    assert!(text(&answer).contains("src/clock.py 1-"), "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete");
    let listed = client.request("tools/list", json!({"_meta": meta()}));
    assert!(listed["result"]["ttlMs"].is_number(), "{listed}");
}

#[test]
fn every_tool_answers_within_its_tokens_and_says_how_to_go_on() {
    let world = world();
    let long: String = (1..2_000).map(|n| format!("row {n} of the table\n")).collect();
    world.work().write("table.txt", &long);
    let counter: Counter = "o200k".parse().unwrap();
    let mut client = Client::greeted(&world, &["--counter", "o200k"]);
    let pack = client.call("pack", json!({"task": "sessions expire too late", "budget": 400}));
    assert!(text(&pack).contains("def sessions_expire"), "{pack}");
    let search = client.call("search", json!({"query": "when do sessions expire"}));
    assert!(text(&search).contains("[note: "), "{search}");
    let outline = client.call("outline", json!({"path": "src/clock.py"}));
    assert_eq!(
        text(&outline),
        "src/clock.py (10 lines)\n```\n4 class Session:\n5   def expire(self, now):\n\
         9 def sessions_expire(sessions, now):\n```\n"
    );
    let map = client.call("outline", json!({}));
    assert!(text(&map).contains("src/clock.py (10 lines)"), "{map}");
    let read = client.call("read", json!({"path": "src/other.py", "lines": "2"}));
    assert_eq!(text(&read), "src/other.py 2-2 of 2\n```\n    return value\n```\n");
    let status = client.call("status", json!({}));
    assert!(text(&status).contains("serving [HOME]/work; counted by o200k"), "{status}");
    let first = client.call("read", json!({"path": "table.txt", "max_tokens": 500}));
    let shown = text(&first);
    assert!(shown.starts_with("table.txt 1-"), "{shown}");
    let (_, cursor) = shown.split_once("[more: cursor \"").unwrap();
    let cursor = cursor.split('"').next().unwrap();
    let arguments = json!({"path": "table.txt", "max_tokens": "500", "cursor": cursor});
    let second = client.call("read", arguments);
    for (answer, most) in [(&pack, 400), (&search, 8_000), (&first, 500), (&second, 500)] {
        assert!(counter.count(&text(answer)) <= Tokens::new(most), "{answer}");
    }
    assert!(text(&second).starts_with("table.txt "), "{second}");
    assert_ne!(text(&first), text(&second));
}

#[test]
fn a_pack_over_the_limit_is_kept_behind_a_handle_and_a_resource() {
    let world = world();
    for number in 0..40 {
        let body: String = (0..60)
            .map(|line| format!("def expire_{number}_{line}(session):\n    return session\n"))
            .collect();
        world.work().write(&format!("src/part{number}.py"), &body);
    }
    let mut client = Client::greeted(&world, &["--counter", "o200k"]);
    let pack = client.call("pack", json!({"task": "sessions expire", "budget": 30_000}));
    let said = text(&pack);
    let handle = said.strip_prefix("pack ").and_then(|it| it.split(':').next()).unwrap();
    let uri = format!("loadline://pack/{handle}");
    assert_eq!(pack["result"]["content"][1]["type"], "resource_link");
    assert_eq!(pack["result"]["content"][1]["uri"], uri);
    let page = client.call("read", json!({"path": handle, "max_tokens": 1_000}));
    assert!(text(&page).contains("[more: cursor"), "{page}");
    let listed = client.request("resources/list", json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], uri);
    let read = client.request("resources/read", json!({"uri": uri}));
    let whole = read["result"]["contents"][0]["text"].as_str().unwrap();
    let counter: Counter = "o200k".parse().unwrap();
    assert!(counter.count(whole) <= Tokens::new(30_000));
    assert!(counter.count(whole) > Tokens::new(15_000));
    let templates = client.request("resources/templates/list", json!({}));
    let small = client.call(
        "pack",
        json!({"task": "sessions expire", "budget": "1m",
        "path": "src/clock.py"}),
    );
    assert!(text(&small).contains("def sessions_expire"), "small enough to be shown: {small}");
    let mut old = Client::start(&world, &["--counter", "o200k"]);
    old.greet("2025-03-26");
    let arguments = json!({"task": "sessions expire", "budget": 30_000});
    let pack = old.call("pack", arguments);
    let content = pack["result"]["content"].as_array().unwrap();
    assert_eq!(content.len(), 1, "links came with 2025-06-18");
    assert_eq!(templates["result"]["resourceTemplates"].as_array().unwrap().len(), 2);
}

#[cfg(unix)]
#[test]
fn nothing_outside_of_the_roots_is_read_and_credentials_stay_closed() {
    use std::os::unix::fs::symlink;
    let world = world();
    let secret = world.home().join("outside.txt");
    fs::write(&secret, "the outside secret").unwrap();
    symlink(&secret, world.work().path("link.txt")).unwrap();
    symlink(world.home(), world.work().path("way-out")).unwrap();
    symlink(".env", world.work().path("harmless.txt")).unwrap();
    let mut client = Client::greeted(&world, &[]);
    let absolute = secret.to_str().unwrap();
    for tool in ["read", "outline", "search", "pack", "status"] {
        for path in [
            "../outside.txt",
            absolute,
            "link.txt",
            "way-out/outside.txt",
            "/etc/passwd",
            "file:///etc/passwd",
            "src/../../outside.txt",
        ] {
            let arguments = json!({"path": path, "session": path,
                "task": "secret", "query": "secret"});
            let answer = client.call(tool, arguments);
            assert_eq!(answer["result"]["isError"], true, "{tool} {path}: {answer}");
            let said = text(&answer);
            assert!(said.contains("outside the served directories"), "{tool} {path}: {said}");
        }
    }
    for path in [".env", "harmless.txt"] {
        let answer = client.call("read", json!({"path": path}));
        assert!(text(&answer).contains("not shown: environment variables"), "{answer}");
    }
    for uri in ["file:///etc/passwd", "loadline://pack/../../etc", "loadline://x/y"] {
        let answer = client.request("resources/read", json!({"uri": uri}));
        assert!(answer["error"]["code"].is_number(), "{answer}");
    }
    let everything = client.transcript();
    assert!(!everything.contains("the outside secret"), "{everything}");
    assert!(!everything.contains("very-secret"), "{everything}");
}

#[test]
fn hostile_requests_get_an_answer_and_the_server_goes_on() {
    let world = world();
    let mut client = Client::start(&world, &[]);
    // Said before the greeting, and no request: passed over.
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    client.greet("2025-11-25");
    let unknown = client.request("no/such/method", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let no_tool = client.call("write", json!({"path": "a"}));
    assert_eq!(no_tool["error"]["code"], -32602);
    let shape = client.request("tools/call", json!({"name": "read", "arguments": "text"}));
    assert_eq!(shape["error"]["code"], -32602, "{shape}");
    let shape = client.request("tools/call", json!({"name": 7}));
    assert_eq!(shape["error"]["code"], -32602, "{shape}");
    for (tool, arguments) in [
        ("read", json!({})),
        ("read", json!({"path": ["a"]})),
        ("read", json!({"path": "a\u{0}b"})),
        ("read", json!({"path": "src"})),
        ("read", json!({"path": "none.py"})),
        ("read", json!({"path": "src/clock.py", "lines": "x"})),
        ("read", json!({"path": "src/clock.py", "lines": "900-"})),
        ("read", json!({"path": "src/clock.py", "cursor": "zzz"})),
        ("read", json!({"path": "src/clock.py", "max_tokens": -5})),
        ("read", json!({"path": "src/clock.py", "max_tokens": 3})),
        ("search", json!({"query": "  "})),
        ("pack", json!({"task": {"a": 1}})),
        ("pack", json!({"task": "expire", "budget": "many"})),
        ("recall", json!({"handle": "../../etc/passwd"})),
        ("recall", json!({"handle": "k3f9c2td:9-1"})),
        ("recall", json!({"handle": "k3f9c2td"})),
        ("recall", json!({"handle": "k3f9c2td", "grep": "("})),
        ("status", json!({"session": "README.md"})),
    ] {
        let answer = client.call(tool, arguments.clone());
        assert_eq!(answer["result"]["isError"], true, "{tool} {arguments}: {answer}");
        assert!(!text(&answer).is_empty());
    }
    let large = client.call("read", json!({"path": "src/clock.py", "max_tokens": 1e12, "x": 1}));
    let said = text(&large);
    assert!(said.contains("[note: max_tokens is at most 15000]"), "{said}");
    assert!(said.contains(
        "[note: ignored unknown arguments: x; known arguments: path, lines, max_tokens, cursor]"
    ));
    let empty = client.call("search", json!({"query": "zzzyyyxxx"}));
    assert!(text(&empty).starts_with("Nothing found in "), "{empty}");
}

#[test]
fn a_cancelled_request_has_no_answer_and_progress_is_told_to_who_asks_for_it() {
    let world = world();
    let mut client = Client::greeted(&world, &[]);
    client.send(
        &json!({"jsonrpc": "2.0", "id": "gone", "method": "tools/call",
            "params": {"name": "pack", "arguments": {"task": "sessions expire"}}})
        .to_string(),
    );
    client.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": "gone", "reason": "enough"}})
        .to_string(),
    );
    let answer = client.call("read", json!({"path": "src/other.py"}));
    assert!(text(&answer).contains("unrelated"));
    let params = json!({"name": "pack", "arguments": {"task": "sessions expire"},
        "_meta": {"progressToken": "p1"}});
    let answer = client.request("tools/call", params);
    assert!(text(&answer).contains("sessions_expire"));
    let told: Vec<&Value> = client.heard("notifications/progress");
    assert!(!told.is_empty());
    let mut last = -1.0;
    for notification in told {
        let params = &notification["params"];
        assert_eq!(params["progressToken"], "p1");
        assert!(params["progress"].as_f64().unwrap() > last);
        last = params["progress"].as_f64().unwrap();
    }
}

#[test]
fn what_was_cut_is_recalled_and_the_newest_session_is_measured() {
    let world = world();
    let cwd = world.work().root().canonicalize().unwrap();
    let line = |uuid: &str, parent: Value, role: &str, said: &str| {
        json!({"type": role, "uuid": uuid, "parentUuid": parent, "cwd": cwd, "sessionId": "s-1",
            "version": "2.1.0", "isSidechain": false, "timestamp": "2026-01-02T03:04:05.000Z",
            "message": {"role": role, "content": said}})
        .to_string()
    };
    let long: String = (0..3_000).map(|n| format!("line {n} of a long answer\n")).collect();
    let lines = [
        line("a", Value::Null, "user", "Make sessions expire in time."),
        line("b", json!("a"), "assistant", &long),
        line("c", json!("b"), "user", "Go on with the clock, please."),
        line("d", json!("c"), "assistant", "The clock is wrong by an hour."),
    ];
    let lines = format!("{}\n", lines.join("\n"));
    let log = write_home(&world, ".claude/projects/-work/s-1.jsonl", lines);
    let name = log.to_str().unwrap();
    let done = run(&world, &["session", "trim", name, "--budget", "2000", "-o", name]);
    let trimmed = fs::read_to_string(&log).unwrap();
    let (_, handle) = trimmed.split_once("recall ").unwrap_or_else(|| panic!("{done}"));
    let handle: String = handle.chars().take_while(char::is_ascii_alphanumeric).collect();
    let mut client = Client::greeted(&world, &[]);
    let cut = client.call("recall", json!({"handle": format!("{handle}:2"), "lines": "2-3"}));
    let said = text(&cut);
    assert!(said.starts_with(&format!("{handle}:2 2-3 of 3001\n```\nline 0 of")), "{said}");
    let found = client.call("recall", json!({"handle": handle, "grep": "hour"}));
    assert!(text(&found).contains("wrong by an hour"), "{found}");
    let status = client.call("status", json!({}));
    assert!(text(&status).contains("% of context: ~"), "{status}");
    assert!(text(&status).contains("claude-code"), "{status}");
    let listed = client.request("resources/list", json!({}));
    let uri = listed["result"]["resources"][0]["uri"].as_str().unwrap().to_owned();
    assert_eq!(uri, format!("loadline://recall/{handle}"));
    let read = client.request("resources/read", json!({"uri": uri}));
    assert!(read["result"]["contents"][0]["text"].is_string(), "{read}");
    let prompts = client.request("prompts/list", json!({}));
    assert_eq!(prompts["result"]["prompts"][0]["name"], "handoff");
    let handoff = client.request("prompts/get", json!({"name": "handoff"}));
    let said = handoff["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(said.contains("## Task\n\nMake sessions expire in time."), "{said}");
    assert!(said.contains("The clock is wrong by an hour."), "{said}");
}

#[test]
fn without_a_cache_large_packs_are_lowered_with_a_note() {
    let world = world();
    let mut client = Client::greeted(&world, &["--no-cache"]);
    let pack = client.call("pack", json!({"task": "sessions expire", "budget": "100k"}));
    assert!(text(&pack).contains("the cache is off, so the budget is at most 15000"), "{pack}");
    let recall = client.call("recall", json!({"handle": "k3f9c2td"}));
    assert!(text(&recall).contains("the cache is off"), "{recall}");
}

#[test]
fn what_cannot_be_served_is_said_at_once() {
    let world = world();
    run(&world, &["mcp", "none"]).exits(2).says(&["error[LL-SRV-001]: cannot serve none"]);
    run(&world, &["mcp", "README.md"]).says(&["README.md: not a directory"]);
    run(&world, &["mcp", "--http", "0.0.0.0:0"])
        .exits(2)
        .says(&["error[LL-SRV-002]: 0.0.0.0:0 can be reached"]);
    piped(&world, &["mcp"], "").exits(0).prints("");
}
