//! Files, with the path in every error and no half-written results.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An I/O error together with the path it happened at.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
pub struct PathError {
    action: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl PathError {
    /// Says that `action` (`"read"`, `"write"`) failed at `path`.
    pub(crate) fn new(action: &'static str, path: &Path, source: io::Error) -> PathError {
        PathError {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// Returns the path the operation was about.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the kind of the underlying I/O error.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}

/// Adds the path to an I/O result.
pub(crate) trait IoResultExt<T> {
    /// Names what was tried (`"read"`, `"write"`) and where.
    fn at(self, action: &'static str, path: &Path) -> Result<T, PathError>;
}

impl<T> IoResultExt<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, PathError> {
        self.map_err(|source| PathError::new(action, path, source))
    }
}

/// Writes a file as a whole or not at all.
///
/// The bytes go to a temporary file in the same directory, are synced, and
/// then renamed over `path`. A reader sees the old content or the new one.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), PathError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(directory).at("create", directory)?;
    let mut temporary = tempfile::NamedTempFile::new_in(directory).at("write in", directory)?;
    temporary
        .write_all(bytes)
        .and_then(|()| temporary.as_file().sync_all())
        .at("write", path)?;
    temporary
        .persist(path)
        .map_err(|error| error.error)
        .at("replace", path)?;
    // The rename itself must survive a crash too; not every system can sync a directory.
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
    Ok(())
}

/// Creates a directory, and what is missing above it, for its owner only.
///
/// A directory that exists keeps its permissions.
pub(crate) fn create_private_directory(path: &Path) -> Result<(), PathError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).at("create", path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_replaces_the_whole_file_and_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/er/file.txt");
        write_atomic(&path, b"first, longer").unwrap();
        write_atomic(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        let entries = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(entries, 1);
    }

    #[test]
    fn an_error_names_the_path() {
        let directory = tempfile::tempdir().unwrap();
        let error = write_atomic(directory.path(), b"x").unwrap_err();
        assert!(
            error
                .to_string()
                .contains(&directory.path().display().to_string())
        );
    }
}
