//! `loadline serve` over a real socket.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::common::{Server, World, loadline, run, write_home};

const LOGS: &str = ".claude/projects/-w-app";
const TOKEN: &str = "t0ken";
/// Text that must never be markup.
const BAD: &str = "<script>alert('x')</script>";
const NOW: [&str; 2] = ["--now", "2026-02-01T12:00:00Z"];

/// A home with sessions: one with prices and a pause, one of an unknown model that ends in
/// the middle of a line; and a project with notes.
fn world() -> World {
    let world = World::new("//- /src/a.py\ndef first():\n    return 1\n")
        .with("LOADLINE_SERVE_TOKEN", TOKEN);
    let half = log("s/2", "nobody-knows-1") + "{\"type\":\"assis";
    write_home(&world, &format!("{LOGS}/s1.jsonl"), log("s1", "claude-sonnet-4-5"));
    write_home(&world, &format!("{LOGS}/s2.jsonl"), half);
    write_home(&world, &format!("{LOGS}/s3.jsonl"), "not a log\n");
    let steps: String =
        (0..40).map(|it| format!("## Session {it}\n\n- [x] Step {it} {BAD}\n\n")).collect();
    world.work().write(".claude/plans/features/cart/tasks.md", format!("# Tasks\n\n{steps}"));
    world
}

/// A session of Claude Code: twelve rounds, the last after an hour.
fn log(id: &str, model: &str) -> String {
    let mut lines = String::new();
    let mut row = |minute: u32, kind: &str, message: serde_json::Value| {
        let time = format!("2026-01-30T{:02}:{:02}:00.000Z", 10 + minute / 60, minute % 60);
        let row = json!({"type": kind, "sessionId": id, "cwd": format!("/w/app{BAD}"),
            "uuid": format!("{id}-{minute}-{kind}"), "timestamp": time, "message": message,
            "requestId": format!("{id}-{minute}")});
        lines.push_str(&format!("{row}\n"));
    };
    for round in 0..12 {
        let minute = if round == 11 { 80 } else { round };
        let text = format!("Round {round} {BAD} {}", "and more words of it ".repeat(80));
        row(minute, "user", json!({"role": "user", "content": text}));
        let usage = json!({"input_tokens": 3, "output_tokens": 100,
            "cache_creation_input_tokens": if minute == 80 { 60_000 } else { 5_000 },
            "cache_read_input_tokens": if minute == 80 { 0 } else { 5_000 * round }});
        let id = format!("{id}-m{round}");
        let content = json!([{"type": "text", "text": format!("Done {round}.")}]);
        row(
            minute,
            "assistant",
            json!({"role": "assistant", "id": id, "model": model,
            "usage": usage, "content": content}),
        );
    }
    lines
}

/// A page that ends with the test.
struct Page(Server);

