//! `loadline cache`

use insta::assert_snapshot;

use crate::common::{World, json, run};

#[test]
fn the_cache_is_named_shown_and_emptied() {
    let world = World::new("//- /a.txt\nhello world\n");
    assert_snapshot!(run(&world, &["cache", "path"]), @"");
    assert_snapshot!(run(&world, &["cache", "info"]), @"");
    assert!(!world.home().join(".cache").exists(), "looking makes nothing");
    run(&world, &["count", "a.txt"]);
    let info = json(&world, &["cache", "info"]);
    assert_eq!(info["exists"], true);
    assert_eq!(info["files"], 1);
    assert_eq!(info["facts"][0]["kind"], "count/o200k");
    assert_eq!(info["facts"][0]["entries"], 1);
    assert!(json(&world, &["cache", "clear"])["bytes"].as_u64() > Some(0));
    assert_eq!(json(&world, &["cache", "info"])["files"], 0);
}

#[test]
fn the_environment_names_another_directory() {
    let world = World::new("").with("LOADLINE_CACHE_DIR", "here");
    assert_snapshot!(run(&world, &["cache", "path"]), @"");
}

#[test]
fn a_strangers_directory_is_not_emptied() {
    let world = World::new("//- /mine/letter.txt\nDear all\n").with("LOADLINE_CACHE_DIR", "mine");
    assert_snapshot!(run(&world, &["cache", "clear"]), @"");
    assert_snapshot!(run(&world, &["cache", "info"]), @"");
    assert_eq!(world.work().read("mine/letter.txt"), "Dear all\n");
}
