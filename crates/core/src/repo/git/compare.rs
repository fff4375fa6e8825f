//! Compares a repository with an earlier state of itself.
//!
//! A branch is compared with the commit where it left its base, not with the base as
//! it is now: what others did on the base meanwhile is not a change of the branch.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::command::{comparing, finish, run};
use super::log::to_path;
use super::patch::{Patch, parse};
use super::{WorkTree, commit_id};
use crate::Remark;
use crate::repo::name::compare;
use crate::repo::{RepoError, display_path};

/// What is compared with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The work tree with the merge base of HEAD and this revision. `a...b` compares
    /// `b` with the merge base of both, `a..b` compares the two.
    Changed(String),
    /// The work tree with this very revision.
    Since(String),
    /// The index with HEAD.
    Staged,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ChangeStatus {
    /// It is new.
    Added,
    /// It began as a copy of another file.
    Copied,
    /// It is gone.
    Deleted,
    /// Its content, its mode or its type is another one.
    Modified,
    /// It had another path.
    Renamed,
    /// It is new, and git does not track it yet.
    Untracked,
}

/// One file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path from the root of the work tree; of a deleted file the one that it had.
    pub path: PathBuf,
    /// The path that it had, where it was renamed or copied.
    pub from: Option<PathBuf>,
    /// What happened to it.
    pub status: ChangeStatus,
    /// The blob that it was.
    pub(crate) old: Option<String>,
    /// The blob that it is; none for a file of the work tree.
    pub(crate) new: Option<String>,
    /// How many sections of a patch it takes: two where its type changed.
    sections: usize,
}

/// The files that differ.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The root of the work tree.
    pub root: PathBuf,
    /// What they are compared with, in words: `main (merge base 1a2b3c4)`.
    pub since: String,
    /// The files, ordered by the bytes of their paths.
    pub files: Vec<Change>,
    /// What should be known about the comparison.
    pub notes: Vec<Remark>,
    sides: Sides,
    /// The directory that was asked about, from the root.
    below: PathBuf,
}

/// The commits that are compared.
#[derive(Clone, Debug)]
struct Sides {
    base: String,
    /// None compares with the work tree or the index.
    to: Option<String>,
    staged: bool,
}

impl Changes {
    /// Finds what differs below a directory. Ignored files are left out.
    pub fn find(directory: &Path, comparison: &Comparison) -> Result<Changes, RepoError> {
        let incomparable = |reason: String| RepoError::Incomparable(reason);
        let tree = WorkTree::find(directory).map_err(|remark| incomparable(remark.message))?;
        let mut notes = Vec::new();
        let (sides, since) = sides(directory, comparison, &mut notes)?;
        let root = tree.root.canonicalize().unwrap_or(tree.root);
        let below = to_path(&tree.prefix);
        let mut changes = Changes { root, since, files: Vec::new(), notes, sides, below };
        let raw = changes.diff(&["--raw", "-z", "--no-abbrev"]).map_err(incomparable)?;
        changes.files = entries(&raw, changes.sides.reads_work_tree());
        if changes.sides.reads_work_tree() {
            changes.files.extend(changes.untracked().map_err(incomparable)?);
        }
        changes.files.sort_by(|left, right| compare(&left.path, &right.path));
        Ok(changes)
    }

    /// Returns the paths that still exist, from the directory that was asked about.
    pub fn existing(&self) -> impl Iterator<Item = &Path> {
        let files = self.files.iter().filter(|file| file.status != ChangeStatus::Deleted);
        files.map(|file| file.path.strip_prefix(&self.below).unwrap_or(&file.path))
    }

