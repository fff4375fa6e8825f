//! opencode: a plugin of ours hands plain text to the hook and takes plain text back.
//!
//! Sessions, messages and their parts are rows of a database; before version 1.2 they
//! were small files. Either way a session is put together as `opencode export` writes it.

mod database;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::bill::Before;
use super::find::{Candidate, files_below, read_log};
use super::install::script;
use super::{
    Agent, AgentHomes, Facts, FoundSession, InstallScope, PlannedFile, Profile, Request, Shell,
    Spending,
};
use crate::cache::ContentHash;
use crate::session::SessionFormat;

pub(super) use database::read_requests;

pub(super) struct Opencode;

/// The database that opencode keeps since its version 1.2.
pub(super) const DATABASE: &str = "opencode.db";

impl Profile for Opencode {
    fn facts(&self) -> Facts {
        Facts {
            format: Some(SessionFormat::Opencode),
            takes_summary: true,
            shell_of_windows: Shell::Cmd,
            ..Facts::new("opencode", "opencode, through a plugin")
        }
    }

    fn log_places(&self, homes: &AgentHomes) -> Vec<PathBuf> {
        let own = homes.data.join("opencode");
        vec![own.join(DATABASE), own.join("storage/message")]
    }

    fn sessions(&self, homes: &AgentHomes) -> Vec<Candidate> {
        let own = homes.data.join("opencode");
        let rows = database::sessions(&own.join(DATABASE)).unwrap_or_default();
        let files = files_below(&own.join("storage/session"));
        let files = files.into_iter().filter_map(|(path, ..)| {
            let info = read_json(&path).ok()?;
            candidate(path, &info)
        });
        rows.into_iter().chain(files).collect()
    }

    fn directory(&self, session: &Candidate, project: &Path) -> Option<PathBuf> {
        let directory = session.directory.clone()?;
        directory.starts_with(project).then_some(directory)
    }

    fn read_session(&self, session: &FoundSession) -> io::Result<Vec<u8>> {
        let document = match &session.id {
            Some(id) if is_database(&session.path) => {
                database::export(&session.path, id).map_err(io::Error::other)?
            }
            _ => export_files(&session.path)?,
        };
        Ok(document.to_string().into_bytes())
    }

    fn resume(&self, session: &FoundSession) -> Option<Vec<OsString>> {
        Some(vec!["--session".into(), session.id.as_deref()?.into()])
    }

    fn server_settings(&self, homes: &AgentHomes, project: &Path) -> Vec<(PathBuf, Vec<String>)> {
        let servers = || vec!["mcp".to_owned()];
        let own = homes.home.join(".config/opencode/opencode.json");
        [project.join("opencode.json"), own].map(|place| (place, servers())).into()
    }

    fn requests(&self, log: &[u8], _: &mut Before) -> Vec<Request> {
        let Ok(document) = serde_json::from_slice::<Value>(log) else {
            return Vec::new();
        };
        // A message as it is stored, or a whole session as it is exported.
        match document["messages"].as_array() {
            Some(messages) => {
                let infos = messages.iter().map(|message| &message["info"]);
                infos.filter_map(request).collect()
            }
            None => request(&document).into_iter().collect(),
        }
    }

    fn installation(&self, scope: &InstallScope) -> Vec<PlannedFile> {
        let file = |homes: &AgentHomes| homes.home.join(".config/opencode/plugin/loadline.js");
        let path = scope.path(file, ".opencode/plugin/loadline.js");
        let plugin = include_str!("../../data/agents/opencode.js");
        PlannedFile::whole(path, script(plugin, scope, Agent::Opencode))
    }
}

