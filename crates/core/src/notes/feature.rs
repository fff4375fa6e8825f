//! A feature: one directory of notes, and which of its files count.
//!
//! Names come from users and from files that agents write, so a name is
//! checked before it becomes a path, and a directory that is a link must lead
//! to a place inside the features.

use std::fs;
use std::path::{Path, PathBuf};

use super::NotesError;
use crate::files::read_plain;
use crate::fsio::IoResultExt;
use crate::{PathError, Remark};

/// The document that stands for all notes in a fresh session.
pub const HANDOFF_FILE: &str = "handoff.md";
/// The document that stands for summarised notes.
pub const SUMMARY_FILE: &str = "summary.md";
/// What agents keep about a feature, in JSON.
pub const STATE_FILE: &str = "state.json";
/// The tasks of a feature.
pub const TASKS_FILE: &str = "tasks.md";
/// Where archives, backups and the history of compactions are.
pub const COMPACTION_DIRECTORY: &str = ".compaction";
/// Names the feature that is worked on, in a line `feature: NAME`.
pub const FOCUS_FILE: &str = ".claude/active-focus.md";

/// How the names of notes end.
const NOTE_ENDINGS: [&str; 5] = ["md", "markdown", "txt", "json", "jsonl"];

/// So many levels of directories below notes are looked into,
const DEEPEST: usize = 4;
/// for so many notes at most.
const MOST_NOTES: usize = 1_000;

/// The most bytes of the file that names the feature that is worked on.
const LARGEST_FOCUS: u64 = 64 << 10;

/// The most bytes of a note that is read.
const LARGEST_NOTE: u64 = 64 << 20;

/// Reads a note; `None` where there is none. Links and devices are not read.
pub(super) fn read_note(path: &Path) -> Result<Option<Vec<u8>>, PathError> {
    let file = read_plain(path, LARGEST_NOTE).at("read", path)?;
    Ok(file.map(|file| file.bytes))
}

/// Where features live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    root: PathBuf,
    /// The project that the root must not lead out of.
    project: Option<PathBuf>,
}

impl Features {
    /// Takes the directory that holds one directory per feature.
    pub fn new(root: impl Into<PathBuf>) -> Features {
        Features { root: root.into(), project: None }
    }

    /// Takes such a directory below a project, on the way to which no link is followed.
    pub fn in_project(project: &Path, below: &Path) -> Features {
        Features { root: project.join(below), project: Some(project.to_owned()) }
    }

    /// Refuses a link between the project and the features: the project may come from anybody.
    fn check_root(&self) -> Result<(), NotesError> {
        let Some(project) = &self.project else {
            return Ok(());
        };
        let inside = self.root.ancestors().take_while(|it| it != project);
        for path in inside {
            if path.is_symlink() {
                let path = path.to_owned();
                return Err(NotesError::LinkedRoot { path });
            }
        }
        Ok(())
    }

