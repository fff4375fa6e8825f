//! Lists the files that differ from a commit.

use std::path::{Path, PathBuf};

use super::command::{comparing, explain, finish, run};
use super::log::to_path;
use super::{WorkTree, commit_id};
use crate::Remark;
use crate::repo::display_path;
use crate::repo::name::compare;

/// The files that differ from a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// Their paths from the directory, ordered by their bytes.
    pub files: Vec<PathBuf>,
    /// Why something is missing.
    pub notes: Vec<Remark>,
}

impl ChangedFiles {
    /// Finds files that differ from `base`, and those that git does not track yet.
    ///
    /// `base` is anything that names a commit. Deleted and ignored files are
    /// left out.
    pub fn since(directory: &Path, base: &str) -> ChangedFiles {
        let mut changed = ChangedFiles::default();
        let note = |message: String| Remark::new(display_path(directory), message);
        if let Err(missing) = WorkTree::find(directory) {
            changed.notes.push(missing);
            return changed;
        }
        let tracked = match commit_id(directory, base) {
            Some(id) => differing(directory, &id),
            None => Err(format!("unknown revision {base:?}")),
        };
        for found in [tracked, untracked(directory)] {
            match found {
                Ok(names) => changed.files.extend(paths(&names)),
                Err(message) => changed.notes.push(note(message)),
            }
        }
        changed.files.sort_unstable_by(|left, right| compare(left, right));
        changed.files.dedup();
        changed
    }
}

/// Returns what changed in these files since `base`, as a unified diff.
///
/// Files that git does not track are not in it.
pub(crate) fn diff(directory: &Path, base: &str, files: &[&Path]) -> Result<String, String> {
    let id = commit_id(directory, base).ok_or_else(|| format!("unknown revision {base:?}"))?;
    // Without a file, git would take all of them.
    if files.is_empty() {
        return Ok(String::new());
    }
    let arguments = [
        "diff",
        "--relative",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--ignore-submodules=all",
        &id,
        "--",
    ];
    let mut text = String::new();
    for files in files.chunks(FILES_AT_ONCE) {
        let mut command = comparing(directory, &arguments)?;
        let output = command.args(files).output().map_err(explain)?;
        if !output.status.success() {
            return Err(format!("git cannot compare with {base:?}"));
        }
        text.push_str(&String::from_utf8_lossy(&output.stdout));
    }
    Ok(text)
}

/// Files named in one call, so that the line does not become too long.
const FILES_AT_ONCE: usize = 500;

fn differing(directory: &Path, id: &str) -> Result<Vec<u8>, String> {
    let arguments = [
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
    ];
    finish(comparing(directory, &arguments)?)
}

fn untracked(directory: &Path) -> Result<Vec<u8>, String> {
    run(directory, &["ls-files", "--others", "--exclude-standard", "-z"])
}

fn paths(names: &[u8]) -> impl Iterator<Item = PathBuf> {
    let names = names.split(|byte| *byte == 0);
    names.filter(|name| !name.is_empty()).map(to_path)
}
