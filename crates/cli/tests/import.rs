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
        {\"totalTokens\": 150000, \"allocations\": {\"skills\": 4}, \"mystery\": 1}
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
    assert_snapshot!(run(&world, &["config", "import", ".handover.yml"]), @"");
    assert_snapshot!(run(&world, &["config", "import", "context.json"]), @"");
    assert_snapshot!(run(&world, &["config", "import", ".agent/config.yml"]), @"");
    assert_snapshot!(run(&world, &["config", "import", "compaction.json"]), @"");
}

#[test]
fn the_output_is_written_once_and_loads() {
    let world = older();
    let args = ["config", "import", ".handover.yml", "-q", "-o", "loadline.toml"];
    assert_snapshot!(run(&world, &args), @"");
    assert_snapshot!(run(&world, &["config", "validate"]), @"");
    assert_snapshot!(run(&world, &args), @"");
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
    assert_snapshot!(run(&world, &["config", "import", "other.json"]), @"");
    assert_snapshot!(run(&world, &["config", "import", "broken.json"]), @"");
    assert_snapshot!(run(&world, &["config", "import", "absent.json"]), @"");
}
