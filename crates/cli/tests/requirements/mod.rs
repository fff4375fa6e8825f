//! What docs/requirements.md promises, by number, through the program.

mod budget;
mod chunks;
mod counting;
mod rank;
mod scoring;
mod sessions;
mod settings;
mod signatures;
mod sources;
mod windows;

use serde_json::Value;

use crate::common::{World, loadline, parsed, piped};

/// Runs `loadline --json` with settings as environment variables: `("budget.window", "8k")`.
fn with(world: &World, settings: &[(&str, &str)], args: &[&str]) -> Value {
    let mut command = loadline(world, args);
    for (key, value) in settings {
        command.env(variable(key), value);
    }
    let run = world.run(command.arg("--json")).exits(0);
    serde_json::from_str(&run.stdout).unwrap()
}

/// The environment variable of a setting.
fn variable(key: &str) -> String {
    format!("LOADLINE_{}", key.to_uppercase().replace('.', "_"))
}

/// Counts texts of standard input, one run each.
fn count(counter: &str, text: &str) -> u64 {
    let world = World::new("");
    let document =
        parsed(&piped(&world, &["count", "-", "--counter", counter, "--json"], text).stdout);
    document["total"]["tokens"][counter].as_u64().unwrap()
}

/// A repository with a clock of its own: commits are made some days before now.
struct Repository {
    world: World,
}

/// Some day in 2023, in seconds since 1970.
const NOW: u64 = 1_700_000_000;

impl Repository {
    fn new() -> Repository {
        let repository = Repository { world: World::new("") };
        repository.git(&["init", "-q", "-b", "main"], 0);
        repository
    }

    /// Runs git as it would have been run some days ago.
    fn git(&self, args: &[&str], days: u64) {
        let date = format!("{} +0000", NOW - days * 86_400);
        let mut command = self.world.command("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        self.world.run(&mut command).exits(0);
    }

    /// Commits all files as they are.
    fn commit(&self, days: u64, message: &str) {
        self.git(&["add", "-A"], days);
        self.git(&["commit", "-q", "-m", message], days);
    }

    /// The flags that make the program believe in the clock of the repository.
    fn now(&self) -> [&'static str; 2] {
        ["--now", "1700000000"]
    }
}
