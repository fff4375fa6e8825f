//! `loadline context`

use insta::assert_snapshot;

use crate::common::{World, json, run};
use crate::pack::PROJECT;

const NOW: [&str; 2] = ["--now", "2040-01-01T00:00:00Z"];

fn packed() -> World {
    let world = World::new(PROJECT);
    let [flag, now] = NOW;
    run(&world, &["pack", "-q", "--budget", "1k", flag, now]).exits(0);
    world
}

#[test]
fn f236_f237_f265_the_last_pack_is_shown_and_reported_without_any_text() {
    let world = packed();
    run(&world, &["context", "show", "--excluded", "--limit", "2"])
        .shows(&[
            " of 1,000 tokens (",
            " by o200k, 2040-01-01T00:00:00Z\n",
            "\n1. src/math.ts:1-7 (",
            " tokens) [full]\n",
            "\n  ... and 1 more\n",
            "\nold/math.ts: duplicate of src/math.ts\n",
        ])
        .begins("[HOME]/work: ");
    let document = json(&world, &["context", "show", "--limit", "1"]);
    assert_eq!(document["files"].as_array().unwrap().len(), 1);
    assert_eq!(document["files"][0]["path"], "src/math.ts");
    assert_eq!(document["summary"]["total_files"], 5);
    assert!(document["omitted"].is_null());
    let document = json(&world, &["context", "show", "--excluded"]);
    assert_eq!(document["omitted"].as_array().unwrap().len(), 2);
    let document = json(&world, &["context", "show", "--excluded"]).to_string();
    assert!(!document.contains("carry") && !document.contains("export"), "{document}");
    let report = run(&world, &["context", "report", "--last"]).stdout;
    for line in [
        "cache: 0 hits, ",
        "left out, duplicate: 1 file\n  old/math.ts",
        "left out, lock file: 1 file\n  package-lock.json",
        "1 duplicate, ",
        "  old/math.ts = src/math.ts",
    ] {
        assert!(report.contains(&format!("\n{line}")), "{line}: {report}");
    }
    let document = json(&world, &["context", "report"]);
    assert_eq!(document["duplicates"][0]["of"], "src/math.ts");
    assert!(document["duplicates"][0]["tokens"].as_u64() > Some(30));
    assert_eq!(document["selection"][0]["reason"], "duplicate");
    assert_eq!(document["cache"]["hits"], 0);
    // The second time nothing is read.
    let [flag, now] = NOW;
    run(&world, &["pack", "-q", "--budget", "1k", flag, now]);
    let document = json(&world, &["context", "report"]);
    assert_eq!(document["cache"]["hits"], 4);
}

#[test]
fn a_directory_that_was_not_packed_has_nothing_to_show() {
    let world = World::new("//- /src/a.rs\nfn a() {}\n");
    assert_snapshot!(run(&world, &["context", "show", "src"]), @r"
    --- stderr
    error[LL-CLI-009]: no recorded pack of src
      hint: run `loadline pack` there first, with the cache on
    --- exit 1
    ");
}
