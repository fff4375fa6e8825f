//! Runs the real binary in a sealed world.

mod server;
mod service;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

pub(crate) use loadline_testkit::{Run, World};
pub(crate) use server::Server;
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

/// Runs `loadline` in a world, with this on its standard input.
pub(crate) fn piped(world: &World, args: &[&str], input: impl AsRef<[u8]>) -> Run {
    world.run_with(&mut loadline(world, args), input)
}

/// Runs `loadline` in a directory of a world.
pub(crate) fn run_in(world: &World, directory: impl AsRef<Path>, args: &[&str]) -> Run {
    world.run(loadline(world, args).current_dir(world.work().root().join(directory)))
}

/// Runs a line of shell in a world.
#[cfg(unix)]
pub(crate) fn shell(world: &World, line: &str) -> Run {
    world.run(world.command("/bin/sh").args(["-c", line]))
}

/// Runs `loadline --json` in a world and reads the document.
pub(crate) fn json(world: &World, args: &[&str]) -> Value {
    let run = world.run(loadline(world, args).arg("--json"));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
    let document = parsed(&run.stdout);
    assert_eq!(document["schema"], 1);
    // The document of a pack says `notes`, as the benchmark that reads it expects.
    assert!(document["remarks"].is_array() || document["notes"].is_array());
    document
}

/// Reads a document.
pub(crate) fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The members of a list.
pub(crate) fn list(list: &Value) -> &[Value] {
    list.as_array().unwrap()
}

/// The member of a list that has this value under a key.
pub(crate) fn find<'a>(members: &'a Value, key: &str, value: &str) -> &'a Value {
    let found = list(members).iter().find(|it| it[key] == value);
    found.unwrap_or_else(|| panic!("no {value} in {members:#}"))
}

/// What the members of a list have under a key.
pub(crate) fn names<'a>(members: &'a Value, key: &str) -> Vec<&'a str> {
    list(members).iter().map(|it| it[key].as_str().unwrap()).collect()
}

/// Runs git in a world and returns what it printed.
pub(crate) fn git(world: &World, args: &[&str]) -> String {
    let mut command = world.command("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
    let run = world.run(command.args(args));
    assert_eq!(run.code, 0, "{args:?}: {run}");
    run.stdout
}

/// Makes a world's directory a repository, if it is none, and commits all that is in it.
pub(crate) fn commit_all(world: &World, message: &str) {
    git(world, &["init", "-q"]);
    git(world, &["add", "."]);
    git(world, &["commit", "-qm", message]);
}

/// Writes the user's configuration file.
pub(crate) fn write_user_config(world: &World, text: &str) {
    write_home(world, ".config/loadline/loadline.toml", text);
}

/// Writes a file of the home directory and returns its path.
pub(crate) fn write_home(world: &World, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = world.home().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

/// Puts a program into `bin` of the home directory, before the others.
pub(crate) fn with_program(world: World, name: &str, script: &str) -> World {
    let path = write_home(&world, &format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    #[cfg(unix)]
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let search = format!("{}:/usr/local/bin:/usr/bin:/bin", world.home().join("bin").display());
    world.with("PATH", search)
}
