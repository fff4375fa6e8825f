//! Others at work, files that changed, and what was tampered with.

use std::thread;

use super::super::super::{archived, compact, plan_compaction, restore};
use super::super::{Vault, VaultError};
use super::*;
use crate::Diagnose;

fn code(result: Result<impl std::fmt::Debug, NotesError>) -> &'static str {
    result.unwrap_err().code()
}

#[test]
fn f226_a_second_process_waits_and_then_gives_up() {
    let world = World::usual();
    let vault = Vault::new(world.feature.directory(), Disk::real()).unwrap();
    let held = vault.lock(Duration::ZERO).unwrap();
    let before = world.tree();
    let error = Action::Apply.run(&world.feature, &options(0)).unwrap_err();
    assert!(
        matches!(error, NotesError::Vault(VaultError::Busy { .. })),
        "{error}"
    );
    assert_eq!(world.tree(), before);
    let patient = WriteOptions {
        wait: Duration::from_secs(60),
        ..options(0)
    };
    thread::scope(|scope| {
        let waiting = scope.spawn(|| Action::Apply.run(&world.feature, &patient));
        drop(held);
        waiting.join().unwrap().unwrap();
    });
    assert_eq!(world.ids().len(), 1);
}

#[test]
fn f226_many_at_once_do_the_work_once() {
    let said =
        "The handler of the login form was read once more, and it still looks just as before.\n\n"
            .repeat(40);
    let world = World::new(&[("progress.md", &said)]);
    let before = world.tree();
    let options = WriteOptions {
        wait: Duration::from_secs(60),
        ..options(0)
    };
    let memory = memory(options.now);
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| compact(&world.feature, Some(Level::Compact), &memory, &options));
        }
    });
    // All others plan on what the first one left.
    assert_eq!(world.ids().len(), 1);
    world.revert(&world.ids()[0], 1).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn files_that_change_between_plan_and_apply_are_named() {
    let world = World::usual();
    let plan = world.plan(Level::Compact);
    world.write("progress.md", "edited");
    fs::rename(
        world.feature.path("tasks.md"),
        world.feature.path("other.md"),
    )
    .unwrap();
    world.write("summary.md", "somebody else's");
    let before = world.tree();
    let now = options(0);
    let error = apply(&world.feature, plan, &memory(now.now), &now).unwrap_err();
    assert_eq!(error.code(), "LL-MEM-022");
    assert_eq!(
        error.to_string(),
        "changed since the plan was made: progress.md, summary.md, tasks.md"
    );
    assert_eq!(world.tree(), before);
    assert_eq!(world.ids(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn links_are_never_followed() {
    use std::os::unix::fs::symlink;
    let world = World::usual();
    let outside = directory();
    let secret = outside.path().join("secret.md");
    fs::write(&secret, "The same line.\n\nThe same line.\n\n".repeat(30)).unwrap();
    symlink(&secret, world.feature.path("linked.md")).unwrap();
    let now = options(0);
    // A plan passes it over; one that names it is refused.
    let plan = plan_compaction(&world.feature, Some(Level::Summarize), &memory(now.now)).unwrap();
    assert!(plan.changes.iter().all(|change| change.name != "linked.md"));
    let change = FileChange {
        name: "linked.md".to_owned(),
        before: Some(fs::read(&secret).unwrap()),
        after: Some(b"gone".to_vec()),
        items: Vec::new(),
    };
    let plan = plan_of(Level::Compact, vec![change]);
    assert_eq!(
        code(apply(&world.feature, plan, &memory(now.now), &now)),
        "LL-MEM-030"
    );
    let old = PruneOptions {
        max_age: Duration::from_secs(1),
        active: false,
        lifecycle: None,
    };
    let pruned = prune(&world.feature, &old, &options(90 * DAY)).unwrap();
    assert_eq!(pruned.plan.notes[0].subject, "linked.md");
    assert!(fs::read_to_string(&secret).unwrap().starts_with("The same"));
    // Nor may what is kept lead away.
    let other = World::usual();
    symlink(outside.path(), other.feature.path(".compaction")).unwrap();
    let plan = other.plan(Level::Compact);
    assert_eq!(
        code(apply(&other.feature, plan, &memory(now.now), &now)),
        "LL-MEM-030"
    );
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn names_that_lead_out_of_a_feature_are_refused() {
    let world = World::usual();
    for name in [
        "../out.md",
        "/etc/hosts",
        "deeper/file.md",
        "",
        ".",
        "a/../b",
        ".compaction/lock",
    ] {
        let change = FileChange {
            name: name.to_owned(),
            before: None,
            after: Some(b"x".to_vec()),
            items: Vec::new(),
        };
        let now = options(0);
        let plan = plan_of(Level::Compact, vec![change]);
        assert_eq!(
            code(apply(&world.feature, plan, &memory(now.now), &now)),
            "LL-MEM-031",
            "{name}"
        );
    }
}

#[test]
fn a_journal_that_leads_out_of_a_feature_is_refused() {
    let world = World::usual();
    fs::create_dir_all(world.feature.path(".compaction/staging")).unwrap();
    fs::write(world.feature.path(".compaction/staging/00001"), "evil").unwrap();
    let target = world.feature.directory().parent().unwrap().join("evil");
    for journal in [
        r#"{"version":1,"operation":"x","entries":[{"path":"../evil","before":null,"after":null,"staged":"00001","backup":null}]}"#,
        r#"{"version":1,"operation":"x","entries":[{"path":"a","before":null,"after":null,"staged":"../../../x","backup":null}]}"#,
        r#"{"version":9,"operation":"x","entries":[]}"#,
        "half a jour",
    ] {
        world.write(".compaction/journal.json", journal);
        let before = world.tree();
        let error = Action::Apply.run(&world.feature, &options(0)).unwrap_err();
        assert!(
            ["LL-MEM-028", "LL-MEM-031"].contains(&error.code()),
            "{error}"
        );
        assert_eq!(world.tree(), before);
        assert!(!target.exists());
        // It is named and stays for whoever looks.
        assert_eq!(world.read(".compaction/journal.json"), journal);
    }
}

#[test]
fn a_damaged_history_is_named_and_stays() {
    let world = World::usual();
    let done = world.apply(world.plan(Level::Compact), &options(0));
    let id = done.entry.unwrap().id;
    world.write(".compaction/history/compact_7.json", "{\"id\": 1");
    world.write(".compaction/history/compact_8.json", "{}");
    let (entries, notes) = history(&world.feature).unwrap();
    assert_eq!((entries.len(), notes.len()), (1, 2));
    assert!(
        notes[0].message.contains("compact_7.json is damaged"),
        "{}",
        notes[0]
    );
    let reverted = world.revert(&id, 1).unwrap();
    assert_eq!(reverted.notes.len(), 2);
    assert_eq!(world.read(".compaction/history/compact_8.json"), "{}");
}

#[test]
fn a_damaged_archive_is_named_and_nothing_is_changed() {
    let world = World::usual();
    let id = world
        .apply(world.plan(Level::Compact), &options(0))
        .entry
        .unwrap()
        .id;
    let before = world.tree();
    let backup = ".compaction/archived/2026-01-31_progress.md";
    let whole = world.read(backup);
    world.write(backup, "something else");
    let error = world.revert(&id, 1).unwrap_err();
    assert_eq!(error.code(), "LL-MEM-028");
    assert!(
        error
            .to_string()
            .contains("2026-01-31_progress.md is damaged"),
        "{error}"
    );
    assert_eq!(world.tree(), before);
    assert_eq!(world.read(backup), "something else");
    fs::remove_file(world.feature.path(backup)).unwrap();
    assert_eq!(code(world.revert(&id, 1)), "LL-MEM-029");
    assert_eq!(world.tree(), before);
    world.write(backup, &whole);
    world.write(
        &format!("{backup}.meta.json"),
        "{\"originalPath\": \"../../x\"",
    );
    let (_, notes) = archived(&world.feature).unwrap();
    assert_eq!(notes.len(), 1);
    let name = "2026-01-31_progress.md";
    let options = options(2);
    assert_eq!(
        code(restore(&world.feature, name, Edits::Refuse, &options)),
        "LL-MEM-024"
    );
    world.revert(&id, 3).unwrap();
}

#[test]
fn what_changed_after_a_crash_stays() {
    let world = Action::Apply.world();
    // Every file waits, none is installed yet.
    let steps = Fault::none();
    Action::Apply
        .run(
            &Action::Apply.world().feature,
            &failing(2 * DAY, steps.clone()),
        )
        .unwrap();
    for step in (1..steps.steps()).rev() {
        let broken = Fault::fail_from(step, std::io::ErrorKind::StorageFull);
        let world = Action::Apply.world();
        let _ = Action::Apply.run(&world.feature, &failing(2 * DAY, broken));
        let own = world.feature.path(".compaction");
        if own.join("journal.json").exists() && world.read("progress.md").contains("ago") {
            world.write("progress.md", "edited after the crash");
            let notes = recover(&world.feature, &options(2 * DAY)).unwrap();
            assert_eq!(world.read("progress.md"), "edited after the crash");
            assert!(
                notes.iter().any(|note| note.subject == "progress.md"),
                "{notes:?}"
            );
            assert!(
                notes
                    .iter()
                    .any(|note| note.message.ends_with("is finished"))
            );
            return;
        }
    }
    drop(world);
    panic!("no step leaves a journal");
}
