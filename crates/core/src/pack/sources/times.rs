//! Finds when files last changed: by git while they are as committed, else by the file system.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::SourceOptions;
use crate::cache::Cache;
use crate::repo::{ChangedFiles, GitHistory, HistoryOptions, changed_at};

/// What git says of files, by their real path.
#[derive(Debug, Default)]
pub(super) struct Times {
    commits: HashMap<PathBuf, i64>,
    changed: BTreeSet<PathBuf>,
    /// Files that no known commit touched are at least that old, where older
    /// commits exist that were not looked at.
    before: Option<i64>,
    root: Option<PathBuf>,
}

impl Times {
    /// Asks git about a directory; without git, times are those of the file system.
    pub(super) fn below(root: Option<&Path>, options: &SourceOptions) -> Times {
        let Some(root) = root.filter(|root| root.is_dir()) else {
            return Times::default();
        };
        let asked = HistoryOptions::new(options.rank.now_ns);
        let none = Cache::disabled();
        let store = options.store.as_deref().unwrap_or(&none);
        let history = GitHistory::read(root, &asked, store);
        if history.tree.is_none() {
            return Times::default();
        }
        let oldest = history.commits.iter().map(|commit| commit.time).min();
        let activity = history.activity();
        let known = activity
            .iter()
            .filter_map(|(path, activity)| Some((root.join(path), activity.last_commit?)));
        let changed = ChangedFiles::since(root, "HEAD").files;
        Times {
            commits: known.collect(),
            changed: changed.iter().map(|path| root.join(path)).collect(),
            before: oldest.filter(|_| history.commits.len() >= asked.messages),
            root: Some(root.to_owned()),
        }
    }

    /// When a file last changed, in nanoseconds since 1970.
    pub(super) fn of(&self, path: &Path, modified_ns: i64) -> Option<i64> {
        let is_below = self.root.as_ref().is_some_and(|root| path.starts_with(root));
        let is_clean = is_below && !self.changed.contains(path);
        let commit = self.commits.get(path).copied();
        let commit = commit.or(self.before.filter(|_| is_clean));
        Some(changed_at(modified_ns, commit, is_clean))
    }
}