    /// Returns that directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the names of all features in byte order; none where there is no such directory.
    ///
    /// Directories whose name no feature may have are left out.
    pub fn list(&self) -> Result<Vec<String>, NotesError> {
        self.check_root()?;
        let entries = match fs::read_dir(&self.root) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.at("read", &self.root)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.at("read", &self.root)?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if is_name(&name) && entry.path().is_dir() {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Returns the feature of that name.
    pub fn feature(&self, name: &str) -> Result<Feature, NotesError> {
        if !is_name(name) {
            let name = name.to_owned();
            return Err(NotesError::BadName { name });
        }
        self.check_root()?;
        let directory = self.root.join(name);
        if !directory.is_dir() {
            return Err(NotesError::NoFeature {
                name: name.to_owned(),
                root: self.root.clone(),
                known: self.list().unwrap_or_default(),
            });
        }
        let real = self.check_inside(name, &directory)?;
        Ok(Feature {
            name: name.to_owned(),
            // Below it no link is followed, so that one that was checked is resolved here.
            directory: if directory.is_symlink() { real } else { directory },
            only: None,
            is_deep: false,
        })
    }

    /// Returns the name of the feature that is worked on, if the project says so.
    ///
    /// Read from `.claude/active-focus.md`, the first line `feature: NAME`.
    /// A name that no feature may have is none.
    pub fn active(project_root: &Path) -> Option<String> {
        let file = read_plain(&project_root.join(FOCUS_FILE), LARGEST_FOCUS);
        let bytes = file.ok().flatten()?.bytes;
        let text = String::from_utf8_lossy(&bytes);
        let name = text.lines().find_map(focus_of)?;
        is_name(name).then(|| name.to_owned())
    }

    /// Whole components are compared: `features-old` is not inside `features`.
    fn check_inside(&self, name: &str, directory: &Path) -> Result<PathBuf, NotesError> {
        let root = fs::canonicalize(&self.root).at("read", &self.root)?;
        let directory = fs::canonicalize(directory).at("read", directory)?;
        match directory.strip_prefix(&root) {
            Ok(inside) if !inside.as_os_str().is_empty() => Ok(directory),
            _ => Err(NotesError::Outside { name: name.to_owned(), root: self.root.clone() }),
        }
    }
}

/// One feature whose name and place were checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    name: String,
    directory: PathBuf,
    /// The one file that counts, where notes are a single file.
    only: Option<String>,
    /// Whether notes in directories below count, too.
    is_deep: bool,
}

impl Feature {
    /// Takes a directory of notes, or a single file, that a user named.
    pub fn at(path: &Path) -> Result<Feature, NotesError> {
        let metadata = fs::metadata(path).at("read", path)?;
        let name = path.display().to_string();
        if metadata.is_dir() {
            return Ok(Feature { name, directory: path.to_owned(), only: None, is_deep: true });
        }
        let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
        let file = path.file_name().map(|it| it.to_string_lossy().into_owned());
        let directory = parent.unwrap_or(Path::new(".")).to_owned();
        Ok(Feature { name, directory, only: file, is_deep: false })
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the directory of the notes.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the path of one of its files.
    pub fn path(&self, file: &str) -> PathBuf {
        self.directory.join(file)
    }

    /// Returns the names of files and directories that Loadline writes here and does not count.
    ///
    /// Beside these, nothing whose name begins with a dot counts.
    pub const fn own_outputs() -> [&'static str; 2] {
        [COMPACTION_DIRECTORY, ".snapshots"]
    }

    /// Returns the names of the notes that count, in byte order, and what was passed over.
    ///
    /// Those are the files with an ending of notes in the directory itself, and, where a
    /// user named a directory, in those below it. Links are passed over: they may lead
    /// anywhere.
    pub fn files(&self) -> Result<(Vec<String>, Vec<Remark>), NotesError> {
        if let Some(only) = &self.only {
            return Ok((vec![only.clone()], Vec::new()));
        }
        let mut found = Found::default();
        let levels = if self.is_deep { DEEPEST } else { 0 };
        found.look(&self.directory, "", levels)?;
        if found.names.len() > MOST_NOTES {
            let message = format!("{} notes; the first {MOST_NOTES} count", found.names.len());
            found.notes.push(Remark::new(&self.name, message));
        }
        found.names.sort();
        found.names.truncate(MOST_NOTES);
        found.notes.sort();
        Ok((found.names, found.notes))
    }
}

/// Notes, and what was passed over.
#[derive(Default)]
struct Found {
    names: Vec<String>,
    notes: Vec<Remark>,
}

impl Found {
    /// Looks into a directory, and so many levels below it.
    fn look(&mut self, directory: &Path, below: &str, levels: usize) -> Result<(), NotesError> {
        for entry in fs::read_dir(directory).at("read", directory)? {
            let entry = entry.at("read", directory)?;
            let shown = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().at("read", &entry.path())?;
            let is_below = kind.is_dir() && levels > 0 && !shown.starts_with('.');
            if is_below && self.names.len() <= MOST_NOTES {
                self.look(&entry.path(), &format!("{below}{shown}/"), levels - 1)?;
            }
            if !is_note(&shown) {
                continue;
            }
            let name = format!("{below}{shown}");
            match entry.file_name().into_string() {
                Ok(_) if kind.is_file() => self.names.push(name),
                Ok(_) if kind.is_symlink() => {
                    self.notes.push(Remark::new(name, "a link; only files of the feature count"));
                }
                Ok(_) => {}
                Err(_) => self.notes.push(Remark::new(name, "left out: its name is not UTF-8")),
            }
        }
        Ok(())
    }
}

/// Tells whether a feature may have this name.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.bytes().all(plain)
}

/// Tells whether a file of this name counts as a note.
fn is_note(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|it| it.to_str());
    let is = |ending: &&str| extension.is_some_and(|it| it.eq_ignore_ascii_case(ending));
    let counts = NOTE_ENDINGS.iter().any(is);
    counts && !name.starts_with('.') && !Feature::own_outputs().contains(&name)
}

/// Reads the name in a line such as `feature: login` or `- **Feature:** login`.
fn focus_of(line: &str) -> Option<&str> {
    let plain = |c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"' | '\'' | '-' | '>');
    let line = line.trim_matches(plain);
    let (key, value) = line.split_once(':')?;
    let named = key.trim_matches(plain).eq_ignore_ascii_case("feature");
    let value = value.trim_matches(plain);
    (named && !value.is_empty()).then_some(value)
}
