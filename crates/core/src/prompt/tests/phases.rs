//! What is in the window of each phase.

use super::*;

fn parts(window: &Prompt) -> Vec<&str> {
    window.parts.iter().map(|part| part.name.as_str()).collect()
}

#[test]
fn f135_a_window_has_these_fields() {
    let window = build(&state(&full_state(2)), "implementation", 100_000).unwrap();
    let json = window.to_json();
    let names: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "systemPrompt",
            "designDocument",
            "typeDefinitions",
            "currentUnit",
            "relevantTests",
            "previousUnits",
            "recentMessages",
            "estimatedTokens"
        ]
    );
    assert_eq!(json["systemPrompt"], "You write small functions.");
    assert_eq!(json["estimatedTokens"], window.tokens.get());
    let bare = build(&WorkState::default(), "planning", 100_000).unwrap();
    let json = json!({"systemPrompt": "", "designDocument": "", "recentMessages": [], "estimatedTokens": 0});
    assert_eq!(bare.to_json(), json, "what is always there may be empty");
    assert_eq!(bare.remarks.len(), 2, "and says so: {:?}", bare.remarks);
}

#[test]
fn f136_planning_sees_the_feature_description_only() {
    let window = build(&state(&full_state(2)), "planning", 100_000).unwrap();
    assert_eq!(parts(&window), ["system", "feature"]);
    assert_eq!(window.response, Tokens::new(2_000));
    let text = "You write small functions.\n\n## Feature Description\n\nA cache with a limit.";
    assert_eq!(window.system_text(), text);
}

#[test]
fn f137_interface_adds_types_that_exist() {
    let mut value = full_state(2);
    let window = build(&state(&value), "interface", 100_000).unwrap();
    assert_eq!(parts(&window), ["system", "design", "types"]);
    value["typeDefinitions"] = Value::Null;
    let window = build(&state(&value), "interface", 100_000).unwrap();
    assert_eq!(parts(&window), ["system", "design"]);
    assert_eq!(window.remarks, []);
}

#[test]
fn f138_implementation_has_units_within_half_of_what_is_left() {
    let mut value = full_state(200);
    for unit in value["units"].as_array_mut().unwrap() {
        unit["implementation"] = words(7, 900).into();
    }
    value["currentUnit"] = json!({"name": "now"});
    let state = state(&value);
    let window = build(&state, "implementation", 5_000).unwrap();
    assert_eq!(parts(&window), ["system", "design", "types", "unit", "tests", "units"]);
    let units = window.part("units").unwrap();
    assert_eq!(units.items.len(), 1, "two are more than half");
    assert_eq!(units.items[0].name, "touch");
    assert!(window.messages.len() > 10, "messages have the other half");
    assert!(window.tokens <= window.available);
}

#[test]
fn f139_testing_has_failures_and_the_code_that_fails() {
    let window = build(&state(&full_state(2)), "testing", 100_000).unwrap();
    let want = ["system", "design", "types", "unit", "failures", "implementation"];
    assert_eq!(parts(&window), want);
    let code = window.part("implementation").unwrap();
    let names: Vec<&str> = code.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["insert", "lookup"]);
}

#[test]
fn f140_failures_have_their_format() {
    let window = build(&state(&full_state(2)), "testing", 100_000).unwrap();
    let failures = window.part("failures").unwrap();
    assert_eq!(
        failures.items[0].text,
        "### Failed Test: Lookup finds a key\n**Error**: boom\n**Expected**: 1\n\
         **Received**: 2\n**Stack**:\n```\nat a\nat b\n```"
    );
    assert_eq!(failures.items[1].text, "### Failed Test: insert twice\n**Error**: bang");
    let fenced = json!({"failures": [{"name": "t", "error": "e", "stack": "````x"}]});
    let window = build(&state(&fenced), "testing", 100_000).unwrap();
    assert!(window.system_text().contains("`````\n````x\n`````"), "no stack closes its fence");
}

#[test]
fn f141_units_are_matched_by_name_in_lower_case() {
    let state = state(&full_state(0));
    let names: Vec<&str> = state.units_of_failures().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["insert", "lookup"]);
}

#[test]
fn f142_previous_units_are_the_last_three_approved_with_code_in_order() {
    let window = build(&state(&full_state(0)), "implementation", 100_000).unwrap();
    let units = window.part("units").unwrap();
    let texts: Vec<&str> = units.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "// Previously implemented: insert\n// File: src/insert.ts\ncode of insert",
            "// Previously implemented: lookup\n// File: src/lookup.ts\ncode of lookup",
            "// Previously implemented: touch\n// File: unknown\ncode of touch",
        ]
    );
}