impl Page {
    fn start(world: &World) -> Page {
        let mut command = loadline(world, &["serve", "--no-open", NOW[0], NOW[1]]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let server = Server::new(child, stdout, "http://127.0.0.1:");
        assert_eq!(server.said, format!("?token={TOKEN}"));
        Page(server)
    }

    /// Sends a request with these headers besides its own `Host`, unless they have one.
    fn ask(&self, line: &str, headers: &[&str], body: &str) -> (u16, String, String) {
        let host = format!("Host: 127.0.0.1:{}", self.0.port);
        let has_host = headers.iter().any(|it| it.starts_with("Host:"));
        let own = (!has_host).then_some(host.as_str());
        let length = format!("Content-Length: {}", body.len());
        let all = headers.iter().copied().chain(own).chain(["Connection: close", &length]);
        let head: String = all.map(|it| format!("{it}\r\n")).collect();
        self.0.send(&format!("{line} HTTP/1.1\r\n{head}\r\n{body}"))
    }

    fn cookie(&self) -> String {
        format!("Cookie: other=1; loadline-{}={TOKEN}", self.0.port)
    }

    /// A page that the browser is known for.
    fn get(&self, path: &str) -> (u16, String) {
        let (status, _, body) = self.ask(&format!("GET {path}"), &[&self.cookie()], "");
        (status, body)
    }
}

#[test]
fn f310_the_page_shows_sessions_bill_packs_and_notes() {
    let world = world();
    assert_eq!(run(&world, &["pack", "--budget", "2k", "-o", "out.md"]).code, 0);
    let page = Page::start(&world);
    let pages = [
        (
            "/",
            &[
                "Spent by day",
                "pause longer than the cache lives",
                "claude-sonnet-4-5",
                "would have saved",
            ][..],
        ),
        ("/sessions", &["2 sessions", "/session/claude-code/s%2F2", "no price", "1 log without"]),
        ("/sessions?q=nobody", &["1 session found of 2"]),
        ("/sessions?q=xyz&page=9", &["No session has that"]),
        (
            "/session/claude-code/s1",
            &[
                "How the window filled",
                "1 pause after which",
                "What fills the session",
                "Largest blocks",
            ],
        ),
        ("/session/claude-code/s1?budget=2500", &["before", "after", "recalled"]),
        ("/session/claude-code/s%2F2?budget=many", &["Trim preview", "no price"]),
        ("/packs", &["src/a.py", "Tokens by directory and file"]),
        ("/notes", &["cart", "of the budget"]),
        ("/notes?feature=cart&level=summarize", &["Nothing was done to it yet", "tokens would be"]),
        ("/archive", &["Nothing was cut yet"]),
    ];
    for (path, expected) in pages {
        let (status, body) = page.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        for text in expected {
            assert!(body.contains(text), "{path} has no {text:?}: {body}");
        }
        assert!(!body.contains("<script>alert"), "{path} is not escaped: {body}");
        for outside in ["http:", "https:", "src=\"//", "@import", " style="] {
            assert!(!body.contains(outside), "{path} has {outside}");
        }
    }
    // A preview writes nothing, and the logs are as they were.
    assert!(!world.home().join(".local/share/loadline/archive/ledger.db").exists());
    let kept = fs::read_to_string(world.home().join(".claude/projects/-w-app/s1.jsonl")).unwrap();
    assert_eq!(kept, log("s1", "claude-sonnet-4-5"));
    for path in [
        "/nothing",
        "/session/claude-code/..%2F..%2Fs1",
        "/session/pi/s1",
        "/notes?feature=..%2Fcart",
    ] {
        let (status, body) = page.get(path);
        assert_eq!(status, 404, "{path}");
        assert!(body.contains("No such"), "{path}: {body}");
    }
    // A session that goes on is seen without a restart.
    let more = log("s1", "claude-sonnet-4-5") + &log("s9", "claude-sonnet-4-5");
    write_home(&world, &format!("{LOGS}/s9.jsonl"), more);
    assert!(page.get("/sessions").1.contains("3 sessions"));
}

#[test]
fn f310_only_who_has_the_token_is_let_in() {
    let world = world();
    let page = Page::start(&world);
    let (status, head, body) = page.ask(&format!("GET /?token={TOKEN}"), &[], "");
    assert_eq!(status, 200, "{body}");
    let cookie =
        format!("set-cookie: loadline-{}={TOKEN}; Path=/; HttpOnly; SameSite=Strict", page.0.port);
    assert!(head.contains(&cookie), "{head}");
    assert!(
        head.contains("content-security-policy: default-src 'none'; style-src 'sha256-"),
        "{head}"
    );
    let known = page.cookie();
    let other_cookie = format!("Cookie: loadline-{}=other", page.0.port);
    for (line, headers, expected) in [
        ("GET /", &[][..], 401),
        ("GET /", &[other_cookie.as_str()], 401),
        ("GET /?token=", &[], 403),
        ("GET /?token=t0kem", &[&known], 403),
        ("GET /", &[&known, "Host: evil.example"], 403),
        ("GET /", &[&known, "Host: 127.0.0.1:1"], 403),
        ("GET /", &[&known, "Origin: http://evil.example"], 403),
        ("GET /", &[&known, "Origin: null"], 403),
        ("POST /notes/revert", &[&known], 403),
        ("POST /notes/revert", &[], 401),
        ("POST /", &[&known, "Origin: https://127.0.0.1.evil.example"], 403),
        ("DELETE /notes", &[&known], 405),
    ] {
        let (status, _, body) = page.ask(line, headers, "feature=cart&id=x");
        assert_eq!(status, expected, "{line} {headers:?}: {body}");
        assert!(body.contains("<h1>") && !body.contains("cart"), "{line}: {body}");
    }
}

#[test]
fn f310_notes_are_reverted_by_plan_and_form() {
    let world = world();
    let notes = world.work().path(".claude/plans/features/cart/tasks.md");
    let before = fs::read_to_string(&notes).unwrap();
    run(&world, &["feature", "compact", "cart", "--level", "summarize", NOW[0], NOW[1]]).exits(0);
    assert_ne!(fs::read_to_string(&notes).unwrap_or_default(), before);
    let page = Page::start(&world);
    let (_, body) = page.get("/notes?feature=cart");
    let (_, rest) = body.split_once("href=\"/notes/revert?").unwrap();
    let query = rest.split('"').next().unwrap().replace("&amp;", "&");
    let (status, plan) = page.get(&format!("/notes/revert?{query}"));
    assert!(status == 200 && plan.contains("tasks.md"), "{plan}");
    assert_ne!(fs::read_to_string(&notes).unwrap_or_default(), before, "a plan writes nothing");
    let known = page.cookie();
    let post = |body: &str| page.ask("POST /notes/revert", &[&known], body);
    assert_eq!(post(&query).0, 403, "without the token");
    let (status, head, _) = post(&format!("{query}&token={TOKEN}"));
    assert!(status == 303 && head.contains("location: /notes?feature=cart"), "{head}");
    assert_eq!(fs::read_to_string(&notes).unwrap(), before);
    let (status, _, again) = post(&format!("{query}&token={TOKEN}"));
    assert!(status == 409 && again.contains("Nothing was changed"), "{again}");
}

#[test]
fn f310_an_empty_token_is_an_error() {
    let world = World::new("").with("LOADLINE_SERVE_TOKEN", "");
    run(&world, &["serve", "--no-open"]).exits(2).says(&["the token is empty"]);
}

#[test]
fn f310_an_open_page_hears_that_a_session_went_on() {
    let world = world();
    let page = Page::start(&world);
    assert_eq!(page.ask("GET /events", &[], "").0, 401);
    let mut stream = page.0.connect();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let (port, cookie) = (page.0.port, page.cookie());
    let request = format!("GET /events HTTP/1.1\r\nHost: localhost:{port}\r\n{cookie}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(|line| line.unwrap());
    assert!(lines.any(|line| line == ": watching"));
    write_home(&world, &format!("{LOGS}/s3.jsonl"), "not a log, and longer\n");
    assert!(lines.any(|line| line == "data: changed"));
}
