//! What rounds hand on.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::Diagnose;

fn counter() -> Counter {
    "o200k".parse().unwrap()
}

fn options(budget: u64) -> RoundOptions {
    RoundOptions { budget: Tokens::new(budget), ..RoundOptions::new(counter()) }
}

fn compress(value: &Value, budget: u64) -> CompressedRounds {
    let rounds = read_rounds(value.to_string().as_bytes()).unwrap();
    let compressed = compress_rounds(&rounds, &options(budget));
    assert_eq!(counter().count(&compressed.text), compressed.tokens);
    assert!(compressed.tokens <= Tokens::new(budget) || rounds.len() > 1);
    compressed
}

fn output() -> Value {
    json!({
        "modules": ["auth", {"name": "db", "files": 3}],
        "findings": ["tokens never expire", {"finding": "no\nindex"}],
        "relationships": [
            {"from": "auth", "to": "db", "type": "reads"},
            {"source": "db", "target": "disk"},
            "a -> b",
        ],
        "openQuestions": ["who rotates keys?", "why two pools?"],
    })
}

#[test]
fn f124_fields_are_taken_by_rule_under_any_of_their_names() {
    let rounds = compress(&output(), 2_000).rounds;
    assert_eq!(rounds[0].modules, ["auth", "db"]);
    assert_eq!(rounds[0].findings, ["tokens never expire", "no index"]);
    assert_eq!(rounds[0].relationships, ["auth -> db (reads)", "db -> disk", "a -> b"]);
    for (findings, questions) in
        [("keyFindings", "open_questions"), ("key_findings", "openQuestions")]
    {
        let compressed = compress(&json!({findings: ["x"], questions: ["y"]}), 2_000);
        assert_eq!(compressed.rounds[0].findings, ["x"]);
        assert_eq!(compressed.rounds[0].open_questions, ["y"]);
    }
    let mut named = options(2_000);
    named.keep = vec!["risks".to_owned()];
    let value = json!({"risks": ["r1", {"description": "r2"}], "mood": "good"});
    let rounds = read_rounds(value.to_string().as_bytes()).unwrap();
    let compressed = compress_rounds(&rounds, &named);
    assert_eq!(compressed.text, "## Round 1 Context\nrisks: r1; r2");
    assert_eq!(compressed.remarks[0].to_string(), "round 1: not handed on: mood");
}

#[test]
fn f125_the_text() {
    assert_eq!(
        compress(&output(), 2_000).text,
        "## Round 1 Context\n\
         Modules: auth, db\n\
         Findings:\n\
         - tokens never expire\n\
         - no index\n\
         Relationships: auth -> db (reads); db -> disk; a -> b\n\
         Open questions: who rotates keys?; why two pools?"
    );
    let empty = compress(&json!({}), 2_000).text;
    assert_eq!((empty.as_str(), empty.len()), ("## Round 1 Context", 18));
    assert_eq!(compress(&json!({"round": 7}), 2_000).text, "## Round 7 Context");
}

#[test]
fn f126_lists_are_popped_from_their_ends_in_order() {
    let whole = compress(&output(), 2_000);
    let mut seen = Vec::new();
    for budget in (1..whole.tokens.get()).rev() {
        let round = compress(&output(), budget).rounds.pop();
        seen.extend(round.map(|it| {
            [it.open_questions.len(), it.findings.len(), it.relationships.len(), it.modules.len()]
        }));
    }
    seen.dedup();
    let want = [
        [1, 2, 3, 2],
        [0, 2, 3, 2],
        [0, 1, 3, 2],
        [0, 1, 2, 2],
        [0, 1, 1, 2],
        [0, 1, 0, 2],
        [0, 1, 0, 1],
        [0, 1, 0, 0],
        [0, 0, 0, 0],
    ];
    assert_eq!(seen, want);
}

#[test]
fn f126_a_single_finding_that_is_too_long_is_cut() {
    let long = "überlang ".repeat(5_000);
    let compressed = compress(&json!({"findings": [long]}), 100);
    assert!(compressed.tokens >= Tokens::new(95), "{}", compressed.tokens);
    assert!(compressed.text.ends_with('…'));
    assert!(compressed.text.contains(&compressed.rounds[0].findings[0]));
    let tiny = compress(&json!({"findings": ["x"]}), 2);
    assert!("## Round 1 Context".starts_with(&tiny.text) && tiny.text.len() > 3);
}

