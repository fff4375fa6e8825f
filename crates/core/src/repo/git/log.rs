//! Reads `git log` while git still writes it.
//!
//! One call answers two questions: which commits lie within the window, and
//! what the last thousand said. Git lists the newest first, so it is stopped
//! once both are known. The bytes themselves are what the cache keeps, so there
//! is one format and one reader.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use super::command::{explain, git};

/// Commit dates are not in order everywhere, so this many in a row must be
/// older than the window before it counts as left behind.
const OLD_IN_A_ROW: usize = 100;

/// A commit that is not a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id, in hexadecimal digits.
    pub id: String,
    /// When it was made, in seconds since 1970.
    pub time: i64,
    /// Subject and body.
    pub message: String,
    /// The files it changed, below the directory that was asked about.
    pub files: Vec<PathBuf>,
}

/// How far to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Every commit from this second on; `None` means all there are.
    pub(super) since: Option<i64>,
    /// At least so many commits, however old.
    pub(super) least: usize,
}

/// What git wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Log {
    /// The output, cut after a commit.
    pub(super) bytes: Vec<u8>,
    /// Whether there is nothing older.
    pub(super) complete: bool,
}

/// Runs `git log` and reads as much as `extent` asks for.
pub(super) fn read(directory: &Path, all_refs: bool, extent: Extent) -> Result<Log, String> {
    let revisions = if all_refs { "--all" } else { "HEAD" };
    let arguments = [
        "log",
        "--no-merges",
        "--no-renames",
        "--no-relative",
        "--no-ext-diff",
        "--ignore-submodules=all",
        "--encoding=UTF-8",
        "--name-only",
        "-z",
        // Each commit: an empty field, its id, time and message, an empty
        // field, then its files.
        "--format=%x00%H%x00%ct%x00%B%x00",
        revisions,
        "--",
    ];
    let mut command = git(directory, &arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(explain)?;
    let Some(output) = child.stdout.take() else {
        return Err("git log gave no output".to_owned());
    };
    let log = read_until(BufReader::with_capacity(1 << 16, output), extent);
    finish(child, log)
}

/// Ends git, and tells whether all it had to say was read.
fn finish(mut child: Child, log: std::io::Result<Log>) -> Result<Log, String> {
    let stopped = log.as_ref().map_or(true, |log| !log.complete);
    if stopped {
        // It may have ended by itself meanwhile.
        let _ = child.kill();
    }
    let status = child.wait().map_err(explain)?;
    match log {
        Ok(log) if stopped || status.success() => Ok(log),
        Ok(_) => Err("git log failed".to_owned()),
        Err(error) => Err(format!("git log cannot be read: {error}")),
    }
}

fn read_until(mut output: impl BufRead, extent: Extent) -> std::io::Result<Log> {
    let mut log = Log::default();
    let mut progress = Progress::default();
    loop {
        let start = log.bytes.len();
        if output.read_until(0, &mut log.bytes)? == 0 {
            log.complete = true;
            return Ok(log);
        }
        let field = log.bytes.get(start..).unwrap_or_default();
        let field = field.strip_suffix(b"\0").unwrap_or(field);
        if progress.take(field, start) && progress.is_enough(extent) {
            // This commit is one too many; its leading field goes with it.
            log.bytes.truncate(progress.start);
            return Ok(log);
        }
        if let (Some(time), Some(since)) = (progress.time.take(), extent.since) {
            progress.old = if time < since { progress.old + 1 } else { 0 };
        }
    }
}

/// Where in the fields of the log the reader is.
#[derive(Default)]
struct Progress {
    part: Part,
    /// Where the current commit begins.
    start: usize,
    commits: usize,
    /// Commits in a row before the window.
    old: usize,
    time: Option<i64>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Lead,
    Id,
    Time,
    Message,
    End,
    Files,
}

impl Progress {
    /// Takes the next field, which begins at `start`; tells whether a commit begins with it.
    fn take(&mut self, field: &[u8], start: usize) -> bool {
        self.part = match self.part {
            Part::Lead => Part::Id,
            Part::Id => Part::Time,
            Part::Time => {
                self.time = number(field);
                Part::Message
            }
            Part::Message => Part::End,
            Part::End => {
                self.commits += 1;
                Part::Files
            }
            Part::Files if field.is_empty() => {
                self.start = start;
                Part::Id
            }
            Part::Files => Part::Files,
        };
        self.part == Part::Id
    }

    fn is_enough(&self, extent: Extent) -> bool {
        extent.since.is_some() && self.old >= OLD_IN_A_ROW && self.commits >= extent.least
    }
}

/// Reads the commits of a log; what is cut short is left out.
pub(super) fn parse(bytes: &[u8], prefix: &[u8]) -> Vec<Commit> {
    let mut commits = Vec::new();
    let mut fields = bytes.split(|byte| *byte == 0).skip(1);
    while let Some(id) = fields.next() {
        let (Some(time), Some(message), Some(_)) = (fields.next(), fields.next(), fields.next())
        else {
            break;
        };
        let mut commit = Commit {
            id: String::from_utf8_lossy(id).trim().to_owned(),
            time: number(time).unwrap_or_default(),
            message: String::from_utf8_lossy(message).trim_end().to_owned(),
            files: Vec::new(),
        };
        // The first file stands on a line of its own.
        let mut lead: &[u8] = b"\n";
        for field in fields.by_ref() {
            let name = field.strip_prefix(lead).unwrap_or(field);
            lead = b"";
            if name.is_empty() {
                break;
            }
            commit.files.extend(name.strip_prefix(prefix).map(to_path));
        }
        commits.push(commit);
    }
    commits
}

fn number(field: &[u8]) -> Option<i64> {
    std::str::from_utf8(field).ok()?.trim().parse().ok()
}

/// Makes a path of the bytes that git gave.
#[cfg(unix)]
pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// Makes a path of the bytes that git gave, which are UTF-8 there.
#[cfg(not(unix))]
pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
