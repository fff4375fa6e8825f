//! What sessions hold, read and converted: pictures, thoughts, odd JSON, reused ids.

use serde_json::{Value, json};

use crate::common::{World, find, json as document, piped, run};

/// A picture of 300 by 200 points: the head of a PNG.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAASwAAADICAYAAAA=";

/// A session with a picture of the user, one in a result, and signed thoughts.
fn pictured() -> Value {
    let picture = json!({"type": "image", "source":
        {"type": "base64", "media_type": "image/png", "data": PNG}});
    json!([
        {"role": "user", "content": [picture]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "a thought", "signature": "c2lnbmVk"},
            {"type": "tool_use", "id": "c1", "name": "shoot", "input": {"deep": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [
            {"type": "text", "text": "the screen"}, picture]}]},
        {"role": "assistant", "content": "I see it."}])
}

#[test]
fn pictures_and_thoughts_survive_a_conversion_or_are_counted() {
    let world = World::new("");
    world.work().write("s.json", pictured().to_string());
    let stats = document(&world, &["session", "stats", "s.json", "-c", "o200k"]);
    let image = find(&stats["kinds"], "name", "image");
    assert_eq!(image["tokens"], 300 * 200 / 750 + 4, "as the provider counts: {stats}");
    for (format, back, lost) in [
        ("claude-code", 2, None),
        ("pi", 2, None),
        ("opencode", 2, None),
        ("openai-responses", 2, Some("1 of 1 thoughts")),
        ("codex", 2, Some("1 of 1 thoughts")),
        ("gemini", 2, Some("1 of 1 thoughts")),
        ("openai-chat", 1, Some("1 of 2 pictures")),
        ("swe-agent", 1, Some("1 of 2 pictures")),
    ] {
        let to = ["session", "convert", "s.json", "--to", format, "-o", "there"];
        let there = run(&world, &to).exits(0);
        match lost {
            Some(lost) => assert!(there.stderr.contains(lost), "{there}"),
            None => assert_eq!(there.stderr, "", "{format}"),
        }
        let again = ["session", "convert", "there", "--from", format, "--to", "anthropic"];
        let again = run(&world, &again).shows(&["I see it."]).stdout;
        assert_eq!(again.matches(PNG).count(), back, "{format}: {again}");
    }
    // Thoughts of opencode look like items of Codex, which would refuse them.
    run(&world, &["session", "convert", "s.json", "--to", "opencode", "-o", "there"]);
    run(&world, &["session", "convert", "there", "--to", "codex"])
        .hides(&["\"reasoning\""])
        .says(&["1 of 1 thoughts"]);
}

#[test]
fn what_parsers_refuse_is_kept_or_replaced_and_said() {
    let world = World::new("");
    let deep = "[".repeat(200) + &"]".repeat(200);
    let session = format!(
        r#"[{{"role":"user","content":"half \ud83d of it"}},
        {{"role":"assistant","content":[{{"type":"tool_use","id":"c1","name":"f","input":{{"n":1e999,"deep":{deep}}}}}]}},
        {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c1","content":"an \udc00 end"}}]}}]"#
    );
    world.work().write("s.json", &session);
    for format in ["claude-code", "codex", "gemini", "pi", "opencode", "openai-chat", "swe-agent"] {
        run(&world, &["session", "convert", "s.json", "--to", format, "-o", "there"])
            .exits(0)
            .says(&["3 blocks with half characters"]);
        let again = ["session", "convert", "there", "--from", format, "--to", "anthropic"];
        run(&world, &again).shows(&["half \u{fffd} of it", "1e999", "[[[[", "an \u{fffd} end"]);
    }
    run(&world, &["session", "trim", "s.json", "--budget", "100k"]).prints(session);
}

#[test]
fn f154_reading_is_forgiving() {
    let world = World::new("");
    // Lines without a type, as the first sessions of this kind were.
    let lines = "{\"message\":{\"role\":\"user\",\"content\":\"hi there\"}}\n\
        {\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}}\n";
    world.work().write("old.jsonl", lines);
    let stats = document(&world, &["session", "stats", "old.jsonl"]);
    assert_eq!((&stats["turns"], &stats["user_turns"]), (&json!(2), &json!(1)), "{stats}");
    // What the agent's program says in the user's place is not the user's.
    let reminder = json!([
        {"role": "user", "content": "<system-reminder>\nbe kind\n</system-reminder>"},
        {"role": "user", "content": "fix it"}]);
    world.work().write("s.json", reminder.to_string());
    let stats = document(&world, &["session", "stats", "s.json"]);
    assert_eq!(stats["user_turns"], 1, "{stats}");
    // An id that is used again belongs to its own turn.
    let round = |tool: &str| {
        [
            json!({"role": "assistant", "content": [
                {"type": "tool_use", "id": "call_0", "name": tool, "input": {}}]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call_0", "content": tool.repeat(20)}]}),
        ]
    };
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    messages.extend(round("first"));
    messages.extend(round("second"));
    world.work().write("s.json", Value::from(messages).to_string());
    let stats = document(&world, &["session", "stats", "s.json"]);
    for tool in stats["tools"].as_array().unwrap() {
        assert_eq!(tool["calls"], 1, "{stats}");
        assert!(tool["result_tokens"].as_u64() > Some(10), "{stats}");
    }
    assert_eq!(run(&world, &["check", "s.json", "--max-percent", "84.9"]).code, 0);
}

#[test]
fn recalled_lines_of_a_session_are_text() {
    let world = World::new("");
    let turns: Vec<Value> = (0..40)
        .map(|it| json!({"role": "user", "content": format!("words of turn {it}")}))
        .collect();
    world.work().write("s.json", Value::from(turns).to_string());
    let trimmed = document(&world, &["session", "trim", "s.json", "--budget", "120"]);
    let handle = trimmed["handle"].as_str().unwrap();
    let found = run(&world, &["recall", handle, "--grep", "turn 7"]).hides(&["content"]);
    assert!(found.stdout.ends_with(": words of turn 7\n"), "{found}");
}

#[test]
fn the_status_line_has_colours_unless_nobody_wants_them() {
    let body = r#"{"context_window":{"context_window_size":1000,"used_percentage":84.9}}"#;
    let line = |world: &World, args: &[&str]| piped(world, args, body).stdout;
    let world = World::new("").with("NO_COLOR", "");
    let coloured = line(&world, &["statusline"]);
    assert!(coloured.contains('\u{1b}') && coloured.contains("85%"), "{coloured}");
    assert!(!line(&world, &["statusline", "--color", "never"]).contains('\u{1b}'));
    let world = world.with("NO_COLOR", "1");
    assert!(!line(&world, &["statusline"]).contains('\u{1b}'));
}
