//! `loadline cache`

use insta::assert_snapshot;

use crate::common::{World, json, run};

#[test]
fn the_cache_is_named_shown_and_emptied() {
    let world = World::new("//- /a.txt\nhello world\n");
    assert_snapshot!(run(&world, &["cache", "path"]), @"[HOME]/.cache/loadline");
    assert_snapshot!(run(&world, &["cache", "info"]), @r"
    directory  [HOME]/.cache/loadline (not there yet)
    database   0 bytes of at most 1,000,000,000
    files      0
    ");
    assert!(!world.home().join(".cache").exists(), "looking makes nothing");
    // A file that changed just now may change again unseen, so its stamp is not kept.
    run(&world, &["count", "a.txt", "--now", "2040-01-01T00:00:00Z"]);
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
    assert_snapshot!(run(&world, &["cache", "path"]), @"here");
}

#[test]
fn a_strangers_directory_is_not_emptied() {
    let world = World::new("//- /mine/letter.txt\nDear all\n").with("LOADLINE_CACHE_DIR", "mine");
    assert_snapshot!(run(&world, &["cache", "clear"]), @r"
    --- stderr
    error[LL-STO-012]: mine is not a store: it has no CACHEDIR.TAG of loadline
      hint: check the directory; delete it by hand if it is meant
    --- exit 1
    ");
    assert_snapshot!(run(&world, &["cache", "info"]), @r#"
    --- stderr
    note: mine/cache.db: working without it: its directory holds a stranger's file, "letter.txt"
    error[LL-CLI-004]: cannot read the cache in mine
      hint: check its permissions, or set LOADLINE_CACHE_DIR
    --- exit 1
    "#);
    assert_eq!(world.work().read("mine/letter.txt"), "Dear all\n");
}
