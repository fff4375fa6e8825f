//! What notes leave on disk: records, originals, snapshots, and the way back

use std::process::Command;

use crate::common::{World, json, names, parsed, run};
use crate::feature::{NOW, ROOT, at, files, project};

const ID: &str = "compact_1769860800";
const KEPT: &str = ".compaction";

fn compacted() -> World {
    let world = project();
    at(&world, &["notes", "compact", "login", "--level", "compact"]).exits(0);
    world
}

fn kept(world: &World, path: &str) -> String {
    world.work().read(&format!("{ROOT}/login/{KEPT}/{path}"))
}

fn later(world: &World, seconds: i64, args: &[&str]) -> crate::common::Run {
    let now = (1_769_860_800 + seconds).to_string();
    run(world, &[args, &["--now", &now]].concat())
}

#[test]
fn f214_f215_f209_f200_a_record_describes_what_was_done_and_kept() {
    let before = files(&project());
    let world = compacted();
    let record = parsed(&kept(&world, &format!("history/{ID}.json")));
    for (key, value) in [
        ("id", ID),
        ("timestamp", "2026-01-31T12:00:00Z"),
        ("level", "compact"),
        ("expiresAt", "2026-02-01T12:00:00Z"),
    ] {
        assert_eq!(record[key], value);
    }
    let saved = record["tokensBefore"].as_u64().unwrap() - record["tokensAfter"].as_u64().unwrap();
    assert_eq!(record["savedTokens"], saved);
    let file = &record["files"][0];
    assert_eq!(file["path"], "progress.md");
    assert_eq!(file["backup"], ".compaction/archived/2026-01-31_progress.md");
    assert_eq!(file["sizeBefore"], before["login/progress.md"].len());
    assert_eq!(file["sha256Before"].as_str().unwrap().len(), 64);
    assert_eq!(kept(&world, "archived/2026-01-31_progress.md"), before["login/progress.md"]);
    assert_eq!(kept(&world, ".gitignore"), "*\n");
    // Nothing is overwritten, and two in one second have names of their own.
    world.work().write(&format!("{ROOT}/login/progress.md"), &before["login/progress.md"]);
    at(&world, &["notes", "compact", "login", "--level", "summarize"]);
    assert!(kept(&world, "history/summarize_1769860800.json").contains("-2"));
    assert_eq!(kept(&world, "archived/2026-01-31_progress.md-2"), before["login/progress.md"]);
}

