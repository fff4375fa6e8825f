//! `loadline round`

use insta::assert_snapshot;
use serde_json::Value;

use crate::common::{World, json as document, parsed, run, write_user_config};

const ROUND: &str = r#"
//- /one.json
{"modules": ["auth", {"name": "db"}], "findings": ["tokens never expire"],
 "relationships": [{"from": "auth", "to": "db", "type": "reads"}], "risks": ["replay"],
 "openQuestions": ["who rotates keys?"]}
//- /two.json
{"findings": ["no index"], "modules": ["db"]}
"#;

#[test]
fn f125_f127_rounds_are_handed_on_the_newest_first_and_never_as_bare_headings() {
    let world = World::new(ROUND);
    let args = ["round", "compress", "one.json", "two.json", "--counter", "o200k"];
    assert_snapshot!(run(&world, &args), @r"
    ## Round 2 Context
    Modules: db
    Findings:
    - no index

    ## Round 1 Context
    Modules: auth
    Findings:
    - tokens never expire
    Relationships: auth -> db (reads)
    Open questions: who rotates keys?
    --- stderr
    note: round 1: not handed on: risks
    2 rounds in 50 tokens by o200k
    ");
    run(&world, &[&args[..], &["--keep", "risks", "--quiet"]].concat()).shows(&["risks: replay\n"]);
    write_user_config(&world, "[round]\nkeep = ['risks']\nbudget = 12\n");
    let small = document(&world, &args);
    let rounds = small["rounds"].as_array().unwrap();
    assert_eq!(rounds[0]["round"], 2);
    assert_eq!(rounds[0]["findings"], serde_json::json!(["no index"]));
    assert_eq!(small["budget"], 12);
    for total in 0..50_u64 {
        let total = total.to_string();
        let args = ["round", "compress", "one.json", "two.json", "--total", &total];
        let run = run(&world, &args);
        let blocks = run.stdout.split("\n\n").filter(|block| !block.trim().is_empty());
        let (whole, bare): (Vec<&str>, Vec<&str>) =
            blocks.partition(|block| block.trim_end().contains('\n'));
        assert_eq!(bare, [""; 0], "{run}");
        let without = run.stderr.matches("no room is left for what it found").count();
        assert_eq!(whole.len() + without, 2, "{run}");
    }
}

#[test]
fn f124_the_schema_can_be_printed() {
    let schema = parsed(&run(&World::new(""), &["round", "compress", "--schema"]).stdout);
    assert_eq!(schema["type"], "object");
    run(&World::new(""), &["round", "compress"]).exits(2);
}

#[test]
fn output_that_is_no_json_is_one_clear_error() {
    let world = World::new("//- /a.json\nI found nothing.\n");
    run(&world, &["round", "compress", "a.json"])
        .exits(1)
        .prints("")
        .says(&["error[LL-RND-001]", "--schema"]);
}

#[test]
fn f132_a_ledger_is_summed_up() {
    let world = World::new(
        r#"
        //- /ledger.jsonl
        {"input": 1000, "output": 500, "budget": 2000}
        {"input": 1900, "output": 100, "budget": 2000, "cacheRead": 900}
        {"input": -1}
        "#,
    );
    let args = ["round", "usage", "ledger.jsonl", "--model", "claude-sonnet-4-5"];
    assert_snapshot!(run(&world, &args), @r"
    Token Usage Summary
      Round 1: 1,000 input, 500 output (50% budget)
      Round 2: 1,900 input, 100 output (95% budget)
      Total: 2,900 input, 600 output
      Cost: $0.02, the cache saved $0.00 (28%)
    --- stderr
    note: line 3: `input`: invalid value: integer `-1`, expected u64; passed over
    Round 2: 95% of token budget used (1,900/2,000 tokens)
    Approaching budget limit: 100 tokens remaining
    ");
    run(&world, &[&args[..], &["--lines", "--quiet"]].concat()).prints(
        "Round 1 tokens: input=1000, output=500, context=0, files=0\n\
         Round 2 tokens: input=1900, output=100, context=0, files=0\n",
    );
    let empty = World::new("//- /ledger.jsonl\n");
    run(&empty, &args).exits(0).prints("No rounds recorded.\n");
    let other = World::new("//- /ledger.jsonl\nhello\n");
    run(&other, &args).exits(1).says(&["error[LL-USE-001]"]);
}

#[test]
fn f133_a_ledger_has_a_cost() {
    let world = World::new("//- /l.jsonl\n{\"input\": 1000000, \"output\": 1000000}\n");
    let used = document(&world, &["round", "usage", "l.jsonl"]);
    assert_eq!(used["cost"], 90.0);
    assert_eq!(used["rounds"][0]["utilization"], Value::Null);
    let known =
        document(&world, &["round", "usage", "l.jsonl", "-m", "claude-sonnet-4-5", "-b", "1m"]);
    assert_eq!(known["cost"], 18.0);
    let warning = "Round 1: 100% of token budget used (1,000,000/1,000,000 tokens)";
    assert_eq!(known["warnings"][0], warning);
}
