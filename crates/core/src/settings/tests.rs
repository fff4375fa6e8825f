//! The configuration as a whole: agreement of defaults and table, layers, errors.

use std::collections::BTreeSet;

use super::*;

fn project(text: &str) -> Result<Config, ConfigError> {
    Config::load([Layer::project("loadline.toml", text)])
}

/// Returns the defaults with the keys that are commented out put back in.
fn defaults_in_full() -> String {
    let uncommented = |line: &str| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_lowercase()) => rest.to_owned(),
        _ => line.to_owned(),
    };
    let lines: Vec<String> = Config::defaults_toml().lines().map(uncommented).collect();
    lines.join("\n").replace("tool_results = \"40%\"", "tool_results = \"100%\"")
}

#[test]
fn f246_defaults_and_known_keys_agree() {
    let config = project(&defaults_in_full()).unwrap();
    assert_eq!(config.notes(), [], "the defaults hold only known keys");
    let set: BTreeSet<String> = config
        .show()
        .filter(|shown| *shown.source != Source::Default)
        .map(|shown| shown.key)
        .collect();
    for key in known_keys() {
        let found = set.iter().any(|path| key.matches(&key::KeyPath::dotted(path)));
        assert!(found, "`{}` is not in defaults.toml", key.path);
    }
    assert_eq!(set.len(), known_keys().len());
}

#[test]
fn f246_every_default_is_documented() {
    let text = Config::defaults_toml();
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2) {
        let key = pair[1].trim_start_matches('#');
        let is_key = key.contains(" = ") && !key.starts_with(' ');
        assert!(!is_key || pair[0].starts_with("# "), "{}", pair[1]);
    }
}
