//! `loadline config`

use insta::assert_snapshot;

use crate::common::{World, find, json, run, run_in, write_user_config};

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
fn settings_are_shown_as_a_table_as_toml_and_as_json() {
    let world = layered();
    let shown = run(&world, &["config", "show", "--sources"]).stdout;
    // How wide the columns are depends on where the test runs.
    let squeeze = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = shown.lines().take(11).map(squeeze).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    key source value
    model [HOME]/work/loadline.toml "gpt-4o"
    counter defaults.toml (built in) -
    budget.window environment variable LOADLINE_BUDGET_WINDOW "50k"
    budget.response_reserve [HOME]/work/loadline.toml "4k"
    budget.system_reserve defaults.toml (built in) 2000
    budget.margin defaults.toml (built in) -
    budget.preset defaults.toml (built in) "none"
    cache.enabled defaults.toml (built in) true
    cache.max_entries [HOME]/.config/loadline/loadline.toml 77
    cache.api_ttl defaults.toml (built in) "5m"
    "#);
    let document = json(&world, &["config", "show"]);
    let find = |key: &str| find(&document["settings"], "key", key);
    assert_eq!(find("model")["layer"], "project");
    assert_eq!(find("budget.window")["value"], "50k");
    assert_eq!(find("budget.window")["layer"], "environment");
    assert_eq!(find("cache.max_entries")["value"], 77);
    assert_eq!(find("cache.max_entries")["layer"], "user");
    assert_eq!(find("counter")["value"], serde_json::Value::Null);
    assert_eq!(find("pack.pin")["value"], serde_json::json!([]));
    let shown = run(&world, &["config", "show"]).stdout;
    let lines: Vec<&str> = shown.lines().take(5).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    model = "gpt-4o"
    # counter is not set
    budget.window = "50k"
    budget.response_reserve = "4k"
    budget.system_reserve = 2000
    "#);
    world.work().write("shown.toml", &shown);
    assert_snapshot!(run(&world, &["config", "validate", "shown.toml"]), @"ok");
    assert_snapshot!(run_in(&world, "src/deep", &["config", "path"]), @r"
    user     [HOME]/.config/loadline/loadline.toml
    project  [HOME]/work/loadline.toml
    ");
}

#[test]
fn the_users_file_can_be_named() {
    let world = World::new("//- /mine.toml\nmodel = \"o3\"\n");
    assert_snapshot!(run(&world, &["config", "path"]), @r"
    user     [HOME]/.config/loadline/loadline.toml (not there)
    project  none
    ");
    assert_snapshot!(run(&world, &["config", "path", "--config", "mine.toml"]), @r"
    user     mine.toml
    project  none
    ");
    run(&world, &["config", "show", "--config", "mine.toml"]).begins("model = \"o3\"\n");
    let world = world.with("LOADLINE_CONFIG", "absent.toml");
    assert_snapshot!(run(&world, &["config", "show"]), @r"
    --- stderr
    error[LL-CLI-010]: cannot read absent.toml: No such file or directory (os error 2)
      hint: `loadline config path` prints where settings are read from
    --- exit 2
    ");
}

#[test]
fn f252_a_bad_value_is_an_error_that_says_what_to_do() {
    let world = World::new("//- /loadline.toml\n[budget]\nresponse_reserve = \"lots\"\n");
    assert_snapshot!(run(&world, &["config", "validate"]), @r#"
    --- stderr
    error[LL-CFG-002]: [HOME]/work/loadline.toml: `budget.response_reserve` is "lots", expected a number of tokens, 0 or more, such as 8000 or "8k"
      hint: set `budget.response_reserve` to a number of tokens, 0 or more, such as 8000 or "8k", or remove it to use the default
    --- exit 2
    "#);
    assert_snapshot!(run(&world, &["models"]), @r#"
    --- stderr
    error[LL-CFG-002]: [HOME]/work/loadline.toml: `budget.response_reserve` is "lots", expected a number of tokens, 0 or more, such as 8000 or "8k"
      hint: set `budget.response_reserve` to a number of tokens, 0 or more, such as 8000 or "8k", or remove it to use the default
    --- exit 2
    "#);
    world.work().write("loadline.toml", "model = = 3");
    assert_snapshot!(run(&world, &["config", "validate"]), @r"
    --- stderr
    error[LL-CFG-001]: cannot parse [HOME]/work/loadline.toml, line 1, column 9: extra `=`, expected nothing
      hint: correct line 1 of [HOME]/work/loadline.toml
    --- exit 2
    ");
    world.work().write("loadline.toml", "counter = \"abacus\"");
    assert_snapshot!(run(&world, &["config", "validate"]), @r#"
    --- stderr
    error[LL-CTX-002]: unknown counter "abacus"
      hint: use one of o200k, cl100k, claude-3, claude-4.7, claude-4.8, heuristic, heuristic-code, calibrated or hf:FILE
    --- exit 2
    "#);
    world.work().write("loadline.toml", "[models.mine]\nwindow = \"wide\"");
    assert_snapshot!(run(&world, &["config", "validate"]), @r#"
    --- stderr
    error[LL-BUD-005]: window of model "mine" is "wide"; it must be tokens, such as 128000 or "128k"
    --- exit 2
    "#);
}

#[test]
fn what_is_odd_is_noted_unless_quiet() {
    let world = World::new("//- /loadline.toml\nmodel = \"gpt-44\"\n[budegt]\nwindow = 5\n")
        .with("LOADLINE_MODLE", "x");
    assert_snapshot!(run(&world, &["config", "validate"]), @r"
    ok
    --- stderr
    note: [HOME]/work/loadline.toml: unknown key `budegt.window`; did you mean `budget.window`?
    note: environment variable LOADLINE_MODLE: unknown variable `LOADLINE_MODLE`; did you mean `LOADLINE_MODEL`?
    note: gpt-44: unknown model, treated as generic with a window of 128000 tokens; similar names: gpt-4, gpt-4o, gpt-4.1
    ");
    assert_snapshot!(run(&world, &["config", "validate", "-q"]), @"ok");
    let document = json(&world, &["config", "validate"]);
    assert_eq!(document["valid"], true);
    assert_eq!(document["remarks"].as_array().unwrap().len(), 3);
}

#[test]
fn variables_and_defaults_are_listed() {
    let world = World::new("");
    let variables = run(&world, &["config", "env"]).stdout;
    let lines: Vec<&str> = variables.lines().take(6).collect();
    assert_snapshot!(lines.join("\n"), @r"
    LOADLINE_CONFIG                                     path of the user's file, instead of the usual one
    LOADLINE_CACHE_DIR                                  directory of the cache, instead of the usual one
    LOADLINE_DATA_DIR                                   directory of the archive, instead of the usual one
    LOADLINE_NO_CACHE                                   any value: neither read nor write the cache
    LOADLINE_MCP_TOKEN                                  what clients of `mcp --http` must bring as a bearer token
    LOADLINE_SERVE_TOKEN                                token of `serve`, instead of a new one each time
    ");
    let listed = json(&world, &["config", "env"])["variables"].as_array().unwrap().len();
    assert_eq!(listed, variables.lines().count());
    let defaults = run(&world, &["config", "default"]).stdout;
    world.work().write("loadline.toml", defaults);
    assert_snapshot!(run(&world, &["config", "validate"]), @"ok");
}
