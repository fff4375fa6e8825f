//! What is too old goes, what is needed stays.

use super::super::vault::tests::{DAY, World, options};
use super::super::{Edits, restore};
use super::*;

fn days(days: i64) -> Duration {
    Duration::from_secs((days * DAY) as u64)
}

fn after(days_old: i64) -> PruneOptions {
    PruneOptions { max_age: days(days_old), active: false, lifecycle: None }
}

/// Files that are 1, 20, 31, 40 and 50 days old.
fn aged(state: &str) -> World {
    let world = World::new(&[
        ("new.md", "new\n"),
        ("research.md", "some\n"),
        ("old.md", "old\n"),
        ("state.json", state),
        ("tasks.md", "- [ ] one\n"),
    ]);
    for (name, age) in [("research.md", 20), ("old.md", 31), ("state.json", 40), ("tasks.md", 50)] {
        world.age(name, days(age));
    }
    world
}

fn names(files: &[OldFile]) -> Vec<&str> {
    files.iter().map(|file| file.name.as_str()).collect()
}

#[test]
fn f208_what_is_older_is_archived_and_comes_back() {
    let world = aged("{\"status\": \"completed\"}");
    std::fs::create_dir(world.feature.path("old-directory")).unwrap();
    let before = world.tree();
    let pruned = prune(&world.feature, &after(30), &options(0)).unwrap();
    assert_eq!(names(&pruned.plan.files), ["old.md", "state.json", "tasks.md"]);
    let left: Vec<String> = world.tree().into_keys().collect();
    assert_eq!(left, ["new.md", "research.md"]);
    assert!(world.feature.path("old-directory").is_dir());
    let id = pruned.entry.unwrap().id;
    // Long after anything could be reverted.
    restore(&world.feature, &id, Edits::Refuse, &options(90 * DAY)).unwrap();
    assert_eq!(world.tree(), before);
    let again = prune(&world.feature, &after(10), &options(90 * DAY + 1)).unwrap();
    assert_eq!(again.plan.files.len(), 5);
}

#[test]
fn f208_a_time_that_is_still_to_come_is_no_age() {
    let world = aged("{\"status\": \"done\"}");
    let plan = plan_prune(&world.feature, &after(1), &options(-100 * DAY)).unwrap();
    assert!(plan.is_empty());
}

#[test]
fn f213_a_lifecycle_archives_dormant_features_and_ends_archives() {
    let lifecycle = Lifecycle {
        dormant_after: days(7),
        archive_after: days(14),
        purge_after: days(180),
        max_archive: 50_000_000,
    };
    let with =
        |lifecycle: &Lifecycle| PruneOptions { lifecycle: Some(lifecycle.clone()), ..after(30) };
    let world = aged("{\"status\": \"done\"}");
    let stage = |now: i64| {
        let plan = plan_prune(&world.feature, &with(&lifecycle), &options(now)).unwrap();
        (plan.stage.name(), plan.files.len())
    };
    assert_eq!(stage(0), ("active", 3));
    assert_eq!(stage(7 * DAY), ("dormant", 3));
    assert_eq!(stage(14 * DAY), ("archived", 5));
    let done = prune(&world.feature, &with(&lifecycle), &options(14 * DAY)).unwrap();
    assert_eq!(world.tree().len(), 0);
    assert_eq!(done.plan.purged, []);
    // What can still be reverted to stays, however small the archive must be.
    let tiny = Lifecycle { max_archive: 10, ..lifecycle.clone() };
    let plan = plan_prune(&world.feature, &with(&tiny), &options(14 * DAY + 60)).unwrap();
    assert_eq!(plan.purged, []);
    let plan = plan_prune(&world.feature, &with(&tiny), &options(16 * DAY)).unwrap();
    assert_eq!(plan.purged.len(), 4);
    let later = options(195 * DAY);
    let plan = plan_prune(&world.feature, &with(&lifecycle), &options(194 * DAY)).unwrap();
    assert!(plan.is_empty());
    let done = prune(&world.feature, &with(&lifecycle), &later).unwrap();
    assert_eq!(done.plan.purged.len(), 5);
    assert_eq!(super::super::archived(&world.feature).unwrap().0, []);
}
