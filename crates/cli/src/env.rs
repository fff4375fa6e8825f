//! Every environment variable this program reads, in one place.
//!
//! The variables that set keys of the configuration follow from the keys, and
//! the library lists them. The others are declared here. Nothing else in this
//! crate reads the environment; of what libraries read on our behalf, the
//! variables that change what a user sees are listed too.

use std::ffi::OsString;
use std::path::PathBuf;

/// Path of the user's configuration file.
pub(crate) const CONFIG: &str = "LOADLINE_CONFIG";
/// Directory of the cache.
pub(crate) const CACHE_DIR: &str = "LOADLINE_CACHE_DIR";
/// Directory of what is kept: the archive.
pub(crate) const DATA_DIR: &str = "LOADLINE_DATA_DIR";
/// Any value switches the cache off.
pub(crate) const NO_CACHE: &str = "LOADLINE_NO_CACHE";
/// The key for Anthropic's counting service.
pub(crate) const API_KEY: &str = "ANTHROPIC_API_KEY";
/// The key for a model that summarises, behind an address that speaks as OpenAI does.
pub(crate) const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// What clients of `mcp --http` must bring.
#[cfg_attr(not(feature = "server"), expect(dead_code))]
pub(crate) const MCP_TOKEN: &str = "LOADLINE_MCP_TOKEN";
/// The token of `serve`.
#[cfg_attr(not(feature = "server"), expect(dead_code))]
pub(crate) const SERVE_TOKEN: &str = "LOADLINE_SERVE_TOKEN";
/// Where Claude Code keeps its files.
pub(crate) const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Where Codex keeps its files.
pub(crate) const CODEX_HOME: &str = "CODEX_HOME";
/// Where pi keeps its files.
pub(crate) const PI_AGENT_DIR: &str = "PI_CODING_AGENT_DIR";
/// Set inside of tmux, which passes sequences on only when asked to.
pub(crate) const TMUX: &str = "TMUX";
/// Any value: no colours.
const NO_COLOR: &str = "NO_COLOR";
/// Set where there is a Wayland display, which has a clipboard.
pub(crate) const WAYLAND_DISPLAY: &str = "WAYLAND_DISPLAY";
/// Set where there is an X display, which has a clipboard.
pub(crate) const DISPLAY: &str = "DISPLAY";
/// Where programs are looked for.
pub(crate) const PATH: &str = "PATH";

const PREFIX: &str = "LOADLINE_";

/// Variables that do not begin with our prefix, and what they do.
const FOREIGN: [(&str, &str); 18] = [
    (API_KEY, "key for the counter `api` and for session.summarizer_url"),
    (OPENAI_API_KEY, "key for session.summarizer_url with summarizer_api = \"openai\""),
    (CLAUDE_CONFIG_DIR, "where Claude Code keeps its sessions, for `mcp` and `usage`"),
    (CODEX_HOME, "where Codex keeps its sessions, for `mcp` and `usage`"),
    (PI_AGENT_DIR, "where pi keeps its sessions, for `mcp`"),
    (NO_COLOR, "any value: no colours"),
    ("CLICOLOR_FORCE", "any value but 0: colours even where there is no terminal"),
    ("CLICOLOR", "0: no colours"),
    ("COLUMNS", "width of help texts"),
    (TMUX, "any value: --copy asks tmux to pass the text on"),
    (WAYLAND_DISPLAY, "any value: --copy uses wl-copy"),
    (DISPLAY, "any value: --copy uses xclip or xsel"),
    (PATH, "where `install` looks for loadline, and `doctor` for agents"),
    ("XDG_CONFIG_HOME", "where loadline/loadline.toml is"),
    ("XDG_CACHE_HOME", "where loadline/ is, the cache"),
    (
        "XDG_DATA_HOME",
        "where loadline/ is, the archive, and opencode/, whose sessions `usage` reads",
    ),
    ("HOME", "where .config, .cache and .local/share are"),
    (
        "HTTPS_PROXY",
        "proxy for what is asked over the network; so do ALL_PROXY, HTTP_PROXY and NO_PROXY",
    ),
];

/// Lists all variables with what they do: our own first, then others'.
pub(crate) fn variables() -> Vec<(String, String)> {
    let foreign = FOREIGN.map(|(name, meaning)| (name.to_owned(), meaning.to_owned()));
    let mut variables = loadline::settings::environment_variables();
    variables.extend(foreign);
    variables
}

/// Returns a variable; an empty one counts as not set.
pub(crate) fn get(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Tells whether a variable is set to nothing, where that must not pass for not set.
#[cfg_attr(not(feature = "server"), expect(dead_code))]
pub(crate) fn is_empty(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| value.is_empty())
}

/// Tells whether the user wants no colours anywhere.
pub(crate) fn no_color() -> bool {
    get(NO_COLOR).is_some()
}

/// Returns the directories in which programs are looked for.
pub(crate) fn path_directories() -> Vec<PathBuf> {
    let path = get(PATH).unwrap_or_default();
    std::env::split_paths(&path).collect()
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
        let foreign = [API_KEY, OPENAI_API_KEY, TMUX, PATH, CLAUDE_CONFIG_DIR, CODEX_HOME];
        for name in [CONFIG, CACHE_DIR, DATA_DIR, NO_CACHE].into_iter().chain(foreign) {
            let listed = variables.iter().filter(|(listed, _)| listed == name);
            assert_eq!(listed.count(), 1, "{name}");
        }
    }
}
