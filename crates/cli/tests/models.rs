//! `loadline models`

use insta::assert_snapshot;
use serde_json::json;

use crate::common::{World, json, run, write_user_config};

#[test]
fn one_model_in_detail_or_suggestions_for_an_unknown_name() {
    let world = World::new("");
    assert_snapshot!(run(&world, &["models", "claude-opus-4-8"]), @r"
    claude-opus-4-8 (anthropic)
      window   1,000,000 tokens
      output   128,000 tokens
      budget   990,000 tokens (1,000,000 - 8,000 response - 2,000 system)
      counter  claude-4.8, reconstructed: unofficial, within about 0.1 %
      prices   input $5.00, output $25.00, cache read $0.50, cache write $6.25 per million tokens
    ");
    assert_snapshot!(run(&world, &["models", "azure/gpt-4-0613"]), @r"
    gpt-4 (openai)
      window   8,192 tokens
      output   4,096 tokens
      budget   4,144 tokens (8,192 - 2,048 response - 2,000 system)
      counter  cl100k, exact
      prices   input $30.00, output $60.00 per million tokens
    ");
    assert_snapshot!(run(&world, &["models", "claude-opus-48"]), @r#"
    --- stderr
    error[LL-CLI-001]: unknown model "claude-opus-48"
      hint: did you mean claude-opus-4, claude-opus-4-8, claude-opus-4-1?
    --- exit 2
    "#);
    assert_snapshot!(run(&world, &["models", "xyzzy"]), @r#"
    --- stderr
    error[LL-CLI-001]: unknown model "xyzzy"
      hint: `loadline models` lists all models
    --- exit 2
    "#);
}

#[test]
fn all_models_in_a_table() {
    let list = run(&World::new(""), &["models"]).stdout;
    let head: Vec<&str> = list.lines().take(4).collect();
    assert_snapshot!(head.join("\n"), @r"
    model                      window     output  counter     $/M in  $/M out
    generic                   128,000      4,096  o200k        15.00    75.00
    generic-claude            200,000      4,096  claude-4.8   15.00    75.00
    generic-gemini          1,000,000      4,096  heuristic    15.00    75.00
    ");
    let document = json(&World::new(""), &["models"]);
    let models = document["models"].as_array().unwrap();
    assert_eq!(models.len() + 1, list.lines().count());
    assert_eq!(models[0]["name"], "generic");
}

#[test]
fn one_model_as_json() {
    let document = json(&World::new(""), &["models", "gpt-4o"]);
    let want = json!({
        "schema": 1,
        "model": {"name": "gpt-4o", "provider": "openai", "counter": "o200k", "window": 128000,
            "max_output": 16384, "prices": {"input": 2.5, "output": 10.0, "cache_read": 1.25,
            "cache_write": null}, "aliases": [], "precision": "exact"},
        "budget": {"window": 128000, "reserves": {"response": 8000, "system": 2000},
            "margin": 1.0, "available": 118000, "shares": {}},
        "remarks": [],
    });
    // As texts, so that the order of the keys counts.
    assert_eq!(document.to_string(), want.to_string());
}

#[test]
fn a_users_entries_are_applied() {
    let world = World::new("");
    write_user_config(
        &world,
        "[models.mine]\nwindow = \"32k\"\ncounter = \"heuristic\"\n[models.gpt-4o]\nwindow = 64000",
    );
    assert_snapshot!(run(&world, &["models", "mine"]), @r"
    mine (unknown)
      window   32,000 tokens
      output   -
      budget   19,800 tokens (32,000 - 8,000 response - 2,000 system, x 0.9)
      counter  heuristic: a rule of thumb, off by up to 40 %
      prices   -
    ");
    assert_eq!(json(&world, &["models", "gpt-4o"])["model"]["window"], 64_000);
    write_user_config(&world, "[models.mine]\nwidnow = 5");
    assert_snapshot!(run(&world, &["models", "mine"]), @r#"
    --- stderr
    error[LL-BUD-005]: model "mine" has no counter, and no known model of that name supplies one
      hint: add counter to the entry
    --- exit 2
    "#);
}
