//! What the history, the archive and the snapshots say.

use serde_json::Value;

use super::super::super::{
    archived, checkpoint, checkpoints, compact, measure_feature, record_usage, restore,
};
use super::*;
use crate::Diagnose;
use crate::cache::Cache;

fn compacted() -> (World, String) {
    let world = World::usual();
    let done = world.apply(world.plan(Level::Compact), &options(0));
    (world, done.entry.unwrap().id)
}

fn kept(world: &World, path: &str) -> String {
    world.read(&format!(".compaction/{path}"))
}

#[test]
fn f214_a_record_says_what_was_done() {
    let (world, id) = compacted();
    assert_eq!(id, format!("compact_{START}"));
    let record: Value = serde_json::from_str(&kept(&world, &format!("history/{id}.json"))).unwrap();
    for (key, value) in [
        ("id", Value::from(id.clone())),
        ("timestamp", "2026-01-31T12:00:00Z".into()),
        ("level", "compact".into()),
        ("tokensBefore", 18_670.into()),
        ("tokensAfter", 10_220.into()),
        ("savedTokens", 8_450.into()),
        ("canRevert", true.into()),
        ("expiresAt", "2026-02-01T12:00:00Z".into()),
    ] {
        assert_eq!(record[key], value, "{key}");
    }
    let files = record["files"].as_array().unwrap();
    let paths: Vec<&str> = files.iter().filter_map(|it| it["path"].as_str()).collect();
    assert_eq!(paths, ["notes.md", "progress.md", "summary.md", "tasks.md", "state.json"]);
    assert_eq!(files[1]["sizeBefore"], 38);
    assert_eq!(files[1]["sizeAfter"], 18);
    assert_eq!(files[1]["backup"], ".compaction/archived/2026-01-31_progress.md");
    assert_eq!(files[1]["sha256Before"].as_str().unwrap().len(), 64);
    assert_eq!(files[2]["backup"], Value::Null);
    // Two in the same second have names of their own.
    world.write("notes.md", "again");
    let again = world.apply(world.plan(Level::Compact), &options(0));
    assert_eq!(again.entry.unwrap().id, format!("{id}-2"));
}

#[test]
fn f215_names_of_records_begin_with_their_level() {
    let world = World::usual();
    for (level, name) in [(Level::Summarize, "summarize"), (Level::Handoff, "handoff")] {
        world.write("notes.md", name);
        let done = world.apply(world.plan(level), &options(3));
        assert_eq!(done.entry.unwrap().id, format!("{name}_{}", START + 3));
    }
}

#[test]
fn f209_originals_are_archived_whole_and_never_overwritten() {
    let (world, id) = compacted();
    let original = "# Progress\n\nlong, long ago\n\nand so on\n";
    assert_eq!(kept(&world, "archived/2026-01-31_progress.md"), original);
    let record = kept(&world, &format!("history/{id}.json"));
    let record: Value = serde_json::from_str(&record).unwrap();
    let file = &record["files"][1];
    assert_eq!(file["backup"], ".compaction/archived/2026-01-31_progress.md");
    assert_eq!(file["mtimeBefore"], "2026-01-29T12:00:00.123456789Z");
    #[cfg(unix)]
    assert_eq!(file["modeBefore"], 0o640);
    world.write("progress.md", "second");
    world.apply(world.plan(Level::Compact), &options(60));
    assert_eq!(kept(&world, "archived/2026-01-31_progress.md"), original);
    assert_eq!(kept(&world, "archived/2026-01-31_progress.md-2"), "second");
    let (files, notes) = archived(&world.feature).unwrap();
    assert_eq!((files.len(), notes), (8, Vec::new()));
}

