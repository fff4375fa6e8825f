//! Claude Code.
//!
//! A tool's output comes and goes in the tool's own shape: a text in the place of an
//! object is silently refused, so only texts within the shape change. Its editing tools
//! report structure from which it writes a text of its own; that is left alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::bill::{Before, lines_with, time};
use super::hook::{add_context, usual_event};
use super::{
    Agent, AgentHomes, Facts, FoundSession, InstallScope, PlannedFile, Profile, Request,
    SettingsPlan, Spending,
};
use crate::session::SessionFormat;

pub(super) struct ClaudeCode;

/// Tools whose report is not what the model reads.
const STRUCTURED: [&str; 6] =
    ["Edit", "MultiEdit", "Write", "NotebookEdit", "TodoWrite", "ExitPlanMode"];

impl Profile for ClaudeCode {
    fn facts(&self) -> Facts {
        Facts {
            program: "claude",
            format: Some(SessionFormat::ClaudeCode),
            next_step: Some("to add the MCP server, run: claude mcp add loadline -- loadline mcp"),
            ..Facts::new("claude-code", "Anthropic's Claude Code")
        }
    }

    fn log_places(&self, homes: &AgentHomes) -> Vec<PathBuf> {
        let mut places = vec![own(homes).join("projects")];
        if homes.claude_code.is_none() {
            places.push(homes.home.join(".config/claude/projects"));
        }
        places
    }

    fn resume(&self, session: &FoundSession) -> Option<Vec<OsString>> {
        Some(vec!["--resume".into(), session.path.file_stem()?.into()])
    }

    fn server_settings(&self, homes: &AgentHomes, project: &Path) -> Vec<(PathBuf, Vec<String>)> {
        let servers = || "mcpServers".to_owned();
        let own = homes.home.join(".claude.json");
        let here = project.display().to_string();
        vec![
            (project.join(".mcp.json"), vec![servers()]),
            (own.clone(), vec!["projects".to_owned(), here, servers()]),
            (own, vec![servers()]),
        ]
    }

    fn requests(&self, log: &[u8], _: &mut Before) -> Vec<Request> {
        let requests = lines_with::<Line>(log, "\"usage\"").map(Line::request);
        // Errors are logged as answers of a model that does not exist.
        requests.filter(|it| it.spending.total() > 0).collect()
    }

    fn output(&self, body: &Value) -> Option<Value> {
        let tool = body.get("tool_name")?.as_str()?;
        let output = body.get("tool_response")?;
        let is_image = output.get("isImage").and_then(Value::as_bool);
        let is_left = STRUCTURED.contains(&tool) || is_image == Some(true);
        (!is_left).then(|| output.clone())
    }

    fn replace(&self, _: &Value, output: Value) -> Value {
        let event = "PostToolUse";
        json!({"hookSpecificOutput": {"hookEventName": event, "updatedToolOutput": output}})
    }

    fn tell(&self, event: &str, text: &str) -> Option<Value> {
        Some(match event {
            // Plain text on standard output becomes instructions for the summary.
            "PreCompact" => Value::from(text),
            // There is nobody to tell but the user.
            "Stop" | "UserPromptSubmit" => json!({"systemMessage": text}),
            _ => add_context(event, text),
        })
    }

    fn sample_event(&self, output: &str) -> Value {
        let response =
            json!({"stdout": output, "stderr": "", "interrupted": false, "isImage": false});
        usual_event("PostToolUse", "Bash", response)
    }

    fn installation(&self, scope: &InstallScope) -> Vec<PlannedFile> {
        let hook = |event, ours| scope.hook(Agent::ClaudeCode, event, ours);
        let plan = SettingsPlan {
            hooks: vec![
                hook("PreToolUse", "pre-tool-use").for_every_tool(),
                hook("PostToolUse", "post-tool-use").for_every_tool(),
                hook("PreCompact", "pre-compact"),
                hook("SessionStart", "session-start"),
                hook("Stop", "stop"),
                hook("UserPromptSubmit", "user-prompt"),
            ],
            status_line: Some(scope.command(Agent::ClaudeCode, "statusline")),
            server: None,
        };
        let file = |homes: &AgentHomes| own(homes).join("settings.json");
        PlannedFile::settings(scope.path(file, ".claude/settings.json"), plan)
    }
}

fn own(homes: &AgentHomes) -> PathBuf {
    homes.own(&homes.claude_code, ".claude")
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    timestamp: Option<String>,
    cwd: Option<String>,
    request_id: Option<String>,
    session_id: Option<String>,
    agent_id: Option<String>,
    uuid: Option<String>,
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    id: Option<String>,
    model: Option<String>,
    usage: Usage,
}

#[derive(Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation: Option<CacheCreation>,
}

#[derive(Deserialize)]
struct CacheCreation {
    ephemeral_1h_input_tokens: Option<u64>,
}

impl Line {
    fn request(self) -> Request {
        let id = self.message.id.or(self.uuid).unwrap_or_default();
        let request = self.request_id.unwrap_or_default();
        Request {
            agent: Agent::ClaudeCode,
            key: format!("claude:{id}:{request}"),
            time: time(self.timestamp.as_deref()),
            model: self.message.model,
            project: self.cwd,
            thread: self.agent_id.or(self.session_id).unwrap_or_default(),
            spending: self.message.usage.spending(),
            logged_cost: None,
        }
    }
}

impl Usage {
    fn spending(&self) -> Spending {
        let written = self.cache_creation_input_tokens.unwrap_or(0);
        let creation = self.cache_creation.as_ref();
        let for_an_hour = creation.and_then(|it| it.ephemeral_1h_input_tokens);
        let long = for_an_hour.unwrap_or(0).min(written);
        Spending {
            input: self.input_tokens.unwrap_or(0),
            output: self.output_tokens.unwrap_or(0),
            cache_read: self.cache_read_input_tokens.unwrap_or(0),
            cache_write: written - long,
            cache_write_long: long,
        }
    }
}
