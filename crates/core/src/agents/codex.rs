//! The Codex CLI: the reason of a block is what the model sees of a tool's output.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memchr::memmem;
use serde::Deserialize;
use serde_json::{Value, json};

use super::bill::{Before, time};
use super::hook::add_context;
use super::{
    Agent, AgentHomes, Facts, FoundSession, InstallScope, PlannedFile, Profile, Request,
    SettingsPlan, Shell, Spending,
};
use crate::session::SessionFormat;

pub(super) struct Codex;

/// Letters of a session's name.
const ID: usize = 36;

impl Profile for Codex {
    fn facts(&self) -> Facts {
        Facts {
            format: Some(SessionFormat::Codex),
            shell_of_windows: Shell::Cmd,
            trust: Some("Codex runs new hooks only after you trust them: type /hooks once"),
            ..Facts::new("codex", "OpenAI's Codex CLI")
        }
    }

    fn log_places(&self, homes: &AgentHomes) -> Vec<PathBuf> {
        ["sessions", "archived_sessions"].map(|name| own(homes).join(name)).into()
    }

    fn resume(&self, session: &FoundSession) -> Option<Vec<OsString>> {
        // rollout-TIME-ID.jsonl
        let stem = session.path.file_stem()?.to_str()?;
        let id = stem.get(stem.len().checked_sub(ID)?..)?;
        Some(vec!["resume".into(), id.into()])
    }

    fn server_settings(&self, homes: &AgentHomes, project: &Path) -> Vec<(PathBuf, Vec<String>)> {
        let servers = || vec!["mcp_servers".to_owned()];
        let places = [project.join(".codex/config.toml"), own(homes).join("config.toml")];
        places.map(|place| (place, servers())).into()
    }

    fn requests(&self, log: &[u8], before: &mut Before) -> Vec<Request> {
        let kinds = ["\"session_meta\"", "\"turn_context\"", "\"token_count\""];
        let finders = kinds.map(|it| memmem::Finder::new(it.as_bytes()));
        let lines = log.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| finders.iter().any(|it| it.find(line).is_some()));
        let lines = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
        lines.filter_map(|line| line.read(before)).collect()
    }

    fn output(&self, body: &Value) -> Option<Value> {
        let response = body.get("tool_response")?;
        if response.is_string() {
            return Some(response.clone());
        }
        let keys = ["output", "stdout", "content"];
        let text = keys.iter().find_map(|key| response.get(key)?.as_str());
        text.map(Value::from)
    }

    fn replace(&self, _: &Value, output: Value) -> Value {
        json!({"decision": "block", "reason": output})
    }

    fn tell(&self, event: &str, text: &str) -> Option<Value> {
        let takes_context = matches!(event, "SessionStart" | "PreToolUse" | "PostToolUse");
        takes_context.then(|| add_context(event, text))
    }

    fn installation(&self, scope: &InstallScope) -> Vec<PlannedFile> {
        let hook = |event, ours| scope.hook(Agent::Codex, event, ours);
        let plan = SettingsPlan {
            hooks: vec![
                hook("PostToolUse", "post-tool-use"),
                hook("SessionStart", "session-start"),
            ],
            ..SettingsPlan::default()
        };
        let file = |homes: &AgentHomes| own(homes).join("hooks.json");
        PlannedFile::settings(scope.path(file, ".codex/hooks.json"), plan)
    }
}

fn own(homes: &AgentHomes) -> PathBuf {
    homes.own(&homes.codex, ".codex")
}

#[derive(Deserialize)]
struct Line {
    timestamp: Option<String>,
    #[serde(rename = "type")]
    kind: String,
    payload: Value,
}

impl Line {
    fn read(&self, before: &mut Before) -> Option<Request> {
        let text = |key: &str| self.payload[key].as_str().map(str::to_owned);
        match self.kind.as_str() {
            "session_meta" | "turn_context" => {
                before.model = text("model").or(before.model.take());
                before.project = text("cwd").or(before.project.take());
                if self.kind == "session_meta" {
                    before.thread = text("id").unwrap_or_default();
                }
                None
            }
            "event_msg" if self.payload["type"] == "token_count" => {
                self.request(&self.payload["info"], before)
            }
            _ => None,
        }
    }

    fn request(&self, info: &Value, before: &mut Before) -> Option<Request> {
        let timestamp = self.timestamp.as_deref();
        let (total, usage) = (&info["total_token_usage"], &info["last_token_usage"]);
        // The same count is logged again with every change of the rate limits.
        if !usage.is_object() || (total.is_object() && *total == before.total) {
            return None;
        }
        before.total = total.clone();
        let number = |key: &str| usage[key].as_u64().unwrap_or(0);
        let cached = number("cached_input_tokens").min(number("input_tokens"));
        Some(Request {
            agent: Agent::Codex,
            key: format!("codex:{}:{}", timestamp.unwrap_or_default(), total["total_tokens"]),
            time: time(timestamp),
            model: before.model.clone(),
            project: before.project.clone(),
            thread: before.thread.clone(),
            spending: Spending {
                input: number("input_tokens") - cached,
                output: number("output_tokens"),
                cache_read: cached,
                ..Spending::default()
            },
            logged_cost: None,
        })
    }
}
