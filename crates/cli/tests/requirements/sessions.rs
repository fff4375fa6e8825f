//! Sessions, F023 and F146 to F182: scores, trims, pressure.

use serde_json::{Value, json};

use super::with;
use crate::common::{World, find, json as document, list, run};

fn say(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// Forty questions with their answers, 5,680 tokens.
fn talk() -> Value {
    let turns = (0..40).flat_map(|number| {
        let about = "words about it ".repeat(20);
        [
            say("user", &format!("Please fix part {number}. {about}")),
            say("assistant", &format!("I decided on {number}. {about}")),
        ]
    });
    turns.collect()
}

fn world(session: &Value) -> World {
    let world = World::new("");
    world.work().write("s.json", session.to_string());
    world
}

const TRIM: [&str; 5] = ["session", "trim", "s.json", "-o", "out.json"];

/// The texts of the messages of a session.
fn texts(session: &str) -> Vec<String> {
    let messages: Vec<Value> = serde_json::from_str(session).unwrap();
    let text = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        blocks => blocks[0]["text"].as_str().unwrap_or_default().to_owned(),
    };
    messages.iter().map(text).collect()
}

#[test]
fn f023_f294_a_session_over_its_shares_is_trimmed_and_says_so() {
    let world = world(&talk()).with("LOADLINE_SESSION_TOTAL", "10k");
    let trimmed = run(&world, &TRIM);
    let said: Vec<&str> = trimmed.stderr.lines().collect();
    assert_eq!(said[0], "Session exceeds budget (5,680 > 4,000). Trimming...", "{trimmed}");
    assert!(said[1].starts_with("Trimmed: 5,680 -> "), "{trimmed}");
    assert!(said[1].contains(" tokens ("), "{trimmed}");
    assert!(said[1].contains("% compression)"), "{trimmed}");
    assert!(world.work().read("out.json").len() < world.work().read("s.json").len());
    let shares = [
        ("session.allocations.session_recent", "40"),
        ("session.allocations.reserved_for_response", "25"),
        ("session.allocations.session_summary", "20"),
    ];
    let kept = with(&world, &shares, &["session", "trim", "s.json"]);
    assert_eq!((&kept["budget"], &kept["after"]), (&json!(6_000), &json!(5_680)));
}

#[test]
fn f175_more_lines_than_allowed_are_trimmed_where_enough_turns_are_old() {
    let world = world(&talk());
    let said = |lines: &str| {
        let world = world_with(&world, lines);
        run(&world, &TRIM).stderr
    };
    assert!(said("80").starts_with("nothing to trim: 5,680 of 51,200 tokens"));
    assert!(said("79").starts_with("Session exceeds 79 lines (80 > 79). Trimming..."));
    // Eleven questions: only two turns are older than the last ten pairs.
    let few: Value = talk().as_array().unwrap()[..22].to_vec().into();
    let few = self::world(&few).with("LOADLINE_SESSION_MAX_LINES", "5");
    assert!(run(&few, &TRIM).stderr.starts_with("nothing to trim"));
}

/// The same session in a world with another limit of lines.
fn world_with(world: &World, lines: &str) -> World {
    let other = World::new("").with("LOADLINE_SESSION_MAX_LINES", lines);
    other.work().write("s.json", world.work().read("s.json"));
    other
}

/// A session in which every rule of scoring shows.
fn scored() -> Value {
    let call = |id: usize| json!({"type": "tool_use", "id": format!("c{id}"), "name": "Bash", "input": {"command": "ls"}});
    let result =
        |id: usize| json!({"type": "tool_result", "tool_use_id": format!("c{id}"), "content": "a"});
    let mut turns = vec![
        say("user", "hello there"),
        say("assistant", "ok"),
        say("user", "Please update it"),
        json!({"role": "assistant", "content": (0..4).map(call).collect::<Vec<_>>()}),
        json!({"role": "user", "content": (0..4).map(result).collect::<Vec<_>>()}),
        say("assistant", "In conclusion it works"),
        say("user", "the address book"),
        say("assistant", &"x".repeat(600)),
    ];
    turns.extend((0..6).map(|number| say(["user", "assistant"][number % 2], "turn")));
    turns.into()
}

