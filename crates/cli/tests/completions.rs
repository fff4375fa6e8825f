//! `loadline completions`

use insta::assert_snapshot;

use crate::common::{World, json, run};

#[test]
fn every_shell_has_a_script() {
    let world = World::new("");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        run(&world, &["completions", shell]).shows(&["no-cache"]).exits(0).is_silent();
    }
    let document = json(&world, &["completions", "fish"]);
    assert_eq!(document["shell"], "fish");
}

#[test]
fn a_misspelled_shell_gets_a_suggestion() {
    assert_snapshot!(run(&World::new(""), &["completions", "fsh"]), @r"
    --- stderr
    error: invalid value 'fsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'fish'

    For more information, try '--help'.
    --- exit 2
    ");
}
