//! Where a value came from.
//!
//! Every value keeps its source, so that `config show` can answer "who said
//! so?" and an error can name the file to open.

use std::fmt;
use std::path::PathBuf;

/// The layer a value was read from, with the exact place in it.
///
/// Ordered from weakest to strongest layer; a stronger layer wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The defaults compiled into the program.
    Default,
    /// The user's own file.
    User(PathBuf),
    /// A project's file.
    Project(PathBuf),
    /// An environment variable, by name.
    Environment(String),
    /// A command-line flag, by name.
    Flag(String),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("defaults.toml (built in)"),
            Source::User(path) | Source::Project(path) => write!(f, "{}", path.display()),
            Source::Environment(name) => write!(f, "environment variable {name}"),
            Source::Flag(name) => write!(f, "flag {name}"),
        }
    }
}
