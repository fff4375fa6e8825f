//! The program is killed before every single step, and nothing is half done.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::*;

/// Says what the child of a test does: the action, the step to die at, the directory.
const CHILD: &str = "LOADLINE_TEST_KILL";

/// Does what a parent asks for in the environment; nothing on its own.
#[test]
fn child() {
    let Ok(order) = std::env::var(CHILD) else {
        return;
    };
    let mut words = order.splitn(3, ' ');
    let action = words.next().unwrap();
    let step = words.next().unwrap().parse().unwrap();
    let feature = open(Path::new(words.next().unwrap()));
    if action == "Recover" {
        recover(&feature, &failing(0, Fault::kill(step))).unwrap();
        return;
    }
    let action = Action::ALL.into_iter().find(|it| format!("{it:?}") == action).unwrap();
    let options = failing(action.now(), Fault::kill(step));
    action.run(&feature, &options).unwrap();
}

/// Runs the child; returns whether it came to its end.
fn run_child(what: &str, step: u64, world: &World) -> bool {
    let root: PathBuf = world.feature.directory().parent().unwrap().to_owned();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "notes::vault::tests::kill::child", "--nocapture"])
        .env(CHILD, format!("{what} {step} {}", root.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    // A test that fails ends with a code, one that is killed with a signal.
    assert!(status.success() || status.code().is_none(), "{what} {step}");
    status.success()
}

/// Kills one action at every step; returns how often, and how often the work was finished.
fn kill_everywhere(action: Action) -> (u64, u64) {
    let before = action.world();
    let after = action.world();
    action.run(&after.feature, &options(action.now())).unwrap();
    let mut finished = 0;
    for step in 1.. {
        let world = action.world();
        if run_child(&format!("{action:?}"), step, &world) {
            return (step - 1, finished);
        }
        // Every few, recovery is killed as well, and then once more.
        for again in [2, 5].into_iter().filter(|_| step % 5 == 0) {
            run_child("Recover", again, &world);
        }
        let place = format!("{action:?}, killed at step {step}");
        finished += u64::from(assert_whole(action, &world, &before, &after, &place));
    }
    unreachable!("the steps end")
}

#[test]
fn f194_a_compaction_that_is_killed_is_whole() {
    let (steps, finished) = kill_everywhere(Action::Apply);
    assert!(steps > 80 && finished >= 15, "{steps} steps, {finished}");
}

#[test]
fn f218_a_revert_that_is_killed_is_whole() {
    let (steps, finished) = kill_everywhere(Action::Revert);
    assert!(steps > 80 && finished >= 15, "{steps} steps, {finished}");
}

#[test]
fn f208_a_prune_that_is_killed_is_whole() {
    let (steps, finished) = kill_everywhere(Action::Prune);
    assert!(steps > 40 && finished >= 15, "{steps} steps, {finished}");
}
