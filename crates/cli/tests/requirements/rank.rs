//! Ranking of sources by four weighted factors, F091 to F103.

use serde_json::{Value, json};

use super::sources::{omitted, pack, paths};
use super::with;
use crate::common::{World, list, run};

/// The signals of one source, packed with settings and flags.
fn signals(source: Value, settings: &[(&str, &str)], flags: &[&str]) -> Value {
    let document = pack(&[source], settings, flags);
    let chunk = &document["chunks"][0];
    let mut signals = chunk["signals"].clone();
    signals["score"] = chunk["score"].clone();
    signals
}

#[track_caller]
fn near(value: &Value, want: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - want).abs() < 0.002, "{value} is not {want}");
}

/// Settings that weigh four factors instead of three.
const FOUR: [(&str, &str); 3] =
    [("rank.source", "0.25"), ("rank.recency", "0.15"), ("rank.position", "0.1")];

#[test]
fn f091_four_weighted_factors() {
    let best = json!({
        "kind": "tool_result", "path": "a", "content": "x", "relevance": 1.0,
        "time": "2026-01-01T00:00:00Z",
    });
    let now = ["--now", "2026-01-01T00:00:00Z"];
    assert_eq!(signals(best.clone(), &[], &now)["score"], 1.0);
    let half = json!({"kind": "other", "path": "a", "content": "x", "relevance": 0.9});
    near(&signals(half.clone(), &[], &now)["score"], 0.9 * 0.5 + 0.5 * 0.3 + 0.5 * 0.2);
    let position = signals(half.clone(), &FOUR, &now)["position"].as_f64().unwrap();
    let want = 0.9 * 0.5 + 0.5 * 0.15 + 0.5 * 0.25 + position * 0.1;
    near(&signals(half, &FOUR, &now)["score"], want);
}

#[test]
fn f093_relevance_by_search_or_words() {
    let text = json!({"kind": "search_result", "path": "src/Login.rs",
        "content": "check the PASSWORD of a user"});
    for (query, want) in [
        ("password user", 1.0),
        ("login token", 0.5),
        ("nothing here-of", 0.0),
        ("", 0.5),
        ("a of", 0.5),
    ] {
        assert_eq!(signals(text.clone(), &[], &["--query", query])["relevance"], want, "{query}");
    }
    let mut searched = text;
    searched["relevance"] = json!(0.37);
    assert_eq!(signals(searched, &[], &["--query", "password"])["relevance"], 0.37);
}

#[test]
fn f094_f095_recency_halves_with_the_half_life() {
    for (now, half_life, want) in [
        ("2026-01-01T01:00:00Z", "24h", 0.97),
        ("2026-01-02T00:00:00Z", "24h", 0.5),
        ("2026-01-08T00:00:00Z", "24h", 0.008),
        ("2026-01-02T00:00:00Z", "168h", 0.906),
        ("2026-01-31T00:00:00Z", "168h", 0.051),
        ("2025-12-31T00:00:00Z", "168h", 1.0),
    ] {
        let source = json!({"kind": "other", "path": "a", "content": "x",
            "time": "2026-01-01T00:00:00Z"});
        let settings = [("rank.half_life", half_life)];
        near(&signals(source, &settings, &["--now", now])["recency"], want);
    }
    let timeless = json!({"kind": "other", "path": "a", "content": "x"});
    assert_eq!(signals(timeless, &[], &[])["recency"], 0.5);
}

#[test]
fn f074_f097_the_kind_of_source_has_a_priority() {
    let of = |kind: &str| json!({"kind": kind, "path": kind, "content": kind, "time": "2026-01-01T00:00:00Z"});
    let kinds = ["reference", "other", "search_result", "open_file", "tool_result"];
    for (kind, want) in kinds.into_iter().zip([0.4, 0.5, 0.6, 0.8, 1.0]) {
        assert_eq!(signals(of(kind), &[], &[])["source"], want, "{kind}");
    }
    assert_eq!(signals(of("memo"), &[], &[])["source"], 0.5);
    let ranked = pack(&kinds.map(of), &[], &[]);
    assert_eq!(paths(&ranked), "tool_result open_file search_result other reference");
    let ranked = pack(&kinds.map(of), &[("rank.priority.references", "90")], &[]);
    assert_eq!(paths(&ranked), "tool_result reference open_file search_result other");
}