    /// Returns what git says about each file, in the order of the files.
    ///
    /// Files that git does not track have no patch.
    pub(crate) fn patches(&self) -> Result<Vec<Option<Patch>>, String> {
        let text = self.diff(&["--patch", "--unified=3", "--inter-hunk-context=0"])?;
        let mut sections = parse(&String::from_utf8_lossy(&text)).into_iter();
        let mut patches = vec![None; self.files.len()];
        // Git orders the files by their paths, renamed ones by the new path, as we do.
        for (patch, file) in patches.iter_mut().zip(&self.files) {
            for _ in 0..file.sections {
                let section = sections.next().ok_or("git gave fewer patches than files")?;
                *patch = match patch.take() {
                    None => Some(section),
                    Some(first) => Some(Patch::joined(first, section)),
                };
            }
        }
        if sections.next().is_some() {
            Err("git gave more patches than files".into())
        } else {
            Ok(patches)
        }
    }

    fn diff(&self, form: &[&str]) -> Result<Vec<u8>, String> {
        let mut arguments = vec!["-c", "diff.suppressBlankEmpty=false", "diff"];
        arguments.extend(form);
        arguments.extend([
            // No order but that of the paths.
            "-O/dev/null",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-relative",
            "--find-renames",
            "--find-copies",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--ignore-submodules=all",
        ]);
        if self.sides.staged {
            arguments.push("--cached");
        }
        arguments.push(&self.sides.base);
        arguments.extend(self.sides.to.as_deref());
        arguments.push("--");
        let mut command = comparing(&self.root, &arguments)?;
        if !self.below.as_os_str().is_empty() {
            command.arg(&self.below);
        }
        finish(command)
    }

    fn untracked(&self) -> Result<Vec<Change>, String> {
        let below = self.root.join(&self.below);
        let arguments = ["ls-files", "--others", "--exclude-standard", "--full-name", "-z"];
        let names = run(&below, &arguments)?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let untracked = names.map(|name| Change {
            path: to_path(name),
            from: None,
            status: ChangeStatus::Untracked,
            old: None,
            new: None,
            sections: 0,
        });
        // A repository inside of this one is listed as a directory.
        Ok(untracked
            .filter(|file| !file.path.as_os_str().as_encoded_bytes().ends_with(b"/"))
            .collect())
    }
}

impl Sides {
    fn reads_work_tree(&self) -> bool {
        !self.staged && self.to.is_none()
    }
}

/// Finds the commits to compare, and says in words what with.
fn sides(
    directory: &Path,
    comparison: &Comparison,
    notes: &mut Vec<Remark>,
) -> Result<(Sides, String), RepoError> {
    let sides = |base: String, to: Option<String>| Sides { base, to, staged: false };
    Ok(match comparison {
        Comparison::Staged => {
            let base = resolve(directory, "HEAD")?;
            (Sides { base, to: None, staged: true }, "HEAD (staged)".to_owned())
        }
        Comparison::Since(name) => (sides(resolve(directory, name)?, None), name.clone()),
        Comparison::Changed(range) => {
            let or_head = |name: &str| if name.is_empty() { "HEAD" } else { name }.to_owned();
            if let Some((base, to)) = range.split_once("...") {
                let (base, to) = (or_head(base), or_head(to));
                let end = resolve(directory, &to)?;
                let (from, words) = merge_base(directory, &base, &end, notes)?;
                (sides(from, Some(end)), format!("{words} up to {to}"))
            } else if let Some((base, to)) = range.split_once("..") {
                let (base, to) = (or_head(base), or_head(to));
                let both = (resolve(directory, &base)?, resolve(directory, &to)?);
                (sides(both.0, Some(both.1)), format!("{base} up to {to}"))
            } else {
                let head = resolve(directory, "HEAD")?;
                let (from, words) = merge_base(directory, range, &head, notes)?;
                (sides(from, None), words)
            }
        }
    })
}

