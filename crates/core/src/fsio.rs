//! Files, with the path in every error and no half-written results.

use std::fs::{self, File, Permissions};
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
    /// Makes the error for what was tried (`"read"`, `"write"`) and where.
    pub fn new(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> PathError {
        PathError { action, path: path.into(), source }
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
/// then renamed over `path`. A reader sees the old content or the new one. A
/// file that was there keeps its permissions. A link stays, and what it leads
/// to is replaced; a device or a pipe is written to.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), PathError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => {
            // A link stays a link, even one that leads to nothing yet.
            let target = link_target(path);
            if target.is_symlink() {
                return Err(error).at("write", path);
            }
            return persist(&target, bytes, ordinary_permissions());
        }
    };
    if !metadata.is_file() && !metadata.is_dir() {
        return fs::write(path, bytes).at("write", path);
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    // An error names the path that was asked for.
    persist(&target, bytes, Some(metadata.permissions()))
        .map_err(|error| PathError { path: path.to_owned(), ..error })
}

/// Returns the path that a link leads to, over further links, where nothing is there; other
/// paths lead to themselves. Links that lead in a circle lead to a link.
fn link_target(path: &Path) -> PathBuf {
    const LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&target) else {
            break;
        };
        target = target.parent().map_or(next.clone(), |parent| parent.join(&next));
    }
    target
}

/// Writes a file as [`write_atomic`] does, for the eyes of its owner only.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), PathError> {
    persist(path, bytes, None)
}

/// Without permissions the file stays as private as a temporary file is made.
fn persist(path: &Path, bytes: &[u8], permissions: Option<Permissions>) -> Result<(), PathError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(directory).at("create", directory)?;
    let mut builder = tempfile::Builder::new();
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    let mut temporary = builder.tempfile_in(directory).at("write in", directory)?;
    temporary.write_all(bytes).and_then(|()| temporary.as_file().sync_all()).at("write", path)?;
    temporary.persist(path).map_err(|error| error.error).at("replace", path)?;
    // The rename itself must survive a crash too; not every system can sync a directory.
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
    Ok(())
}

/// What a newly created file gets; the system takes off what the user's mask forbids.
#[cfg(unix)]
fn ordinary_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn ordinary_permissions() -> Option<Permissions> {
    None
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

/// Opens a file to read and write, and creates it for its owner only.
pub(crate) fn open_private(path: &Path) -> Result<File, PathError> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).at("open", path)
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

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_stays_a_link() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        symlink("dotfiles/settings.json", at("second")).unwrap();
        symlink(at("second"), at("first")).unwrap();
        write_atomic(&at("first"), b"text").unwrap();
        assert!(at("first").is_symlink() && at("second").is_symlink());
        assert_eq!(fs::read(at("dotfiles/settings.json")).unwrap(), b"text");
        symlink(at("b"), at("a")).unwrap();
        symlink(at("a"), at("b")).unwrap();
        assert!(write_atomic(&at("a"), b"text").is_err());
        assert!(at("a").is_symlink() && at("b").is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("script");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::write(&path, "old").unwrap();
        let ordinary = mode(&path);
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        write_atomic(&path, b"new").unwrap();
        assert_eq!(mode(&path), 0o755);
        write_atomic(&directory.path().join("other"), b"new").unwrap();
        assert_eq!(mode(&directory.path().join("other")), ordinary);
        write_private(&path, b"secret").unwrap();
        assert_eq!(mode(&path), 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_devices_are_written_to() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "old").unwrap();
        symlink("file", &link).unwrap();
        write_atomic(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        write_atomic(Path::new("/dev/null"), b"gone").unwrap();
        let null = fs::metadata("/dev/null").unwrap().file_type();
        assert!(null.is_char_device());
    }

    #[test]
    fn an_error_names_the_path() {
        let directory = tempfile::tempdir().unwrap();
        let error = write_atomic(directory.path(), b"x").unwrap_err();
        assert!(error.to_string().contains(&directory.path().display().to_string()));
    }
}
