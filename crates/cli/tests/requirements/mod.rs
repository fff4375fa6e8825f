//! What docs/requirements.md promises, by number, through the program.

mod budget;
mod counting;
mod sessions;
mod windows;

use serde_json::Value;

use crate::common::{World, loadline};

/// Runs `loadline --json` with settings as environment variables: `("budget.window", "8k")`.
fn with(world: &World, settings: &[(&str, &str)], args: &[&str]) -> Value {
    let mut command = loadline(world, args);
    for (key, value) in settings {
        command.env(variable(key), value);
    }
    let run = world.run(command.arg("--json"));
    assert_eq!(run.code, 0, "{settings:?} {args:?}: {run}");
    serde_json::from_str(&run.stdout).unwrap()
}

/// The environment variable of a setting.
fn variable(key: &str) -> String {
    format!("LOADLINE_{}", key.to_uppercase().replace('.', "_"))
}

/// Counts texts of standard input, one run each.
fn count(counter: &str, text: &str) -> u64 {
    let world = World::new("");
    let mut command = loadline(&world, &["count", "-", "--counter", counter, "--json"]);
    let run = world.run_with(&mut command, text);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    document["total"]["tokens"][counter].as_u64().unwrap()
}
