//! Asks git how often files change and what has changed now.
//!
//! Git is run as a program; its library forms are many times slower here.
//! Nothing in this module fails: without git, without commits or with half a
//! history the answer is smaller and a note says why. Paths are relative to
//! the directory that was asked about, which may lie below the repository's
//! root; other files are left out. Times are seconds since 1970.

mod blame;
mod blobs;
mod command;
mod compare;
mod kept;
mod log;
mod patch;
mod wrote;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::command::run;
use self::kept::log_of;
use self::log::Extent;
use super::display_path;
use crate::Remark;
use crate::cache::Cache;

pub use self::blame::{current_branch, line_times};
pub(crate) use self::blobs::read_blobs;
pub use self::compare::{Change, ChangeStatus, ChangedFiles, Changes, Comparison};
pub use self::log::Commit;
pub(crate) use self::patch::{Hunk, Patch};

/// Which commits are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryOptions {
    /// How far back commits count; `None` means the whole history.
    pub window: Option<Duration>,
    /// How many commits to know at least, however old.
    pub messages: usize,
    /// Looks at all branches and tags, not only at the current commit's past.
    pub all_refs: bool,
    /// The time now, in nanoseconds since 1970.
    pub now_ns: i64,
}

impl HistoryOptions {
    /// Asks for 180 days and 1,000 messages.
    pub fn new(now_ns: i64) -> HistoryOptions {
        HistoryOptions {
            window: Some(Duration::from_secs(180 * 24 * 60 * 60)),
            messages: 1_000,
            all_refs: false,
            now_ns,
        }
    }

    /// Returns the first second within the window.
    fn since(&self) -> Option<i64> {
        let window = i64::try_from(self.window?.as_secs()).unwrap_or(i64::MAX);
        let now = self.now_ns.div_euclid(1_000_000_000);
        Some(now.saturating_sub(window))
    }

    fn extent(&self) -> Extent {
        Extent { since: self.since(), least: self.messages }
    }
}

/// The work tree that a directory belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkTree {
    /// The root of the work tree, as seen from the directory.
    pub root: PathBuf,
    /// The current commit; nothing before the first one.
    pub head: Option<String>,
    /// Whether only the latest commits were fetched.
    pub shallow: bool,
    /// The directory as git writes it, from the root; ends with a slash or is empty.
    prefix: Vec<u8>,
}

impl WorkTree {
    /// The directory as git writes it, from the root: empty, or with a slash at its end.
    pub(crate) fn prefix(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.prefix)
    }

    /// Finds the work tree around a directory, or says why there is none.
    ///
    /// Costs two runs of git.
    pub fn find(directory: &Path) -> Result<WorkTree, Remark> {
        let note = |message: String| Remark::new(display_path(directory), message);
        let arguments = [
            "rev-parse",
            "--is-inside-work-tree",
            "--is-shallow-repository",
            "--show-cdup",
            "--show-prefix",
        ];
        let output = run(directory, &arguments).map_err(note)?;
        // The prefix comes last, since a directory's name may hold a newline.
        let mut lines = output.splitn(4, |byte| *byte == b'\n');
        let mut line = || lines.next().unwrap_or_default();
        let (inside, shallow, up, prefix) = (line(), line(), line(), line());
        if inside != b"true" {
            let message = "a bare repository has no files to speak of";
            return Err(note(message.to_owned()));
        }
        Ok(WorkTree {
            root: directory.join(self::log::to_path(up)),
            head: commit_id(directory, "HEAD"),
            shallow: shallow == b"true",
            prefix: prefix.strip_suffix(b"\n").unwrap_or(prefix).to_vec(),
        })
    }
}

/// How often a file changed, and when last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    /// Commits within the window, merges left out.
    pub commits: u32,
    /// When the latest known commit was made, within the window or not.
    pub last_commit: Option<i64>,
}

/// What git knows about the past of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitHistory {
    /// The work tree; nothing where there is none.
    pub tree: Option<WorkTree>,
    /// Commits, the newest first: those of the window and the latest ones.
    ///
    /// Those that touch no file of the directory are here too.
    pub commits: Vec<Commit>,
    /// Why something is missing.
    pub notes: Vec<Remark>,
    since: Option<i64>,
}

impl GitHistory {
    /// Reads the past of a directory with one `git log`, or from the store.
    ///
    /// The store keeps the log by the commits it starts from. The window moves
    /// with the time, so a log is kept with the time it reaches back to, and
    /// serves every later question; commits are counted afterwards.
    pub fn read(directory: &Path, options: &HistoryOptions, store: &Cache) -> GitHistory {
        let mut history = GitHistory { since: options.since(), ..GitHistory::default() };
        let tree = match WorkTree::find(directory) {
            Ok(tree) => tree,
            Err(note) => {
                history.notes.push(note);
                return history;
            }
        };
        let mut tell = |message: &str| {
            let note = Remark::new(display_path(directory), message);
            history.notes.push(note);
        };
        if tree.shallow {
            tell("a shallow clone, older commits are unknown");
        }
        match log_of(directory, &tree, options, store) {
            Ok(log) => history.commits = self::log::parse(&log.bytes, &tree.prefix),
            Err(message) => tell(&message),
        }
        history.tree = Some(tree);
        history
    }

    /// Returns what commits changed, as patches, each after the id of its commit.
    ///
    /// Paths begin at the root of the work tree, not at the directory.
    pub(crate) fn patches(directory: &Path, ids: &[&str]) -> String {
        if ids.is_empty() { String::new() } else { self::wrote::patches(directory, ids) }
    }

    /// Counts the commits of every file, by its path.
    pub fn activity(&self) -> BTreeMap<&Path, Activity> {
        let mut activity: BTreeMap<&Path, Activity> = BTreeMap::new();
        for commit in &self.commits {
            let counts = self.since.is_none_or(|since| commit.time >= since);
            for file in &commit.files {
                let entry = activity.entry(file).or_default();
                entry.commits += u32::from(counts);
                entry.last_commit = entry.last_commit.max(Some(commit.time));
            }
        }
        activity
    }
}

/// Says when a file was last changed, in nanoseconds since 1970.
///
/// A checkout sets every file's own time to now, so for a file that is as
/// committed the commit's time is the better one. A file with changes of its
/// own, or one that no known commit touched, has the later of the two.
pub fn changed_at(modified_ns: i64, last_commit: Option<i64>, is_clean: bool) -> i64 {
    let committed = last_commit.map(|seconds| seconds.saturating_mul(1_000_000_000));
    match committed {
        Some(committed) if is_clean => committed,
        Some(committed) => committed.max(modified_ns),
        None => modified_ns,
    }
}

/// Returns the id of a commit by any of its names.
fn commit_id(directory: &Path, name: &str) -> Option<String> {
    let name = format!("{name}^{{commit}}");
    let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &name];
    let output = run(directory, &arguments).ok()?;
    let id = String::from_utf8(output).ok()?.trim().to_owned();
    (!id.is_empty()).then_some(id)
}

#[cfg(test)]
mod tests;
