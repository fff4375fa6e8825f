//! Writes turns of another agent as a session of Claude Code.

use super::write::message;
use super::{SYNTHETIC, time_text};
use crate::session::format::anthropic::build_block;
use crate::session::format::patch::{NO_TIME, Name, object, quoted};
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
        builder.turn(turn, transcript.model.as_deref());
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
    fn turn(&mut self, turn: &Turn, model: Option<&str>) {
        if let Some(time) = turn.time {
            self.time = time_text(time);
        }
        let blocks = turn.blocks.iter().filter_map(build_block);
        let blocks: Vec<String> = blocks.map(|block| block.to_string()).collect();
        if blocks.is_empty() {
            return;
        }
        if turn.role != Role::Assistant {
            let content = format!("[{}]", blocks.join(","));
            let message = object(&[("role", quoted("user")), ("content", content)]);
            return self.line("user", message);
        }
        let model = turn.model.as_deref().or(model).unwrap_or(SYNTHETIC);
        let name = Name::of(&[&"message", &self.lines.len(), &blocks.concat()]).uuid();
        for block in blocks {
            self.line("assistant", message(&name, model, &block));
        }
    }

    fn line(&mut self, kind: &str, message: String) {
        let parent = self.parent.as_deref();
        let parent = parent.map_or_else(|| "null".to_owned(), quoted);
        let uuid = Name::of(&[&parent, &self.lines.len(), &message]).uuid();
        self.lines.push_str(&object(&[
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
        ]));
        self.lines.push('\n');
        self.parent = Some(uuid);
    }
}
