//! Asks git about the repository that notes are in.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::feature::{FOCUS_FILE, Feature};
use super::options::NotesOptions;
use crate::cache::Cache;
use crate::repo::{
    ChangedFiles, GitHistory, HistoryOptions, WorkTree, current_branch, display_path, line_times,
};

/// How many commits say what the work is about.
const COMMITS: usize = 10;
/// How many notes are asked about line by line, which takes git a while.
const BLAMED: usize = 40;

impl NotesOptions {
    /// Adds what git knows: changed files, the last commits, how old each line is.
    pub fn ask_git(&mut self, feature: &Feature, store: &Cache) {
        let notes = feature.directory();
        let Ok(tree) = WorkTree::find(notes) else {
            return;
        };
        let root = fs::canonicalize(&tree.root).unwrap_or(tree.root);
        let real = fs::canonicalize(notes).unwrap_or_else(|_| notes.to_owned());
        let below = real.strip_prefix(&root).unwrap_or(notes).to_owned();
        let changed = ChangedFiles::since(&root, "HEAD").files;
        let is_note = |path: &Path| path.starts_with(&below) || path == Path::new(FOCUS_FILE);
        let changed = changed.iter().filter(|path| below.as_os_str().is_empty() || !is_note(path));
        self.changed_files = changed.map(|path| display_path(path)).collect();
        self.branch = current_branch(&root);
        let now_ns = i64::try_from(self.now.as_nanosecond()).unwrap_or(i64::MAX);
        let history = HistoryOptions {
            window: Some(Duration::ZERO),
            messages: COMMITS,
            ..HistoryOptions::new(now_ns)
        };
        let history = GitHistory::read(&root, &history, store);
        let background = &mut self.background;
        background.commits = history
            .commits
            .into_iter()
            .take(COMMITS)
            .map(|it| (it.message, it.files.iter().map(|path| display_path(path)).collect()))
            .collect();
        let files = feature.files().map(|(names, _)| names).unwrap_or_default();
        for name in files.into_iter().take(BLAMED) {
            if let Some(times) = line_times(notes, &name) {
                background.changed.insert(name, times);
            }
        }
    }
}
