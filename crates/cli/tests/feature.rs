//! `loadline feature compact`, `history`

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::common::{World, json, loadline, run};

pub(crate) const NOW: [&str; 2] = ["--now", "2026-01-31T12:00:00Z"];
pub(crate) const ROOT: &str = ".claude/plans/features";

/// A project with a feature `login` that repeats itself, and a small one.
pub(crate) fn project() -> World {
    let world = World::new(
        "
        //- /.claude/active-focus.md
        # Focus

        feature: login
        //- /.claude/plans/features/login/state.json
        {
          \"phase\": \"build\"
        }
        //- /.claude/plans/features/login/tasks.md
        - [x] sign in
        - [ ] sign out
        //- /.claude/plans/features/small/progress.md
        Nothing to see here.
        ",
    );
    let said =
        "The handler of the login form was read once more, and it still looks just as before.";
    let text = format!(
        "# Progress\n\n{}## Decision: sessions live in cookies\n",
        format!("{said}\n\n").repeat(60)
    );
    world.work().write(&format!("{ROOT}/login/progress.md"), text);
    world
}

/// Runs a command at a fixed time, with a small budget for notes.
pub(crate) fn at(world: &World, args: &[&str]) -> crate::common::Run {
    run(world, &[args, &NOW].concat())
}

