//! Every environment variable this program knows, in one place.
//!
//! Each key of the configuration has a variable: `LOADLINE_` and the key in
//! capitals, with `_` for each dot (`budget.window` is `LOADLINE_BUDGET_WINDOW`,
//! `model` is `LOADLINE_MODEL`). Keys with names of the user's own, such as
//! shares and models, have none. The few variables that are not keys are
//! listed in [`SPECIAL`]; the caller reads those before there is a
//! configuration. Nothing here reads the environment.

use crate::Remark;
use crate::settings::key::known_keys;
use crate::text::nearest;

const PREFIX: &str = "LOADLINE_";

/// Variables that are not keys of the configuration, and what they do.
const SPECIAL: [(&str, &str); 6] = [
    ("LOADLINE_CONFIG", "path of the user's file, instead of the usual one"),
    ("LOADLINE_CACHE_DIR", "directory of the cache, instead of the usual one"),
    ("LOADLINE_DATA_DIR", "directory of the archive, instead of the usual one"),
    ("LOADLINE_NO_CACHE", "any value: neither read nor write the cache"),
    ("LOADLINE_MCP_TOKEN", "what clients of `mcp --http` must bring as a bearer token"),
    ("LOADLINE_SERVE_TOKEN", "token of `serve`, instead of a new one each time"),
];

/// Lists all environment variables, each with what it does or the key it sets.
///
/// The special ones come first, then one per key in the order of the defaults.
pub fn environment_variables() -> Vec<(String, String)> {
    let special = SPECIAL.map(|(name, meaning)| (name.to_owned(), meaning.to_owned()));
    let keys = keys().map(|key| (variable_of(key), format!("sets `{key}`")));
    special.into_iter().chain(keys).collect()
}

/// Returns the key a variable sets; notes a `LOADLINE_` variable that sets none.
pub(super) fn environment_key(name: &str, notes: &mut Vec<Remark>) -> Option<&'static str> {
    if !name.starts_with(PREFIX) || SPECIAL.iter().any(|(special, _)| *special == name) {
        return None;
    }
    let key = keys().find(|key| variable_of(key) == name);
    if key.is_none() {
        notes.push(unknown(name));
    }
    key
}

fn unknown(name: &str) -> Remark {
    let known = environment_variables();
    let names = known.iter().map(|(name, _)| name.as_str());
    let meant = nearest(name, names).map(|meant| format!("; did you mean `{meant}`?"));
    Remark::new(
        format!("environment variable {name}"),
        format!("unknown variable `{name}`{}", meant.unwrap_or_default()),
    )
}

/// Returns the keys that have a variable.
fn keys() -> impl Iterator<Item = &'static str> {
    known_keys().iter().filter(|key| !key.is_free()).map(|key| key.path)
}

fn variable_of(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_variable_has_one_meaning() {
        let variables = environment_variables();
        let names: BTreeSet<_> = variables.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), variables.len());
    }
}
