//! Where does each agent read what it runs, and what is written there?
//!
//! An agent's settings are the user's: they are edited as text with every key and
//! comment in its place, shown as a difference first, backed up, and put back byte
//! for byte as long as nobody else changed them since.

mod agents;
mod json;
mod plugins;
mod record;

use std::path::{Path, PathBuf};

use loadline::Diagnose;

use crate::agent::Agent;

pub(crate) use agents::{files, hook_commands};
pub(crate) use record::{Record, restore};

/// A file that an agent reads, as it is and as it is to be; `None` is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileEdit {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

impl FileEdit {
    /// Tells whether there is anything to write.
    pub(crate) fn is_change(&self) -> bool {
        self.before != self.after
    }
}

/// Why an agent cannot be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SetupError {
    /// There is no home directory.
    #[error("there is no home directory to find the settings of {agent} in")]
    NoHome {
        /// The agent.
        agent: &'static str,
    },
    /// The settings are no text, or cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The settings are no JSON, or have another shape than the agent documents.
    #[error("{} is not as {agent} documents it: {reason}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The agent.
        agent: &'static str,
        /// What is wrong.
        reason: String,
    },
}

impl Diagnose for SetupError {
    fn code(&self) -> &'static str {
        match self {
            SetupError::NoHome { .. } => "LL-SET-001",
            SetupError::Unreadable { .. } => "LL-SET-002",
            SetupError::Shape { .. } => "LL-SET-003",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            SetupError::NoHome { .. } => "set HOME, or use --project".to_owned(),
            SetupError::Unreadable { .. } => "check its permissions and encoding".to_owned(),
            SetupError::Shape { .. } => "nothing was written; put the file right first".to_owned(),
        })
    }
}

/// What is to be set up.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) agent: Agent,
    /// How the program is called.
    pub(crate) program: String,
    /// The user's home, or the project where only that is set up.
    pub(crate) home: PathBuf,
    pub(crate) is_project: bool,
}

/// Reads a file that may be absent.
fn read(path: &Path) -> Result<Option<String>, SetupError> {
    match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SetupError::Unreadable {
            path: path.to_owned(),
            reason: error.to_string(),
        }),
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(SetupError::Unreadable {
                path: path.to_owned(),
                reason: "it is no UTF-8 text".to_owned(),
            }),
        },
    }
}

#[cfg(test)]
mod tests;
