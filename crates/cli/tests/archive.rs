//! `loadline archive`, and what must never happen to originals.

use insta::assert_snapshot;

use crate::common::{World, json, run, write_user_config};
use crate::session::long_session;

/// Trims the long session in place and returns the handle of the original.
fn trim(world: &World) -> String {
    let args =
        ["session", "trim", "long.json", "--in-place", "--budget", "3000", "--counter", "o200k"];
    let said = run(world, &args).stderr;
    let handle = said.rsplit("the original is ").next().unwrap();
    handle.trim().to_owned()
}

#[test]
fn the_archive_is_named_shown_and_pruned() {
    let world = World::new(&long_session());
    assert_snapshot!(run(&world, &["archive", "path"]), @"[HOME]/.local/share/loadline/archive");
    assert_snapshot!(run(&world, &["archive", "info"]), @r"
    directory     [HOME]/.local/share/loadline/archive
    projects      0
    originals     0 (0 bytes)
    pruned after  30d
    ");
    let handle = trim(&world);
    let info = json(&world, &["archive", "info"]);
    assert_eq!((&info["projects"], &info["originals"]), (&1.into(), &1.into()));
    write_user_config(&world, "[archive]\nwarn_size = 1\n");
    run(&world, &["archive", "info"]).says(&["more than archive.warn_size"]);

    let kept = run(&world, &["archive", "prune"]).stdout;
    assert_snapshot!(kept, @"removed 0 originals, 0 bytes freed; pruned after 30d");
    let later = ["archive", "prune", "--now", "2126-01-01T00:00:00Z"];
    assert_eq!(json(&world, &later)["originals"], 1);
    assert_eq!(run(&world, &["recall", &handle]).code, 1);
}

#[test]
fn d13_neither_cache_clear_nor_a_project_loses_an_original() {
    let world = World::new(&long_session());
    let before = world.work().read("long.json");
    let handle = trim(&world);
    assert_ne!(world.work().read("long.json"), before);
    assert_eq!(run(&world, &["cache", "clear"]).code, 0);
    assert_eq!(run(&world, &["recall", &handle]).stdout, before);
    assert_eq!(run(&world, &["session", "restore", "long.json"]).stdout, before);
    world.work().write("loadline.toml", "[archive]\nretention = \"1s\"\n");
    let args = ["archive", "prune", "--now", "2026-11-30T00:00:00Z"];
    run(&world, &args);
    assert_eq!(run(&world, &["recall", &handle]).code, 0);
    assert_eq!(json(&world, &["archive", "info"])["retention"], "30d");
}

#[test]
fn d13_recall_serves_the_project_it_is_asked_in_alone() {
    let world = World::new(&format!("//- /other/.git/HEAD\nref\n{}", long_session()));
    let handle = trim(&world);
    let refused = crate::common::run_in(&world, "other", &["recall", &handle]).prints("");
    assert_snapshot!(refused.stderr.replace(&handle, "HANDLE"), @r#"
    error[LL-STO-002]: no original has the handle "HANDLE"
      hint: handles work in the project they come from, until `loadline archive prune`
    "#);
    assert_eq!(run(&world, &["recall", &handle]).code, 0);
}

#[test]
fn d13_install_or_a_hook_may_be_the_first_command() {
    for first in [
        &["install", "claude-code", "--yes"][..],
        &["hook", "claude-code", "post-tool-use"][..],
        &["statusline"][..],
    ] {
        let world = World::new("//- /a.txt\nhello world\n");
        run(&world, first);
        run(&world, &["count", "a.txt"]).exits(0).is_silent();
        assert_eq!(json(&world, &["cache", "info"])["exists"], true);
        assert_eq!(run(&world, &["cache", "clear"]).code, 0, "{first:?}");
    }
}

#[test]
fn what_an_older_version_kept_is_recalled() {
    let world = World::new(&long_session());
    let text = world.work().read("long.json");
    let handle = trim(&world);
    // It kept them in the cache directory, without projects.
    let data = world.home().join(".local/share/loadline/archive");
    let project = std::fs::read_dir(data.join("projects")).unwrap().next();
    let old = world.home().join(".cache/loadline/blobs");
    std::fs::rename(project.unwrap().unwrap().path().join("originals"), &old).unwrap();
    std::fs::remove_dir_all(data).unwrap();
    assert_eq!(run(&world, &["recall", &handle]).stdout, text);
    assert!(!old.exists());
    run(&world, &["cache", "clear"]);
    assert_eq!(run(&world, &["recall", &handle]).stdout, text);
}
