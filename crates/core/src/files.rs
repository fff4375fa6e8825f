//! Opens files below a directory by handles, without following links.
//!
//! What lies in a project may come from anybody, and may be replaced while it is looked
//! at. A path that was checked can lead elsewhere a moment later; a handle cannot. So
//! directories are opened one by one, every name is looked up in an open directory, and
//! only plain files up to a size are read. Elsewhere than on Unix the same is done by
//! paths, which keeps links out but not somebody who swaps them in time.

use std::fs::{File, FileTimes, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::PathError;

/// A directory that is open.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    #[cfg(unix)]
    handle: File,
}

/// A plain file that was read.
#[derive(Debug)]
pub(crate) struct PlainFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) metadata: Metadata,
}

/// What a name in a directory stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Directory,
    Link,
    /// A device, a pipe or a socket.
    Other,
}

/// Why something is not read: it is not a plain file, or not a directory.
///
/// Kept inside of an [`io::Error`], of the kind `InvalidInput`.
#[derive(Debug, thiserror::Error)]
#[error("it is {0}")]
pub(crate) struct NotPlain(pub(crate) &'static str);

/// Reads a plain file of at most `largest` bytes; `None` where there is none.
///
/// Neither the file nor its directory may be a link.
pub(crate) fn read_plain(path: &Path, largest: u64) -> io::Result<Option<PlainFile>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(ErrorKind::InvalidInput.into());
    };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let name = name.to_str().ok_or(ErrorKind::InvalidFilename)?;
    match Directory::open(parent)? {
        Some(directory) => directory.read(name, largest),
        None => Ok(None),
    }
}

/// Reads a plain file of at most `largest` bytes, such as a log that an agent names.
///
/// A link or a device in its place is an error; links on the way to it are followed.
pub fn read_plain_file(path: &Path, largest: u64) -> Result<Vec<u8>, PathError> {
    let read = || {
        let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
        let parent = std::fs::canonicalize(parent.unwrap_or(Path::new(".")))?;
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let file = read_plain(&parent.join(name), largest)?;
        file.map(|it| it.bytes).ok_or(ErrorKind::NotFound.into())
    };
    read().map_err(|error| PathError::new("read", path, error))
}