#[test]
fn f216_f217_f218_f224_notes_go_back_byte_for_byte_within_their_time() {
    let before = files(&project());
    let notes = |world: &World| {
        files(world).into_iter().filter(|(name, _)| !name.contains(KEPT)).collect::<Vec<_>>()
    };
    let original: Vec<_> = before.into_iter().collect();
    let world = compacted();
    let reduced = notes(&world);
    let revert = |seconds: i64, id: &str| {
        later(&world, seconds, &["feature", "compact", "login", "--revert", id])
    };
    revert(86_401, ID).says(&["could be reverted until 2026-02-01T12:00:00Z"]);
    for odd in ["compact_1", "../../etc/passwd", ".."] {
        revert(1, odd).exits(2).says(&[ID]);
    }
    assert_eq!(revert(86_400, ID).code, 0);
    assert_eq!(notes(&world), original);
    let document = json(&world, &[&["notes", "history", "login"], &NOW[..]].concat());
    assert_eq!(document["entries"][1]["reverted"], true);
    assert_eq!(document["checkpoints"].as_array().unwrap().len(), 2);
    // A revert can be reverted, and notes can go back to a snapshot.
    let again = document["entries"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(revert(86_401, &again).code, 0);
    assert_eq!(notes(&world), reduced);
    let snapshot = document["checkpoints"][1]["id"].as_str().unwrap().to_owned();
    assert_eq!(revert(86_402, &snapshot).code, 0);
    assert_eq!(notes(&world), original);
}

#[test]
fn f206_f221_snapshots_are_taken_first_and_ten_are_kept() {
    let world = compacted();
    for second in 1..=13 {
        let text = format!(
            "{}\n",
            "The same line was written once more, as before.\n\n".repeat(second + 9)
        );
        world.work().write(&format!("{ROOT}/login/progress.md"), text);
        later(&world, second as i64, &["notes", "compact", "login", "--level", "compact"]).exits(0);
    }
    let count =
        |world: &World| files(world).keys().filter(|it| it.contains("/checkpoints/")).count();
    // While they can be reverted to, all of them stay.
    assert_eq!(count(&world), 14);
    world.work().write(
        &format!("{ROOT}/login/progress.md"),
        "Said twice, and long enough to count.\n\n".repeat(40),
    );
    later(&world, 2 * 86_400, &["notes", "compact", "login", "--level", "compact"]);
    assert_eq!(count(&world), 10);
}

#[test]
fn f202_f210_f211_f212_f213_pruning_keeps_what_is_worked_on() {
    let world =
        project().with("LOADLINE_MEMORY_MAX_AGE", "1s").with("LOADLINE_MEMORY_MAX_LINES", "3");
    world.work().write(".claude/memory/project-context.md", "# A\none\ntwo\n# B\nthree\nfour\n");

    at(&world, &["context", "status"]).says(&["has 6 lines, above memory.max_lines (3)"]);
    let before = files(&world);
    let args = ["notes", "prune", "login", "--json", "--now", "2040-01-01T00:00:00Z"];
    let plan = parsed(&run(&world, &[&args[..], &["--dry-run"]].concat()).stdout);
    assert_eq!(names(&plan["archived"], "path"), ["progress.md"]);
    assert_eq!(names(&plan["protected"], "path"), ["state.json", "tasks.md"]);
    assert_eq!(plan["project_context"]["lines_after"], 3);
    assert_eq!(files(&world), before);
    // With a lifecycle, a feature that nobody works on goes as a whole.
    std::fs::remove_file(world.work().path(".claude/active-focus.md")).unwrap();
    world.work().write(&format!("{ROOT}/login/state.json"), "{\"status\": \"done\"}");
    let world = world.with("LOADLINE_MEMORY_LIFECYCLE", "true");
    let done = parsed(&run(&world, &args).stdout);
    assert_eq!(done["stage"], "archived", "{done}");
    assert_eq!(done["archived"].as_array().unwrap().len(), 3);
}

#[cfg(unix)]
#[test]
fn f194_f226_many_processes_do_the_work_once() {
    let world = project();
    let spawn = |_: usize| -> std::process::Child {
        let mut command: Command =
            crate::common::loadline(&world, &["notes", "compact", "login", "--level", "compact"]);
        command.args(NOW).spawn().unwrap()
    };
    let children: Vec<_> = (0..4).map(spawn).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let records = files(&world).into_keys().filter(|it| it.contains("/history/")).count();
    assert_eq!(records, 1);
    // What an interruption left is taken back by the next command.
    world.work().write(&format!("{ROOT}/login/{KEPT}/tmp-0"), "half");
    assert_eq!(at(&world, &["notes", "status", "login"]).code, 0);
    assert!(!world.work().path(&format!("{ROOT}/login/{KEPT}/tmp-0")).exists());
}

#[test]
fn f270_originals_are_compressed_once_nothing_can_be_reverted_to_them() {
    let before = files(&project())["login/progress.md"].clone();
    let world = compacted();
    world.work().write(
        &format!("{ROOT}/login/progress.md"),
        "Said twice, and long enough to count.\n\n".repeat(40),
    );
    later(&world, 86_401, &["notes", "compact", "login", "--level", "compact"]).exits(0);
    let packed = format!("login/{KEPT}/archived/2026-01-31_progress.md.zst");
    let root = world.work().path(ROOT);
    let bytes = std::fs::read(root.join(&packed)).unwrap();
    assert_eq!(bytes[..4], [0x28, 0xb5, 0x2f, 0xfd], "the mark of zstd");
    assert!(bytes.len() < before.len());
    assert!(!root.join(packed.trim_end_matches(".zst")).exists());
    let name = "2026-01-31_progress.md";
    later(&world, 86_402, &["notes", "restore", "login", name, "--force"]).exits(0);
    assert_eq!(world.work().read(&format!("{ROOT}/login/progress.md")), before);
}
