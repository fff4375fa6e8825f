//! Reads a file that was found a moment ago and may have become anything since.

use std::fs::{self, File};
use std::io::{self, Read};

use crate::cache::FileStamp;

/// What is said of a file that is not what it was.
const CHANGED: &str = "changed while it was packed";

/// The most that is read without a limit of a file that was found smaller.
const LARGEST_SURPRISE: u64 = 64 << 20;

/// Reads a file as it is now, and brings its stamp up to date.
///
/// A file that became a pipe, a link or a directory is not opened. One that
/// grows, or that never said how long it is, is read up to `limit` bytes.
pub(super) fn read_now(stamp: &mut FileStamp, limit: Option<u64>) -> Result<Vec<u8>, String> {
    let (before, bytes, _) = read(stamp, limit)?;
    *stamp = before;
    Ok(bytes)
}

/// Reads a file again that must still be as its stamp says.
///
/// What was learnt of another content would tell lies about this one.
pub(super) fn read_again(stamp: &FileStamp, limit: Option<u64>) -> Result<Vec<u8>, String> {
    let (before, bytes, after) = read(stamp, limit)?;
    if before == *stamp && after == *stamp { Ok(bytes) } else { Err(CHANGED.to_owned()) }
}

/// Reads a file, with its stamps before and after.
fn read(stamp: &FileStamp, limit: Option<u64>) -> Result<(FileStamp, Vec<u8>, FileStamp), String> {
    let cannot = |error: io::Error| format!("cannot read it: {error}");
    let metadata = fs::symlink_metadata(&stamp.path).map_err(cannot)?;
    if !metadata.is_file() {
        return Err(CHANGED.to_owned());
    }
    let mut file = File::open(&stamp.path).map_err(cannot)?;
    let metadata = file.metadata().map_err(cannot)?;
    let size = metadata.len();
    // What was found larger than the limit was wanted nevertheless.
    let most = limit.unwrap_or(LARGEST_SURPRISE).max(stamp.size);
    let too_large = |size: u64| format!("{size} bytes, over the limit of {most}");
    if size > most {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
    let part = most.saturating_add(1);
    (&mut file).take(part).read_to_end(&mut bytes).map_err(cannot)?;
    let after = FileStamp::new(&stamp.path, &file.metadata().map_err(cannot)?);
    if bytes.len() as u64 > most {
        Err(too_large(after.size.max(part)))
    } else {
        Ok((FileStamp::new(&stamp.path, &metadata), bytes, after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadline_testkit::Tree;

    fn stamp(tree: &Tree, path: &str) -> FileStamp {
        let path = tree.path(path);
        FileStamp::new(&path, &fs::metadata(&path).unwrap())
    }

    #[test]
    fn a_file_that_stays_is_read_twice() {
        let tree = Tree::new("//- /a.txt\none\n");
        let mut found = stamp(&tree, "a.txt");
        assert_eq!(read_now(&mut found, None).unwrap(), b"one\n");
        assert_eq!(read_again(&found, None).unwrap(), b"one\n");
    }

    #[test]
    fn f071_a_file_that_vanishes_has_a_reason() {
        let tree = Tree::new("//- /a.txt\none\n");
        let mut found = stamp(&tree, "a.txt");
        fs::remove_file(tree.path("a.txt")).unwrap();
        for read in [read_again(&found, None), read_now(&mut found, None)] {
            assert!(read.unwrap_err().starts_with("cannot read it: "));
        }
    }

    #[test]
    fn f071_a_file_that_changes_is_read_as_it_is_once_and_then_not_again() {
        let tree = Tree::new("//- /a.txt\none\n");
        let mut found = stamp(&tree, "a.txt");
        tree.write("a.txt", "one and two\n");
        assert_eq!(read_again(&found, None).unwrap_err(), CHANGED);
        let grown = read_now(&mut found, Some(5)).unwrap_err();
        assert_eq!(grown, "12 bytes, over the limit of 5");
        assert_eq!(read_now(&mut found, None).unwrap(), b"one and two\n");
        assert_eq!(read_again(&found, None).unwrap(), b"one and two\n");
    }

    #[cfg(unix)]
    #[test]
    fn f071_a_file_that_becomes_a_link_or_a_directory_is_not_opened() {
        let tree = Tree::new("//- /a.txt\none\n//- /b.txt\none\n//- /c.txt\none\n");
        let (a, b) = (stamp(&tree, "a.txt"), stamp(&tree, "b.txt"));
        fs::remove_file(tree.path("a.txt")).unwrap();
        std::os::unix::fs::symlink(tree.path("c.txt"), tree.path("a.txt")).unwrap();
        fs::remove_file(tree.path("b.txt")).unwrap();
        fs::create_dir(tree.path("b.txt")).unwrap();
        for found in [a, b] {
            assert_eq!(read_again(&found, None).unwrap_err(), CHANGED);
        }
    }
}