#[test]
fn f127_a_round_has_2000_tokens_and_newer_rounds_go_first() {
    assert_eq!(RoundOptions::new(counter()).budget, Tokens::new(2_000));
    let many: Vec<String> = (0..500).map(|it| format!("finding number {it} of them")).collect();
    let rounds = json!([
        {"findings": many, "modules": ["old"]},
        {"findings": ["finding number 0 of them", "new"], "modules": ["old"]},
    ]);
    let read = read_rounds(rounds.to_string().as_bytes()).unwrap();
    let mut options = options(2_000);
    let both = compress_rounds(&read, &options);
    assert!(
        both.text.starts_with("## Round 2 Context\nModules: old\nFindings:\n- finding number 0")
    );
    let older = both.text.split("## Round 1 Context").nth(1).unwrap();
    assert!(older.contains("- finding number 1 of them\n"));
    assert!(!older.contains("Modules") && !older.contains("number 0 "), "said already");
    assert!(both.tokens > Tokens::new(1_900) && both.tokens <= Tokens::new(2_100));
    options.total = Some(Tokens::new(300));
    let capped = compress_rounds(&read, &options);
    assert!(capped.tokens <= Tokens::new(300));
    assert_eq!(capped.rounds.len(), 2);
    options.total = Some(Tokens::new(30));
    let newest = compress_rounds(&read, &options);
    assert_eq!(newest.rounds[0].number, 2);
    assert!(newest.tokens <= Tokens::new(30));
}

#[test]
fn f128_the_lists_are_those_of_the_text() {
    let many: Vec<String> = (0..300).map(|it| format!("finding {it}")).collect();
    let compressed = compress(&json!({"findings": many, "openQuestions": ["why?"]}), 200);
    let round = &compressed.rounds[0];
    assert!(round.findings.len() < 100 && round.open_questions.is_empty());
    assert_eq!(round.text(), compressed.text);
}

#[test]
fn odd_output_costs_notes_or_one_clear_error() {
    let odd = compress(
        &json!({"modules": 5, "findings": [null, "a", {}, ["b"]], "relationships": {"from": "x"}}),
        2_000,
    );
    assert_eq!(odd.rounds[0].findings, ["a"]);
    assert_eq!(odd.rounds[0].modules, ["5"]);
    assert_eq!(odd.remarks.len(), 2, "{:?}", odd.remarks);
    let fenced = read_rounds(b"Here it is:\n```json\n{\"findings\": [\"x\"]}\n```\nDone.").unwrap();
    assert_eq!(fenced.len(), 1);
    let lines =
        read_rounds(b"{\"round\": 3}\n\n{\"round\": 4, \"output\": {\"modules\": [\"m\"]}}\n")
            .unwrap();
    assert_eq!((lines[0].number, lines[1].number), (3, 4));
    assert!(lines[1].output.contains_key("modules"));
    for (text, code) in [("", "LL-RND-001"), ("{", "LL-RND-001"), ("[1]", "LL-RND-002")] {
        assert_eq!(read_rounds(text.as_bytes()).unwrap_err().code(), code);
    }
    assert!(read_rounds("[".repeat(200_000).as_bytes()).is_err(), "no depth is too much");
    // Relationships may go round in circles.
    let cycle = json!({"relationships": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]});
    assert!(compress(&cycle, 2_000).text.ends_with("a -> b; b -> a"));
}

#[test]
fn f124_the_schema_describes_what_is_read() {
    let schema = round_schema();
    for name in ["modules", "findings", "relationships", "openQuestions"] {
        assert_eq!(schema["properties"][name]["type"], "array", "{name}");
    }
    assert_eq!(schema["additionalProperties"], true);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn f126_the_budget_is_never_passed(
        findings in proptest::collection::vec("\\PC{0,60}", 0..20),
        modules in proptest::collection::vec("[a-z]{1,9}", 0..20),
        questions in proptest::collection::vec("[a-z ?]{1,40}", 0..10),
        budget in 1_u64..400,
    ) {
        let value = json!({"findings": findings, "modules": modules, "openQuestions": questions});
        let compressed = compress(&value, budget);
        prop_assert!(compressed.tokens <= Tokens::new(budget));
    }
}