impl Directory {
    /// Returns where it is, or was when it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a plain file of at most `largest` bytes; `None` where there is none.
    pub(crate) fn read(&self, name: &str, largest: u64) -> io::Result<Option<PlainFile>> {
        let file = match self.open_file(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(not_plain(kind_of(&metadata)));
        }
        let mut bytes = Vec::new();
        file.take(largest.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > largest {
            let message = format!("it is larger than {largest} bytes");
            return Err(io::Error::new(ErrorKind::FileTooLarge, message));
        }
        Ok(Some(PlainFile { bytes, metadata }))
    }

    /// Returns the size of a plain file; `None` where there is none.
    pub(crate) fn size(&self, name: &str) -> Option<u64> {
        let metadata = self.open_file(name).and_then(|it| it.metadata()).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Lists the names that are UTF-8, in byte order, with what they stand for.
    pub(crate) fn names(&self) -> io::Result<Vec<(String, EntryKind)>> {
        let mut names = self.list()?;
        names.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(names)
    }

    /// Makes the names in it last. Not every system can do that.
    pub(crate) fn sync(&self) {
        #[cfg(unix)]
        let _ = self.handle.sync_all();
    }
}

#[cfg(unix)]
impl Directory {
    /// Opens a directory; `None` where there is none. Its last name must not be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Directory>> {
        Directory::from_result(
            rustix::fs::open(path, unix::DIRECTORY, unix::NO_MODE),
            path.to_owned(),
        )
    }

    /// Opens a directory in this one; `None` where there is none.
    pub(crate) fn directory(&self, name: &str) -> io::Result<Option<Directory>> {
        Directory::from_result(
            rustix::fs::openat(&self.handle, name, unix::DIRECTORY, unix::NO_MODE),
            self.path.join(name),
        )
    }

    fn from_result(
        opened: rustix::io::Result<rustix::fd::OwnedFd>,
        path: PathBuf,
    ) -> io::Result<Option<Directory>> {
        use rustix::io::Errno;
        match opened {
            Ok(handle) => Ok(Some(Directory { path, handle: handle.into() })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP) => Err(not_plain(EntryKind::Link)),
            Err(Errno::NOTDIR) => Err(match std::fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_symlink() => not_plain(EntryKind::Link),
                _ => not_plain(EntryKind::File),
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a directory in this one.
    pub(crate) fn create_directory(&self, name: &str) -> io::Result<()> {
        let mode = rustix::fs::Mode::from_raw_mode(0o777);
        Ok(rustix::fs::mkdirat(&self.handle, name, mode)?)
    }

    fn open_file(&self, name: &str) -> io::Result<File> {
        match rustix::fs::openat(&self.handle, name, unix::READ, unix::NO_MODE) {
            Err(rustix::io::Errno::LOOP) => Err(not_plain(EntryKind::Link)),
            file => Ok(file?.into()),
        }
    }

    /// Creates a file that is not there yet, to be written.
    pub(crate) fn create_file(&self, name: &str) -> io::Result<File> {
        let mode = rustix::fs::Mode::from_raw_mode(0o666);
        let file = rustix::fs::openat(&self.handle, name, unix::CREATE, mode)?;
        Ok(file.into())
    }

    /// Opens a file to be locked, and creates it where it is missing.
    pub(crate) fn lock_file(&self, name: &str) -> io::Result<File> {
        let mode = rustix::fs::Mode::from_raw_mode(0o666);
        match rustix::fs::openat(&self.handle, name, unix::LOCK, mode) {
            Err(rustix::io::Errno::LOOP) => Err(not_plain(EntryKind::Link)),
            file => Ok(file?.into()),
        }
    }

    /// Moves a file of this directory over a name in another one.
    pub(crate) fn rename(&self, from: &str, to: &Directory, name: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.handle, from, &to.handle, name)?)
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        let flags = rustix::fs::AtFlags::empty();
        Ok(rustix::fs::unlinkat(&self.handle, name, flags)?)
    }

    fn list(&self) -> io::Result<Vec<(String, EntryKind)>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.handle)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            if name == "." || name == ".." {
                continue;
            }
            let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
            let kind = match entry.file_type() {
                // Not every file system says so at once.
                rustix::fs::FileType::Unknown => {
                    let stat = rustix::fs::statat(&self.handle, name, flags)?;
                    rustix::fs::FileType::from_raw_mode(stat.st_mode)
                }
                kind => kind,
            };
            names.push((name.to_owned(), unix::kind(kind)));
        }
        Ok(names)
    }
}

#[cfg(unix)]
mod unix {
    use rustix::fs::{FileType, Mode, OFlags};

    use super::EntryKind;

    const COMMON: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);
    pub(super) const DIRECTORY: OFlags = COMMON.union(OFlags::DIRECTORY);
    // Without waiting: a pipe that nobody writes to would block for ever.
    pub(super) const READ: OFlags = COMMON.union(OFlags::NONBLOCK);
    pub(super) const CREATE: OFlags =
        COMMON.union(OFlags::WRONLY).union(OFlags::CREATE).union(OFlags::EXCL);
    pub(super) const LOCK: OFlags =
        COMMON.union(OFlags::RDWR).union(OFlags::CREATE).union(OFlags::NONBLOCK);
    pub(super) const NO_MODE: Mode = Mode::empty();

    pub(super) fn kind(kind: FileType) -> EntryKind {
        match kind {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Directory,
            FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Other,
        }
    }
}

#[cfg(not(unix))]
impl Directory {
    /// Opens a directory; `None` where there is none. Its last name must not be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Directory>> {
        match std::fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => Ok(Some(Directory { path: path.to_owned() })),
            Ok(metadata) => Err(not_plain(kind_of(&metadata))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a directory in this one; `None` where there is none.
    pub(crate) fn directory(&self, name: &str) -> io::Result<Option<Directory>> {
        Directory::open(&self.path.join(name))
    }

    /// Creates a directory in this one.
    pub(crate) fn create_directory(&self, name: &str) -> io::Result<()> {
        std::fs::create_dir(self.path.join(name))
    }

    fn open_file(&self, name: &str) -> io::Result<File> {
        let path = self.path.join(name);
        let metadata = std::fs::symlink_metadata(&path)?;
        if metadata.is_file() { File::open(path) } else { Err(not_plain(kind_of(&metadata))) }
    }

    /// Creates a file that is not there yet, to be written.
    pub(crate) fn create_file(&self, name: &str) -> io::Result<File> {
        File::create_new(self.path.join(name))
    }

    /// Opens a file to be locked, and creates it where it is missing.
    pub(crate) fn lock_file(&self, name: &str) -> io::Result<File> {
        match self.open_file(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => self.create_file(name),
            file => file,
        }
    }

    /// Moves a file of this directory over a name in another one.
    pub(crate) fn rename(&self, from: &str, to: &Directory, name: &str) -> io::Result<()> {
        std::fs::rename(self.path.join(from), to.path.join(name))
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.path.join(name))
    }

