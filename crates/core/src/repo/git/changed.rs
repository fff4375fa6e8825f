//! Which files differ from a commit right now?

use std::path::{Path, PathBuf};

use super::command::{run, without_filters};
use super::log::to_path;
use super::{WorkTree, commit_id};
use crate::Note;
use crate::repo::display_path;
use crate::repo::name::compare;

/// The files that differ from a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// Their paths from the directory, ordered by their bytes.
    pub files: Vec<PathBuf>,
    /// Why something is missing.
    pub notes: Vec<Note>,
}

impl ChangedFiles {
    /// Finds files that differ from `base`, and those that git does not track yet.
    ///
    /// `base` is anything that names a commit. Deleted and ignored files are
    /// left out.
    pub fn since(directory: &Path, base: &str) -> ChangedFiles {
        let mut changed = ChangedFiles::default();
        let note = |message: String| Note::new(display_path(directory), message);
        if let Err(missing) = WorkTree::find(directory) {
            changed.notes.push(missing);
            return changed;
        }
        let tracked = match commit_id(directory, base) {
            Some(id) => differing(directory, &id),
            None => Err(format!("{base:?} is no commit here")),
        };
        for found in [tracked, untracked(directory)] {
            match found {
                Ok(names) => changed.files.extend(paths(&names)),
                Err(message) => changed.notes.push(note(message)),
            }
        }
        changed
            .files
            .sort_unstable_by(|left, right| compare(left, right));
        changed.files.dedup();
        changed
    }
}

fn differing(directory: &Path, id: &str) -> Result<Vec<u8>, String> {
    let settings = without_filters(directory)?;
    let mut arguments: Vec<&str> = settings.iter().map(String::as_str).collect();
    arguments.extend([
        "diff",
        "--name-only",
        "-z",
        "--relative",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=all",
        "--diff-filter=d",
        id,
        "--",
    ]);
    run(directory, &arguments)
}

fn untracked(directory: &Path) -> Result<Vec<u8>, String> {
    run(
        directory,
        &["ls-files", "--others", "--exclude-standard", "-z"],
    )
}

fn paths(names: &[u8]) -> impl Iterator<Item = PathBuf> {
    let names = names.split(|byte| *byte == 0);
    names.filter(|name| !name.is_empty()).map(to_path)
}
