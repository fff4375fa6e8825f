//! Events that agents send to hooks, and the answers they understand.
//!
//! Everything here is values; the command reads the event and prints the answer. What
//! is not understood is left alone.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::Agent;

/// The members of an event that agents name differently.
pub(super) struct Fields {
    pub(super) session: &'static str,
    pub(super) tool: &'static str,
    pub(super) arguments: &'static str,
}

pub(super) const USUAL: Fields =
    Fields { session: "session_id", tool: "tool_name", arguments: "tool_input" };

/// When an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookMoment {
    /// Before a tool is used.
    PreTool,
    /// After a tool was used.
    PostTool,
    /// When a session starts, or continues.
    SessionStart,
    /// Before the agent compacts a session.
    PreCompact,
    /// When the user has written.
    UserPrompt,
    /// When the agent has answered.
    Stop,
    /// Any other moment.
    Other,
}

/// What an agent tells a hook.
#[derive(Clone, Debug)]
pub struct HookEvent {
    /// The agent.
    pub agent: Agent,
    /// When it happens.
    pub moment: HookMoment,
    /// The session, including the helper that the agent started, if any.
    pub session: String,
    /// The directory that the agent works in.
    pub directory: Option<PathBuf>,
    /// The log of the session.
    pub transcript: Option<PathBuf>,
    /// The tool.
    pub tool: String,
    /// What the tool was given.
    pub arguments: Value,
    /// Why a session starts.
    pub source: String,
    /// The first entry that a compaction keeps, for agents that say so.
    pub first_kept: Option<String>,
    /// The agent's own name of the event.
    name: String,
    body: Value,
}

impl HookEvent {
    pub(super) fn read(agent: Agent, moment: &str, body: Value) -> HookEvent {
        let fields = agent.profile().facts().fields;
        let text = |key: &str| body.get(key).and_then(Value::as_str).unwrap_or_default();
        let path = |key: &str| (!text(key).is_empty()).then(|| PathBuf::from(text(key)));
        let arguments = match body.get(fields.arguments) {
            // Some agents write arguments as text.
            Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
            Some(value) => value.clone(),
            None => Value::Null,
        };
        HookEvent {
            agent,
            moment: HookMoment::of(moment),
            session: match text("agent_id") {
                "" => text(fields.session).to_owned(),
                // Helpers have windows of their own.
                helper => format!("{}/{helper}", text(fields.session)),
            },
            directory: path("cwd"),
            transcript: path("transcript_path"),
            tool: text(fields.tool).to_owned(),
            arguments,
            source: text("source").to_owned(),
            first_kept: body.get("first_kept").and_then(Value::as_str).map(str::to_owned),
            name: match text("hook_event_name") {
                "" => moment.to_owned(),
                name => name.to_owned(),
            },
            body,
        }
    }

    /// Shortens every text of a tool's output; returns the answer, if any text changed.
    pub fn shorten(&self, mut shorten: impl FnMut(&str) -> Option<String>) -> Option<Value> {
        let profile = self.agent.profile();
        let mut output = profile.output(&self.body)?;
        let changed = shorten_texts(&mut output, &mut shorten);
        changed.then(|| profile.replace(&self.body, output))
    }

    /// Returns the answer that tells the user one thing and the model another.
    pub fn warn(&self, message: &str, context: &str) -> Option<Value> {
        let mut answer = self.tell(context)?;
        if let Some(members) = answer.as_object_mut() {
            members.insert("systemMessage".to_owned(), message.into());
        }
        Some(answer)
    }

    /// Returns the answer that tells the model something.
    pub fn tell(&self, text: &str) -> Option<Value> {
        self.agent.profile().tell(&self.name, text)
    }
}

impl HookMoment {
    /// Accepts the names of all agents, whatever their case and dashes.
    fn of(name: &str) -> HookMoment {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        let name: String = letters.map(|it| it.to_ascii_lowercase()).collect();
        match name.as_str() {
            "pretooluse" | "beforetool" => HookMoment::PreTool,
            "posttooluse" | "aftertool" => HookMoment::PostTool,
            "sessionstart" => HookMoment::SessionStart,
            "precompact" | "precompress" => HookMoment::PreCompact,
            "stop" | "afteragent" => HookMoment::Stop,
            "userprompt" | "userpromptsubmit" | "beforeagent" => HookMoment::UserPrompt,
            _ => HookMoment::Other,
        }
    }
}

/// Shortens the texts within a value; returns whether any changed.
fn shorten_texts(value: &mut Value, shorten: &mut impl FnMut(&str) -> Option<String>) -> bool {
    let mut all = |values: &mut dyn Iterator<Item = &mut Value>| {
        values.fold(false, |changed, it| shorten_texts(it, shorten) | changed)
    };
    match value {
        Value::Array(elements) => all(&mut elements.iter_mut()),
        Value::Object(members) => all(&mut members.values_mut()),
        Value::String(text) => match shorten(text) {
            Some(short) => {
                *text = short;
                true
            }
            None => false,
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns an event in the words that most agents use.
pub(super) fn usual_event(event: &str, tool: &str, response: Value) -> Value {
    json!({
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": {"command": "make"},
        "tool_response": response,
    })
}

/// Returns the answer that adds to the context, as Claude Code understands it.
pub(super) fn add_context(event: &str, text: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_a_name_in_every_agent() {
        for (name, moment) in [
            ("post-tool-use", HookMoment::PostTool),
            ("PostToolUse", HookMoment::PostTool),
            ("AfterTool", HookMoment::PostTool),
            ("postToolUse", HookMoment::PostTool),
            ("pre-compact", HookMoment::PreCompact),
            ("PreCompress", HookMoment::PreCompact),
            ("SessionStart", HookMoment::SessionStart),
            ("BeforeTool", HookMoment::PreTool),
            ("Stop", HookMoment::Stop),
            ("UserPromptSubmit", HookMoment::UserPrompt),
            ("", HookMoment::Other),
        ] {
            assert_eq!(HookMoment::of(name), moment, "{name}");
        }
    }
}
