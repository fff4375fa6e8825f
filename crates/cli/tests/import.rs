//! `loadline config import`, for each of the older formats.

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
        //- /context.json
        {\"totalTokens\": 150000, \"allocations\": {\"skills\": 2}, \"mystery\": 1}
        //- /.agent/config.yml
        context:
          budget:
            total: 60000
        //- /compaction.json
        {\"thresholds\": {\"warning\": 0.6, \"critical\": 0.8}, \"cacheTTL\": 60000}
        //- /other.json
        {\"hello\": 1}
        //- /broken.json
        {\"hello\":
        ",
    )
}

#[test]
fn each_older_format_is_rewritten() {
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
    assert_snapshot!(run(&world, &["config", "import", "context.json"]), @r"
    # Imported from context.json (context.json).

    [session]
    # was totalTokens
    total = 150000

    [session.allocations]
    # was not given
    system_prompt = 0
    # was allocations.skills
    skills = 2
    # was not given
    knowledge_base = 0
    # was not given
    cross_issue = 0
    # was not given
    session_summary = 0
    # was not given
    session_recent = 0
    # was not given
    current_prompt = 0
    # was not given
    reserved_for_response = 0

    # context.json: mystery: no equivalent: the key is not known (was 1)
    --- stderr
    note: context.json: mystery: no equivalent: the key is not known (was 1)
    ");
    assert_snapshot!(run(&world, &["config", "import", ".agent/config.yml"]), @r"
    # Imported from .agent/config.yml (.agent/config.yml).

    [budget]
    # was context.budget.total
    window = 60000
    ");
    assert_snapshot!(run(&world, &["config", "import", "compaction.json"]), @r#"
    # Imported from compaction.json (compaction config).

    [cache]
    # was cacheTTL
    api_ttl = "1m"

    [memory]
    # was thresholds.warning
    compact = 60
    # was thresholds.critical
    summarize = 80
    "#);
}

#[test]
fn the_output_is_written_once_and_loads() {
    let world = older();
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
}

#[test]
fn what_is_not_an_older_format_is_refused() {
    let world = older();
    assert_snapshot!(run(&world, &["config", "import", "other.json"]), @r"
    --- stderr
    error[LL-CFG-005]: other.json: the format is not recognised (first key: `hello`)
      hint: give a .handover.yml, context.json, .agent/config.yml or compaction JSON file
    --- exit 2
    ");
    assert_snapshot!(run(&world, &["config", "import", "broken.json"]), @r"
    --- stderr
    error[LL-CFG-001]: cannot parse broken.json, line 2, column 0: EOF while parsing a value
      hint: correct line 2 of broken.json
    --- exit 2
    ");
    assert_snapshot!(run(&world, &["config", "import", "absent.json"]), @r"
    --- stderr
    error[LL-CLI-010]: cannot read absent.json: No such file or directory (os error 2)
    --- exit 1
    ");
}