/// Gives an exported session other names, so that it can be imported beside the one that
/// it was made from; returns the name of the session and the document.
///
/// The beginning of a name is a time, by which messages are in order; it stays.
pub fn rename_opencode_session(exported: &[u8]) -> Option<(String, Vec<u8>)> {
    let mut document: Value = serde_json::from_slice(exported).ok()?;
    let mark = ContentHash::of(exported).to_string();
    let other = |name: &str| {
        let kept = name.len().min(16);
        Some(format!("{}{}", name.get(..kept)?, mark.get(..14)?))
    };
    let rename = |value: &mut Value, keys: &[&str]| {
        for key in keys {
            if let Some(name) = value[*key].as_str().and_then(other) {
                value[*key] = Value::from(name);
            }
        }
    };
    rename(&mut document["info"], &["id"]);
    for (number, message) in document["messages"].as_array_mut()?.iter_mut().enumerate() {
        rename(&mut message["info"], &["id", "sessionID", "parentID"]);
        for (place, part) in message["parts"].as_array_mut()?.iter_mut().enumerate() {
            rename(part, &["messageID", "sessionID"]);
            // Parts of one message may have been made in the same moment.
            part["id"] = Value::from(format!("prt_{number:06x}{place:06x}{}", &mark[..14]));
        }
    }
    let name = document["info"]["id"].as_str()?.to_owned();
    Some((name, document.to_string().into_bytes()))
}

/// Tells whether a log is the database rather than a text.
pub(super) fn is_database(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == DATABASE)
}

/// Describes a session by its record; helpers' sessions have a parent and are left out.
fn candidate(path: PathBuf, info: &Value) -> Option<Candidate> {
    let updated = info["time"]["updated"].as_u64().unwrap_or(0);
    (!info["parentID"].is_string()).then(|| {
        Some(Candidate {
            path,
            changed: SystemTime::UNIX_EPOCH + Duration::from_millis(updated),
            id: Some(info["id"].as_str()?.to_owned()),
            directory: info["directory"].as_str().map(PathBuf::from),
        })
    })?
}

/// Puts a session together from the files before version 1.2.
fn export_files(session: &Path) -> io::Result<Value> {
    let info = read_json(session)?;
    // storage/session/PROJECT/SESSION.json
    let storage = session.ancestors().nth(3).unwrap_or(session);
    let id = info["id"].as_str().unwrap_or_default();
    let mut messages = Vec::new();
    for (path, ..) in files_below(&storage.join("message").join(plain_name(id)?)) {
        let info = read_json(&path)?;
        let message = info["id"].as_str().unwrap_or_default();
        let parts = files_below(&storage.join("part").join(plain_name(message)?));
        let parts: Vec<Value> =
            parts.iter().map(|(path, ..)| read_json(path)).collect::<io::Result<_>>()?;
        messages.push(json!({"info": info, "parts": parts}));
    }
    Ok(json!({"info": info, "messages": messages}))
}

/// Refuses names that lead to another directory.
fn plain_name(name: &str) -> io::Result<&str> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    if !name.is_empty() && name.chars().all(is_plain) {
        Ok(name)
    } else {
        Err(io::Error::other(format!("malformed id {name:?}")))
    }
}

fn read_json(path: &Path) -> io::Result<Value> {
    Ok(serde_json::from_slice(&read_log(path)?)?)
}

/// Reads a message of opencode as it is stored, in a file or in its database.
fn request(info: &Value) -> Option<Request> {
    let tokens = &info["tokens"];
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let spending = Spending {
        input: number(&tokens["input"]),
        output: number(&tokens["output"]).saturating_add(number(&tokens["reasoning"])),
        cache_read: number(&tokens["cache"]["read"]),
        cache_write: number(&tokens["cache"]["write"]),
        cache_write_long: 0,
    };
    let created = info["time"]["created"].as_i64();
    (info["role"] == "assistant" && spending.total() > 0).then(|| Request {
        agent: Agent::Opencode,
        key: format!("opencode:{}", info["id"].as_str().unwrap_or_default()),
        time: created.and_then(|it| Timestamp::from_millisecond(it).ok()),
        model: text(&info["modelID"]),
        project: text(&info["path"]["cwd"]).or(text(&info["path"]["root"])),
        thread: text(&info["sessionID"]).unwrap_or_default(),
        spending,
        logged_cost: info["cost"].as_f64(),
    })
}
