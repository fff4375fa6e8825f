//! Every environment variable this program reads, in one place.
//!
//! The variables that set keys of the configuration follow from the keys, and
//! the library lists them. The others are declared here. Nothing else in this
//! crate reads the environment; of what libraries read on our behalf, the
//! variables that change what a user sees are listed too.

use std::ffi::OsString;

/// Path of the user's configuration file.
pub(crate) const CONFIG: &str = "LOADLINE_CONFIG";
/// Directory of the cache.
pub(crate) const CACHE_DIR: &str = "LOADLINE_CACHE_DIR";
/// Any value switches the cache off.
pub(crate) const NO_CACHE: &str = "LOADLINE_NO_CACHE";
/// The key for Anthropic's counting service.
pub(crate) const API_KEY: &str = "ANTHROPIC_API_KEY";
/// The key for a model that summarises, behind an address that speaks as OpenAI does.
pub(crate) const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// Set inside of tmux, which passes sequences on only when asked to.
pub(crate) const TMUX: &str = "TMUX";

/// Where Claude Code keeps its logs.
pub(crate) const CLAUDE_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Where Codex keeps its logs.
pub(crate) const CODEX_DIR: &str = "CODEX_HOME";

const PREFIX: &str = "LOADLINE_";

/// Variables that do not begin with our prefix, and what they do.
const FOREIGN: [(&str, &str); 14] = [
    (
        API_KEY,
        "key for the counter `api` and for session.summarizer_url",
    ),
    (
        OPENAI_API_KEY,
        "key for session.summarizer_url with summarizer_api = \"openai\"",
    ),
    (
        CLAUDE_DIR,
        "where `usage` finds logs of Claude Code, if not in ~/.claude",
    ),
    (
        CODEX_DIR,
        "where `usage` finds logs of Codex, if not in ~/.codex",
    ),
    ("NO_COLOR", "any value: no colours"),
    (
        "CLICOLOR_FORCE",
        "any value but 0: colours even where there is no terminal",
    ),
    ("CLICOLOR", "0: no colours"),
    ("COLUMNS", "width of help texts"),
    (TMUX, "any value: --copy asks tmux to pass the text on"),
    ("XDG_CONFIG_HOME", "where loadline/loadline.toml is"),
    ("XDG_CACHE_HOME", "where loadline/ is, the cache"),
    (
        "XDG_DATA_HOME",
        "where opencode/ is, the sessions of which `usage` reads",
    ),
    ("HOME", "where .config and .cache are"),
    (
        "HTTPS_PROXY",
        "proxy for what is asked over the network; so do ALL_PROXY, HTTP_PROXY and NO_PROXY",
    ),
];

/// Lists all variables with what they do: our own first, then others'.
pub(crate) fn variables() -> Vec<(String, String)> {
    let foreign = FOREIGN.map(|(name, meaning)| (name.to_owned(), meaning.to_owned()));
    let mut variables = loadline::environment_variables();
    variables.extend(foreign);
    variables
}

/// Returns a variable; an empty one counts as not set.
pub(crate) fn get(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the variables that begin with our prefix, sorted by name.
///
/// What is not UTF-8 is made so, and then refused by the key it is meant for.
pub(crate) fn own() -> Vec<(String, String)> {
    let lossy = |text: OsString| text.to_string_lossy().into_owned();
    let pairs = std::env::vars_os().map(|(name, value)| (lossy(name), lossy(value)));
    let mut own: Vec<_> = pairs.filter(|(name, _)| name.starts_with(PREFIX)).collect();
    own.sort();
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_listed() {
        let variables = variables();
        let foreign = [API_KEY, OPENAI_API_KEY, TMUX, CLAUDE_DIR, CODEX_DIR];
        for name in [CONFIG, CACHE_DIR, NO_CACHE].into_iter().chain(foreign) {
            let listed = variables.iter().filter(|(listed, _)| listed == name);
            assert_eq!(listed.count(), 1, "{name}");
        }
    }
}
