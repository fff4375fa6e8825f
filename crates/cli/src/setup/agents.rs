//! The files of each agent.

use std::path::PathBuf;

use super::json::{Hook, Settings};
use super::{FileEdit, Setup, SetupError, plugins, read};
use crate::agent::Agent;

/// Returns the files of an agent as they are to be, with ours in them or without.
pub(crate) fn files(setup: &Setup, with_ours: bool) -> Result<Vec<FileEdit>, SetupError> {
    let agent = setup.agent;
    let mut edits = Vec::new();
    for (path, content) in contents(setup) {
        let before = read(&path)?;
        let after = match content {
            Content::Whole(text) => with_ours.then_some(text),
            Content::Settings(settings) => {
                let wrong = |reason: String| SetupError::Shape {
                    path: path.clone(),
                    agent: agent.name(),
                    reason,
                };
                if with_ours {
                    Some(settings.added(before.as_deref()).map_err(wrong)?)
                } else {
                    settings.removed(before.as_deref()).map_err(wrong)?
                }
            }
        };
        edits.push(FileEdit {
            path,
            before,
            after,
        });
    }
    Ok(edits)
}

/// Returns the commands that are called for events, for a trial.
pub(crate) fn hook_commands(setup: &Setup) -> Vec<String> {
    let contents = contents(setup).into_iter();
    contents
        .filter_map(|(_, content)| match content {
            Content::Settings(settings) => Some(settings.hooks),
            Content::Whole(_) => None,
        })
        .flatten()
        .map(|hook| hook.command)
        .collect()
}

enum Content {
    /// A file of ours.
    Whole(String),
    /// Settings of the user's that have ours in them.
    Settings(Settings),
}

fn contents(setup: &Setup) -> Vec<(PathBuf, Content)> {
    let program = &setup.program;
    let name = setup.agent.name();
    let hook = |event: &'static str, ours: &str, matcher: Option<&'static str>| Hook {
        event,
        matcher,
        command: format!("{program} hook {name} {ours}"),
        timeout: match setup.agent {
            // In milliseconds; the others count seconds.
            Agent::Gemini => 10_000,
            _ => 10,
        },
    };
    let at = |parts: &[&str]| {
        parts
            .iter()
            .fold(setup.home.clone(), |path, it| path.join(it))
    };
    let settings = |hooks: Vec<Hook>| Settings {
        hooks,
        status_line: None,
        server: None,
    };
    match setup.agent {
        Agent::ClaudeCode => {
            let hooks = vec![
                hook("PreToolUse", "pre-tool-use", Some("*")),
                hook("PostToolUse", "post-tool-use", Some("*")),
                hook("PreCompact", "pre-compact", None),
                hook("SessionStart", "session-start", None),
            ];
            let content = Settings {
                status_line: Some(format!("{program} statusline")),
                ..settings(hooks)
            };
            vec![(
                at(&[".claude", "settings.json"]),
                Content::Settings(content),
            )]
        }
        Agent::Codex => {
            let hooks = vec![
                hook("PostToolUse", "post-tool-use", None),
                hook("SessionStart", "session-start", None),
            ];
            let content = Content::Settings(settings(hooks));
            vec![(at(&[".codex", "hooks.json"]), content)]
        }
        Agent::Gemini => {
            let hooks = vec![
                hook("AfterTool", "post-tool-use", Some("*")),
                hook("PreCompress", "pre-compact", None),
                hook("SessionStart", "session-start", None),
            ];
            let content = Settings {
                server: Some(program.clone()),
                ..settings(hooks)
            };
            vec![(
                at(&[".gemini", "settings.json"]),
                Content::Settings(content),
            )]
        }
        Agent::Copilot => {
            let directory = if setup.is_project {
                [".github", "hooks"]
            } else {
                [".copilot", "hooks"]
            };
            let path = at(&directory).join("loadline.json");
            vec![(path, Content::Whole(plugins::copilot(program)))]
        }
        Agent::Opencode => {
            let path = if setup.is_project {
                at(&[".opencode", "plugin", "loadline.js"])
            } else {
                at(&[".config", "opencode", "plugin", "loadline.js"])
            };
            vec![(path, Content::Whole(plugins::opencode(program)))]
        }
        Agent::Pi => {
            let path = if setup.is_project {
                at(&[".pi", "extensions", "loadline.ts"])
            } else {
                at(&[".pi", "agent", "extensions", "loadline.ts"])
            };
            vec![(path, Content::Whole(plugins::pi(program)))]
        }
    }
}