#[test]
fn f098_beginnings_and_heads_of_types_count_more() {
    let body: String =
        (0..40).map(|line| format!("    def m{line}(self):\n        pass\n")).collect();
    let world = World::new("");
    world.work().write("a.py", format!("import os\n\nclass A:\n    x = 1\n\n{body}"));
    let settings = [&FOUR[..], &[("chunk.min_tokens", "0"), ("dedup.enabled", "false")]].concat();
    let packed = with(&world, &settings, &["pack", "-q", "--open", "a.py"]);
    let position = |line: u64| {
        let mut chunks = packed["chunks"].as_array().unwrap().iter();
        let chunk = chunks.find(|chunk| chunk["lines"][0] == line);
        chunk.unwrap_or_else(|| panic!("{packed:#}"))["signals"]["position"].clone()
    };
    assert_eq!([position(1), position(3), position(6), position(80)], [0.6, 1.0, 0.8, 0.5]);
}

#[test]
fn f099_tests_and_generated_files_count_less() {
    for (path, want) in [("tests/a.rs", 0.8), ("src/a.generated.ts", 0.5), ("src/a.ts", 1.0)] {
        let source = json!({"kind": "open_file", "path": path, "content": "x",
            "time": "2026-01-01T00:00:00Z"});
        let signals = signals(source, &[], &["--now", "2026-01-01T00:00:00Z"]);
        assert_eq!(signals["boost"], want, "{path}");
        near(&signals["score"], want * (0.5 * 0.5 + 0.3 + 0.8 * 0.2));
    }
}

#[test]
fn f100_f101_a_threshold_and_ties() {
    let of = |kind: &str, path: &str, line: u32, relevance: f64| {
        json!({"kind": kind, "path": path, "content": format!("{path}{line}"),
            "lines": [line, line], "relevance": relevance, "time": "2026-01-01T00:00:00Z"})
    };
    let all = [
        of("search_result", "b", 1, 0.5),
        of("search_result", "a", 9, 0.5),
        of("search_result", "a", 2, 0.5),
        // The same score from a better source: .42 * .5 + .8 * .2.
        of("open_file", "z", 1, 0.42),
    ];
    let ranked = pack(&all, &[], &[]);
    let place =
        |chunk: &Value| format!("{}:{}", chunk["path"].as_str().unwrap(), chunk["lines"][0]);
    let lines: Vec<String> = list(&ranked["chunks"]).iter().map(place).collect();
    assert_eq!(lines, ["z:1", "a:2", "a:9", "b:1"]);
    let few = pack(
        &[of("other", "a", 1, 0.9), of("other", "b", 1, 0.1)],
        &[("rank.min_score", "0.6")],
        &["--now", "2026-01-01T00:00:00Z"],
    );
    assert_eq!((paths(&few), omitted(&few)), ("a".to_owned(), "b below threshold".to_owned()));
}

#[test]
fn f103_f250_limits_and_errors_of_ranking() {
    let world = World::new("//- /a.rs\nfn a() {}\n");
    world.work().write("loadline.toml", "[rank]\nrelevance = 0.1\nrecency = 0.9\nsource = 0\n");
    run(&world, &["pack", "--open", "a.rs"]).exits(2).says(&[
        "LL-RNK-002",
        "relevance weighs 0.10 of all factors",
        "rank.relevance",
    ]);
    let many: String = (1..=50_001).map(|line| format!("l{line}\n")).collect();
    world.work().write("loadline.toml", "[chunk]\nlines = 1\noverlap = 0\nmin_tokens = 0\n");
    world.work().write("many.txt", many);
    run(&world, &["pack", "--open", "many.txt", "--budget", "100"]).says(&["50001 chunks"]);
}