/// Returns where `end` left `base`, and that in words.
fn merge_base(
    directory: &Path,
    base: &str,
    end: &str,
    notes: &mut Vec<Remark>,
) -> Result<(String, String), RepoError> {
    let id = resolve(directory, base)?;
    let found = run(directory, &["merge-base", &id, end]).ok();
    let found = found.and_then(|found| String::from_utf8(found).ok());
    let found = found.as_deref().map(str::trim).filter(|found| !found.is_empty());
    Ok(match found {
        Some(found) if found == id => (id, base.to_owned()),
        Some(found) => (found.to_owned(), format!("{base} (merge base {})", &found[..7])),
        None => {
            if id != end {
                let message = "no common ancestor is known; compared with its latest commit";
                notes.push(Remark::new(base, message));
            }
            (id, base.to_owned())
        }
    })
}

/// Returns the id of a revision; before the first commit, HEAD is the empty tree.
fn resolve(directory: &Path, name: &str) -> Result<String, RepoError> {
    if let Some(id) = commit_id(directory, name) {
        return Ok(id);
    }
    let is_unborn = || {
        let branch = run(directory, &["symbolic-ref", "--quiet", "HEAD"]).ok();
        let branch = branch.map(|name| String::from_utf8_lossy(&name).trim().to_owned());
        branch.is_some_and(|branch| commit_id(directory, &branch).is_none())
    };
    if name == "HEAD"
        && is_unborn()
        && let Ok(tree) = run(directory, &["hash-object", "-t", "tree", "/dev/null"])
    {
        return Ok(String::from_utf8_lossy(&tree).trim().to_owned());
    }
    let names = run(directory, &["for-each-ref", "--format=%(refname:short)"]).unwrap_or_default();
    let names = String::from_utf8_lossy(&names);
    let nearest = crate::text::nearest(name, names.lines()).map(str::to_owned);
    Err(RepoError::Revision { name: name.to_owned(), nearest })
}

/// Reads what `git diff --raw -z` writes.
fn entries(raw: &[u8], reads_work_tree: bool) -> Vec<Change> {
    let mut fields = raw.split(|byte| *byte == 0);
    let mut changes = Vec::new();
    while let Some(head) = fields.next().filter(|field| !field.is_empty()) {
        let head = String::from_utf8_lossy(head);
        let parts: Vec<&str> = head.split(' ').collect();
        let (Some(first), [_, _, old, new, letter]) = (fields.next(), parts.as_slice()) else {
            break;
        };
        let blob = |id: &str| id.bytes().any(|byte| byte != b'0').then(|| id.to_owned());
        let (status, has_two) = match letter.as_bytes().first() {
            Some(b'A') => (ChangeStatus::Added, false),
            Some(b'C') => (ChangeStatus::Copied, true),
            Some(b'D') => (ChangeStatus::Deleted, false),
            Some(b'R') => (ChangeStatus::Renamed, true),
            // The same path is listed again, with what differs.
            Some(b'U') => continue,
            _ => (ChangeStatus::Modified, false),
        };
        let second = has_two.then(|| fields.next()).flatten();
        changes.push(Change {
            path: to_path(second.unwrap_or(first)),
            from: second.map(|_| to_path(first)),
            status,
            old: blob(old),
            new: blob(new).filter(|_| !reads_work_tree),
            sections: if *letter == "T" { 2 } else { 1 },
        });
    }
    changes
}

/// The files that differ from a commit, for those who only want names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// Their paths from the directory, ordered by their bytes; deleted files are left out.
    pub files: Vec<PathBuf>,
    /// Why something is missing.
    pub notes: Vec<Remark>,
}

impl ChangedFiles {
    /// Finds files that differ from `base`, and those that git does not track yet.
    pub fn since(directory: &Path, base: &str) -> ChangedFiles {
        match Changes::find(directory, &Comparison::Since(base.to_owned())) {
            Ok(changes) => ChangedFiles {
                files: changes.existing().map(Path::to_owned).collect(),
                notes: changes.notes,
            },
            Err(error) => ChangedFiles {
                notes: vec![Remark::new(display_path(directory), error.to_string())],
                ..ChangedFiles::default()
            },
        }
    }
}
