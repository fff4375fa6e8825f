//! The disk fails at every single step, and nothing is half done.

use std::io::ErrorKind;

use super::*;
use crate::Diagnose;

/// Lets one action fail at every step; `fault` says how.
fn fail_everywhere(action: Action, fault: impl Fn(u64) -> Fault, rolls_back: bool) {
    let before = action.world();
    let after = action.world();
    action.run(&after.feature, &options(action.now())).unwrap();
    for step in 1.. {
        let world = action.world();
        let fault = fault(step);
        let options = failing(action.now(), fault.clone());
        let result = action.run(&world.feature, &options);
        if fault.steps() < step {
            assert!(step > 50, "{action:?} has only {step} steps");
            return;
        }
        let place = format!("{action:?}, failed at step {step}");
        if let Err(error) = &result {
            let code = error.code();
            assert!(["LL-MEM-020", "LL-MEM-032"].contains(&code), "{error}");
            assert!(error.to_string().contains("cannot "), "{error}");
            if rolls_back {
                // At once, not only by whoever comes next.
                assert_eq!(code, "LL-MEM-020", "{place}: {error}");
                assert_eq!(world.tree(), before_tree(&world, &before), "{place}");
            }
        }
        let done = assert_whole(action, &world, &before, &after, &place);
        // What is stuck goes on in the direction that it had last.
        let stuck = result.as_ref().is_err_and(|it| it.code() == "LL-MEM-032");
        assert!(stuck || done == result.is_ok(), "{place}: {result:?}");
    }
}

/// The tree before, whose times are those of the world itself where they follow the clock.
fn before_tree(world: &World, before: &World) -> BTreeMap<String, Kept> {
    let mut tree = before.tree();
    for (name, kept) in world.tree() {
        // What the history of the world wrote has the time of the writing.
        let written = ["tasks.md", "state.json", "progress.md", "summary.md"];
        if written.contains(&name.as_str()) || name.contains('/') {
            tree.entry(name).and_modify(|it| it.2 = kept.2);
        }
    }
    tree
}

#[test]
fn f194_a_full_disk_rolls_back() {
    for action in Action::ALL {
        fail_everywhere(action, |step| Fault::fail_once(step, ErrorKind::StorageFull), true);
    }
}

#[test]
fn f194_a_disk_that_stays_broken_is_put_right_later() {
    for action in Action::ALL {
        let broken = |step| Fault::fail_from(step, ErrorKind::ReadOnlyFilesystem);
        fail_everywhere(action, broken, false);
    }
}

#[cfg(unix)]
#[test]
fn f194_a_directory_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::usual();
    let directory = world.feature.directory().to_owned();
    let set = |mode| fs::set_permissions(&directory, fs::Permissions::from_mode(mode)).unwrap();
    let before = world.tree();
    set(0o555);
    let can_write = fs::write(directory.join("probe"), "").is_ok();
    let result = Action::Apply.run(&world.feature, &options(0));
    set(0o755);
    // Who may do everything is not stopped by permissions.
    if can_write {
        return;
    }
    let error = result.unwrap_err();
    assert_eq!(error.code(), "LL-MEM-020");
    assert!(error.to_string().contains(".compaction"), "{error}");
    assert_eq!(world.tree(), before);
}
