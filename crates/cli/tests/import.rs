//! `loadline config import`; requirements/settings.rs has each of the older formats.

use insta::assert_snapshot;

use crate::common::{World, json, run};

fn older() -> World {
    World::new(
        "
        //- /.handover.yml
        contextWindow:
          maxTokens: 100000
          pin: [\"src/main.ts\"]
        provider: anthropic
        //- /other.json
        {\"hello\": 1}
        ",
    )
}

#[test]
fn an_older_format_is_rewritten_with_origins_and_nothing_else_is() {
    let world = older();
    assert_snapshot!(run(&world, &["config", "import", ".handover.yml"]), @r#"
    # Imported from .handover.yml (.handover.yml).

    [budget]
    # was contextWindow.maxTokens
    window = 100000

    [pack]
    # was contextWindow.pin
    pin = ["src/main.ts"]

    # .handover.yml: provider: no equivalent: the model says who provides it (was "anthropic")
    --- stderr
    note: .handover.yml: provider: no equivalent: the model says who provides it (was "anthropic")
    "#);
    let args = ["config", "import", ".handover.yml", "-q", "-o", "loadline.toml"];
    assert_snapshot!(run(&world, &args), @"wrote loadline.toml");
    assert_snapshot!(run(&world, &["config", "validate"]), @"ok");
    assert_snapshot!(run(&world, &args), @r"
    --- stderr
    error[LL-CLI-002]: loadline.toml already exists
      hint: add --force to overwrite it
    --- exit 2
    ");
    let mut forced = args.to_vec();
    forced.push("--force");
    assert_eq!(run(&world, &forced).code, 0);
    let document = json(&world, &forced);
    assert_eq!(document["format"], ".handover.yml");
    assert_eq!(document["output"], "loadline.toml");
    assert_snapshot!(run(&world, &["config", "import", "other.json"]), @r"
    --- stderr
    error[LL-CFG-005]: other.json: the format is not recognised (first key: `hello`)
      hint: give a .handover.yml, context.json, .agent/config.yml or compaction JSON file
    --- exit 2
    ");
    assert_snapshot!(run(&world, &["config", "import", "absent.json"]), @r"
    --- stderr
    error[LL-CLI-010]: cannot read absent.json: No such file or directory (os error 2)
    --- exit 1
    ");
}
