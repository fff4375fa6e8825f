//! Reads and writes the sessions of agents and providers, one [`Codec`] per format.
//!
//! A codec says how records are framed (`frame`: lines, a list, a document), how a record
//! becomes turns and blocks (`parts` has what formats share), how a changed turn is
//! written back, how new records are named and linked (`names`, `links`), and what the
//! agent or provider refuses (`check`). Adding a format is one file and a row here.
//!
//! Formats that are logs (Claude Code, Codex, pi, Gemini) are trimmed as the agent itself
//! compacts: by lines at the end of the log. Formats that are one document are written
//! anew. Either way every block that did not change is copied byte for byte.

mod anthropic;
mod check;
mod claude_code;
mod codex;
#[cfg(test)]
mod conversions;
mod frame;
mod gemini;
mod items;
mod json;
mod links;
mod names;
mod openai_chat;
mod openai_responses;
mod opencode;
mod parts;
mod pi;
mod pictures;
mod rounds;
mod sweagent;
#[cfg(test)]
mod testing;

use std::fmt;
use std::str::FromStr;

use super::draft::Draft;
use super::error::SessionError;
use super::transcript::{Transcript, Turn};
use check::{Answers, check_rounds};
use frame::Head;

pub use check::Violation;
pub(crate) use rounds::rounds;

/// One way to write a session down.
pub(crate) trait Codec: Sync {
    /// Tells whether the beginning of a session looks like this format.
    fn recognises(&self, head: &Head<'_>) -> bool;

    /// Reads a session into an empty transcript; the caller adds the source, and where no
    /// record names the model, that of the last turn.
    ///
    /// Lines that are not JSON or make no sense cost a remark. What fails is a source
    /// that has nothing of this format.
    fn read(&self, source: &[u8], transcript: &mut Transcript) -> Result<(), SessionError>;

    /// Writes a draft of a transcript that was read by this same codec. The caller
    /// handles drafts that change nothing, and checks what was written.
    fn write(&self, transcript: &Transcript, draft: &Draft) -> Result<Vec<u8>, SessionError>;

    /// Writes turns that were read from another format. They come in [`rounds`].
    fn build(&self, turns: &[Turn], transcript: &Transcript) -> Vec<u8>;

    /// Lists what a provider or agent would refuse about a transcript read by this codec.
    /// Results are messages of their own, and every call has one, unless it says otherwise.
    fn check(&self, transcript: &Transcript) -> Vec<Violation> {
        check_rounds(&transcript.turns, Answers::Required)
    }

    /// Tells whether thoughts may go and what follows them stay.
    fn may_drop_thinking(&self) -> bool {
        true
    }
}

/// The known formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionFormat {
    /// The log of Claude Code.
    ClaudeCode,
    /// The log of pi.
    Pi,
    /// The trajectory of SWE-agent.
    SweAgent,
    /// Logs of the Codex CLI.
    Codex,
    /// Chats of the Gemini CLI.
    Gemini,
    /// What `opencode export` writes.
    Opencode,
    /// Items of OpenAI's Responses API.
    OpenAiResponses,
    /// Messages of OpenAI's chat completions.
    OpenAiChat,
    /// Messages of Anthropic's API: a list, or the body of a request.
    Anthropic,
}

/// Every format with its name and its codec. The order is that of detection.
const FORMATS: &[(SessionFormat, &str, &dyn Codec)] = &[
    (SessionFormat::ClaudeCode, "claude-code", &claude_code::ClaudeCode),
    (SessionFormat::Pi, "pi", &pi::Pi),
    (SessionFormat::SweAgent, "swe-agent", &sweagent::SweAgent),
    (SessionFormat::Codex, "codex", &codex::Codex),
    (SessionFormat::Gemini, "gemini", &gemini::Gemini),
    (SessionFormat::Opencode, "opencode", &opencode::Opencode),
    (SessionFormat::OpenAiResponses, "openai-responses", &openai_responses::OpenAiResponses),
    (SessionFormat::OpenAiChat, "openai-chat", &openai_chat::OpenAiChat),
    (SessionFormat::Anthropic, "anthropic", &anthropic::Anthropic),
];

impl SessionFormat {
    /// Returns the name that flags and results use.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns every format.
    pub fn all() -> impl Iterator<Item = SessionFormat> {
        FORMATS.iter().map(|row| row.0)
    }

    /// Returns the names of all formats, for messages.
    pub fn names() -> String {
        let names: Vec<&str> = FORMATS.iter().map(|row| row.1).collect();
        names.join(", ")
    }

    /// Finds the format of a session by its content.
    pub fn detect(source: &[u8]) -> Result<SessionFormat, SessionError> {
        let head = Head::of(source)?;
        let row = FORMATS.iter().find(|row| row.2.recognises(&head));
        row.map(|row| row.0).ok_or_else(|| SessionError::Unknown(head.describe()))
    }

    pub(crate) fn codec(self) -> &'static dyn Codec {
        self.row().2
    }

    fn row(self) -> &'static (SessionFormat, &'static str, &'static dyn Codec) {
        let row = FORMATS.iter().find(|row| row.0 == self);
        row.unwrap_or(&FORMATS[0])
    }
}

impl fmt::Display for SessionFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SessionFormat {
    type Err = SessionError;

    fn from_str(name: &str) -> Result<SessionFormat, SessionError> {
        let row = FORMATS.iter().find(|row| row.1 == name);
        row.map(|row| row.0).ok_or_else(|| SessionError::NoFormat(name.to_owned()))
    }
}

fn malformed(format: SessionFormat, reason: impl fmt::Display) -> SessionError {
    SessionError::Malformed { format, reason: reason.to_string() }
}
