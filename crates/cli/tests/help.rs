//! Help texts, the version, and what is typed wrong.

use insta::assert_snapshot;

use crate::common::{World, run};

fn help(args: &[&str]) -> String {
    run(&World::new(""), args).to_string()
}

#[test]
fn nothing_typed_is_a_mistake() {
    assert_snapshot!(help(&[]), @"");
}

#[test]
fn the_version() {
    let version = concat!("loadline ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(help(&["--version"]), version);
}

#[test]
fn help_of_the_program() {
    assert_snapshot!(help(&["--help"]), @"");
}

#[test]
fn help_of_count() {
    assert_snapshot!(help(&["count", "-h"]), @"");
}

#[test]
fn help_of_models() {
    assert_snapshot!(help(&["models", "-h"]), @"");
}

#[test]
fn help_of_config() {
    assert_snapshot!(help(&["config", "-h"]), @"");
}

#[test]
fn help_of_config_import() {
    assert_snapshot!(help(&["config", "import", "-h"]), @"");
}

#[test]
fn help_of_cache() {
    assert_snapshot!(help(&["cache", "-h"]), @"");
}

#[test]
fn a_misspelled_command_or_flag_gets_a_suggestion() {
    assert_snapshot!(help(&["modles"]), @"");
    assert_snapshot!(help(&["models", "--jsno"]), @"");
    assert_snapshot!(help(&["models", "--now", "tomorrow"]), @"");
    assert_snapshot!(help(&["models", "--color", "alway"]), @"");
}
