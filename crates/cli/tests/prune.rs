//! `loadline context prune`

use std::fs::File;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;

use crate::common::{World, json};
use crate::feature::{NOW, ROOT, at, files, project};

/// Makes a note of `login` so many days old.
fn age(world: &World, name: &str, days: u64) {
    let path = world.work().path(&format!("{ROOT}/login/{name}"));
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_860_800);
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(now - Duration::from_secs(days * 86_400)).unwrap();
}

fn aged() -> World {
    let world = project();
    for name in ["state.json", "tasks.md"] {
        age(&world, name, 99);
    }
    world.work().write(&format!("{ROOT}/login/research.md"), "old\n");
    age(&world, "research.md", 31);
    world
}

#[test]
fn f235_old_notes_are_archived_and_restored() {
    let world = aged();
    let before = files(&world);
    let dry = at(&world, &["context", "prune", "login", "--dry-run"]);
    assert_snapshot!(dry, @r"
    login: 1 file would be archived
      research.md   4 bytes  31d old
      state.json   23 bytes  99d old, stays: the feature is worked on
      tasks.md     29 bytes  99d old, stays: the feature is worked on
    ");
    assert_eq!(files(&world), before);
    let id = "prune_1769860800";
    at(&world, &["context", "prune", "login"])
        .shows(&["login: 1 file archived\n", &format!("loadline notes restore login {id}\n")]);
    assert!(!files(&world).contains_key("login/research.md"));
    at(&world, &["context", "prune", "login", "--restore", id]).exits(0);
    assert_eq!(files(&world)["login/research.md"], "old\n");
    at(&world, &["context", "prune", "login", "--restore", "prune_1"])
        .says(&["there are prune_1769860800"]);
}

#[test]
fn f235_the_project_context_is_cut_too() {
    let world = aged();
    let lines: String = (0..600).map(|line| format!("line {line}\n")).collect();
    let path = ".claude/memory/project-context.md";
    world.work().write(path, format!("# Context\n{lines}"));
    let document = json(&world, &[&["context", "prune", "login"], &NOW[..]].concat());
    assert_eq!(document["archived"][0]["path"], "research.md");
    assert_eq!(document["protected"].as_array().unwrap().len(), 2);
    assert_eq!(document["project_context"]["lines_before"], 601);
    assert_eq!(document["project_context"]["lines_after"], 500);
    let text = world.work().read(path);
    assert!(text.starts_with("# Context\n<!-- older text"), "{text}");
    assert!(text.ends_with("line 599\n"));
    // One name for what was done at once.
    at(&world, &["context", "prune", "login", "--restore", "prune_1769860800"])
        .shows(&["prune_1769860800 is restored, 2 files"]);
    assert_eq!(world.work().read(path), format!("# Context\n{lines}"));
    assert_eq!(files(&world)["login/research.md"], "old\n");
}

#[test]
fn f208_a_missing_feature_is_an_empty_result() {
    let world = project();
    at(&world, &["context", "prune", "other"])
        .exits(0)
        .prints("other: 0 files archived\n")
        .says(&["unknown feature \"other\""]);
}

#[test]
fn f208_the_age_is_configured() {
    let world = aged().with("LOADLINE_MEMORY_MAX_AGE", "40d");
    at(&world, &["context", "prune", "login", "--dry-run"])
        .begins("login: 0 files would be archived\n");
}
