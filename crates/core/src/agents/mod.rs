//! Describes each agent in one place: where its logs are, how a log is read, what was
//! billed, how it talks to hooks, and what is written to install Loadline.
//!
//! Every agent is one file that implements `Profile`; adding an agent is a variant of
//! [`Agent`] and its file. Commands, the server and the usage report share these
//! descriptions, so that all of them find the same sessions. Nothing here reads the
//! environment: the caller says where agents keep their files ([`AgentHomes`]).

mod bill;
mod claude_code;
mod codex;
mod copilot;
mod find;
mod gemini;
mod hook;
mod install;
mod log;
mod message;
mod opencode;
mod pi;
mod servers;
pub mod shell;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::{Value, json};

use bill::Before;
pub(crate) use bill::each_once;
pub use bill::{Request, Spending, read_requests};
use find::Candidate;
pub use find::{FoundSession, find_logs, find_logs_in, find_sessions, read_log, read_log_end};
use hook::Fields;
pub use hook::{HookEvent, HookMoment};
pub use install::{HookCommand, InstallScope, PlannedContent, PlannedFile, SettingsPlan};
pub use log::{Log, read_each_log, read_logs};
pub(crate) use message::call_text;
pub use message::{BLOCK_TOKENS, IMAGE_TOKENS, Role};
pub use opencode::rename_opencode_session;
pub use servers::{McpServer, find_servers, server_of_tool};
pub use shell::Shell;

use crate::session::SessionFormat;

/// The known agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agent {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex CLI.
    Codex,
    /// Google's Gemini CLI.
    Gemini,
    /// GitHub's Copilot CLI.
    Copilot,
    /// opencode.
    Opencode,
    /// pi.
    Pi,
}

/// An agent that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown agent {name:?}; known agents: {}", names())]
pub struct UnknownAgent {
    name: String,
}

/// Where agents keep their files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentHomes {
    /// The user's home directory.
    pub home: PathBuf,
    /// The directory of the user's data, usually `.local/share` below the home directory.
    pub data: PathBuf,
    /// Claude Code's own directory, if it is not `.claude` below the home directory.
    pub claude_code: Option<PathBuf>,
    /// Codex's own directory, if it is not `.codex` below the home directory.
    pub codex: Option<PathBuf>,
    /// pi's own directory, if it is not `.pi/agent` below the home directory.
    pub pi: Option<PathBuf>,
}

impl AgentHomes {
    /// Assumes the usual directories below a home directory.
    pub fn new(home: impl Into<PathBuf>) -> AgentHomes {
        let home = home.into();
        AgentHomes { data: home.join(".local/share"), home, ..AgentHomes::default() }
    }

    fn own(&self, set: &Option<PathBuf>, usual: &str) -> PathBuf {
        set.clone().unwrap_or_else(|| self.home.join(usual))
    }
}

impl Agent {
    /// All agents, in the order of the documentation.
    pub const ALL: [Agent; 6] = [
        Agent::ClaudeCode,
        Agent::Codex,
        Agent::Gemini,
        Agent::Copilot,
        Agent::Opencode,
        Agent::Pi,
    ];

    /// Returns the name used in commands and results.
    pub fn name(self) -> &'static str {
        self.profile().facts().name
    }

    /// Returns the name its makers use.
    pub fn title(self) -> &'static str {
        self.profile().facts().title
    }

    /// Returns the command that starts it.
    pub fn program(self) -> &'static str {
        self.profile().facts().program
    }

    /// Returns the format of its sessions; none where they cannot be read.
    pub fn format(self) -> Option<SessionFormat> {
        self.profile().facts().format
    }

    /// Finds the agent that wrote a log, by the requests in it.
    pub fn detect(log: &[u8]) -> Option<Agent> {
        let mut agents = Agent::ALL.into_iter();
        agents.find(|agent| !read_requests(log, *agent).is_empty())
    }

    /// Reads an event of a hook; `moment` is what the hook was installed for.
    pub fn event(self, moment: &str, body: Value) -> HookEvent {
        HookEvent::read(self, moment, body)
    }

    /// Tells whether a summary of ours takes the place of the agent's own compaction.
    pub fn takes_summary(self) -> bool {
        self.profile().facts().takes_summary
    }

    /// Returns an event that reports a tool's output, as this agent would send it.
    pub fn sample_event(self, output: &str) -> Value {
        self.profile().sample_event(output)
    }

    /// Lists the files that an installation writes.
    pub fn installation(self, scope: &InstallScope) -> Vec<PlannedFile> {
        scope.narrow(self.profile().installation(scope))
    }

    /// Returns what is left for the user to do after an installation.
    pub fn next_step(self) -> Option<&'static str> {
        self.profile().facts().next_step
    }

    /// Returns what the user must do before the agent runs new hooks.
    pub fn trust(self) -> Option<&'static str> {
        self.profile().facts().trust
    }

    fn profile(self) -> &'static dyn Profile {
        match self {
            Agent::ClaudeCode => &claude_code::ClaudeCode,
            Agent::Codex => &codex::Codex,
            Agent::Gemini => &gemini::Gemini,
            Agent::Copilot => &copilot::Copilot,
            Agent::Opencode => &opencode::Opencode,
            Agent::Pi => &pi::Pi,
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(name: &str) -> Result<Agent, UnknownAgent> {
        let mut agents = Agent::ALL.into_iter();
        let found = agents.find(|agent| agent.name() == name);
        found.ok_or_else(|| UnknownAgent { name: name.to_owned() })
    }
}

