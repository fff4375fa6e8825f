//! The session that a request is about: the one it names, or the project's newest.
//!
//! A log outside of the roots is read only where it is of an agent that worked
//! inside of them.

use std::fs;
use std::path::{Path, PathBuf};

use loadline::budget::Model;
use loadline::session::{FoundSession, Transcript, find_sessions, read_session};
use loadline::tokens::{Counter, Tokens};

use super::State;
use super::answer::ToolError;

/// Bytes of the largest log that is read.
const LARGEST: u64 = 512 << 20;

/// A session with what it is measured by.
pub(super) struct Session {
    pub(super) path: PathBuf,
    pub(super) transcript: Transcript,
    pub(super) model: String,
    pub(super) window: Tokens,
    pub(super) counter: Counter,
}

impl State {
    /// Returns the sessions of agents that worked in the roots, the newest first.
    pub(super) fn sessions(&self) -> Vec<FoundSession> {
        let mut found: Vec<FoundSession> = Vec::new();
        for root in self.roots.names() {
            for session in find_sessions(&self.options.sessions, root) {
                if !found.iter().any(|known| known.path == session.path) {
                    found.push(session);
                }
            }
        }
        found.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.path.cmp(&b.path)));
        found
    }

    /// Opens the session that a request names, or the newest; none where there is none.
    pub(super) fn session(&self, named: Option<&str>) -> Result<Option<Session>, ToolError> {
        let path = match named {
            Some(named) => self.named_session(named)?,
            None => match self.sessions().into_iter().next() {
                Some(found) => found.path,
                None => return Ok(None),
            },
        };
        self.open(path).map(Some)
    }

    /// A file in the roots, or a session of this project by its path or name.
    fn named_session(&self, named: &str) -> Result<PathBuf, ToolError> {
        let is_it = |path: &Path| {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            path == Path::new(named) || stem == Some(named)
        };
        if let Some(found) = self.sessions().into_iter().find(|it| is_it(&it.path)) {
            return Ok(found.path);
        }
        Ok(self.roots.find(Some(named))?.absolute())
    }

    fn open(&self, path: PathBuf) -> Result<Session, ToolError> {
        let shown = path.display().to_string();
        let cannot = |error| ToolError(format!("cannot read {shown}: {error}"));
        let metadata = fs::symlink_metadata(&path).map_err(cannot)?;
        if !metadata.is_file() || metadata.len() > LARGEST {
            return Err(ToolError(format!("{shown} is no log of a session")));
        }
        let bytes = fs::read(&path).map_err(cannot)?;
        let transcript = read_session(bytes, None).map_err(|error| {
            let told = ToolError::of(&error);
            ToolError(format!("{shown}: {told}"))
        })?;
        let model = self.model(transcript.model.as_deref());
        let settings = &self.options.pack.settings;
        let counter = match &settings.counter {
            Some(_) => self.options.pack.counter.clone(),
            None => Counter::open(&model.counter).map_or_else(
                |_| self.options.pack.counter.clone(),
                |(counter, _)| counter,
            ),
        };
        Ok(Session {
            window: settings.budget.window.unwrap_or(model.window),
            model: model.name.clone(),
            counter,
            transcript,
            path,
        })
    }

    /// The session's own model where it is known, else the configured one.
    fn model(&self, own: Option<&str>) -> &Model {
        let models = &self.options.models;
        let own = own.and_then(|name| models.find(name));
        own.unwrap_or_else(|| models.find_or_generic(&self.options.pack.settings.model).0)
    }
}
