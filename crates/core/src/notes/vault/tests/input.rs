//! Others at work, files that changed, and what was tampered with.

use std::io::Read;
use std::thread;

use super::super::super::{compact, plan_compaction};
use super::super::{Vault, VaultError};
use super::*;
use crate::Diagnose;

fn code(result: Result<impl std::fmt::Debug, NotesError>) -> &'static str {
    result.unwrap_err().code()
}

#[test]
fn f226_a_second_process_waits_and_then_gives_up() {
    let world = World::usual();
    let vault = Vault::new(world.feature.directory(), Disk::real());
    let held = vault.lock(Duration::ZERO).unwrap();
    let before = world.tree();
    let error = Action::Apply.run(&world.feature, &options(0)).unwrap_err();
    assert!(matches!(error, NotesError::Vault(VaultError::Busy { .. })), "{error}");
    assert_eq!(world.tree(), before);
    let patient = WriteOptions { wait: Duration::from_secs(60), ..options(0) };
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
    let options = WriteOptions { wait: Duration::from_secs(60), ..options(0) };
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
    fs::rename(world.feature.path("tasks.md"), world.feature.path("other.md")).unwrap();
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
    assert_eq!(code(apply(&world.feature, plan, &memory(now.now), &now)), "LL-MEM-030");
    let old = PruneOptions { max_age: Duration::from_secs(1), active: false, lifecycle: None };
    let pruned = prune(&world.feature, &old, &options(90 * DAY)).unwrap();
    assert_eq!(pruned.plan.notes[0].subject, "linked.md");
    assert!(fs::read_to_string(&secret).unwrap().starts_with("The same"));
    // Nor may what is kept lead away.
    let other = World::usual();
    symlink(outside.path(), other.feature.path(".compaction")).unwrap();
    let plan = other.plan(Level::Compact);
    assert_eq!(code(apply(&other.feature, plan, &memory(now.now), &now)), "LL-MEM-030");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn names_that_lead_out_of_a_feature_are_refused() {
    let world = World::usual();
    for name in [
        "../out.md",
        "/etc/hosts",
        "deeper//file.md",
        "deeper/.compaction/lock",
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
fn d13_a_pending_record_that_leads_out_of_a_feature_is_refused() {
    let world = World::usual();
    let done = world.apply(world.plan(Level::Compact), &options(0));
    let id = done.entry.unwrap().id;
    let record = world.read(&format!(".compaction/history/{id}.json"));
    let target = world.feature.directory().parent().unwrap().join("evil");
    for (from, to) in [
        ("\"path\": \"progress.md\"", "\"path\": \"../evil\""),
        (".compaction/archived/2026", "../../evil/2026"),
        (".compaction/archived/2026", ".compaction/archived/../2026"),
        ("{", "half a rec"),
    ] {
        let bad = record.replacen(from, to, 1);
        assert_ne!(bad, record);
        world.write(".compaction/pending.json", &bad);
        let before = world.tree();
        let error = Action::Apply.run(&world.feature, &options(1)).unwrap_err();
        assert!(["LL-MEM-028", "LL-MEM-031"].contains(&error.code()), "{error}");
        assert_eq!(world.tree(), before);
        assert!(!target.exists());
        // It is named and stays for whoever looks.
        assert_eq!(world.read(".compaction/pending.json"), bad);
    }
}

#[test]
fn the_journal_of_an_older_version_is_named_with_the_next_step() {
    let world = World::usual();
    let done = world.apply(world.plan(Level::Compact), &options(0));
    world.write(".compaction/journal.json", "{}");
    let before = world.tree();
    let error = world.revert(&done.entry.unwrap().id, 1).unwrap_err();
    assert_eq!(error.code(), "LL-MEM-033");
    assert!(
        error.hint().unwrap().contains("older version")
            || error.to_string().contains("older version")
    );
    assert_eq!(world.tree(), before);
}

#[cfg(unix)]
#[test]
fn d13_a_directory_that_is_swapped_for_a_link_leads_nowhere() {
    use std::os::unix::fs::symlink;
    for name in ["archived", "history", "checkpoints", "staging"] {
        let world = World::usual();
        world.apply(world.plan(Level::Compact), &options(0));
        let outside = directory();
        for file in ["tmp-0", "00001", "letter.md", "2026-01-31_progress.md"] {
            fs::write(outside.path().join(file), "not ours").unwrap();
        }
        let place = world.feature.path(&format!(".compaction/{name}"));
        let _ = fs::remove_dir_all(&place);
        symlink(outside.path(), &place).unwrap();
        let _ = Action::Apply.run(&world.feature, &options(2 * DAY));
        let _ = recover(&world.feature, &options(2 * DAY));
        let left = fs::read_dir(outside.path()).unwrap().count();
        assert_eq!(left, 4, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn d13_a_vault_that_is_locked_keeps_its_directories() {
    use std::os::unix::fs::symlink;
    let world = World::usual();
    world.write("progress.md", "x");
    let vault = Vault::new(world.feature.directory(), Disk::real());
    let locked = vault.lock(Duration::ZERO).unwrap();
    let outside = directory();
    fs::write(outside.path().join("tmp-0"), "not ours").unwrap();
    // Between the lock and the work, somebody swaps the directory.
    let own = world.feature.path(".compaction");
    fs::rename(&own, world.feature.path("moved")).unwrap();
    symlink(outside.path(), &own).unwrap();
    let target = super::super::Target {
        path: "progress.md".to_owned(),
        expected: None,
        after: None,
        like: None,
    };
    let operation = super::super::Operation {
        kind: "prune",
        tokens: None,
        targets: vec![target],
        extra: Vec::new(),
        reverts: None,
        checkpoint: None,
        now: options(0).now,
        window: Duration::from_secs(9),
    };
    let _ = super::super::carry_out(&locked, operation);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn d13_a_record_cannot_make_a_file_run_as_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::usual();
    let done = world.apply(world.plan(Level::Compact), &options(0));
    let id = done.entry.unwrap().id;
    let path = format!(".compaction/history/{id}.json");
    let record = world.read(&path);
    let mode = format!("\"modeBefore\": {}", 0o640);
    assert!(record.contains(&mode), "{record}");
    let evil = record.replace(&mode, &format!("\"modeBefore\": {}", 0o6777));
    world.write(&path, &evil);
    world.revert(&id, 1).unwrap();
    let metadata = fs::metadata(world.feature.path("progress.md")).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o7777, 0o777);
}

#[test]
fn d13_a_compressed_bomb_is_not_unpacked() {
    let (world, id) = {
        let world = World::usual();
        let done = world.apply(world.plan(Level::Compact), &options(0));
        (world, done.entry.unwrap().id)
    };
    let original = world.feature.path(".compaction/archived/2026-01-31_progress.md");
    fs::remove_file(&original).unwrap();
    let bomb = zstd::encode_all(std::io::repeat(0).take(400 << 20), 3).unwrap();
    fs::write(original.with_extension("md.zst"), bomb).unwrap();
    let path = format!(".compaction/history/{id}.json");
    let record = world.read(&path);
    let size = record.find("\"sizeBefore\"").unwrap();
    let end = size + record[size..].find(',').unwrap();
    let huge = format!("{}\"sizeBefore\": {}{}", &record[..size], 1_u64 << 60, &record[end..]);
    world.write(&path, &huge);
    let error = world.revert(&id, 1).unwrap_err();
    assert_eq!(error.code(), "LL-MEM-028", "{error}");
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
    assert!(notes[0].message.contains("compact_7.json is damaged"), "{}", notes[0]);
    let reverted = world.revert(&id, 1).unwrap();
    assert_eq!(reverted.notes.len(), 2);
    assert_eq!(world.read(".compaction/history/compact_8.json"), "{}");
}

#[test]
fn a_damaged_archive_is_named_and_nothing_is_changed() {
    let world = World::usual();
    let id = world.apply(world.plan(Level::Compact), &options(0)).entry.unwrap().id;
    let before = world.tree();
    let backup = ".compaction/archived/2026-01-31_progress.md";
    let whole = world.read(backup);
    world.write(backup, "something else");
    let error = world.revert(&id, 1).unwrap_err();
    assert_eq!(error.code(), "LL-MEM-028");
    assert!(error.to_string().contains("2026-01-31_progress.md is damaged"), "{error}");
    assert_eq!(world.tree(), before);
    assert_eq!(world.read(backup), "something else");
    fs::remove_file(world.feature.path(backup)).unwrap();
    assert_eq!(code(world.revert(&id, 1)), "LL-MEM-029");
    assert_eq!(world.tree(), before);
    world.write(backup, &whole);
    world.revert(&id, 3).unwrap();
}

#[test]
fn what_changed_after_a_crash_stays() {
    let steps = Fault::none();
    let run = |fault: &Fault| {
        let world = Action::Apply.world();
        let _ = Action::Apply.run(&world.feature, &failing(2 * DAY, fault.clone()));
        world
    };
    run(&steps);
    let mut seen = [false, false];
    for step in 1..steps.steps() {
        let broken = Fault::fail_from(step, std::io::ErrorKind::StorageFull);
        let world = run(&broken);
        if !world.feature.path(".compaction/pending.json").exists() {
            continue;
        }
        let was_installed = !world.read("progress.md").contains("ago");
        seen[usize::from(was_installed)] = true;
        world.write("progress.md", "edited after the crash");
        let notes = recover(&world.feature, &options(2 * DAY)).unwrap();
        assert_eq!(world.read("progress.md"), "edited after the crash");
        assert!(notes.iter().any(|it| it.subject == "progress.md"), "{notes:?}");
        let last = &notes.last().unwrap().message;
        assert_eq!(last, "was interrupted and is taken back");
        let original = world.feature.path(".compaction/archived/2026-02-02_progress.md");
        assert!(!was_installed || fs::read(original).unwrap().ends_with(b"so on\n"));
    }
    assert_eq!(seen, [true, true]);
}
