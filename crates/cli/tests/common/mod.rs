//! Runs the real binary in a sealed world.

mod service;

use std::process::Command;

pub(crate) use loadline_testkit::{Run, World};
pub(crate) use service::{Request, Service, answer};

/// Returns a command that runs `loadline` in a world.
pub(crate) fn loadline(world: &World, args: &[&str]) -> Command {
    let mut command = world.command(env!("CARGO_BIN_EXE_loadline"));
    command.args(args);
    command
}

/// Runs `loadline` in a world.
pub(crate) fn run(world: &World, args: &[&str]) -> Run {
    world.run(&mut loadline(world, args))
}

/// Runs `loadline --json` in a world and reads the document.
pub(crate) fn json(world: &World, args: &[&str]) -> serde_json::Value {
    let run = world.run(loadline(world, args).arg("--json"));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(document["schema"], 1);
    // The document of a pack says `notes`, as the benchmark that reads it expects.
    assert!(document["remarks"].is_array() || document["notes"].is_array());
    document
}

/// Runs git in a world and returns what it printed.
pub(crate) fn git(world: &World, args: &[&str]) -> String {
    let mut command = world.command("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
    let run = world.run(command.args(args));
    assert_eq!(run.code, 0, "{args:?}: {run}");
    run.stdout
}

/// Writes the user's configuration file.
pub(crate) fn write_user_config(world: &World, text: &str) {
    let directory = world.home().join(".config/loadline");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("loadline.toml"), text).unwrap();
}