#[test]
fn f142_the_newest_unit_goes_before_older_ones() {
    let mut value = full_state(0);
    for unit in value["units"].as_array_mut().unwrap() {
        unit["implementation"] = words(7, 400).into();
    }
    let window = build(&state(&value), "implementation", 3_000).unwrap();
    let units = window.part("units").unwrap();
    assert_eq!(units.items.len(), 1);
    assert_eq!(units.items[0].name, "touch");
    let left_out: Vec<&str> = window.left_out.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(left_out, ["lookup", "empty"]);
}

#[test]
fn f144_going_back_marks_dependents_and_leaves_them_out() {
    let mut state = state(&json!({
        "systemPrompt": "s", "designDocument": "d", "typeDefinitions": "t", "currentUnit": {"name": "z"},
        "units": [
            {"name": "a", "status": "approved", "code": "a", "dependencies": ["c"]},
            {"name": "b", "status": "approved", "code": "b", "dependsOn": ["a"]},
            {"name": "c", "status": "approved", "code": "c", "depends_on": ["b"]},
            {"name": "d", "status": "awaiting_approval", "code": "d"},
            {"name": "e", "status": "approved", "code": "e"},
        ],
    }));
    assert_eq!(state.go_back("a"), ["b", "c"], "units that need one another end");
    assert_eq!(state.units[1].status, UnitStatus::NeedsReview);
    let window = build(&state, "implementation", 100_000).unwrap();
    let units = &window.part("units").unwrap().items;
    let names: Vec<&str> = units.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["a", "e"]);
    assert_eq!(state.go_back("nobody"), Vec::<String>::new());
}

#[test]
fn f145_a_role_sees_as_much_as_it_wants() {
    let state = state_of_messages(400, 250);
    let phases = Phases::builtin().unwrap();
    let tokens = |strategy| {
        let mut options = PromptOptions::new(counter());
        options.strategy = strategy;
        let window = build_prompt(&state, phases.find("planning").unwrap(), &options);
        window.unwrap().tokens.get()
    };
    assert!((19_000..=20_100).contains(&tokens(RoleStrategy::Adaptive)));
    for strategy in [RoleStrategy::Broad, RoleStrategy::Focused, RoleStrategy::ChangeFocused] {
        let (least, most) = strategy.range().unwrap();
        let tokens = Tokens::new(tokens(strategy));
        assert!(least <= tokens && tokens <= most, "{}: {tokens}", strategy.name());
    }
    let of = |phase| phases.find(phase).unwrap().strategy.name();
    let want = ["broad", "broad", "focused", "focused", "change-focused"];
    let phases = ["planning", "interface", "implementation", "testing", "review"];
    assert_eq!(phases.map(of), want);
    assert_eq!("focused".parse(), Ok(RoleStrategy::Focused));
    assert!("wild".parse::<RoleStrategy>().is_err());
}

#[test]
fn f020_a_hundred_messages_of_250_tokens_are_not_all_kept() {
    let state = state_of_messages(100, 250);
    let window = build(&state, "planning", 100_000).unwrap();
    assert!(window.omitted_messages > 0);
    let cap = Tokens::new(20_000);
    assert!(window.usage(None).messages <= cap.get());
    assert_eq!(window.messages.last(), state.messages.last());
}

#[test]
fn f134_a_log_says_what_each_part_cost() {
    let window = build(&state(&full_state(8)), "implementation", 100_000).unwrap();
    let time = "2026-01-31T12:00:00Z".parse().ok();
    let usage = window.usage(time);
    assert_eq!(usage.phase, "implementation");
    assert_eq!(usage.total, window.tokens.get());
    assert_eq!(usage.timestamp.as_deref(), Some("2026-01-31T12:00:00Z"));
    let parts = usage.system_prompt
        + usage.design_doc
        + usage.types
        + usage.current_context
        + usage.previous_units
        + usage.messages
        + usage.other;
    assert!(parts >= usage.total && parts <= usage.total + 12, "{usage:?}");
    let names = [
        usage.system_prompt,
        usage.design_doc,
        usage.types,
        usage.current_context,
        usage.previous_units,
        usage.messages,
    ];
    assert!(names.iter().all(|tokens| *tokens > 0), "{usage:?}");
}

#[test]
fn f135_phases_of_the_users_own() {
    let table: toml::Table = r#"
        response = 500
        colour = "red"
        parts = ["system!", { part = "ticket", title = "Ticket", most = "30%", count = 2 }, "messages"]
    "#
    .parse()
    .unwrap();
    let (phases, notes) = Phases::configured(&[("triage".to_owned(), table)]).unwrap();
    assert!(notes[0].to_string().contains("unknown key `colour`"), "{notes:?}");
    let state = state(&json!({"systemPrompt": "s", "parts": {"ticket": ["one", "two", "three"]}}));
    let options = PromptOptions::new(counter());
    let window = build_prompt(&state, phases.find("triage").unwrap(), &options).unwrap();
    assert_eq!(window.system_text(), "s\n\n## Ticket\n\none\n\ntwo");
    assert_eq!(window.to_json()["parts"]["ticket"], json!(["one", "two"]));
    assert_eq!(phases.find("lunch").unwrap_err().code(), "LL-WIN-002");
    for (wrong, says) in [
        ("parts = [5]", "a part is 5; it must be a name or a table"),
        ("parts = []", "it has no parts"),
        ("parts = ['a', 'a']", "part \"a\" is listed twice"),
        ("parts = [{ part = 'a', most = '120%' }]", "most is \"120%\"; it must be 0% to 100%"),
        ("parts = ['a']\nresponse = -1", "response is -1; it must be tokens"),
        ("parts = [{ part = 'a', count = -2 }]", "count is -2"),
        ("parts = ['a']\nstrategy = 'wild'", "unknown strategy \"wild\""),
    ] {
        let table: toml::Table = wrong.parse().unwrap();
        let error = Phases::configured(&[("x".to_owned(), table)]).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(error.code(), "LL-WIN-003");
    }
}