#[test]
fn f160_f161_f162_f163_f164_turns_are_scored_by_rule() {
    let world = world(&scored());
    let turns = |more: &[&str]| {
        let args = [&["session", "score", "s.json"][..], more].concat();
        document(&world, &args)["turns"].clone()
    };
    let all = turns(&[]);
    for (turn, kind, score, signal, points) in [
        (1, "instruction", 90, "floor", 25),
        (2, "response", 52, "recency", 2),
        (3, "instruction", 79, "instruction", 10),
        (4, "tool_use", 36, "tool_heavy", -20),
        (6, "response", 69, "conclusion", 10),
        (7, "instruction", 76, "instruction", 0),
        (14, "response", 85, "recency", 27),
    ] {
        let found = &all[turn - 1];
        assert_eq!(found["kind"], kind, "{found}");
        assert_eq!(found["score"], score, "{found}");
        let signal = found["signals"][signal].as_i64().unwrap_or(0);
        assert_eq!(signal, points, "{found}");
    }
    // The tokens are those of the content, not of its JSON.
    assert_eq!(all[1]["tokens"], 5);
    // "address" holds "add" only where parts of words count.
    assert_eq!(turns(&["--parts-of-words"])[6]["signals"]["instruction"], 10);
    // How many turns at the end count as recent is a flag and a setting.
    assert_eq!(turns(&["--keep-last", "1"])[9]["score"], 68);
    let set = with(&world, &[("session.keep_last", "1")], &["session", "score", "s.json"]);
    assert_eq!(set["turns"][9]["score"], 68);
}

#[test]
fn f166_f167_f168_f169_f170_f172_the_best_turns_stay_and_the_rest_is_summarised() {
    let world = world(&talk());
    let args = ["session", "trim", "s.json", "--strategy", "priority", "--budget", "1500"];
    let trimmed = document(&world, &[&args[..], &["-q"]].concat());
    assert!(trimmed["after"].as_u64().unwrap() <= 1_500);
    let kept = texts(trimmed["content"].as_str().unwrap());
    let original = texts(&world.work().read("s.json"));
    assert_eq!(kept[kept.len() - 5..], original[75..], "the last five, verbatim");
    let places: Vec<usize> =
        kept.iter().filter_map(|text| original.iter().position(|it| it == text)).collect();
    assert!(places.is_sorted(), "what stays keeps its order");
    assert!(places.contains(&0), "the first turn has 90 points");
    let summary = kept.iter().find(|text| text.contains("Earlier conversation summary"));
    let lines: Vec<&str> = summary.unwrap().lines().skip(1).collect();
    assert!(lines.len() <= 30 && !lines.is_empty(), "{lines:?}");
    let sentence = |line: &&str| {
        line.starts_with("[User] Please fix part ") || line.starts_with("[Agent] I decided on ")
    };
    assert!(lines.iter().filter(|it| !it.starts_with("[loadline")).all(sentence), "{lines:?}");
    // Where only some lines fit it is the best turns that have one, and the note says so.
    let note = lines.last().unwrap();
    let sentences = lines.len() - 1;
    let stay = list(&trimmed["turns"]).iter().filter(|it| it["fate"] != "cut").count();
    let said = format!("[loadline: kept {stay} of 80 turns, a line of {sentences} others; recall ");
    assert!(note.starts_with(&said), "{note}");
    assert!(!lines[0].contains("fix part 1."), "not the oldest: {lines:?}");
    // Fewer turns are kept verbatim where fewer are asked for.
    let one = document(&world, &[&args[..], &["-q", "--keep-last", "0"]].concat());
    assert!(one["after"].as_u64().unwrap() <= 1_500);
}

#[test]
fn f173_f305_the_result_says_what_stays_and_has_the_tokens_that_were_promised() {
    let world = world(&talk());
    let trim =
        |budget: &str| document(&world, &["session", "trim", "s.json", "--budget", budget, "-q"]);
    let trimmed = trim("1500");
    assert_eq!((&trimmed["before"], &trimmed["budget"]), (&json!(5_680), &json!(1_500)));
    assert_eq!(trimmed["turns"].as_array().unwrap().len(), 80);
    let whole = trim("1m");
    assert_eq!(whole["after"], 5_680);
    let content: Value = serde_json::from_str(whole["content"].as_str().unwrap()).unwrap();
    assert_eq!(content, talk(), "a session that fits is left as it is");
    let empty = self::world(&json!([]));
    let run = run(&empty, &["session", "trim", "s.json", "--budget", "10", "--from", "anthropic"]);
    assert_eq!((run.code, run.stdout.trim()), (0, "[]"), "{run}");
    for strategy in ["coverage", "priority", "window"] {
        let args = ["session", "trim", "s.json", "--budget", "3000", "--strategy", strategy];
        let trimmed = document(&world, &[&args[..], &["-c", "o200k"]].concat());
        world.work().write("t.json", trimmed["content"].as_str().unwrap());
        let stats = document(&world, &["session", "stats", "t.json", "-c", "o200k"]);
        assert_eq!(stats["tokens"], trimmed["after"], "{strategy}");
    }
}

