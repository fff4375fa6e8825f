//! Counting, F001 to F015.

use super::{count, with};
use crate::common::{World, json, list, run};

#[test]
fn f001_f010_one_token_per_four_utf16_units() {
    let long = "a".repeat(400);
    for (text, tokens) in [
        ("", 0),
        ("a", 1),
        ("abc", 1),
        ("Hello world", 3),
        (&long, 100),
        ("🎉🎉", 1),
        ("日本語のテキスト", 2),
        ("     ", 2),
    ] {
        assert_eq!(count("heuristic", text), tokens, "{text:?}");
    }
    assert_eq!(count("heuristic", &"x".repeat(1_000_000)), 250_000);
}

#[test]
fn f002_fenced_code_has_three_and_a_half_units_per_token() {
    let fence = "```\n1234567\n```";
    assert_eq!(count("heuristic-code", fence), 5, "15 units / 3.5");
    assert_eq!(count("heuristic", fence), 4);
    assert_eq!(count("heuristic-code", &format!("1234\n{fence}\n1234")), 5 + 3);
    assert_eq!(count("heuristic-code", "```\nopen"), 2, "an unclosed fence is text");
}

#[test]
fn f004_f005_f010_vocabularies_count_any_script_and_space() {
    for (text, cl100k, o200k) in [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("🎉🎉", 6, 4),
        ("日本語のテキスト", 8, 6),
        ("   \n", 1, 1),
    ] {
        assert_eq!(count("cl100k", text), cl100k, "{text:?}");
        assert_eq!(count("o200k", text), o200k, "{text:?}");
    }
    // The named fallback is a factor on the exact count.
    let text = "word ".repeat(1_000);
    let exact = count("o200k", &text) as f64;
    assert_eq!(count("calibrated", &text), (exact * 1.19).round() as u64);
    assert_ne!(count("claude-4.8", &text), count("calibrated", &text));
}

#[test]
fn f011_f013_a_batch_is_the_sum_and_says_how_it_was_counted() {
    let world = World::new("//- /a.txt\none two\n//- /b.txt\nthree\n");
    let document = json(&world, &["count", ".", "--counter", "o200k"]);
    let files = list(&document["files"]);
    let each = files.iter().map(|file| file["tokens"]["o200k"].as_u64());
    let sum: Option<u64> = each.sum();
    assert_eq!(document["total"]["tokens"]["o200k"].as_u64(), sum);
    assert_eq!(document["counters"][0]["precision"], "exact");
    assert_eq!(files[0]["source"], "offline");
    let again = json(&world, &["count", ".", "--counter", "o200k"]);
    assert_eq!(again["files"][0]["source"], "cache");
}

#[test]
fn f015_counts_are_compared_with_the_bill() {
    let line = |role: &str, id: u64, usage: u64| {
        let words = "word ".repeat(200);
        let usage = match role {
            "assistant" => {
                format!(r#","usage":{{"input":{usage},"output":200,"cacheRead":0,"cacheWrite":0}}"#)
            }
            _ => String::new(),
        };
        let message =
            format!(r#"{{"role":"{role}","content":[{{"type":"text","text":"{words}"}}]{usage}}}"#);
        format!(
            r#"{{"type":"message","id":"m{id}","parentId":"m{}","message":{message}}}"#,
            id.wrapping_sub(1)
        )
    };
    let mut lines = vec![r#"{"type":"session","version":3,"id":"s"}"#.to_owned()];
    for round in 0..4 {
        lines.push(line("user", 2 * round, 0));
        lines.push(line("assistant", 2 * round + 1, 1_000 + round * 480));
    }
    let world = World::new("");
    world.work().write("pi.jsonl", lines.join("\n"));
    let stats = with(&world, &[], &["session", "stats", "pi.jsonl", "--counter", "o200k"]);
    let billed = &stats["billed"];
    assert_eq!(billed["requests"], 4);
    let calibration = &billed["calibration"];
    let factor = calibration["factor"].as_f64();
    assert!(factor.is_some_and(|it| it > 1.0), "{billed}");
}

#[test]
fn f006_a_counter_that_is_not_there_is_named() {
    run(&World::new(""), &["count", "--counter", "o200kk"]).exits(2).says(&["o200k"]);
}
