//! `loadline models`

use insta::assert_snapshot;

use crate::common::{World, json, run, write_user_config};

#[test]
fn one_model_in_detail() {
    let world = World::new("");
    assert_snapshot!(run(&world, &["models", "claude-opus-4-8"]), @"");
    assert_snapshot!(run(&world, &["models", "azure/gpt-4-0613"]), @"");
}

#[test]
fn all_models_in_a_table() {
    let list = run(&World::new(""), &["models"]).stdout;
    let head: Vec<&str> = list.lines().take(4).collect();
    assert_snapshot!(head.join("\n"), @"");
    let document = json(&World::new(""), &["models"]);
    let models = document["models"].as_array().unwrap();
    assert_eq!(models.len() + 1, list.lines().count());
    assert_eq!(models[0]["name"], "generic");
}

#[test]
fn one_model_as_json() {
    let document = json(&World::new(""), &["models", "gpt-4o"]);
    assert_snapshot!(serde_json::to_string_pretty(&document).unwrap(), @"");
}

#[test]
fn an_unknown_name_gets_suggestions() {
    let world = World::new("");
    assert_snapshot!(run(&world, &["models", "claude-opus-48"]), @"");
    assert_snapshot!(run(&world, &["models", "xyzzy"]), @"");
}

#[test]
fn a_users_entries_are_applied() {
    let world = World::new("");
    write_user_config(
        &world,
        "[models.mine]\nwindow = \"32k\"\ncounter = \"heuristic\"\n[models.gpt-4o]\nwindow = 64000",
    );
    assert_snapshot!(run(&world, &["models", "mine"]), @"");
    assert_eq!(json(&world, &["models", "gpt-4o"])["model"]["window"], 64_000);
    write_user_config(&world, "[models.mine]\nwidnow = 5");
    assert_snapshot!(run(&world, &["models", "mine"]), @"");
}
