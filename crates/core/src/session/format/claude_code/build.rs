//! Writes turns of another agent as a session of Claude Code.

use super::SYNTHETIC;
use super::write::message;
use crate::session::format::anthropic::build_block;
use crate::session::format::json::{Object, list, quoted, quoted_or_null};
use crate::session::format::names::{NO_TIME, Name, time_text};
use crate::session::transcript::{Role, Transcript, Turn};

/// The version of the agent whose lines these are like.
const VERSION: &str = "2.1.0";

/// Writes turns. Instructions of the system have no place in these sessions.
pub(super) fn build(turns: &[Turn], transcript: &Transcript) -> Vec<u8> {
    let name = transcript.session.as_deref().unwrap_or_default();
    let mut builder = Builder {
        session: quoted(&Name::of(&[&"session", &name]).uuid()),
        directory: quoted(transcript.directory.as_deref().unwrap_or_default()),
        lines: String::new(),
        parent: None,
        time: NO_TIME.to_owned(),
    };
    for turn in turns.iter().filter(|turn| turn.role != Role::System) {
        builder.turn(turn, transcript);
    }
    builder.lines.into_bytes()
}

struct Builder {
    session: String,
    directory: String,
    lines: String,
    parent: Option<String>,
    time: String,
}

impl Builder {
    fn turn(&mut self, turn: &Turn, transcript: &Transcript) {
        if turn.time.is_some() {
            self.time = time_text(turn.time);
        }
        let blocks = turn.blocks.iter().flat_map(|it| build_block(it, transcript));
        let blocks: Vec<String> = blocks.map(|block| block.to_string()).collect();
        if blocks.is_empty() {
            return;
        }
        if turn.role != Role::Assistant {
            let message = Object::new([("role", quoted("user")), ("content", list(&blocks))]);
            return self.line("user", message.to_string());
        }
        let model = turn.model.as_deref().or(transcript.model.as_deref()).unwrap_or(SYNTHETIC);
        let name = Name::of(&[&"message", &self.lines.len(), &blocks.concat()]).uuid();
        for block in blocks {
            self.line("assistant", message(&name, model, &block));
        }
    }

    fn line(&mut self, kind: &str, message: String) {
        let parent = quoted_or_null(self.parent.as_deref());
        let uuid = Name::of(&[&parent, &self.lines.len(), &message]).uuid();
        let line = Object::new([
            ("parentUuid", parent),
            ("isSidechain", "false".to_owned()),
            ("userType", quoted("external")),
            ("cwd", self.directory.clone()),
            ("sessionId", self.session.clone()),
            ("version", quoted(VERSION)),
            ("gitBranch", quoted("")),
            ("type", quoted(kind)),
            ("message", message),
            ("uuid", quoted(&uuid)),
            ("timestamp", quoted(&self.time)),
        ]);
        self.lines.push_str(&format!("{line}\n"));
        self.parent = Some(uuid);
    }
}