/// All files of the features with their contents.
pub(crate) fn files(world: &World) -> BTreeMap<String, String> {
    fn below(directory: &Path, root: &Path, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, root, found);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                let bytes = fs::read(&path).unwrap();
                found.insert(name, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    let root = world.work().path(ROOT);
    let mut found = BTreeMap::new();
    below(&root, &root, &mut found);
    found
}

fn notes(world: &World) -> BTreeMap<String, String> {
    let files = files(world).into_iter();
    files.filter(|(name, _)| !name.contains(".compaction")).collect()
}

#[test]
fn f233_a_feature_is_compacted_and_reverted() {
    let world = project();
    let before = notes(&world);
    let done = at(&world, &["feature", "compact", "login", "--level", "compact"])
        .exits(0)
        .is_silent()
        .begins("login: compacted to level compact\nSaved: ");
    let until =
        "Until 2026-02-01T12:00:00Z: loadline feature compact login --revert compact_1769860800\n";
    assert!(done.stdout.ends_with(until), "{done}");
    let after = notes(&world);
    assert!(after["login/progress.md"].len() < 300, "{after:?}");
    assert!(after["login/progress.md"].contains("## Decision: sessions live in cookies"));
    assert!(after["login/state.json"].contains("\"lastCompaction\""));
    let id = "compact_1769860800";
    at(&world, &["feature", "compact", "login", "--revert", id, "--dry-run"])
        .shows(&["would be taken back, 2 files"]);
    assert_eq!(notes(&world), after);
    at(&world, &["feature", "compact", "login", "--revert", id]).exits(0);
    assert_eq!(notes(&world), before);
    let again = at(&world, &["feature", "compact", "login", "--revert", id]);
    assert_snapshot!(again, @r"
    --- stderr
    error[LL-MEM-026]: compact_1769860800 is reverted already
      hint: revert revert_1769860800 to restore it
    --- exit 1
    ");
}

#[test]
fn f192_f193_a_dry_run_writes_nothing_and_says_what_the_run_will_do() {
    let world = project();
    let before = files(&world);
    for level in ["compact", "summarize", "handoff"] {
        at(&world, &["feature", "compact", "login", "--level", level, "--dry-run"])
            .exits(0)
            .shows(&[&format!("would be compacted to level {level}\nSaves: ")]);
        assert_eq!(files(&world), before);
    }
    let args = ["feature", "compact", "login", "--level", "compact"];
    let dry = json(&world, &[&args, &["--dry-run"][..], &NOW].concat());
    let done = json(&world, &[&args, &NOW[..]].concat());
    for key in ["original_tokens", "compacted_tokens", "saved_tokens", "items_compacted", "level"] {
        assert_eq!(dry[key], done[key], "{key}");
    }
    assert_eq!((&dry["dry_run"], &dry["can_revert"]), (&true.into(), &false.into()));
    assert_eq!(done["can_revert"], true);
    assert_eq!(done["history_id"], "compact_1769860800");
    assert_eq!(done["timestamp"], "2026-01-31T12:00:00Z");
    let number = |key: &str| done[key].as_u64().unwrap();
    assert_eq!(number("original_tokens") - number("compacted_tokens"), number("saved_tokens"));
    let item = &done["items"][0];
    assert_eq!((&item["type"], &item["can_revert"]), (&"duplicate".into(), &true.into()));
    assert!(item["original_size"].as_u64() > item["compacted_size"].as_u64());
}

#[test]
fn f233_unknown_levels_features_and_names_are_one_clear_error() {
    let world = project();
    let run = at(&world, &["feature", "compact", "login", "--level", "hard"]);
    assert_snapshot!(run, @r#"
    --- stderr
    error[LL-MEM-004]: unknown level "hard"
      hint: levels are compact, summarize and handoff
    --- exit 2
    "#);
    for (name, code) in [("other", 1), ("../login", 2), ("ключ", 2), ("", 2)] {
        at(&world, &["feature", "compact", name]).exits(code).says(&["hint: "]);
    }
    at(&world, &["feature", "compact", "login", "--revert", "compact_1"])
        .says(&["there is no \"compact_1\" in the history"]);
    assert!(!world.work().path(&format!("{ROOT}/login/.compaction")).exists());
}

#[test]
fn f191_notes_that_fit_are_left_alone() {
    let world = project();
    let before = files(&world);
    let run = at(&world, &["feature", "compact", "small"]);
    assert_snapshot!(run, @"small: nothing to do at level raw, 5 tokens");
    assert_eq!(files(&world), before);
    // As full as they are, so far they go.
    let world = project().with("LOADLINE_MEMORY_MAX_TOKENS", "1200");
    at(&world, &["feature", "compact", "login"]).shows(&["to level "]);
}

#[test]
fn f198_a_summary_in_the_words_of_a_command() {
    let world = project().with("PATH", "/usr/bin:/bin");
    let compact = |command: &str| {
        let args = ["feature", "compact", "login", "--level", "summarize", "--dry-run"];
        let mut typed = loadline(&world, &args);
        typed.args(["--summarizer", command, "--json"]).args(NOW);
        world.run(&mut typed)
    };
    compact("cat > /dev/null; echo The form works but for passwords.").exits(0);
    compact("exit 1").exits(0).shows(&["by rule instead"]);
}

#[test]
fn f219_edits_are_kept_unless_forced() {
    let world = project();
    at(&world, &["feature", "compact", "login", "--level", "summarize"]);
    world.work().write(&format!("{ROOT}/login/summary.md"), "mine");
    let revert = ["feature", "compact", "login", "--revert", "summarize_1769860800"];
    at(&world, &revert).exits(1).says(&["changed since summarize_1769860800: summary.md"]);
    at(&world, &[&revert[..], &["--force"]].concat()).exits(0);
    assert!(!notes(&world).contains_key("login/summary.md"));
}

#[test]
fn f220_the_history_says_what_can_be_reverted() {
    let world = project();
    let nothing = at(&world, &["feature", "history", "login"]);
    assert_snapshot!(nothing, @"login: nothing was done yet");
    at(&world, &["feature", "compact", "login", "--level", "compact"]);
    at(&world, &["feature", "compact", "login", "--revert", "compact_1769860800"]);
    let listed = at(&world, &["feature", "history", "login"])
        .shows(&["reverted 2026-01-31T12:00:00Z by revert_1769860800"])
        .stdout;
    let first: Vec<&str> = listed.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(first[..2], ["revert_1769860800", "compact_1769860800"], "{listed}");
    let document = json(&world, &[&["feature", "history", "login"], &NOW[..]].concat());
    assert_eq!(document["entries"][0]["can_revert"], true);
    assert_eq!(document["entries"][1]["reverted"], true);
    assert_eq!(document["checkpoints"].as_array().unwrap().len(), 2);
    let later = ["feature", "history", "login", "--now", "2026-02-02T00:00:00Z"];
    assert!(run(&world, &later).stdout.contains("for good"));
}

#[test]
fn f272_all_features_share_a_budget() {
    let world = project();
    let args = ["feature", "compact", "--all", "--budget", "300"];
    let before = files(&world);
    let dry = json(&world, &[&args, &["--dry-run"][..], &NOW].concat());
    assert_eq!(files(&world), before);
    assert_eq!(dry["features"][0]["feature"], "login");
    at(&world, &args).exits(0).shows(&["All features: "]);
    assert!(dry["compacted_tokens"].as_u64().unwrap() <= 300, "{dry}");
    // What fits is left alone.
    let again = json(&world, &[&args, &NOW[..]].concat());
    assert_eq!(again["features"].as_array().unwrap().len(), 0);
    at(&world, &["feature", "compact", "--all"]).exits(2);
}
