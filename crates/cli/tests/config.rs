//! `loadline config`

use insta::assert_snapshot;

use crate::common::{World, json, loadline, run, write_user_config};

/// A world with a value in each layer.
fn layered() -> World {
    let world = World::new(
        "
        //- /loadline.toml
        model = \"gpt-4o\"
        [budget]
        response_reserve = \"4k\"
        //- /src/deep/a.rs
        ",
    );
    write_user_config(&world, "model = \"o3\"\n[cache]\nmax_entries = 77\n");
    world.with("LOADLINE_BUDGET_WINDOW", "50k")
}

#[test]
fn every_value_has_a_source() {
    let shown = run(&layered(), &["config", "show", "--sources"]).stdout;
    let lines: Vec<&str> = shown.lines().take(11).collect();
    assert_snapshot!(lines.join("\n"), @"");
}

#[test]
fn settings_are_shown_as_toml() {
    let world = layered();
    let shown = run(&world, &["config", "show"]).stdout;
    let lines: Vec<&str> = shown.lines().take(5).collect();
    assert_snapshot!(lines.join("\n"), @"");
    world.work().write("shown.toml", &shown);
    assert_snapshot!(run(&world, &["config", "validate", "shown.toml"]), @"");
}

#[test]
fn json_has_values_layers_and_places() {
    let document = json(&layered(), &["config", "show"]);
    let settings = document["settings"].as_array().unwrap();
    let find = |key: &str| settings.iter().find(|setting| setting["key"] == key).unwrap();
    assert_eq!(find("model")["layer"], "project");
    assert_eq!(find("budget.window")["value"], "50k");
    assert_eq!(find("budget.window")["layer"], "environment");
    assert_eq!(find("cache.max_entries")["value"], 77);
    assert_eq!(find("cache.max_entries")["layer"], "user");
    assert_eq!(find("counter")["value"], serde_json::Value::Null);
    assert_eq!(find("pack.pin")["value"], serde_json::json!([]));
}

#[test]
fn the_projects_file_is_found_from_below() {
    let world = layered();
    let mut command = loadline(&world, &["config", "path"]);
    assert_snapshot!(world.run(command.current_dir(world.work().path("src/deep"))), @"");
}

#[test]
fn the_users_file_can_be_named() {
    let world = World::new("//- /mine.toml\nmodel = \"o3\"\n");
    assert_snapshot!(run(&world, &["config", "path"]), @"");
    assert_snapshot!(run(&world, &["config", "path", "--config", "mine.toml"]), @"");
    let named = run(&world, &["config", "show", "--config", "mine.toml"]).stdout;
    assert!(named.starts_with("model = \"o3\"\n"), "{named}");
    let world = world.with("LOADLINE_CONFIG", "absent.toml");
    assert_snapshot!(run(&world, &["config", "show"]), @"");
}

#[test]
fn a_bad_value_is_an_error_that_says_what_to_do() {
    let world = World::new("//- /loadline.toml\n[budget]\nresponse_reserve = \"lots\"\n");
    assert_snapshot!(run(&world, &["config", "validate"]), @"");
    assert_snapshot!(run(&world, &["models"]), @"");
    world.work().write("loadline.toml", "model = = 3");
    assert_snapshot!(run(&world, &["config", "validate"]), @"");
    world.work().write("loadline.toml", "counter = \"abacus\"");
    assert_snapshot!(run(&world, &["config", "validate"]), @"");
    world.work().write("loadline.toml", "[models.mine]\nwindow = \"wide\"");
    assert_snapshot!(run(&world, &["config", "validate"]), @"");
}

#[test]
fn what_is_odd_is_noted_unless_quiet() {
    let world = World::new("//- /loadline.toml\nmodel = \"gpt-44\"\n[budegt]\nwindow = 5\n")
        .with("LOADLINE_MODLE", "x");
    assert_snapshot!(run(&world, &["config", "validate"]), @"");
    assert_snapshot!(run(&world, &["config", "validate", "-q"]), @"");
    let document = json(&world, &["config", "validate"]);
    assert_eq!(document["valid"], true);
    assert_eq!(document["notes"].as_array().unwrap().len(), 3);
}

#[test]
fn variables_and_defaults_are_listed() {
    let world = World::new("");
    let variables = run(&world, &["config", "env"]).stdout;
    let lines: Vec<&str> = variables.lines().take(6).collect();
    assert_snapshot!(lines.join("\n"), @"");
    let listed = json(&world, &["config", "env"])["variables"].as_array().unwrap().len();
    assert_eq!(listed, variables.lines().count());
    let defaults = run(&world, &["config", "default"]).stdout;
    world.work().write("loadline.toml", defaults);
    assert_snapshot!(run(&world, &["config", "validate"]), @"");
}
