//! Walks one directory tree and decides about every entry.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Sender};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::filter::Filter;
use super::place::Place;
use super::trouble::{for_each_cause, reason, special_kind, special_message, trap};
use super::walk::{FoundFile, WalkOptions, Walked};
use crate::Remark;
use crate::cache::FileStamp;

/// The ignore file of this program, besides git's and `.ignore`.
const IGNORE_FILE: &str = ".loadlineignore";
/// The ignore files of similar programs. They count where the root has one: looking for all of
/// them in every directory takes as long as the rest of the walk.
const OTHER_IGNORE_FILES: [&str; 3] = [".repomixignore", ".aiderignore", ".cursorignore"];

/// How the names of packs end that were written without a name of their own.
const PACK_SUFFIXES: [&[u8]; 3] = [b".context.md", b".context.xml", b".context.txt"];

/// What became of an entry: a file, or something to tell.
pub(super) type Met = Result<FoundFile, Remark>;

/// Looks at everything below directories of a root, on all cores.
///
/// Two cores are a little more than twice as fast as the walker for one.
pub(super) fn visit(
    place: &Place,
    directories: &[PathBuf],
    filter: Filter,
    options: &WalkOptions,
) -> Walked {
    let (sender, receiver) = mpsc::channel();
    if let Some(walker) = walker(place, directories, filter, options, &sender) {
        walker.build_parallel().run(|| {
            let sender = sender.clone();
            Box::new(move |entry| {
                visit_entry(place, entry, options.max_file_size, &sender);
                WalkState::Continue
            })
        });
    }
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

/// Sets up the walker, or returns `None` where reading a directory would hang, or where
/// there is none.
fn walker(
    place: &Place,
    directories: &[PathBuf],
    filter: Filter,
    options: &WalkOptions,
    sender: &Sender<Met>,
) -> Option<WalkBuilder> {
    let others = OTHER_IGNORE_FILES.into_iter();
    let others = others.filter(|name| place.absolute.join(name).symlink_metadata().is_ok());
    let ignore_files: Vec<&str> = std::iter::once(IGNORE_FILE).chain(others).collect();
    let guard = Guard {
        place: place.clone(),
        filter,
        sender: sender.clone(),
        ignore_files: (!options.ignored).then(|| ignore_files.clone()),
    };
    // The walker reads the ignore files above the root even if they do not count.
    let above: BTreeSet<&Path> = directories.iter().flat_map(|it| it.ancestors()).collect();
    if !above.into_iter().all(|directory| guard.is_safe(directory)) {
        return None;
    }
    // Outside of git nothing says where a project begins, so only the ignore
    // files inside the tree count: a `*` in the home directory must not hide all.
    let in_git = place.is_in_git();
    let (first, others) = directories.split_first()?;
    let mut walker = WalkBuilder::new(first);
    for directory in others {
        walker.add(directory);
    }
    walker
        .current_dir(&place.absolute)
        .standard_filters(!options.ignored)
        .hidden(!options.hidden)
        .require_git(in_git)
        .parents(in_git && !options.ignored)
        // The user's excludes are found by the caller; see the options.
        .git_global(false)
        .follow_links(false);
    if !options.ignored {
        for name in ignore_files {
            walker.add_custom_ignore_filename(name);
        }
        if let Some(file) = &options.excludes_file {
            let error = walker.add_ignore(file);
            send_errors(place, error.as_ref(), sender);
        }
    }
    walker.filter_entry(move |entry| guard.lets_in(entry));
    Some(walker)
}

/// Stands before every entry and decides whether the walk goes there at all.
#[derive(Clone, Debug)]
struct Guard {
    place: Place,
    filter: Filter,
    sender: Sender<Met>,
    /// The ignore files that count besides git's, where any do.
    ignore_files: Option<Vec<&'static str>>,
}

impl Guard {
    fn lets_in(&self, entry: &DirEntry) -> bool {
        // In a worktree or a submodule it is a file.
        if entry.depth() > 0 && entry.file_name() == ".git" {
            return false;
        }
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        self.is_wanted(entry.path(), is_directory) && (!is_directory || self.is_safe(entry.path()))
    }

    fn is_wanted(&self, path: &Path, is_directory: bool) -> bool {
        let relative = self.place.relative(path);
        if is_directory {
            return relative.as_os_str().is_empty() || self.filter.enters(relative);
        }
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let is_pack = PACK_SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
        !is_pack && self.filter.wants(relative)
    }

    /// Tells whether the walker can read the ignore files of a directory.
    ///
    /// It opens them without a look, and opening a pipe waits for ever.
    fn is_safe(&self, directory: &Path) -> bool {
        let found = self.ignore_files.as_ref().and_then(|names| trap(directory, names));
        let Some((name, file_type)) = found else {
            return true;
        };
        let message = format!("not entered, its {name} is a {}", special_kind(file_type));
        // The receiver outlives the walk.
        let _ = self.sender.send(Err(self.place.note(directory, message)));
        false
    }
}

fn visit_entry(
    place: &Place,
    entry: Result<DirEntry, ignore::Error>,
    limit: Option<u64>,
    sender: &Sender<Met>,
) {
    let entry = match entry {
        Ok(entry) => entry,
        Err(error) => return send_errors(place, Some(&error), sender),
    };
    send_errors(place, entry.error(), sender);
    if let Some(met) = meet(place, &entry, limit) {
        let _ = sender.send(met);
    }
}

/// Decides about one entry: a file, a note, or nothing at all.
fn meet(place: &Place, entry: &DirEntry, limit: Option<u64>) -> Option<Met> {
    let path = entry.path();
    let file_type = entry.file_type()?;
    if file_type.is_dir() {
        return None;
    }
    if file_type.is_symlink() {
        let message = place.link_message(path)?;
        return Some(Err(place.note(path, message)));
    }
    if !file_type.is_file() {
        return Some(Err(place.note(path, special_message(file_type))));
    }
    let metadata = match entry.metadata() {
        Ok(metadata) => metadata,
        Err(error) => return Some(Err(place.note(path, reason(&error)))),
    };
    Some(found(place, path, &metadata, limit))
}

/// Makes a found file of a plain file, or a note where it is too large.
pub(super) fn found(place: &Place, path: &Path, metadata: &Metadata, limit: Option<u64>) -> Met {
    if let Some(limit) = limit.filter(|limit| metadata.len() > *limit) {
        let message = format!("{} bytes, over the limit of {limit}", metadata.len());
        return Err(place.note(path, message));
    }
    Ok(FoundFile {
        relative: place.relative(path).to_owned(),
        stamp: FileStamp::new(path, metadata),
        named: false,
    })
}

/// Sends one note per thing that went wrong.
fn send_errors(place: &Place, error: Option<&ignore::Error>, sender: &Sender<Met>) {
    let Some(error) = error else {
        return;
    };
    for_each_cause(error, &mut |path, message| {
        let path = path.unwrap_or(&place.absolute);
        let _ = sender.send(Err(place.note(path, message)));
    });
}
