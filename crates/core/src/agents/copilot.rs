//! The Copilot CLI: a modified result takes the place of a tool's own. Its logs are not
//! read.

use serde_json::{Value, json};

use super::hook::Fields;
use super::{Agent, AgentHomes, Facts, InstallScope, PlannedFile, Profile, Shell};

pub(super) struct Copilot;

const RESULT: &str = "toolResult";
const TEXT: &str = "textResultForLlm";

impl Profile for Copilot {
    fn facts(&self) -> Facts {
        Facts {
            fields: Fields { session: "sessionId", tool: "toolName", arguments: "toolArgs" },
            shell_of_windows: Shell::PowerShell,
            ..Facts::new("copilot", "GitHub's Copilot CLI")
        }
    }

    fn output(&self, body: &Value) -> Option<Value> {
        let text = body.get(RESULT)?.get(TEXT)?;
        text.is_string().then(|| text.clone())
    }

    fn replace(&self, body: &Value, output: Value) -> Value {
        let mut result = body.get(RESULT).cloned().unwrap_or_else(|| json!({}));
        if let Some(members) = result.as_object_mut() {
            members.insert(TEXT.to_owned(), output);
        }
        json!({"modifiedResult": result})
    }

    fn tell(&self, _: &str, text: &str) -> Option<Value> {
        Some(json!({"additionalContext": text}))
    }

    fn sample_event(&self, output: &str) -> Value {
        json!({
            "toolName": "bash",
            "toolArgs": {"command": "make"},
            RESULT: {"resultType": "success", TEXT: output},
        })
    }

    fn installation(&self, scope: &InstallScope) -> Vec<PlannedFile> {
        let call = |event: &str| {
            let command = scope.command(Agent::Copilot, &format!("hook copilot {event}"));
            let shell = match scope.shell(Agent::Copilot) {
                Shell::PowerShell => "powershell",
                _ => "bash",
            };
            json!([{"type": "command", shell: command, "timeoutSec": 10}])
        };
        let hooks = json!({
            "version": 1,
            "hooks": {"postToolUse": call("post-tool-use"), "sessionStart": call("session-start")},
        });
        let file = |homes: &AgentHomes| homes.home.join(".copilot/hooks/loadline.json");
        let path = scope.path(file, ".github/hooks/loadline.json");
        PlannedFile::whole(path, format!("{hooks:#}\n"))
    }
}
