//! The Gemini CLI: the reason of a denial is what the model sees of a tool's output.
//!
//! Logs are in one directory per project, named by a short name or by the SHA-256 of the
//! project's path. They do not always say which directory they are about, so the
//! directory's own mark or name decides.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::bill::{Before, lines_with, time};
use super::find::{Candidate, head};
use super::hook::usual_event;
use super::{
    Agent, AgentHomes, Facts, FoundSession, HookCommand, InstallScope, PlannedFile, Profile,
    Request, SettingsPlan, Shell, Spending,
};
use crate::session::SessionFormat;

pub(super) struct Gemini;

impl Profile for Gemini {
    fn facts(&self) -> Facts {
        Facts {
            format: Some(SessionFormat::Gemini),
            shell_of_windows: Shell::PowerShell,
            ..Facts::new("gemini", "Google's Gemini CLI")
        }
    }

    fn log_places(&self, homes: &AgentHomes) -> Vec<PathBuf> {
        vec![homes.home.join(".gemini/tmp")]
    }

    fn is_session(&self, log: &Path) -> bool {
        let name = log.file_name().unwrap_or_default().to_string_lossy();
        let directory = log.parent().and_then(Path::file_name);
        name.starts_with("session-") && directory.is_some_and(|it| it == "chats")
    }

    fn directory(&self, session: &Candidate, project: &Path) -> Option<PathBuf> {
        // A helper's log is next to the log of the session that started it.
        let head = head(&session.path)?;
        let first = head.split(|byte| *byte == b'\n').next()?;
        let first: Value = serde_json::from_slice(first).unwrap_or_default();
        if first["kind"] == "subagent" {
            return None;
        }
        let own = session.path.parent()?.parent()?;
        let directory = match std::fs::read_to_string(own.join(".project_root")) {
            Ok(root) => PathBuf::from(root.trim()),
            Err(_) if own.file_name()?.to_str()? == hash(project) => project.to_owned(),
            Err(_) => return None,
        };
        directory.starts_with(project).then_some(directory)
    }

    fn resume(&self, session: &FoundSession) -> Option<Vec<OsString>> {
        let log = head(&session.path)?;
        let whole: Option<Value> = serde_json::from_slice(&log).ok();
        let first = || lines_with::<Value>(&log, "\"sessionId\"").next();
        let head = whole.or_else(first)?;
        Some(vec!["--resume".into(), head["sessionId"].as_str()?.into()])
    }

    fn server_settings(&self, homes: &AgentHomes, project: &Path) -> Vec<(PathBuf, Vec<String>)> {
        let servers = || vec!["mcpServers".to_owned()];
        [project, &homes.home].map(|it| (it.join(".gemini/settings.json"), servers())).into()
    }

    fn requests(&self, log: &[u8], before: &mut Before) -> Vec<Request> {
        let whole: Option<Value> = serde_json::from_slice(log).ok();
        let mut requests: Vec<Request> =
            match whole.as_ref().and_then(|it| it["messages"].as_array()) {
                Some(messages) => {
                    whole.as_ref().into_iter().for_each(|it| note_head(it, before));
                    messages.iter().filter_map(|it| request(it, before)).collect()
                }
                None => {
                    let first = lines_with::<Value>(log, "\"projectHash\"").next();
                    first.iter().for_each(|it| note_head(it, before));
                    let messages = lines_with::<Value>(log, "\"tokens\"");
                    messages.filter_map(|it| request(&it, before)).collect()
                }
            };
        // An answer that was broken off does not name its model; it is that of the one before.
        let mut model = requests.iter().find_map(|request| request.model.clone());
        for request in &mut requests {
            request.model = request.model.take().or(model.take());
            model.clone_from(&request.model);
        }
        requests
    }

    fn output(&self, body: &Value) -> Option<Value> {
        let text = |part: &Value| match part {
            Value::String(text) => Some(text.clone()),
            part => part.get("text")?.as_str().map(str::to_owned),
        };
        match body.get("tool_response")?.get("llmContent")? {
            // A picture among them cannot be given as a reason.
            Value::Array(parts) => {
                let texts: Option<Vec<String>> = parts.iter().map(text).collect();
                Some(Value::from(texts?.join("\n")))
            }
            part => text(part).map(Value::from),
        }
    }

    fn replace(&self, _: &Value, output: Value) -> Value {
        json!({"decision": "deny", "reason": output})
    }

    fn tell(&self, event: &str, text: &str) -> Option<Value> {
        Some(match event {
            "SessionStart" | "AfterTool" | "BeforeAgent" => {
                json!({"hookSpecificOutput": {"additionalContext": text}})
            }
            _ => json!({"systemMessage": text}),
        })
    }

    fn sample_event(&self, output: &str) -> Value {
        let response = json!({"llmContent": output});
        usual_event("AfterTool", "run_shell_command", response)
    }

    fn installation(&self, scope: &InstallScope) -> Vec<PlannedFile> {
        let hook = |event, ours| HookCommand {
            // In milliseconds; the others count seconds.
            timeout: 10_000,
            ..scope.hook(Agent::Gemini, event, ours)
        };
        let plan = SettingsPlan {
            hooks: vec![
                hook("AfterTool", "post-tool-use").for_every_tool(),
                hook("PreCompress", "pre-compact"),
                hook("SessionStart", "session-start"),
            ],
            status_line: None,
            server: Some(scope.program.clone()),
        };
        let settings = ".gemini/settings.json";
        let file = |homes: &AgentHomes| homes.home.join(settings);
        PlannedFile::settings(scope.path(file, settings), plan)
    }
}

fn hash(project: &Path) -> String {
    let digest = Sha256::digest(project.as_os_str().as_encoded_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Remembers what the head of a log says: a part of the project's hash, and the session.
fn note_head(head: &Value, before: &mut Before) {
    let hash = head["projectHash"].as_str();
    before.project = hash.map(|it| it.chars().take(8).collect());
    before.thread = head["sessionId"].as_str().unwrap_or_default().to_owned();
}

fn request(message: &Value, before: &Before) -> Option<Request> {
    let tokens = message["tokens"].as_object()?;
    let number = |key: &str| tokens.get(key).and_then(Value::as_u64).unwrap_or(0);
    let cached = number("cached").min(number("input"));
    let spending = Spending {
        input: (number("input") - cached).saturating_add(number("tool")),
        output: number("output").saturating_add(number("thoughts")),
        cache_read: cached,
        ..Spending::default()
    };
    // opencode's messages have tokens too, but they have a role.
    if message.get("role").is_some() || spending.total() == 0 {
        return None;
    }
    Some(Request {
        agent: Agent::Gemini,
        key: format!("gemini:{}", message["id"].as_str()?),
        time: time(message["timestamp"].as_str()),
        model: message["model"].as_str().map(str::to_owned),
        project: before.project.clone(),
        thread: before.thread.clone(),
        spending,
        logged_cost: None,
    })
}