#[test]
fn a_state_may_be_odd() {
    let read = |text: &str| WorkState::read(text.as_bytes());
    for (text, says) in [
        ("", "EOF while parsing"),
        ("[]", "invalid type: sequence"),
        (
            r#"{"messages": [{"role": "user", "content": "x"}, {"content": "y"}]}"#,
            "`messages[1]`: a message has no `role`",
        ),
        (
            r#"{"messages": [{"role": "boss", "content": "x"}]}"#,
            "`messages[0]`: role \"boss\" is not known",
        ),
        (
            r#"{"messages": [{"role": "user", "content": 5}]}"#,
            "`messages[0]`: the content of a message",
        ),
        (
            r#"{"units": [{"name": "a", "status": "done"}]}"#,
            "`units[0].status`: unknown variant `done`",
        ),
        (r#"{"systemPrompt": 7}"#, "`systemPrompt`: invalid type: integer `7`, expected a string"),
        (r#"{"types": {"a": 1}}"#, "`typeDefinitions`: an object is not a text"),
        (r#"{"currentUnit": -1}"#, "`currentUnit`: a number is not a unit"),
        (r#"{"a": 1} {"b": 2}"#, "trailing characters"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(error.code(), "LL-WIN-001");
    }
    let (state, notes) =
        read(r#"{"extra": 1, "design_doc": "d", "types": ["a", "b"], "units": null}"#).unwrap();
    assert_eq!(state.design_document, "d");
    assert_eq!(state.type_definitions.0, ["a", "b"]);
    assert_eq!(notes.len(), 1);
    let twice = r#"{"units": [{"name": "a", "code": "x", "implementation": "y"}], "failures": [{"testName": "t", "name": "n", "message": "m"}]}"#;
    let (state, _) = read(twice).unwrap();
    assert_eq!(state.units[0].implementation.as_deref(), Some("y"));
    assert_eq!((state.failures[0].name.as_str(), state.failures[0].error.as_str()), ("n", "m"));
    let deep = "[".repeat(100_000);
    assert!(read(&format!(r#"{{"parts": {deep}"#)).is_err(), "no depth is too much");
}

#[test]
fn f143_a_window_can_be_sent_to_either_provider() {
    let mut value = full_state(0);
    value["messages"] = json!([
        {"role": "user", "content": words(0, 30), "phase": "planning", "timestamp": 5},
        {"role": "assistant", "content": words(1, 30)},
        {"role": "user", "content": words(2, 30)},
        {"role": "assistant", "content": [
            {"type": "text", "text": "look"},
            {"type": "tool_use", "id": "c1", "name": "Read", "input": {"path": "a.rs"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "text of a.rs"}]},
    ]);
    let window = build(&state(&value), "planning", 2_130).unwrap();
    let mut remarks = Vec::new();
    let body = window.to_request(Provider::Anthropic, &convert, &mut remarks);
    assert_eq!(remarks, []);
    assert_eq!(body["system"], window.system_text());
    let messages = body["messages"].as_array().unwrap();
    assert!(window.omitted_messages > 0, "{body}");
    assert!(
        messages.iter().all(|it| it["role"] != "system" && it.get("phase").is_none()),
        "{body}"
    );
    let body = window.to_request(Provider::OpenAi, &convert, &mut remarks);
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[0]["role"], "system");
    let call = messages.iter().find(|it| it.get("tool_calls").is_some()).unwrap();
    assert_eq!(call["tool_calls"][0]["id"], "c1");
    let last = messages.last().unwrap();
    assert_eq!((&last["role"], &last["tool_call_id"]), (&json!("tool"), &json!("c1")));
    assert_eq!(remarks, []);
}

fn convert(messages: &[Value], from: Provider, to: Provider) -> Option<Vec<Value>> {
    use crate::session::{SessionFormat, convert_messages};
    let format = |provider| match provider {
        Provider::Anthropic => SessionFormat::Anthropic,
        Provider::OpenAi => SessionFormat::OpenAiChat,
    };
    convert_messages(messages, format(from), format(to))
}
