//! `loadline window`

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::common::{World, json as document, parsed, piped, run};

fn state() -> Value {
    json!({
        "phase": "implementation",
        "systemPrompt": "You write small functions.",
        "designDocument": "A cache with a limit.",
        "typeDefinitions": "type Key = string",
        "currentUnit": "evict",
        "units": [
            {"name": "insert", "status": "approved", "file": "insert.ts", "code": "code of insert"},
            {"name": "lookup", "status": "approved", "code": "code of lookup", "dependencies": ["insert"]},
            {"name": "evict", "status": "in_progress", "description": "drops the oldest"},
        ],
        "failures": [{"name": "insert twice", "error": "bang"}],
        "messages": (0..40).map(|number| json!({
            "role": if number % 2 == 0 { "user" } else { "assistant" },
            "content": format!("Message {number} {}", "word ".repeat(40)),
            "timestamp": 1_000 + number,
        })).collect::<Vec<_>>(),
    })
}

fn world(state: &Value) -> World {
    World::new(&format!("//- /state.json\n{state}\n"))
}

const BUILD: [&str; 6] = ["window", "build", "--state", "state.json", "--counter", "o200k"];

#[test]
fn f134_f135_a_prompt_for_either_provider_accounts_for_every_part() {
    let world = world(&state());
    let built = run(&world, &BUILD).exits(0);
    let body = parsed(&built.stdout);
    let system = body["system"].as_str().unwrap();
    assert_snapshot!(system, @r"
    You write small functions.

    ## Design Document

    A cache with a limit.

    ## Type Definitions

    type Key = string

    ## Current Unit

    // Current unit: evict
    drops the oldest

    ## Previous Units

    // Previously implemented: insert
    // File: insert.ts
    code of insert

    // Previously implemented: lookup
    // File: unknown
    code of lookup
    ");
    assert_eq!(body["messages"].as_array().unwrap().len(), 40);
    let body = parsed(&run(&world, &[&BUILD[..], &["--format", "openai"]].concat()).stdout);
    assert_eq!(body["messages"][0]["role"], "system");
    assert_eq!(body["messages"].as_array().unwrap().len(), 41);
    let args = ["--format", "window", "--window", "2500", "--explain", "--log", "usage.jsonl"];
    run(&world, &[&BUILD[..], &args].concat()).exits(0).says(&["messages left out"]);
    let now = ["--now", "2026-01-31T12:00:00Z"];
    let built =
        document(&world, &[&BUILD[..], &args[..4], &now, &["--log", "usage.jsonl"]].concat());
    assert!(built["tokens"].as_u64().unwrap() <= 1_000, "{built}");
    assert_eq!(built["available"], 1_000);
    assert_eq!(built["content"]["estimatedTokens"], built["tokens"]);
    let log = std::fs::read_to_string(world.work().path("usage.jsonl")).unwrap();
    let lines: Vec<Value> = log.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["timestamp"], "2026-01-31T12:00:00Z");
    assert_eq!(lines[1]["total"], built["tokens"]);
    assert_eq!(lines[1]["messages"], built["messages"]["tokens"]);
}

#[test]
fn f144_going_back_leaves_out_what_needs_a_review() {
    let world = world(&state());
    run(&world, &[&BUILD[..], &["--back-to", "insert"]].concat())
        .hides(&["code of lookup"])
        .says(&["insert: 1 unit to review again"]);
    run(&world, &[&BUILD[..], &["--back-to", "inesrt"]].concat())
        .exits(2)
        .says(&["unknown unit \"inesrt\"; the state has "]);
}

#[test]
fn f139_f290_f292_failing_tests_are_shrunk_before_anything_is_refused() {
    let mut long = state();
    let stack: String = (0..2_000).map(|it| format!("at frame {it}\n")).collect();
    long["failures"] = json!([{"name": "insert fails", "error": "bang", "stack": stack}]);
    long["systemPrompt"] = json!({"testing": "You test.", "default": "You write."});
    let world = world(&long);
    run(&world, &[&BUILD[..], &["--phase", "testing", "--window", "4k"]].concat())
        .exits(0)
        .shows(&["### Failed Test: insert fails", "bang", "lines]", "You test."])
        .hides(&["at frame 1000"]);
}

#[test]
fn f146_f149_f150_instructions_stay_with_the_request_and_lone_results_go() {
    let mut messages = vec![
        json!({"role": "system", "content": "be brief"}),
        json!({"role": "user", "content": "the request"}),
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "gone", "content": "lost"},
            {"type": "text", "text": "mixed"}]}),
    ];
    messages.extend(
        (0..30).map(|it| json!({"role": "user", "content": format!("turn {it} and more words")})),
    );
    let world = World::new("");
    world.work().write("m.json", Value::from(messages).to_string());
    run(&world, &["window", "messages", "m.json", "--budget", "10k"])
        .shows(&["mixed"])
        .hides(&["lost"]);
    run(&world, &["window", "messages", "m.json", "--budget", "60"])
        .shows(&["the request", "turn 29"]);
}

#[test]
fn f143_what_does_not_fit_is_one_clear_error() {
    let mut large = state();
    large["designDocument"] = "word ".repeat(3_000).into();
    let world = world(&large);

    run(&world, &[&BUILD[..], &["--window", "3000"]].concat()).exits(1).prints("").says(&[
        "error[LL-CTX-003]: no room for the design document (",
        "hint: shorten the design document by ",
    ]);
    run(&world, &[&BUILD[..], &["--window", "1000"]].concat())
        .exits(2)
        .says(&["error[LL-BUD-005]"]);
}