#[test]
fn f200_an_archive_survives_names_of_any_length() {
    let name = format!("{}.md", "ж".repeat(120));
    let world = World::new(&[(name.as_str(), "long")]);
    let before = world.tree();
    let change = FileChange {
        name: name.clone(),
        before: Some(b"long".to_vec()),
        after: None,
        items: Vec::new(),
    };
    let done = world.apply(plan_of(Level::Compact, vec![change]), &options(0));
    assert!(world.tree().is_empty());
    world.revert(&done.entry.unwrap().id, 1).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn f216_a_revert_is_refused_after_its_time_and_for_unknown_names() {
    let (world, id) = compacted();
    let error = world.revert(&id, DAY + 1).unwrap_err();
    assert_eq!(error.code(), "LL-MEM-025");
    assert_eq!(error.to_string(), format!("{id} could be reverted until 2026-02-01T12:00:00Z"));
    let error = world.revert("compact_1", 1).unwrap_err();
    assert_eq!(error.code(), "LL-MEM-024");
    assert_eq!(error.hint(), Some(format!("there are {id}")));
    for odd in ["../../etc/passwd", "", "ключ", ".."] {
        assert_eq!(world.revert(odd, 1).unwrap_err().code(), "LL-MEM-024");
    }
    // The last moment counts.
    world.revert(&id, DAY).unwrap();
    let nothing = World::usual();
    assert!(nothing.revert(&id, 1).is_err());
    assert!(!nothing.feature.path(".compaction").exists());
}

#[test]
fn f217_a_revert_is_marked_and_can_be_reverted() {
    let world = World::usual();
    let before = world.tree();
    let id = world.apply(world.plan(Level::Summarize), &options(0)).entry.unwrap().id;
    let compacted = world.contents();
    let reverted = world.revert(&id, 10).unwrap();
    assert_eq!(world.tree(), before);
    assert_eq!(reverted.entry.reverts, Some(id.clone()));
    assert_eq!(reverted.entry.tokens_before, Some(10_220));
    assert!(reverted.entry.checkpoint.unwrap().starts_with("pre-revert-2026-01-31-"));
    let (entries, _) = history(&world.feature).unwrap();
    assert!(entries[0].reverted);
    assert_eq!(entries[0].reverted_at, Some(options(10).now));
    let error = world.revert(&id, 11).unwrap_err();
    assert_eq!(error.code(), "LL-MEM-026");
    assert!(error.hint().unwrap().contains(&reverted.entry.id));
    // Forth and back again, any number of times.
    let again = world.revert(&reverted.entry.id, 12).unwrap();
    assert_eq!(world.contents(), compacted);
    world.revert(&again.entry.id, 13).unwrap();
    assert_eq!(world.tree(), before);
    assert_eq!(world.revert(&id, 14).unwrap_err().code(), "LL-MEM-026");
}

#[test]
fn f219_a_file_that_was_edited_is_not_replaced_without_force() {
    let (world, id) = compacted();
    world.write("progress.md", "edited by hand");
    fs::remove_file(world.feature.path("tasks.md")).unwrap();
    let before = world.tree();
    let error = world.revert(&id, 5).unwrap_err();
    assert_eq!(error.to_string(), format!("changed since {id}: progress.md, tasks.md"));
    assert_eq!(world.tree(), before);
    let forced = revert(&world.feature, &id, Edits::Replace, &options(6)).unwrap();
    assert!(world.read("progress.md").contains("long ago"));
    // What was edited is not lost either.
    world.revert(&forced.entry.id, 7).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn f219_a_later_compaction_is_named() {
    let (world, first) = compacted();
    let change = FileChange {
        name: "tasks.md".to_owned(),
        before: Some(world.read("tasks.md").into_bytes()),
        after: Some(b"- [x] two\n".to_vec()),
        items: Vec::new(),
    };
    let plan = plan_of(Level::Summarize, vec![change]);
    let later = world.apply(plan, &options(5)).entry.unwrap().id;
    let error = world.revert(&first, 6).unwrap_err();
    assert_eq!(error.to_string(), format!("changed since {first}: tasks.md"));
    assert_eq!(error.hint(), Some(format!("revert {later} first, or add --force")));
}

#[test]
fn f206_the_document_of_a_handoff_names_its_snapshot() {
    let world = World::usual();
    let before = world.tree();
    let now = options(0);
    let done = compact(&world.feature, Some(Level::Handoff), &memory(now.now), &now).unwrap();
    let entry = done.entry.unwrap();
    let checkpoint = entry.checkpoint.unwrap();
    assert!(checkpoint.starts_with("context_overflow-"), "{checkpoint}");
    let document = world.read("handoff.md");
    assert!(document.contains(&checkpoint), "{document}");
    world.revert(&entry.id, 1).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn f216_a_clock_that_goes_backwards_brings_nothing_back() {
    let (world, id) = compacted();
    world.write("notes.md", "new");
    // Two days pass, which the next record shows.
    world.apply(world.plan(Level::Compact), &options(2 * DAY));
    let error = world.revert(&id, 60).unwrap_err();
    assert_eq!(error.code(), "LL-MEM-025");
    // What is done now, before the last record by the clock, can be reverted and comes last.
    let before = world.tree();
    let now = options(-5 * DAY);
    world.write("notes.md", "newer");
    let done = world.apply(world.plan(Level::Compact), &now).entry.unwrap();
    assert_eq!(done.sequence, 3);
    world.revert(&done.id, -5 * DAY + 9).unwrap();
    assert_eq!(world.tree().len(), before.len() + 1);
}

#[test]
fn f270_originals_are_compressed_once_nothing_can_be_reverted_to_them() {
    let (world, id) = compacted();
    let original = kept(&world, "archived/2026-01-31_progress.md");
    world.write("notes.md", "new");
    world.apply(world.plan(Level::Compact), &options(DAY + 1));
    let path = |name: &str| world.feature.path(&format!(".compaction/archived/{name}"));
    assert!(!path("2026-01-31_progress.md").exists());
    let packed = fs::read(path("2026-01-31_progress.md.zst")).unwrap();
    assert_eq!(zstd::decode_all(packed.as_slice()).unwrap(), original.as_bytes());
    // It can be restored at any time.
    assert_eq!(world.revert(&id, DAY + 2).unwrap_err().code(), "LL-MEM-025");
    let name = "2026-01-31_progress.md";
    let error = restore(&world.feature, name, Edits::Refuse, &options(DAY + 3)).unwrap_err();
    assert_eq!(error.to_string(), "progress.md is there and has other content");
    restore(&world.feature, name, Edits::Replace, &options(DAY + 3)).unwrap();
    assert_eq!(world.read("progress.md"), original);
}

#[test]
fn f221_ten_snapshots_are_kept_and_those_that_are_needed() {
    let (world, _) = compacted();
    let needed = checkpoints(&world.feature).unwrap().0[0].id.clone();
    assert_eq!(needed, format!("pre-compaction-2026-01-31-{}", START * 1_000));
    for second in 1..=14 {
        world.write("notes.md", &second.to_string());
        checkpoint(&world.feature, "pre-compaction", &options(second)).unwrap();
    }
    world.apply(world.plan(Level::Compact), &options(20));
    let ids = |world: &World| -> Vec<String> {
        let (all, _) = checkpoints(&world.feature).unwrap();
        all.into_iter().map(|it| it.id).collect()
    };
    assert_eq!(ids(&world).len(), 11);
    assert_eq!(ids(&world)[0], needed);
    world.write("notes.md", "a day later");
    world.apply(world.plan(Level::Compact), &options(DAY + 30));
    assert_eq!(ids(&world).len(), 10);
    assert!(!ids(&world).contains(&needed));
}

#[test]
fn f224_a_snapshot_is_taken_first_and_notes_can_go_back_to_it() {
    let world = World::usual();
    let before = world.tree();
    let done = world.apply(world.plan(Level::Handoff), &options(0));
    let id = done.entry.unwrap().checkpoint.unwrap();
    assert!(id.starts_with("context_overflow-2026-01-31-"), "{id}");
    let (all, _) = checkpoints(&world.feature).unwrap();
    let names: Vec<&str> = all[0].files.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["notes.md", "progress.md", "state.json", "tasks.md", "untouched.txt"]);
    fs::remove_file(world.feature.path("summary.md")).unwrap();
    world.write("tasks.md", "edited");
    let back = world.revert(&id, 5).unwrap();
    assert_eq!(world.tree(), before);
    assert_eq!(back.plan.files.len(), 4);
    world.revert(&back.entry.id, 6).unwrap();
    assert_eq!(world.read("tasks.md"), "edited");
}

#[test]
fn f223_state_says_what_is_in_use_and_what_was_done() {
    let world = World::usual();
    let before = world.tree();
    let done = world.apply(world.plan(Level::Compact), &options(0));
    assert_eq!(
        world.read("state.json"),
        r#"{
  "phase": "build",
  "x": [1,  2],
  "tokenUsage": {
    "currentTokens": 10220,
    "maxTokens": 80000,
    "usagePercentage": 12.8,
    "level": "raw",
    "lastChecked": "2026-01-31T12:00:00Z"
  },
  "lastCompaction": {
    "timestamp": "2026-01-31T12:00:00Z",
    "level": "compact",
    "tokensBefore": 18670,
    "tokensAfter": 10220,
    "savedTokens": 8450
  }
}
"#
    );
    // Looking at the status writes to the same file, and must not be in the way.
    let later = options(60);
    let status = measure_feature(&world.feature, &memory(later.now), &Cache::disabled()).unwrap();
    assert!(record_usage(&world.feature, &status, later.now).unwrap());
    world.revert(&done.entry.unwrap().id, 61).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn f223_a_state_that_is_no_json_is_left_alone() {
    for text in ["no json", "[1]", ""] {
        let world = World::new(&[("state.json", text), ("progress.md", "x\n")]);
        let change = FileChange {
            name: "progress.md".to_owned(),
            before: Some(b"x\n".to_vec()),
            after: None,
            items: Vec::new(),
        };
        let done = world.apply(plan_of(Level::Compact, vec![change]), &options(0));
        match text {
            "" => assert!(world.read("state.json").contains("lastCompaction")),
            _ => {
                assert_eq!(world.read("state.json"), text);
                assert!(done.notes[0].message.contains("no JSON object"));
            }
        }
    }
}

#[test]
fn f192_nothing_to_do_writes_nothing() {
    let world = World::usual();
    let before = world.tree();
    let now = options(0);
    let done = compact(&world.feature, None, &memory(now.now), &now).unwrap();
    assert!(done.entry.is_none());
    assert_eq!(done.plan.level, Level::Raw);
    assert_eq!(world.tree(), before);
    assert!(!world.feature.path(".compaction").exists());
}
