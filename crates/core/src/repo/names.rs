//! Holds the tables of `data/files.toml`: what the names of files say.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The tables, read when they are first needed.
pub(super) static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let text = include_str!("../../data/files.toml");
    toml::from_str(text).expect("a test reads data/files.toml")
});

/// What the names of files say; the file documents each table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Names {
    pub(super) file_names: HashMap<String, String>,
    pub(super) extensions: HashMap<String, String>,
    pub(super) kinds: Kinds,
}

/// Names that say what kind of file it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kinds {
    pub(super) entry_stems: Vec<String>,
    pub(super) entry_names: Vec<String>,
    pub(super) manifests: Vec<String>,
    pub(super) compat_config_prefixes: Vec<String>,
    pub(super) compat_root_configs: Vec<String>,
    pub(super) root_configs: Vec<String>,
    pub(super) compat_tests: Vec<String>,
    pub(super) test_directories: Vec<String>,
    pub(super) test_names: Vec<(String, String)>,
    pub(super) compat_locks: Vec<String>,
    pub(super) locks: Vec<String>,
    pub(super) source_directories: Vec<String>,
    pub(super) build_directories: Vec<String>,
    pub(super) foreign_directories: Vec<String>,
    pub(super) generated_parts: Vec<String>,
    pub(super) doc_languages: Vec<String>,
    pub(super) doc_names: Vec<String>,
    pub(super) data_languages: Vec<String>,
}

/// Tells whether a table holds a name.
pub(super) fn holds(table: &[String], name: &str) -> bool {
    table.iter().any(|row| row == name)
}
