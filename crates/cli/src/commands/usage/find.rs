//! Where agents keep their logs.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use loadline::usage::UsageAgent;

use crate::env;
use crate::error::CommandError;
use crate::settings;

/// How deep directories of logs are looked through.
const DEPTH: usize = 12;

/// A file that may hold requests.
pub(super) struct Log {
    pub(super) path: PathBuf,
    /// Whose it may be.
    pub(super) agents: Vec<UsageAgent>,
}

/// The database that opencode keeps since its version 1.2.
const DATABASE: &str = "opencode.db";

impl Log {
    /// Tells whether it is a database rather than a text.
    pub(super) fn is_database(&self) -> bool {
        is_database(&self.path)
    }
}

fn is_database(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == DATABASE)
}

/// Lists the logs of agents in their usual places.
pub(super) fn usual(
    agents: &[UsageAgent],
    since: Option<Timestamp>,
) -> Result<Vec<Log>, CommandError> {
    let home = settings::home_directory()?;
    let mut logs = Vec::new();
    for &agent in agents {
        for place in places(agent, &home) {
            if place.is_file() {
                let agents = vec![agent];
                logs.push(Log {
                    path: place,
                    agents,
                });
            } else {
                // Who does not use an agent has no directory of it.
                let _ = collect(&place, &[agent], since, DEPTH, &mut logs);
            }
        }
    }
    Ok(logs)
}

/// Lists the logs below directories, or files that are named.
pub(super) fn within(
    directories: &[PathBuf],
    agents: &[UsageAgent],
    since: Option<Timestamp>,
) -> Result<Vec<Log>, CommandError> {
    let mut logs = Vec::new();
    for path in directories {
        if path.is_file() {
            logs.push(Log {
                path: path.clone(),
                agents: agents.to_vec(),
            });
            continue;
        }
        collect(path, agents, since, DEPTH, &mut logs)
            .map_err(|error| CommandError::at("read", path, error))?;
    }
    Ok(logs)
}

fn places(agent: UsageAgent, home: &Path) -> Vec<PathBuf> {
    let set = |name: &str, usual: &str| {
        let directory = env::get(name).map(PathBuf::from);
        directory.unwrap_or_else(|| home.join(usual))
    };
    match agent {
        UsageAgent::ClaudeCode => {
            let mut own = vec![set(env::CLAUDE_CONFIG_DIR, ".claude").join("projects")];
            if env::get(env::CLAUDE_CONFIG_DIR).is_none() {
                own.push(home.join(".config/claude/projects"));
            }
            own
        }
        UsageAgent::Codex => {
            let own = set(env::CODEX_HOME, ".codex");
            vec![own.join("sessions"), own.join("archived_sessions")]
        }
        UsageAgent::Gemini => vec![home.join(".gemini/tmp")],
        UsageAgent::Opencode => {
            let data = settings::data_directory();
            let data = data.unwrap_or_else(|| home.join(".local/share"));
            let own = data.join("opencode");
            vec![own.join(DATABASE), own.join("storage/message")]
        }
        UsageAgent::Pi => vec![home.join(".pi/agent/sessions")],
    }
}

/// Lists files in the order of their names; links are not followed.
fn collect(
    directory: &Path,
    agents: &[UsageAgent],
    since: Option<Timestamp>,
    depth: usize,
    logs: &mut Vec<Log>,
) -> std::io::Result<()> {
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(directory)?.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else {
            continue;
        };
        if kind.is_dir() && depth > 0 {
            // A directory that cannot be read hides no other.
            let _ = collect(&path, agents, since, depth - 1, logs);
        } else if kind.is_file() && is_log(&path) && is_new(&entry, since) {
            logs.push(Log {
                path,
                agents: agents.to_vec(),
            });
        }
    }
    Ok(())
}

fn is_log(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str());
    matches!(extension, Some("json" | "jsonl")) || is_database(path)
}

/// Tells whether a file was written to since; nothing in an older one can be newer.
fn is_new(entry: &fs::DirEntry, since: Option<Timestamp>) -> bool {
    let Some(since) = since else {
        return true;
    };
    let changed = entry.metadata().and_then(|it| it.modified()).ok();
    let changed = changed.and_then(|time| Timestamp::try_from(time).ok());
    changed.is_none_or(|changed| changed >= since)
}
