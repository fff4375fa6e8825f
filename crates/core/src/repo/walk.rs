//! Finds the files of a directory tree, in a fixed order.
//!
//! What git would not track is left out: `.gitignore`, `.git/info/exclude` and
//! the user's excludes are honoured, and so are `.ignore`, `.loadlineignore` and the
//! ignore files of similar tools, which win over git's. Packs that were written before
//! (`*.context.md`) are left out, too. Inside a git work tree the ignore
//! files above the root count too, up to where the repository begins; elsewhere
//! only those inside the tree. Links are not followed, so there are no loops,
//! no file is seen twice, and nothing outside the tree is read. What is not a
//! plain file is never opened.

use std::fs;
use std::path::{Path, PathBuf};

use super::RepoError;
use super::filter::Filter;
use super::name::compare;
use super::named::visit_named;
use super::place::Place;
use super::unmatched;
use super::visit::visit;
use crate::Remark;
use crate::cache::FileStamp;
use crate::fsio::IoResultExt;

/// Which files of a tree are found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkOptions {
    /// Finds files and directories whose name begins with a dot, too.
    ///
    /// Off by default, as in ripgrep. Single ones can be let in with a line
    /// such as `!.github` in an ignore file. `.git` is never entered.
    pub hidden: bool,
    /// Finds what ignore files leave out, too.
    pub ignored: bool,
    /// The user's own list of excludes (git's `core.excludesFile`), if any.
    ///
    /// This crate knows no home directory, so the caller has to find it.
    pub excludes_file: Option<PathBuf>,
    /// Globs as in `.gitignore`; if there are any, only matching files are
    /// found. They do not bring back what is ignored or hidden.
    pub include: Vec<String>,
    /// Globs as in `.gitignore` of files and directories to leave out.
    pub exclude: Vec<String>,
    /// Leaves out files of more bytes than this, with a note.
    pub max_file_size: Option<u64>,
    /// Files that the user named one by one, from the root.
    ///
    /// They are found even where they are hidden or ignored; links are not
    /// followed, and what is excluded or too large stays out.
    pub named: Vec<PathBuf>,
    /// Where to look, from the root: directories, and files, which are found even where
    /// they are hidden or ignored. Empty means everywhere.
    pub within: Vec<PathBuf>,
    /// Globs that were typed, each of which has to match something.
    pub typed: Vec<TypedGlob>,
}

/// A glob that was typed; one that matches nothing is a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedGlob {
    /// The flag that it was typed after.
    pub flag: &'static str,
    /// As it was typed.
    pub glob: String,
    /// What it may mean, from the root; one of these has to match.
    pub patterns: Vec<String>,
}

/// A file as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The path below the root; for a root that is a file, its name.
    pub relative: PathBuf,
    /// The absolute path, the size and the times, as of the walk.
    pub stamp: FileStamp,
    /// Whether the user named this very file: as the root, or in the options.
    pub named: bool,
}

impl FoundFile {
    /// Returns the absolute path.
    pub fn path(&self) -> &Path {
        &self.stamp.path
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.stamp.size
    }
}

/// What a walk found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// The files, ordered by the bytes of their relative paths.
    pub files: Vec<FoundFile>,
    /// What could not be read or was left out, in the order of its subject.
    pub notes: Vec<Remark>,
}

/// Finds the files below `root`, or `root` itself if it is a file.
///
/// A root that is a file is always found. A link is not
/// followed: one that leads to something inside the tree is passed over, since
/// the walk meets its target anyway; one that leads out of the tree or nowhere
/// is noted. The root itself may be a link. What cannot be read costs a note.
///
/// ```
/// use loadline::repo::{WalkOptions, walk};
/// let directory = tempfile::tempdir()?;
/// std::fs::write(directory.path().join("main.rs"), "fn main() {}\n")?;
/// std::fs::write(directory.path().join("notes.txt"), "later\n")?;
/// std::fs::write(directory.path().join(".gitignore"), "*.txt\n")?;
/// let walked = walk(directory.path(), &WalkOptions::default()).unwrap();
/// assert_eq!(walked.files.len(), 1);
/// assert_eq!(walked.files[0].relative.to_str(), Some("main.rs"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn walk(root: &Path, options: &WalkOptions) -> Result<Walked, RepoError> {
    let filter = Filter::new(&options.include, &options.exclude)?;
    let place = Place::resolve(root)?;
    let metadata = fs::metadata(&place.absolute).at("read", root)?;
    let mut walked = if metadata.is_dir() {
        let (directories, files) = within(&place, options)?;
        let mut walked = visit(&place, &directories, filter.clone(), options);
        visit_named(&place, &filter, options, &files, &mut walked);
        walked
    } else {
        place.visit_file(&metadata)
    };
    walked.files.sort_unstable_by(|left, right| compare(&left.relative, &right.relative));
    // Of two directories that were asked for, one may lie in the other.
    walked.files.dedup_by(|left, right| left.relative == right.relative);
    unmatched::require(root, options, &walked.files)?;
    walked.notes.sort_unstable();
    walked.notes.dedup();
    Ok(walked)
}

/// Parts the places to look at into directories and files.
fn within(place: &Place, options: &WalkOptions) -> Result<(Vec<PathBuf>, Vec<PathBuf>), RepoError> {
    if options.within.is_empty() {
        return Ok((vec![place.absolute.clone()], Vec::new()));
    }
    let (mut directories, mut files) = (Vec::new(), Vec::new());
    for path in &options.within {
        let absolute = place.absolute.join(path);
        let metadata = fs::metadata(&absolute);
        let metadata = metadata.map_err(|_| RepoError::Missing(path.clone()))?;
        if metadata.is_dir() { directories.push(absolute) } else { files.push(path.clone()) }
    }
    Ok((directories, files))
}

#[cfg(test)]
mod tests;