    fn list(&self) -> io::Result<Vec<(String, EntryKind)>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().into_string() {
                names.push((name, kind_of(&entry.metadata()?)));
            }
        }
        Ok(names)
    }
}

/// Gives an open file permissions; what is more than reading, writing and running is left out.
///
/// Elsewhere than on Unix a file can at most be protected against writing, which would
/// keep this program out, too.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(mode & 0o777))
    }
    #[cfg(not(unix))]
    {
        let _ = (file, mode);
        Ok(())
    }
}

/// Gives an open file the time of its last change.
pub(crate) fn set_modified(file: &File, time: std::time::SystemTime) -> io::Result<()> {
    file.set_times(FileTimes::new().set_modified(time))
}

/// Returns the permissions of a file, where the system has them.
pub(crate) fn mode_of(metadata: &Metadata) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Some(metadata.permissions().mode() & 0o777)
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

fn kind_of(metadata: &Metadata) -> EntryKind {
    if metadata.is_symlink() {
        EntryKind::Link
    } else if metadata.is_dir() {
        EntryKind::Directory
    } else if metadata.is_file() {
        EntryKind::File
    } else {
        EntryKind::Other
    }
}

fn not_plain(kind: EntryKind) -> io::Error {
    let found = match kind {
        EntryKind::File => "a file",
        EntryKind::Directory => "a directory",
        EntryKind::Link => "a link",
        EntryKind::Other => "a device, a pipe or a socket",
    };
    io::Error::new(ErrorKind::InvalidInput, NotPlain(found))
}

/// Returns what stands where a plain file or directory belongs, if that is the error.
pub(crate) fn not_plain_kind(error: &io::Error) -> Option<&'static str> {
    let inner = error.get_ref()?.downcast_ref::<NotPlain>()?;
    Some(inner.0)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn d13_links_devices_and_large_files_are_not_read() {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path();
        fs::write(root.join("plain"), "12345").unwrap();
        symlink("plain", root.join("link")).unwrap();
        symlink("/dev/zero", root.join("device")).unwrap();
        fs::create_dir(root.join("deep")).unwrap();
        fs::write(root.join("deep/file"), "x").unwrap();
        symlink("deep", root.join("linked")).unwrap();
        let read = |path: &str| read_plain(&root.join(path), 5).map(|it| it.map(|it| it.bytes));
        assert_eq!(read("plain").unwrap(), Some(b"12345".to_vec()));
        assert_eq!(read("none").unwrap(), None);
        assert_eq!(read("none/at/all").unwrap(), None);
        for (path, found) in [
            ("link", "a link"),
            ("device", "a link"),
            ("linked/file", "a link"),
            ("deep", "a directory"),
            ("plain/file", "a file"),
        ] {
            let error = read(path).unwrap_err();
            assert_eq!(not_plain_kind(&error), Some(found), "{path}: {error}");
        }
        let device = read_plain(Path::new("/dev/zero"), 5).unwrap_err();
        assert!(not_plain_kind(&device).is_some(), "{device}");
        fs::write(root.join("plain"), "123456").unwrap();
        assert_eq!(read("plain").unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_handle_stays_where_it_was_opened() {
        let tree = tempfile::tempdir().unwrap();
        let (own, outside) = (tree.path().join("own"), tree.path().join("outside"));
        fs::create_dir_all(own.join("kept")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("a"), "theirs").unwrap();
        fs::write(own.join("kept/a"), "ours").unwrap();
        let own_directory = Directory::open(&own).unwrap().unwrap();
        let kept = own_directory.directory("kept").unwrap().unwrap();
        fs::rename(own.join("kept"), own.join("moved")).unwrap();
        symlink(&outside, own.join("kept")).unwrap();
        kept.remove("a").unwrap();
        kept.create_file("b").unwrap();
        assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "theirs");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        assert_eq!(kept.names().unwrap(), [("b".to_owned(), EntryKind::File)]);
        assert!(own_directory.directory("kept").is_err());
    }
}