fn names() -> String {
    Agent::ALL.map(Agent::name).join(", ")
}

/// What is the same on every machine.
struct Facts {
    name: &'static str,
    title: &'static str,
    program: &'static str,
    format: Option<SessionFormat>,
    /// Where hook events keep things.
    fields: Fields,
    /// Whether our own summary may take the place of the agent's.
    takes_summary: bool,
    /// The shell that runs hooks on Windows; that of Git, for most agents.
    shell_of_windows: Shell,
    next_step: Option<&'static str>,
    trust: Option<&'static str>,
}

impl Facts {
    /// An agent without readable logs whose events are named as Claude Code's are: several
    /// agents adopted them.
    fn new(name: &'static str, title: &'static str) -> Facts {
        Facts {
            name,
            title,
            program: name,
            format: None,
            fields: hook::USUAL,
            takes_summary: false,
            shell_of_windows: Shell::Sh,
            next_step: None,
            trust: None,
        }
    }
}

/// Everything that differs from agent to agent.
///
/// The defaults describe an agent that a plugin of ours connects: it hands plain text to the
/// hook and takes plain text back.
trait Profile: Sync {
    fn facts(&self) -> Facts;

    /// Directories and files that hold logs.
    fn log_places(&self, _: &AgentHomes) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Tells by its path whether a log is a whole session, not a helper's.
    fn is_session(&self, log: &Path) -> bool {
        let name = log.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".jsonl") && !name.starts_with("agent-")
    }

    /// Lists what may be sessions.
    fn sessions(&self, homes: &AgentHomes) -> Vec<Candidate> {
        let places = self.log_places(homes);
        let logs = places.iter().flat_map(|place| find::files_below(place));
        let sessions = logs.filter(|(path, ..)| self.is_session(path));
        sessions
            .map(|(path, changed, _)| Candidate { path, changed, id: None, directory: None })
            .collect()
    }

    /// Returns the directory that a session worked in, if it is `project` or below it.
    fn directory(&self, session: &Candidate, project: &Path) -> Option<PathBuf> {
        let directory = find::directory_in_head(&session.path)?;
        directory.starts_with(project).then_some(directory)
    }

    /// Reads a session in its format.
    fn read_session(&self, session: &FoundSession) -> std::io::Result<Vec<u8>> {
        read_log(&session.path)
    }

    /// Returns the arguments that start it on a session; none where it takes none.
    fn resume(&self, _: &FoundSession) -> Option<Vec<OsString>> {
        None
    }

    /// Lists files of settings, and where in them MCP servers are named.
    fn server_settings(&self, _: &AgentHomes, _: &Path) -> Vec<(PathBuf, Vec<String>)> {
        Vec::new()
    }

    /// Finds the requests in a log, or in whole lines of one. A request may appear several
    /// times.
    fn requests(&self, _: &[u8], _: &mut Before) -> Vec<Request> {
        Vec::new()
    }

    /// Returns what the model would see of a tool's output, in any shape.
    fn output(&self, body: &Value) -> Option<Value> {
        body.get("tool_response").filter(|it| it.is_string()).cloned()
    }

    /// Returns the answer that shows the model another output.
    fn replace(&self, _: &Value, output: Value) -> Value {
        json!({"output": output})
    }

    /// Returns the answer that tells the model, or the user, something.
    fn tell(&self, _: &str, text: &str) -> Option<Value> {
        Some(json!({"context": text}))
    }

    fn sample_event(&self, output: &str) -> Value {
        hook::usual_event("PostToolUse", "Bash", output.into())
    }

    fn installation(&self, scope: &InstallScope) -> Vec<PlannedFile>;
}
