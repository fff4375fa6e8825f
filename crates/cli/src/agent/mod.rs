//! What do agents tell their hooks, and what do they want to hear?
//!
//! One file per dialect: where an event keeps what it is about, and how an answer
//! must look so that the model sees the shorter output. Everything here is values;
//! `commands/hook.rs` does the work. What is not understood is left alone.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod plugin;

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::Value;

/// The agents whose hooks are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex CLI.
    Codex,
    /// Google's Gemini CLI.
    Gemini,
    /// GitHub's Copilot CLI.
    Copilot,
    /// opencode, through a plugin.
    Opencode,
    /// pi, through an extension.
    Pi,
}

/// One way to speak with hooks.
trait Dialect {
    /// Where events keep things.
    fn fields(&self) -> Fields;

    /// Returns what the model would see of a tool's output, in any shape.
    fn output(&self, body: &Value) -> Option<Value>;

    /// Says that the model is to see this instead.
    fn replace(&self, body: &Value, output: Value) -> Value;

    /// Says that the model, or the user, is to be told something.
    fn tell(&self, event: &str, text: &str) -> Option<Value>;

    /// Says one thing to the user and another to the model.
    fn warn(&self, event: &str, message: &str, context: &str) -> Option<Value> {
        let mut answer = self.tell(event, context)?;
        if let Some(members) = answer.as_object_mut() {
            members.insert("systemMessage".to_owned(), message.into());
        }
        Some(answer)
    }
}

/// Where events keep things.
struct Fields {
    session: &'static str,
    tool: &'static str,
    arguments: &'static str,
}

const USUAL: Fields = Fields {
    session: "session_id",
    tool: "tool_name",
    arguments: "tool_input",
};

/// When an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    PreTool,
    PostTool,
    SessionStart,
    PreCompact,
    /// Any other: passed over.
    Other,
}

/// What an agent tells.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    agent: Agent,
    pub(crate) moment: Moment,
    /// The agent's own name of the event.
    name: String,
    pub(crate) session: String,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) transcript: Option<PathBuf>,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// Why a session starts.
    pub(crate) source: String,
    body: Value,
}

impl Agent {
    /// Returns the name that commands and results use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Agent::ClaudeCode => "claude-code",
            Agent::Codex => "codex",
            Agent::Gemini => "gemini",
            Agent::Copilot => "copilot",
            Agent::Opencode => "opencode",
            Agent::Pi => "pi",
        }
    }

    fn dialect(self) -> &'static dyn Dialect {
        match self {
            Agent::ClaudeCode => &claude_code::ClaudeCode,
            Agent::Codex => &codex::Codex,
            Agent::Gemini => &gemini::Gemini,
            Agent::Copilot => &copilot::Copilot,
            Agent::Opencode | Agent::Pi => &plugin::Plugin,
        }
    }

    /// Reads an event; `moment` is what the agent was told to call it.
    pub(crate) fn event(self, moment: &str, body: Value) -> Event {
        let fields = self.dialect().fields();
        let text = |key: &str| body.get(key).and_then(Value::as_str).unwrap_or_default();
        let path = |key: &str| {
            Some(text(key))
                .filter(|it| !it.is_empty())
                .map(PathBuf::from)
        };
        let arguments = match body.get(fields.arguments) {
            // Some write arguments as text.
            Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
            Some(value) => value.clone(),
            None => Value::Null,
        };
        let name = match text("hook_event_name") {
            "" => moment.to_owned(),
            name => name.to_owned(),
        };
        Event {
            agent: self,
            moment: Moment::of(moment),
            name,
            session: match text("agent_id") {
                "" => text(fields.session).to_owned(),
                // An agent's own agents have windows of their own.
                agent => format!("{}/{agent}", text(fields.session)),
            },
            directory: path("cwd"),
            transcript: path("transcript_path"),
            tool: text(fields.tool).to_owned(),
            arguments,
            source: text("source").to_owned(),
            body,
        }
    }
}

impl Moment {
    /// Knows the names of all agents, whatever their case and dashes.
    fn of(name: &str) -> Moment {
        let letters = name.chars().filter(|it| it.is_ascii_alphanumeric());
        let name: String = letters.collect::<String>().to_ascii_lowercase();
        match name.as_str() {
            "pretooluse" | "beforetool" => Moment::PreTool,
            "posttooluse" | "aftertool" => Moment::PostTool,
            "sessionstart" => Moment::SessionStart,
            "precompact" | "precompress" => Moment::PreCompact,
            _ => Moment::Other,
        }
    }
}

impl Event {
    pub(crate) fn agent(&self) -> Agent {
        self.agent
    }

    /// Shortens every text of a tool's output by `shorten`; returns the answer, if any changed.
    pub(crate) fn shorten(&self, mut shorten: impl FnMut(&str) -> Option<String>) -> Option<Value> {
        let dialect = self.agent.dialect();
        let mut output = dialect.output(&self.body)?;
        let changed = shorten_texts(&mut output, &mut shorten);
        changed.then(|| dialect.replace(&self.body, output))
    }

    /// Returns the answer that tells the user one thing and the model another.
    pub(crate) fn warn(&self, message: &str, context: &str) -> Option<Value> {
        self.agent.dialect().warn(&self.name, message, context)
    }

    /// Returns the answer that tells the model something.
    pub(crate) fn tell(&self, text: &str) -> Option<Value> {
        self.agent.dialect().tell(&self.name, text)
    }
}

/// Shortens the texts within a value; tells whether any changed.
fn shorten_texts(value: &mut Value, shorten: &mut impl FnMut(&str) -> Option<String>) -> bool {
    match value {
        Value::String(text) => match shorten(text) {
            Some(short) => {
                *text = short;
                true
            }
            None => false,
        },
        Value::Array(elements) => {
            let mut changed = false;
            for element in elements {
                changed |= shorten_texts(element, shorten);
            }
            changed
        }
        Value::Object(members) => {
            let mut changed = false;
            for member in members.values_mut() {
                changed |= shorten_texts(member, shorten);
            }
            changed
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests;
