//! The session that a request is about: the one it names, or the project's newest.
//!
//! A log outside of the roots is read only if its agent worked inside of them.

use std::path::{Path, PathBuf};

use loadline::agents::{FoundSession, find_sessions, read_log};
use loadline::budget::Model;
use loadline::session::{SessionFormat, Transcript, read_session};
use loadline::tokens::{Counter, Tokens};

use super::State;
use super::answer::ToolError;

/// A session with what it is measured by.
pub(super) struct Session {
    pub(super) path: PathBuf,
    pub(super) transcript: Transcript,
    pub(super) model: String,
    pub(super) window: Tokens,
    pub(super) counter: Counter,
}

impl State {
    /// Returns the sessions of agents that worked in the roots, newest first.
    pub(super) fn sessions(&self) -> Vec<FoundSession> {
        let mut found: Vec<FoundSession> = Vec::new();
        let Some(homes) = &self.options.agents else {
            return found;
        };
        for root in self.roots.names() {
            for session in find_sessions(homes, root) {
                let is_same = |it: &FoundSession| it.path == session.path && it.id == session.id;
                if !found.iter().any(is_same) {
                    found.push(session);
                }
            }
        }
        found.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.path.cmp(&b.path)));
        found
    }

    /// Opens the session that a request names, or the newest, if there is one.
    pub(super) fn session(&self, named: Option<&str>) -> Result<Option<Session>, ToolError> {
        let mut sessions = self.sessions().into_iter();
        let found = match named {
            Some(named) => sessions.find(|session| session.is_named(named)),
            None => sessions.next(),
        };
        if let Some(found) = found {
            let bytes = found.read().map_err(|error| unreadable(&found.path, &error))?;
            return self.open(found.path.clone(), bytes, found.format()).map(Some);
        }
        let Some(named) = named else {
            return Ok(None);
        };
        let path = self.roots.find(Some(named))?.absolute();
        let bytes = read_log(&path).map_err(|error| unreadable(&path, &error))?;
        self.open(path, bytes, None).map(Some)
    }

    fn open(
        &self,
        path: PathBuf,
        bytes: Vec<u8>,
        format: Option<SessionFormat>,
    ) -> Result<Session, ToolError> {
        let transcript = read_session(bytes, format).map_err(|error| {
            let told = ToolError::from(error);
            ToolError(format!("{}: {told}", path.display()))
        })?;
        let model = self.model(transcript.model.as_deref());
        let settings = &self.options.settings;
        let configured = || self.options.pack.counter.clone();
        let counter = match &settings.counter {
            Some(_) => configured(),
            None => Counter::open(&model.counter).map_or_else(|_| configured(), |it| it.0),
        };
        Ok(Session {
            window: settings.session.total.or(settings.budget.window).unwrap_or(model.window),
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
        own.unwrap_or_else(|| models.find_or_generic(&self.options.settings.model).0)
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> ToolError {
    ToolError(format!("cannot read {}: {error}", path.display()))
}
