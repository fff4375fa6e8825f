//! What stops a configuration from being used.
//!
//! Only values that cannot be honoured stop a run. A key nobody knows is a
//! note: the file may be meant for a newer version.

use crate::settings::source::Source;
use crate::{Diagnose, Diagnosis};

/// Why a configuration cannot be used, or an older one cannot be imported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The text is not TOML (or, on import, not YAML or JSON).
    #[error("cannot parse {place}, line {line}, column {column}: {message}")]
    Parse {
        /// The file, variable or flag the text came from.
        place: String,
        /// Line of the mistake, from 1.
        line: u64,
        /// Column of the mistake, from 1.
        column: u64,
        /// What the parser said.
        message: String,
    },
    /// The value is of another kind than the key wants.
    #[error("{place}: `{key}` is {value}, expected {allowed}")]
    WrongType {
        /// Where the value was given.
        place: Source,
        /// The dotted key.
        key: String,
        /// The value as TOML.
        value: String,
        /// What may be written instead.
        allowed: String,
    },
    /// The value is of the right kind but not one of the allowed ones.
    #[error("{place}: `{key}` is {value}, which is out of range; allowed: {allowed}")]
    OutOfRange {
        /// Where the value was given.
        place: Source,
        /// The dotted key.
        key: String,
        /// The value as TOML.
        value: String,
        /// The allowed range.
        allowed: String,
    },
    /// Two values, each fine alone, cannot both hold.
    #[error("{place}: `{key}` is {value}, but {rule}: {other}")]
    Conflict {
        /// Where the value of the stronger layer was given.
        place: Source,
        /// The dotted key.
        key: String,
        /// The value as TOML.
        value: String,
        /// What has to hold, as a clause.
        rule: &'static str,
        /// The other key with its value and its place.
        other: String,
    },
    /// A file to import has an unrecognised format.
    #[error("{name}: the format is not recognised (first key: {first})")]
    UnknownFormat {
        /// The name the file was given under.
        name: String,
        /// The first key found in it, or a word for there being none.
        first: String,
    },
}

impl Diagnose for ConfigError {
    fn diagnosis(&self) -> Diagnosis {
        let allowed = |key: &str, allowed: &str| {
            format!("set `{key}` to {allowed}, or remove it to use the default")
        };
        let (code, hint) = match self {
            ConfigError::Parse { place, line, .. } => {
                ("LL-CFG-001", format!("correct line {line} of {place}"))
            }
            ConfigError::WrongType { key, allowed: it, .. } => ("LL-CFG-002", allowed(key, it)),
            ConfigError::OutOfRange { key, allowed: it, .. } => ("LL-CFG-003", allowed(key, it)),
            ConfigError::Conflict { key, .. } => (
                "LL-CFG-004",
                format!("change `{key}`; `loadline config show` lists where each value comes from"),
            ),
            ConfigError::UnknownFormat { .. } => (
                "LL-CFG-005",
                "give a .handover.yml, context.json, .agent/config.yml or compaction JSON file"
                    .to_owned(),
            ),
        };
        Diagnosis::usage(code).hint(hint)
    }
}
