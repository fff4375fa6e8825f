//! The counter `api`, against a service on a real socket.

use insta::assert_snapshot;

use crate::common::{Request, Service, World, answer, json, run};

const CLAUDE: [&str; 6] = ["count", "a.txt", "--counter", "api", "--model", "claude-opus-4-8"];

/// A service that gives every request the same answer.
fn service(answer: String) -> Service {
    Service::start(vec![answer])
}

fn world(service: &Service) -> World {
    World::new("//- /a.txt\nhello, world\n//- /b.txt\nanother one\n//- /c.txt\n   \n")
        .with("LOADLINE_API_URL", &service.url)
        .with("ANTHROPIC_API_KEY", "test-key")
}

fn ten() -> String {
    answer("200 OK", "{\"input_tokens\":10}")
}

#[test]
fn f003_f008_the_service_is_asked_once_and_believed_for_five_minutes() {
    let service = service(ten());
    let world = world(&service);
    let at = |now: &str| json(&world, &[&CLAUDE[..], &["--now", now]].concat());
    let document = at("1800000000");
    let file = &document["files"][0];
    // Ten less the frame of the message.
    assert_eq!(file["tokens"]["api"], 4);
    assert_eq!(file["source"], "api");
    assert_eq!(document["counters"][0]["precision"], "exact");
    let request = service.requests.recv().unwrap();
    assert!(request.head.starts_with("post /v1/messages/count_tokens http/1.1\r\n"));
    assert!(request.head.contains("x-api-key: test-key\r\n"));
    assert!(request.head.contains("anthropic-version: 2023-06-01\r\n"));
    assert_eq!(
        request.body,
        serde_json::json!({
            "model": "claude-opus-4-8",
            "messages": [{"role": "user", "content": "hello, world\n"}],
        })
    );
    assert_eq!(at("1800000299")["files"][0]["source"], "cache");
    assert!(service.requests.try_recv().is_err());
    assert_eq!(at("1800000300")["files"][0]["source"], "api");
}

#[test]
fn f279_the_service_stands_beside_other_counters() {
    let service = service(ten());
    let args = ["count", "-c", "api", "-c", "claude-3", "-m", "anthropic/claude-sonnet-4.5"];
    assert_snapshot!(run(&world(&service), &args), @r"
    api  claude-3  lines   share  path
      3         3      1  42.9 %  a.txt
      3         2      1  42.9 %  b.txt
      1         1      1  14.3 %  c.txt
      7         6      3          total, 3 files

    api, exact
    claude-3, reconstructed: unofficial, within about 0.1 %
    7 tokens = <0.1 % of claude-sonnet-4-5's 200,000
    ");
    let asked: Vec<Request> = service.requests.try_iter().collect();
    assert_eq!(asked.len(), 2, "white space alone is not sent");
    assert_eq!(asked[0].body["model"], "claude-sonnet-4-5");
}

#[test]
fn f014_too_many_requests_fall_back() {
    let service = service(answer("429 Too Many Requests", ""));
    let world = world(&service);
    assert_snapshot!(run(&world, &CLAUDE), @r"
    tokens  lines    share  path
         4      1  100.0 %  a.txt
         4      1           total, 1 file

    claude-4.8, reconstructed: unofficial, within about 0.1 %
    4 tokens = <0.1 % of claude-opus-4-8's 1,000,000
    --- stderr
    note: api: too many requests (429); counted with claude-4.8 instead
    ");
    let document = json(&world, &["count", "--counter", "api", "--model", "claude-opus-4-8"]);
    assert_eq!(document["counters"][0]["precision"], "reconstructed");
    assert_eq!(document["counters"][0]["fallback"], "claude-4.8");
    assert_eq!(document["files"][0]["source"], "offline");
    assert_eq!(document["remarks"].as_array().unwrap().len(), 1);
}

#[test]
fn f014_other_failures_fall_back_too() {
    let fails = |status: &str| {
        let service = service(answer(status, "not json"));
        run(&world(&service), &CLAUDE).stderr
    };
    assert_snapshot!(fails("200 OK"), @"note: api: the service's answer is not understood; counted with claude-4.8 instead");
    assert_snapshot!(fails("401 Unauthorized"), @"note: api: ANTHROPIC_API_KEY is not accepted; counted with claude-4.8 instead");
    assert_snapshot!(fails("500 Oh"), @"note: api: the service answered with status 500; counted with claude-4.8 instead");
    assert_snapshot!(fails("302 Found\r\nlocation: http://127.0.0.1:1/"), @"note: api: the service answered with status 302; counted with claude-4.8 instead");
    let silent = service(String::new());
    let world = world(&silent).with("LOADLINE_API_TIMEOUT", "100ms");
    assert_snapshot!(run(&world, &CLAUDE).stderr, @"note: api: no answer within 100ms; counted with claude-4.8 instead");
}

#[test]
fn f003_without_a_key_nothing_is_sent() {
    let service = service(ten());
    let world = world(&service).with("ANTHROPIC_API_KEY", "");
    assert_snapshot!(run(&world, &CLAUDE), @r"
    tokens  lines    share  path
         4      1  100.0 %  a.txt
         4      1           total, 1 file

    claude-4.8, reconstructed: unofficial, within about 0.1 %
    4 tokens = <0.1 % of claude-opus-4-8's 1,000,000
    --- stderr
    note: api: ANTHROPIC_API_KEY is not set; counted with claude-4.8 instead
    ");
    assert!(service.requests.try_recv().is_err());
}

#[test]
fn the_service_counts_for_claude_only() {
    let world = World::new("//- /a.txt\nhello\n");
    assert_snapshot!(run(&world, &["count", "-c", "api", "-m", "gpt-4o"]), @r"
    --- stderr
    error[LL-CLI-005]: the counter api counts for Claude models, not for gpt-4o
      hint: choose a Claude model, such as --model claude-opus-4-8
    --- exit 2
    ");
    assert_snapshot!(run(&world, &["count", "-c", "api"]), @r"
    --- stderr
    error[LL-CLI-005]: the counter api counts for Claude models, not for generic
      hint: choose a Claude model, such as --model claude-opus-4-8
    --- exit 2
    ");
}

#[test]
fn a_project_can_neither_ask_the_service_nor_move_it() {
    let world = World::new("//- /a.txt\nhello\n//- /loadline.toml\ncounter = \"api\"\n");
    assert_snapshot!(run(&world, &["count"]), @r"
    --- stderr
    error[LL-CLI-006]: [HOME]/work/loadline.toml sets `counter`, but a project may not send files
      hint: set `counter` in your own file, in the environment or with a flag
    --- exit 2
    ");
    let elsewhere = "[api]\nurl = \"http://127.0.0.1:1\"\n";
    world.work().write("loadline.toml", elsewhere);
    assert_snapshot!(run(&world, &CLAUDE), @r"
    --- stderr
    error[LL-CLI-006]: [HOME]/work/loadline.toml sets `api.url`, but a project may not send files
      hint: set `api.url` in your own file, in the environment or with a flag
    --- exit 2
    ");
}
