//! `loadline session compress`

use serde_json::{Value, json};

use crate::common::{World, json as document, list, parsed, piped, run};

/// A session of a long output, then five short rounds.
fn session() -> String {
    let output: String = (0..2_000).map(|line| format!("{line} of many lines\n")).collect();
    let mut messages = vec![json!({"role": "user", "content": "look"})];
    for number in 0..6 {
        let id = format!("c{number}");
        let result = if number == 0 { output.as_str() } else { "ok" };
        messages.push(json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "a.txt"}}]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": result}]}));
    }
    Value::from(messages).to_string()
}

fn world() -> World {
    World::new(&format!("//- /session.json\n{}\n", session()))
}

#[test]
fn f176_f177_f178_long_results_are_cut_as_asked_and_the_original_is_kept() {
    let world = world();
    let base = ["session", "compress", "session.json", "--counter", "o200k"];
    let messages =
        parsed(&run(&world, &base).exits(0).says(&[" tokens left by o200k; 1 block cut"]).stdout);
    let result = messages[2]["content"][0]["content"].as_str().unwrap();
    assert!(result.contains(" of 2,000 lines; recall "), "{result}");
    assert!(result.contains(":3]"), "{result}");
    assert_eq!(messages[12]["content"][0]["content"], "ok");
    assert!(world.home().join(".local/share/loadline/archive/projects").exists());
    let document = document(&world, &[&base[..], &["--keep-thinking"]].concat());
    assert_eq!(list(&document["pieces"]).len(), 1, "{document}");
    let piece = &document["pieces"][0];
    assert_eq!(piece["turn"], 3);
    assert_eq!(piece["strategy"], "head_tail");
    assert_eq!(piece["tool"], "Read");
    assert!(piece["after"].as_u64() < piece["before"].as_u64());
    assert!(document["after"].as_u64() < document["before"].as_u64());
    let args = [&base[..], &["--limit", "100k", "--keep-thinking"]].concat();
    assert_eq!(run(&world, &args).stdout.trim(), session());
    let world = world.with("LOADLINE_SESSION_TOOL_RESULT_LIMIT", "100k");
    let args = [&base[..], &["--keep-thinking"]].concat();
    assert_eq!(run(&world, &args).stdout.trim(), session());
}

#[test]
fn f177_thoughts_go_but_for_the_last_four_turns_and_can_be_recalled() {
    let session = session().replace("\"hm\"", &format!("{:?}", "a long thought ".repeat(30)));
    let world = World::new(&format!("//- /session.json\n{session}\n"));
    let args = ["session", "compress", "session.json", "--counter", "o200k", "--limit", "100k"];
    let short = run(&world, &args);
    let messages: Vec<Value> = serde_json::from_str(&short.stdout).unwrap();
    let marker = messages[0]["content"][0]["text"].as_str().unwrap();
    assert!(marker.starts_with("[loadline: kept 4 of 6 thoughts; recall "), "{marker}");
    let thinks = |it: &&Value| it["content"][0]["type"] == "thinking";
    assert_eq!(messages.iter().filter(thinks).count(), 4);
    assert!(messages[8..].iter().any(|it| thinks(&it)), "{short}");
    world.work().write("short.json", &short.stdout);
    let restored = run(&world, &["session", "restore", "short.json"]);
    assert_eq!(restored.stdout.trim(), session);
}

#[test]
fn an_error_keeps_the_innermost_frame_of_its_stack() {
    let lines: String =
        (0..900).map(|it| format!("step {it} of the build is done now\n")).collect();
    for (trace, frame) in [
        (
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in main\n    run()\n  \
          File \"deep.py\", line 77, in inner\n    raise it\nValueError: bad\n",
            "deep.py",
        ),
        (
            "TypeError: x is not a function\n    at inner (deep.js:77:3)\n    at outer (a.js:1:1)\n",
            "deep.js:77",
        ),
    ] {
        let output = format!("{lines}{trace}{lines}");
        let mut messages: Vec<Value> = serde_json::from_str(&session()).unwrap();
        messages[1]["content"][1] = json!({"type": "tool_use", "id": "c0", "name": "Bash",
            "input": {"command": "make"}});
        messages[2]["content"][0]["content"] = output.into();
        let world = World::new("");
        world.work().write("s.json", Value::from(messages).to_string());
        run(&world, &["session", "compress", "s.json", "--counter", "o200k"]).shows(&[frame]);
    }
}

#[test]
fn f179_a_session_comes_from_standard_input_and_leaves_as_it_came() {
    let world = World::new("");
    let short = "[{\"role\":\"user\",  \"content\":\"hm\"}]\n";
    piped(&world, &["session", "compress", "-", "--no-cache"], short).exits(0).prints(short);
}
