//! Summaries by someone else: a command, and a model on a real socket.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::common::{Request, Run, Service, World, answer, run, write_user_config};

/// A session of twenty turns with long results, for summaries of what goes.
fn session() -> String {
    let mut messages = Vec::new();
    for round in 1..=10 {
        let text = format!("In step {round} the cache is looked at again. ").repeat(12);
        messages.push(json!({"role": "user", "content": format!("Step {round}, please. {text}")}));
        messages
            .push(json!({"role": "assistant", "content": format!("Step {round} is done. {text}")}));
    }
    format!("//- /s.json\n{}\n", Value::from(messages))
}

fn trim(world: &World, more: &[&str]) -> Run {
    let trim =
        ["session", "trim", "s.json", "--strategy", "priority", "--budget", "900", "-c", "o200k"];
    run(world, &[&trim[..], more].concat())
}

/// The note about the summarizer.
fn said(run: &Run) -> &str {
    let about = run.stderr.lines().find(|line| line.contains("summarizer"));
    about.unwrap_or_default()
}

fn world() -> World {
    World::new(&session())
        .with("LOADLINE_SESSION_SUMMARIZER_BACKOFF", "1ms")
        .with("ANTHROPIC_API_KEY", "test-key")
}

/// A world that asks a model.
fn asking(model: &Service) -> World {
    let (world, url) = (world(), &model.url);
    let settings = format!("[session]\nsummarizer_url = \"{url}\"\nsummarizer_model = \"small\"\n");
    write_user_config(&world, &settings);
    world
}

fn answers(status: &str, body: &Value) -> String {
    answer(status, &body.to_string())
}

fn says(text: &str) -> String {
    answers("200 OK", &json!({"content": [{"type": "text", "text": text}]}))
}

#[test]
fn f171_a_command_summarises() {
    trim(&world(), &["--summarizer", "grep -c '^\\[turn' | sed 's/^/turns that went: /'"])
        .exits(0)
        .shows(&["turns that went: "]);
}

#[test]
fn f171_a_command_that_fails_costs_a_note() {
    let trimmed = trim(&world(), &["--summarizer", "echo out of luck >&2; exit 4"])
        .exits(0)
        .shows(&["Earlier conversation summary"]);
    assert_snapshot!(said(&trimmed), @"note: summarizer: it failed (exit status: 4): out of luck; summarised by rule instead");
}

#[test]
fn f271_a_model_summarises() {
    let model = Service::start(vec![says("All steps were done.")]);
    trim(&asking(&model), &[]).shows(&["All steps were done."]);
    let Request { head, body } = model.requests.recv().unwrap();
    assert!(head.starts_with("post /v1/messages http/1.1\r\n"), "{head}");
    assert!(head.contains("x-api-key: test-key\r\n"));
    assert_eq!(body["model"], "small");
    let text = body["messages"][0]["content"].as_str().unwrap();
    assert!(text.contains("[turn 2 assistant]\nStep 1 is done."), "{text}");
}

#[test]
fn f271_a_model_that_speaks_as_openai_does() {
    let said =
        json!({"choices": [{"message": {"role": "assistant", "content": "Done, all of it."}}]});
    let model = Service::start(vec![answers("200 OK", &said)]);
    let world = asking(&model)
        .with("LOADLINE_SESSION_SUMMARIZER_API", "openai")
        .with("OPENAI_API_KEY", "other-key");
    assert!(trim(&world, &[]).stdout.contains("Done, all of it."));
    let Request { head, body } = model.requests.recv().unwrap();
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains("authorization: bearer other-key\r\n"));
    assert_eq!(body["messages"][0]["role"], "system");
}

#[test]
fn f251_what_fails_in_passing_is_asked_again() {
    let busy = answers("529 Overloaded", &json!({}));
    let model = Service::start(vec![busy.clone(), busy, says("At last.")]);
    assert!(trim(&asking(&model), &[]).stdout.contains("At last."));
    assert_eq!(model.requests.try_iter().count(), 3);
}

#[test]
fn f251_what_is_too_long_is_halved() {
    let error = json!({"error": {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8"}});
    let long = answers("400 Bad Request", &error);
    let model = Service::start(vec![long, says("First half."), says("Second half.")]);
    trim(&asking(&model), &[]).shows(&["First half.\\nSecond half."]);
    let lengths: Vec<usize> = model
        .requests
        .try_iter()
        .map(|it| it.body["messages"][0]["content"].as_str().unwrap().len())
        .collect();
    assert_eq!(lengths.len(), 3);
    assert!(lengths[1] < lengths[0] * 2 / 3 && lengths[2] < lengths[0] * 2 / 3, "{lengths:?}");
}

#[test]
fn f271_what_fails_for_good_falls_back_with_a_note() {
    let refused = Service::start(vec![answers("401 Unauthorized", &json!({}))]);
    let trimmed = trim(&asking(&refused), &[]).shows(&["Earlier conversation summary"]);
    assert_snapshot!(said(&trimmed), @"note: summarizer: the key is not accepted (401); summarised by rule instead");
    assert_eq!(refused.requests.try_iter().count(), 1, "the same would come again");
    let silent = Service::start(vec![String::new()]);
    let world = asking(&silent)
        .with("LOADLINE_SESSION_SUMMARIZER_TIMEOUT", "100ms")
        .with("LOADLINE_SESSION_SUMMARIZER_RETRIES", "1");
    assert_snapshot!(said(&trim(&world, &[])), @"note: summarizer: no answer within 100ms; summarised by rule instead");
    let keyless = Service::start(vec![says("no")]);
    let world = asking(&keyless).with("ANTHROPIC_API_KEY", "");
    assert_snapshot!(said(&trim(&world, &[])), @"note: summarizer: ANTHROPIC_API_KEY is not set; summarised by rule instead");
    assert_eq!(keyless.requests.try_iter().count(), 0);
}

#[test]
fn a_summarizer_is_the_users_and_has_a_model() {
    let world = world();
    write_user_config(&world, "[session]\nsummarizer_url = \"http://127.0.0.1:1\"\n");
    assert_snapshot!(trim(&world, &[]), @r"
    --- stderr
    error[LL-CLI-019]: session.summarizer_url is set, but session.summarizer_model is not
      hint: set session.summarizer_model
    --- exit 2
    ");
    world.work().write("loadline.toml", "[session]\nsummarizer = \"touch ran\"\n");
    assert_snapshot!(trim(&world, &[]), @r"
    --- stderr
    error[LL-CLI-018]: [HOME]/work/loadline.toml sets `session.summarizer`, but a project may neither run commands nor send sessions
      hint: set `session.summarizer` in your own file, in the environment or with a flag
    --- exit 2
    ");
    assert!(!world.work().path("ran").exists());
    trim(&world, &["--summarizer", "echo fine"]).exits(0);
}

#[test]
fn f171_other_strategies_do_not_summarise() {
    let ask = ["--summarizer", "touch ran", "--strategy", "coverage"];
    let trim = ["session", "trim", "s.json", "--budget", "900", "-c", "o200k"];
    let world = world();
    let trimmed = run(&world, &[&trim[..], &ask].concat()).exits(0);
    assert_snapshot!(said(&trimmed), @"note: summarizer: not asked: only --strategy priority summarises");
    assert!(!world.work().path("ran").exists());
}
