//! Edits the files that an agent's installation is made of.
//!
//! An agent's settings are the user's: they are edited as text with every key and
//! comment in its place, shown as a difference first, backed up, and restored byte
//! for byte as long as nobody else changed them since.

mod clients;
mod json;
mod record;

use std::path::{Path, PathBuf};

use loadline::agents::{Agent, InstallScope, PlannedContent, PlannedFile};
use loadline::{Diagnose, Diagnosis};

pub(crate) use clients::{Bases, CLIENTS, Client};
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
    /// The settings are not text, or cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The settings are not JSON, or have another shape than is documented.
    #[error("{} is not as {client} documents it: {reason}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The agent, or another client.
        client: &'static str,
        /// What is wrong.
        reason: String,
    },
}

impl Diagnose for SetupError {
    fn diagnosis(&self) -> Diagnosis {
        match self {
            SetupError::Unreadable { .. } => {
                Diagnosis::operation("LL-SET-002").hint("check its permissions and encoding")
            }
            SetupError::Shape { .. } => Diagnosis::operation("LL-SET-003")
                .hint("nothing was written; correct the file first"),
        }
    }
}

/// Returns the files of an agent as they are to be, with ours in them or without.
pub(crate) fn files(
    agent: Agent,
    scope: &InstallScope,
    with_ours: bool,
) -> Result<Vec<FileEdit>, SetupError> {
    let planned = agent.installation(scope).into_iter();
    let edit = |PlannedFile { path, content }| {
        edit(path, agent.name(), |text| match content {
            PlannedContent::Whole(own) if with_ours => Ok(Some(own)),
            // A file of somebody else's by that name stays.
            PlannedContent::Whole(_) => {
                let ours = format!("hook {agent} ");
                Ok(text.filter(|text| !text.contains(&ours)).map(str::to_owned))
            }
            PlannedContent::Settings(plan) if with_ours => json::add(&plan, text),
            PlannedContent::Settings(plan) => json::remove(&plan, text),
        })
    };
    planned.map(edit).collect()
}

/// Reads a file of a client's, and settles what it is to be.
fn edit(
    path: PathBuf,
    client: &'static str,
    after: impl FnOnce(Option<&str>) -> Result<Option<String>, String>,
) -> Result<FileEdit, SetupError> {
    let before = read(&path)?;
    match after(before.as_deref()) {
        Ok(after) => Ok(FileEdit { path, before, after }),
        Err(reason) => Err(SetupError::Shape { path, client, reason }),
    }
}

/// Returns the programs that our hooks and our status line in an agent's settings call.
pub(crate) fn programs(agent: Agent, scope: &InstallScope) -> Vec<String> {
    let planned = agent.installation(scope).into_iter();
    let settings = planned.filter(|file| matches!(file.content, PlannedContent::Settings(_)));
    settings
        .filter_map(|file| read(&file.path).ok()?)
        .flat_map(|text| json::programs(&text))
        .collect()
}

/// Reads a file that may be absent.
fn read(path: &Path) -> Result<Option<String>, SetupError> {
    let unreadable = |reason| SetupError::Unreadable { path: path.to_owned(), reason };
    match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(error.to_string())),
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(unreadable("not UTF-8 text".to_owned())),
        },
    }
}

#[cfg(test)]
mod tests;
