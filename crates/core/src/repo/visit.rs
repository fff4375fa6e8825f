//! One walk: sets up the walker and decides about every entry it meets.

use std::fs::{self, FileType, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::filter::Filter;
use super::name::without_dots;
use super::walk::{FoundFile, WalkOptions, Walked};
use super::{RepoError, display_path};
use crate::fsio::PathError;
use crate::{FileStamp, Note};

/// The ignore file that only this program reads.
const IGNORE_FILE: &str = ".loadlineignore";

/// Where a walk begins: as it was given, and where that really is.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) shown: PathBuf,
    pub(super) absolute: PathBuf,
}

/// What became of an entry: a file, or something to tell.
type Met = Result<FoundFile, Note>;

impl Place {
    /// Resolves links in the root, so that a file has one path however it is reached.
    pub(super) fn resolve(root: &Path) -> Result<Place, RepoError> {
        match fs::canonicalize(root) {
            Ok(absolute) => Ok(Place {
                shown: without_dots(root),
                absolute,
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(RepoError::Missing {
                path: root.to_owned(),
            }),
            Err(error) => Err(PathError::new("read", root, error).into()),
        }
    }

    /// Looks at a root that is not a directory.
    pub(super) fn visit_file(&self, metadata: &Metadata) -> Walked {
        let mut walked = Walked::default();
        if metadata.is_file() {
            walked.files.push(FoundFile {
                relative: self.absolute.file_name().unwrap_or_default().into(),
                stamp: FileStamp::new(&self.absolute, metadata),
            });
        } else {
            let message = special_message(metadata.file_type());
            walked.notes.push(self.note(&self.absolute, message));
        }
        walked
    }

    /// Looks at everything below a root that is a directory, on all cores.
    pub(super) fn visit_all(&self, filter: Filter, options: &WalkOptions) -> Walked {
        let (sender, receiver) = mpsc::channel();
        let walker = self.walker(filter, options, &sender);
        let limit = options.max_file_size;
        walker.build_parallel().run(|| {
            let sender = sender.clone();
            Box::new(move |entry| {
                self.visit(entry, limit, &sender);
                WalkState::Continue
            })
        });
        drop(sender);
        let mut walked = Walked::default();
        for met in receiver {
            match met {
                Ok(file) => walked.files.push(file),
                Err(note) => walked.notes.push(note),
            }
        }
        walked
    }

    fn walker(&self, filter: Filter, options: &WalkOptions, sender: &Sender<Met>) -> WalkBuilder {
        let mut walker = WalkBuilder::new(&self.absolute);
        walker
            .current_dir(&self.absolute)
            .standard_filters(!options.ignored)
            .hidden(!options.hidden)
            .require_git(false)
            // The user's excludes are found by the caller; see the options.
            .git_global(false)
            .follow_links(false);
        if !options.ignored {
            walker.add_custom_ignore_filename(IGNORE_FILE);
            if let Some(file) = &options.excludes_file {
                let error = walker.add_ignore(file);
                self.send_errors(error.as_ref(), sender);
            }
        }
        let root = self.absolute.clone();
        walker.filter_entry(move |entry| is_wanted(entry, &root, &filter));
        walker
    }

    fn visit(
        &self,
        entry: Result<DirEntry, ignore::Error>,
        limit: Option<u64>,
        sender: &Sender<Met>,
    ) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return self.send_errors(Some(&error), sender),
        };
        self.send_errors(entry.error(), sender);
        let Some(met) = self.meet(&entry, limit) else {
            return;
        };
        // The receiver outlives the walk.
        let _ = sender.send(met);
    }

    /// Decides about one entry: a file, a note, or nothing at all.
    fn meet(&self, entry: &DirEntry, limit: Option<u64>) -> Option<Met> {
        let path = entry.path();
        let file_type = entry.file_type()?;
        if file_type.is_dir() {
            return None;
        }
        if file_type.is_symlink() {
            return self
                .link_message(path)
                .map(|message| Err(self.note(path, message)));
        }
        if !file_type.is_file() {
            return Some(Err(self.note(path, special_message(file_type))));
        }
        let metadata = match entry.metadata() {
            Ok(metadata) => metadata,
            Err(error) => return Some(Err(self.note(path, reason(&error)))),
        };
        if let Some(limit) = limit.filter(|limit| metadata.len() > *limit) {
            let message = format!("{} bytes, over the limit of {limit}", metadata.len());
            return Some(Err(self.note(path, message)));
        }
        Some(Ok(FoundFile {
            relative: self.relative(path).to_owned(),
            stamp: FileStamp::new(path, &metadata),
        }))
    }

    /// Says what is wrong with a link, if anything.
    fn link_message(&self, path: &Path) -> Option<String> {
        match fs::canonicalize(path) {
            Ok(target) if target.starts_with(&self.absolute) => None,
            Ok(_) => Some("link out of the tree, not followed".to_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => Some("link to nothing".to_owned()),
            Err(error) => Some(format!("link that cannot be followed: {error}")),
        }
    }

    /// Sends one note per thing that went wrong.
    fn send_errors(&self, error: Option<&ignore::Error>, sender: &Sender<Met>) {
        match error {
            None => {}
            Some(ignore::Error::Partial(errors)) => {
                for error in errors {
                    self.send_errors(Some(error), sender);
                }
            }
            Some(error) => {
                let path = path_of(error).unwrap_or(&self.absolute);
                let _ = sender.send(Err(self.note(path, reason(error))));
            }
        }
    }

    fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.absolute).unwrap_or(path)
    }

    /// Makes a note about a path, named as the user named the root.
    fn note(&self, path: &Path, message: impl Into<String>) -> Note {
        let shown = match path.strip_prefix(&self.absolute) {
            Ok(relative) if relative.as_os_str().is_empty() => self.shown.clone(),
            Ok(relative) => self.shown.join(relative),
            Err(_) => path.to_owned(),
        };
        Note::new(display_path(&shown), message)
    }
}

/// Tells whether an entry is to be met at all; a directory, to be entered.
fn is_wanted(entry: &DirEntry, root: &Path, filter: &Filter) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    // In a worktree or a submodule it is a file.
    if entry.file_name() == ".git" {
        return false;
    }
    let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
    match entry.file_type() {
        Some(file_type) if file_type.is_dir() => filter.enters(relative),
        _ => filter.wants(relative),
    }
}

/// Says what something that is neither file nor directory nor link is.
fn special_message(file_type: FileType) -> String {
    format!("{}, not read", special_kind(file_type))
}

#[cfg(unix)]
fn special_kind(file_type: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if file_type.is_fifo() {
        "named pipe"
    } else if file_type.is_socket() {
        "socket"
    } else if file_type.is_block_device() || file_type.is_char_device() {
        "device"
    } else {
        "not a file"
    }
}

#[cfg(not(unix))]
fn special_kind(_file_type: FileType) -> &'static str {
    "not a file"
}

/// Returns the path an error of the walker is about.
fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            path_of(err)
        }
        _ => None,
    }
}

/// Returns what an error of the walker says, without the path.
fn reason(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } => reason(err),
        ignore::Error::WithLineNumber { line, err } => format!("line {line}: {}", reason(err)),
        ignore::Error::Io(error) => io_reason(error),
        other => other.to_string(),
    }
}

fn io_reason(error: &io::Error) -> String {
    format!("cannot read it: {error}")
}