#[test]
fn odd_states_name_the_place() {
    for (text, says, code) in [
        (
            r#"{"units": [{"status": "done"}]}"#,
            "error[LL-WIN-001]: `units[0].status`: unknown variant `done`",
            1,
        ),
        (
            r#"{"systemPrompt": "s"}"#,
            "error[LL-CLI-022]: no phase given, and the state names none",
            2,
        ),
        (r#"{"phase": "lunch"}"#, "error[LL-WIN-002]: unknown phase \"lunch\"", 2),
        ("{", "error[LL-WIN-001]", 1),
    ] {
        let world = World::new(&format!("//- /state.json\n{text}\n"));
        run(&world, &BUILD).exits(code).says(&[says]);
    }
}

#[test]
fn f135_phases_are_defined_in_the_project() {
    let world = World::new(
        r#"
        //- /loadline.toml
        [phases.triage]
        response = 500
        parts = ["system!", { part = "ticket", title = "Ticket", most = "30%" }]
        //- /state.json
        {"systemPrompt": "s", "parts": {"ticket": "it burns"}}
        "#,
    );
    let body = parsed(&run(&world, &[&BUILD[..], &["--phase", "triage"]].concat()).exits(0).stdout);
    assert_eq!(body["system"], "s\n\n## Ticket\n\nit burns");
    let listed = run(&world, &["window", "phases"]).stdout;
    assert_snapshot!(listed, @r"
    phase           answer  strategy        parts
    complete         1,000  broad           system! design! messages<=20,000
    implementation   1,500  focused         system! design! types! unit! tests units<=50% messages<=20,000
    interface        3,000  broad           system! design! types messages<=20,000
    planning         2,000  broad           system! feature! messages<=20,000
    review           1,500  change-focused  system! design! changes unit! types tests messages<=20,000
    testing          1,500  focused         system! design! types! unit! failures! implementation messages<=20,000
    triage             500  adaptive        system! ticket<=30%
    ");
}

#[test]
fn f291_the_current_unit_is_in_progress_or_the_first_that_is_open() {
    let mut state = state();
    state.as_object_mut().unwrap().remove("currentUnit");
    let current = |state: &Value| run(&world(state), &BUILD).stdout;
    assert!(current(&state).contains("drops the oldest"));
    state["units"] = json!([
        {"name": "insert", "status": "approved", "description": "adds one"},
        {"name": "evict", "status": "pending", "description": "drops the oldest"},
        {"name": "clear", "status": "pending", "description": "drops all"},
    ]);
    let shown = current(&state);
    assert!(shown.contains("drops the oldest") && !shown.contains("drops all"), "{shown}");
}

#[test]
fn f148_f293_messages_slide() {
    let messages = state()["messages"].clone();
    let world = World::new(&format!("//- /chat.json\n{messages}\n"));
    let args = ["window", "messages", "chat.json", "--budget", "260", "--counter", "o200k"];
    let slid = document(&world, &args);
    assert!(slid["tokens"].as_u64().unwrap() <= 260);
    assert_eq!(slid["messages"][1]["role"], "system");
    assert_eq!(slid["messages"][1]["content"], "[35 earlier messages omitted for brevity]");
    assert_eq!((&slid["kept"], &slid["omitted"]), (&json!(5), &json!(35)));
    assert_eq!(
        slid["messages"][1]["timestamp"],
        slid["messages"][2]["timestamp"].as_u64().unwrap() - 1
    );
    let sent = parsed(&run(&world, &[&args[..], &["--format", "anthropic"]].concat()).stdout);
    assert_eq!(sent[1]["role"], "user", "no system message in between");
    let chat = r#"[{"role":"system","content":"be brief"},{"role":"user","content":"hi"}]"#;
    let first = World::new(&format!("//- /chat.json\n{chat}\n"));
    let sent = parsed(&run(&first, &[&args[..], &["--format", "anthropic"]].concat()).stdout);
    let wanted = json!({"system": "be brief", "messages": [{"role": "user", "content": "hi"}]});
    assert_eq!(sent, wanted);
    run(&world, &["window", "messages", "chat.json", "--budget", "50"])
        .exits(1)
        .says(&["error[LL-CTX-003]: the first and the newest message"]);
    let log = r#"{"type":"user","message":{"role":"user","content":"hi"}}"#;
    let other = World::new(&format!("//- /chat.json\n{log}\n{log}\n"));
    run(&other, &args)
        .exits(1)
        .says(&["error[LL-CLI-024]: invalid messages: `[0]`", "use `loadline session trim"]);
    let lines: String = messages.as_array().unwrap().iter().map(|it| format!("{it}\n")).collect();
    let args = ["window", "messages", "-", "--budget", "260", "--counter", "o200k"];
    piped(&world, &args, lines).shows(&["[35 earlier messages"]).says(&["5 of 40 messages"]);
}

#[test]
fn f281_a_prompt_from_many_sources() {
    let sources = json!({"sources": [
        {"name": "task", "share": 100, "text": "Do it.", "title": ""},
        {"name": "knowledge", "share": "50%", "items": [
            {"name": "a", "text": "alpha ".repeat(60), "score": 2},
            {"name": "b", "text": "beta ".repeat(600), "score": 3, "shorter": ["short beta"]}]},
        {"name": "skills", "share": "rest", "items": [{"text": "gamma"}]},
    ]});
    let world = World::new(&format!("//- /sources.json\n{sources}\n"));
    let args = ["window", "fill", "sources.json", "--budget", "300", "--counter", "o200k"];
    let filled = document(&world, &args);
    assert!(filled["tokens"].as_u64().unwrap() <= 300);
    assert_eq!(filled["sources"][1]["items"][1]["form"], "short");
    assert!(filled["content"].as_str().unwrap().starts_with("Do it.\n\n## knowledge\n\nalpha"));
    run(&world, &[&args[..], &["--explain"]].concat()).says(&["2 of 2 items"]);
}
