//! Finds the logs of agents, and the sessions that belong to a project.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

use super::{Agent, AgentHomes, Log, opencode};
use crate::session::SessionFormat;

/// How many logs are opened to find the sessions of a project, newest first.
const OPENED: usize = 400;

/// Bytes at the beginning of a log in which the directory must be named.
const HEAD: u64 = 256 << 10;

/// How many directories deep logs may be.
const DEPTH: usize = 12;

/// Bytes of the largest log that is read.
pub(super) const LARGEST: u64 = 512 << 20;

/// Lists the logs of agents, in the order of agents and paths.
pub fn find_logs(agents: &[Agent], homes: &AgentHomes) -> Vec<Log> {
    let mut logs = Vec::new();
    for agent in agents {
        for place in agent.profile().log_places(homes) {
            // Most users have no directory of most agents.
            logs.extend(find_logs_in(&place, &[*agent]).unwrap_or_default());
        }
    }
    logs
}

/// Lists the logs below a directory, or the one file that is named.
pub fn find_logs_in(place: &Path, agents: &[Agent]) -> io::Result<Vec<Log>> {
    let metadata = fs::metadata(place)?;
    let files = if metadata.is_file() {
        vec![(place.to_owned(), metadata.modified()?, metadata.len())]
    } else {
        fs::read_dir(place)?;
        files_below(place)
    };
    let log = |(path, changed, length)| Log { path, changed, length, agents: agents.to_vec() };
    Ok(files.into_iter().map(log).collect())
}

/// Lists the JSON files and databases below a directory with their times and sizes, by
/// name. Links are not followed.
pub(super) fn files_below(directory: &Path) -> Vec<(PathBuf, SystemTime, u64)> {
    let mut files = Vec::new();
    collect(directory, DEPTH, &mut files);
    files
}

fn collect(directory: &Path, depth: usize, files: &mut Vec<(PathBuf, SystemTime, u64)>) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut entries: Vec<fs::DirEntry> = entries.collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else {
            continue;
        };
        let extension = path.extension().and_then(|it| it.to_str());
        let is_log = matches!(extension, Some("json" | "jsonl")) || opencode::is_database(&path);
        if metadata.is_dir() && depth > 0 {
            collect(&path, depth - 1, files);
        } else if metadata.is_file() && is_log {
            let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push((path, changed, metadata.len()));
        }
    }
}

/// What may be a session of a project.
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    pub(super) changed: SystemTime,
    pub(super) id: Option<String>,
    pub(super) directory: Option<PathBuf>,
}

/// A session of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSession {
    /// Whose session it is.
    pub agent: Agent,
    /// The log.
    pub path: PathBuf,
    /// The name of the session, if the log holds several.
    pub id: Option<String>,
    /// The directory that the agent worked in.
    pub directory: PathBuf,
    /// When the session last changed.
    pub changed: SystemTime,
}

impl FoundSession {
    /// Reads the session, in the format of its agent.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        self.agent.profile().read_session(self)
    }

    /// Returns the format of the session.
    pub fn format(&self) -> Option<SessionFormat> {
        self.agent.format()
    }

    /// Returns the program and the arguments that continue the session.
    pub fn resume_command(&self) -> Option<(&'static str, Vec<OsString>)> {
        let profile = self.agent.profile();
        Some((profile.facts().program, profile.resume(self)?))
    }

    /// Tells whether a name means this session: its path, its file's name or its id.
    pub fn is_named(&self, name: &str) -> bool {
        let stem = self.path.file_stem().and_then(|stem| stem.to_str());
        self.path == Path::new(name) || stem == Some(name) || self.id.as_deref() == Some(name)
    }
}

/// Finds the sessions of agents that worked in `project` or below it, newest first.
///
/// The logs of helpers that an agent started are left out. What cannot be read is
/// skipped; of the logs of all projects only the newest 400 are opened.
///
/// ```
/// use loadline::agents::{AgentHomes, find_sessions};
/// # let home = tempfile::tempdir()?;
/// # let place = home.path().join(".codex/sessions/2026/01/02");
/// # std::fs::create_dir_all(&place)?;
/// # let meta = r#"{"type":"session_meta","payload":{"id":"s-1","cwd":"/work"}}"#;
/// # std::fs::write(place.join("rollout-1.jsonl"), meta)?;
/// let homes = AgentHomes::new(home.path());
/// assert_eq!(find_sessions(&homes, "/work".as_ref()).len(), 1);
/// assert_eq!(find_sessions(&homes, "/other".as_ref()).len(), 0);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn find_sessions(homes: &AgentHomes, project: &Path) -> Vec<FoundSession> {
    let mut candidates: Vec<(Agent, Candidate)> = Vec::new();
    for agent in Agent::ALL {
        let sessions = agent.profile().sessions(homes);
        candidates.extend(sessions.into_iter().map(|session| (agent, session)));
    }
    candidates.sort_by(|(_, a), (_, b)| {
        let by_time = b.changed.cmp(&a.changed);
        by_time.then_with(|| (&a.path, &a.id).cmp(&(&b.path, &b.id)))
    });
    let found = candidates.into_iter().take(OPENED);
    found
        .filter_map(|(agent, candidate)| {
            let directory = agent.profile().directory(&candidate, project)?;
            Some(FoundSession {
                agent,
                path: candidate.path,
                id: candidate.id,
                directory,
                changed: candidate.changed,
            })
        })
        .collect()
}

/// Reads the directory that a session worked in from the beginning of its log.
pub(super) fn directory_in_head(log: &Path) -> Option<PathBuf> {
    let head = head(log)?;
    let records = head.split(|byte| *byte == b'\n');
    let mut records = records.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    records.find_map(|record| {
        let named = record.get("cwd").or_else(|| record.pointer("/payload/cwd"));
        named?.as_str().map(PathBuf::from)
    })
}

/// Reads the beginning of a log.
pub(super) fn head(log: &Path) -> Option<Vec<u8>> {
    let (file, _) = open_plain_file(log).ok()?;
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head).ok()?;
    Some(head)
}

/// Reads a log that is a plain file of at most 512 MB.
///
/// An agent names its logs itself, so links and devices are refused.
pub fn read_log(path: &Path) -> io::Result<Vec<u8>> {
    let (file, length) = open_plain_file(path)?;
    if length > LARGEST {
        return Err(io::Error::other("larger than 512 MB"));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the last bytes of a log that is a plain file.
pub fn read_log_end(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (mut file, length) = open_plain_file(path)?;
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn open_plain_file(path: &Path) -> io::Result<(File, u64)> {
    // Opening a pipe would wait for somebody to write to it.
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("not a plain file"));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok((file, metadata.len()))
    } else {
        Err(io::Error::other("not a plain file"))
    }
}
