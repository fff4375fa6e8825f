//! Measures the archive, and removes originals that were not used for long.
//!
//! Nothing else ever removes an original, so this runs only when a user asks for it.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::originals::{OriginalFile, Originals, directories_in};
use super::{Archive, ORIGINALS, PROJECT_PATH, PROJECTS};
use crate::Remark;

/// How long originals are kept, and what time it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The age from which an original goes; zero keeps all of them for good.
    pub keep: Duration,
    /// The current time, in nanoseconds since 1970.
    pub now_ns: i64,
}

/// What pruning removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pruned {
    /// Originals removed.
    pub originals: u64,
    /// Bytes freed.
    pub bytes: u64,
    /// What had to stay, and why.
    #[serde(skip)]
    pub remarks: Vec<Remark>,
}

/// How much the archive holds, all projects together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArchiveSize {
    /// Projects that have originals.
    pub projects: u64,
    /// Originals of all projects.
    pub originals: u64,
    /// Their bytes on disk.
    pub bytes: u64,
}

/// What the archive holds of one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedProject {
    /// Its root directory; none for originals of a version that did not record it.
    pub root: Option<String>,
    /// How many originals.
    pub originals: u64,
    /// Their bytes on disk.
    pub bytes: u64,
}

impl Archive {
    /// Measures the originals of each project, largest first.
    pub fn projects(&self) -> Vec<ArchivedProject> {
        let mut projects = Vec::new();
        for originals in self.all_originals() {
            let whole = originals.files().into_iter().filter(|file| file.is_whole);
            let sizes: Vec<u64> = whole.map(|file| length(&file.path)).collect();
            let place = originals.directory().parent().map(|it| it.join(PROJECT_PATH));
            let root = place.and_then(|path| fs::read(path).ok());
            if !sizes.is_empty() {
                projects.push(ArchivedProject {
                    root: root.map(|it| String::from_utf8_lossy(&it).into_owned()),
                    originals: sizes.len() as u64,
                    bytes: sizes.iter().sum(),
                });
            }
        }
        projects.sort_by(|a, b| (b.bytes, &a.root).cmp(&(a.bytes, &b.root)));
        projects
    }

    /// Measures all originals: a listing, milliseconds for thousands of them.
    pub fn size(&self) -> ArchiveSize {
        let projects = self.projects();
        ArchiveSize {
            projects: projects.len() as u64,
            originals: projects.iter().map(|it| it.originals).sum(),
            bytes: projects.iter().map(|it| it.bytes).sum(),
        }
    }

    /// Removes originals of all projects that were put longer ago than they are kept.
    pub fn prune(&self, retention: &Retention) -> Pruned {
        let mut pruned = Pruned::default();
        if retention.keep == Duration::ZERO {
            return pruned;
        }
        for originals in self.all_originals() {
            let files = originals.files().into_iter();
            for file in files.filter(|file| retention.is_over(&file.path)) {
                remove(&file, &mut pruned);
            }
            remove_empty(&originals);
        }
        pruned
    }

    fn all_originals(&self) -> Vec<Originals> {
        let projects = directories_in(&self.directory.join(PROJECTS));
        let bound = projects.into_iter().map(|it| Originals::new(it.join(ORIGINALS)));
        bound.chain([self.unbound.clone()]).collect()
    }
}

fn remove(file: &OriginalFile, pruned: &mut Pruned) {
    let bytes = length(&file.path);
    match fs::remove_file(&file.path) {
        Ok(()) => {
            pruned.originals += u64::from(file.is_whole);
            pruned.bytes += bytes;
        }
        Err(error) => {
            let remark = Remark::new(file.path.display().to_string(), format!("kept: {error}"));
            pruned.remarks.push(remark);
        }
    }
}

/// Removes directories that nothing is left in, and the name of a project without originals.
fn remove_empty(originals: &Originals) {
    let directory = originals.directory();
    for shard in directories_in(directory) {
        let _ = fs::remove_dir(shard);
    }
    if fs::remove_dir(directory).is_ok()
        && let Some(project) = directory.parent()
        && directory.ends_with(ORIGINALS)
    {
        let _ = fs::remove_file(project.join(PROJECT_PATH));
        let _ = fs::remove_dir(project);
    }
}

impl Retention {
    /// Tells whether a file was written too long ago; one of the future was not.
    fn is_over(&self, path: &Path) -> bool {
        let since = Duration::from_nanos(self.now_ns.try_into().unwrap_or(0));
        let modified = fs::symlink_metadata(path).and_then(|it| it.modified());
        let now = UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH);
        let age = |modified: SystemTime| now.duration_since(modified).ok();
        modified.ok().and_then(age).is_some_and(|age| age > self.keep)
    }
}

fn length(path: &Path) -> u64 {
    fs::symlink_metadata(path).map_or(0, |metadata| metadata.len())
}