#[test]
fn f146_f147_f149_f150_a_window_of_messages() {
    let messages: Value = (0..50)
        .map(|number| {
            let role = ["user", "assistant"][number % 2];
            say(role, &format!("Message {number} {}", "word ".repeat(40)))
        })
        .collect();
    let world = world(&messages);
    let window = |budget: &str| run(&world, &["window", "messages", "s.json", "--budget", budget]);
    let slid = texts(&window("250").stdout);
    assert_eq!(slid.len(), 5);
    assert!(slid[0].starts_with("Message 0 "), "the first always stays");
    assert_eq!(slid[1], "[46 earlier messages omitted for brevity]");
    for (place, number) in [(2, 47), (3, 48), (4, 49)] {
        assert!(slid[place].starts_with(&format!("Message {number} ")), "no gap");
    }
    window("5").exits(1).says(&["need 109 tokens"]);
    world.work().write("s.json", "[]");
    assert_eq!(window("5").stdout.trim(), "[]");

    let pair = json!([
        say("user", "go"),
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "x", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "r ".repeat(60)}]},
        say("assistant", "done"),
        say("user", "thanks"),
    ]);
    world.work().write("s.json", pair.to_string());
    window("60").hides(&["tool_use", "tool_result"]);
    window("1k").shows(&["tool_use", "tool_result"]);
}

#[test]
fn f155_f158_calls_and_plain_texts_are_counted() {
    let input = json!({"command": "ls -la /tmp"});
    let call = json!({"type": "tool_use", "id": "a", "name": "Bash", "input": input});
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": "x"});
    let session = json!([
        say("user", "hello there"),
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]);
    let stats = document(&world(&session), &["session", "stats", "s.json"]);
    let kind = |name: &str| find(&stats["kinds"], "name", name)["tokens"].as_u64();
    assert_eq!(kind("text"), Some(6), "a string is a text: {stats}");
    assert!(kind("tool_call") > Some(8), "the name counts, too: {stats}");
}

#[test]
fn f181_f182_the_bar_is_full_at_100_percent_and_messages_come_above_60_and_80() {
    let world = world(&talk());
    let footer = |window: &str| {
        let args = ["session", "pressure", "s.json", "--format", "footer", "--window", window];
        run(&world, &args).stdout
    };
    let summarized = "ℹ️ Older conversation turns are being summarized";
    let full = "⚠️ Context is nearly full. Consider starting a new issue";
    for (window, bar, percent, message) in [
        ("9467", 12, 60, None),
        ("9311", 12, 61, Some(summarized)),
        ("7100", 16, 80, Some(summarized)),
        ("7012", 16, 81, Some(full)),
        ("2840", 20, 200, Some(full)),
    ] {
        let shown = footer(window);
        let cells = "█".repeat(bar) + &"░".repeat(20 - bar);
        assert!(shown.contains(&format!("Context: {cells} {percent}%")), "{shown}");
        let told = [summarized, full].into_iter().find(|it| shown.contains(it));
        assert_eq!(told, message, "{shown}");
    }
    assert_eq!(footer("20k"), "", "below 30 %");
    for (ladder, message) in [
        ("[62, 70]", None),
        ("[50]", Some(full)),
        ("[10, 20, 50]", Some(full)),
        ("[20, 40, 99]", Some(summarized)),
    ] {
        world.work().write("loadline.toml", format!("[pressure]\nladder = {ladder}\n"));
        let shown = footer("9467");
        let told = [summarized, full].into_iter().find(|it| shown.contains(it));
        assert_eq!(told, message, "{ladder}: {shown}");
    }
    world.work().write("loadline.toml", "");
    let later = with(
        &world,
        &[("session.compression_threshold", "0.7")],
        &["session", "pressure", "s.json", "--window", "9000"],
    );
    assert_eq!(later["notice"], Value::Null, "63 % is below 70 %");
}
