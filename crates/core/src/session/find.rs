//! Which sessions of agents belong to a project?
//!
//! Agents keep their logs below the home directory: Claude Code and pi in one
//! directory per project, Codex by date. Where they are is for the caller to
//! say; which project a log is of is read from the log itself.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

/// The most logs that are looked into, the newest first.
const LOOKED_AT: usize = 400;

/// Bytes of a log in which the directory must be named.
const HEAD: u64 = 256 << 10;

/// How deep below its place a log may lie.
const DEEPEST: usize = 4;

/// Where agents keep their sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionPlaces(Vec<PathBuf>);

impl SessionPlaces {
    /// Names directories whose logs are looked into.
    pub fn new(places: impl IntoIterator<Item = PathBuf>) -> SessionPlaces {
        SessionPlaces(places.into_iter().collect())
    }

    /// Names the usual places below a home directory.
    pub fn in_home(home: &Path) -> SessionPlaces {
        let usual = [".claude/projects", ".codex/sessions", ".pi/agent/sessions"];
        SessionPlaces::new(usual.map(|place| home.join(place)))
    }
}

/// A session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSession {
    /// The log.
    pub path: PathBuf,
    /// The directory that the agent worked in.
    pub directory: PathBuf,
    /// When the log last changed.
    pub changed: SystemTime,
}

/// Finds the sessions of agents that worked in `project` or below it, the newest first.
///
/// The logs of helpers that an agent started are left out. What cannot be read
/// is passed over; of the logs of all projects only the newest 400 are looked into.
///
/// ```
/// use loadline::session::{SessionPlaces, find_sessions};
/// # let home = tempfile::tempdir()?;
/// # let place = home.path().join(".codex/sessions/2026/01/02");
/// # std::fs::create_dir_all(&place)?;
/// # let meta = r#"{"type":"session_meta","payload":{"id":"s-1","cwd":"/work"}}"#;
/// # std::fs::write(place.join("rollout-1.jsonl"), meta)?;
/// let places = SessionPlaces::in_home(home.path());
/// assert_eq!(find_sessions(&places, "/work".as_ref()).len(), 1);
/// assert_eq!(find_sessions(&places, "/other".as_ref()).len(), 0);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn find_sessions(places: &SessionPlaces, project: &Path) -> Vec<FoundSession> {
    let mut logs = Vec::new();
    for place in &places.0 {
        collect(place, DEEPEST, &mut logs);
    }
    logs.sort_by(|(a, when), (b, other)| other.cmp(when).then_with(|| a.cmp(b)));
    let found = logs.into_iter().take(LOOKED_AT).filter_map(log_of(project));
    found.collect()
}

/// Collects logs with their times, down to a depth. Links are not followed.
fn collect(directory: &Path, depth: usize, logs: &mut Vec<(PathBuf, SystemTime)>) {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        if metadata.is_dir() && depth > 0 {
            collect(&path, depth - 1, logs);
        } else if metadata.is_file() && is_log(&path) {
            logs.push((path, metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH)));
        }
    }
}

/// Tells whether a file is a log of a whole session, by its name.
fn is_log(path: &Path) -> bool {
    let is_lines = path.extension().is_some_and(|end| end == "jsonl");
    let name = path.file_name().map(|name| name.to_string_lossy());
    is_lines && name.is_some_and(|name| !name.starts_with("agent-"))
}

fn log_of(project: &Path) -> impl Fn((PathBuf, SystemTime)) -> Option<FoundSession> + '_ {
    move |(path, changed)| {
        let directory = directory_of(&path)?;
        directory.starts_with(project).then_some(FoundSession {
            path,
            directory,
            changed,
        })
    }
}

/// Reads which directory a session is of from the beginning of its log.
fn directory_of(path: &Path) -> Option<PathBuf> {
    let mut head = Vec::new();
    File::open(path)
        .ok()?
        .take(HEAD)
        .read_to_end(&mut head)
        .ok()?;
    let records = head.split(|byte| *byte == b'\n');
    let mut records = records.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    records.find_map(|record| {
        let named = record.get("cwd").or_else(|| record.pointer("/payload/cwd"));
        named?.as_str().map(PathBuf::from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadline_testkit::Tree;
    use std::time::Duration;

    fn age(tree: &Tree, path: &str, seconds: u64) {
        let file = File::options().write(true).open(tree.path(path)).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - seconds);
        file.set_modified(time).unwrap();
    }

    #[test]
    fn the_newest_session_of_a_project_comes_first() {
        let tree = Tree::new(
            r#"
            //- /.claude/projects/-work/a.jsonl
            {"type":"summary","summary":"x"}
            {"type":"user","cwd":"/work","message":{}}
            //- /.claude/projects/-work/agent-1.jsonl
            {"type":"user","cwd":"/work","message":{}}
            //- /.claude/projects/-other/b.jsonl
            {"type":"user","cwd":"/workshop","message":{}}
            //- /.codex/sessions/2026/01/02/rollout-1.jsonl
            {"type":"session_meta","payload":{"cwd":"/work/sub"}}
            //- /.pi/agent/sessions/--work--/c.jsonl
            {"type":"session","version":3,"cwd":"/work"}
            //- /.claude/projects/-work/broken.jsonl
            {"type":
            "#,
        );
        age(&tree, ".claude/projects/-work/a.jsonl", 30);
        age(&tree, ".codex/sessions/2026/01/02/rollout-1.jsonl", 20);
        age(&tree, ".pi/agent/sessions/--work--/c.jsonl", 10);
        let places = SessionPlaces::in_home(tree.root());
        let found = find_sessions(&places, Path::new("/work"));
        let names: Vec<_> = found
            .iter()
            .map(|it| it.path.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["c.jsonl", "rollout-1.jsonl", "a.jsonl"]);
        assert_eq!(found[1].directory, Path::new("/work/sub"));
        assert!(find_sessions(&SessionPlaces::default(), Path::new("/work")).is_empty());
    }
}
