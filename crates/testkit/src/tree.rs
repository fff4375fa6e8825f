//! A whole directory from one string.
//!
//! A line `//- /path/to/file` begins a file, and the lines up to the next
//! marker are its content. A test thus shows its input in one piece, next to
//! what it expects.

use std::fs;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

const MARKER: &str = "//- ";

/// A temporary directory with the files of a fixture, removed when dropped.
///
/// ```
/// use loadline_testkit::Tree;
/// let tree = Tree::new(
///     "
///     //- /src/main.rs
///     fn main() {
///         run();
///     }
///     //- /empty/
///     ",
/// );
/// assert_eq!(tree.read("src/main.rs"), "fn main() {\n    run();\n}\n");
/// assert!(tree.path("empty").is_dir());
/// ```
#[derive(Debug)]
pub struct Tree {
    directory: TempDir,
}

impl Tree {
    /// Writes the files of `fixture` into a new temporary directory.
    ///
    /// Every content line ends in a newline. The first marker's indentation is
    /// taken off all lines. A path that ends in a slash is an empty directory.
    ///
    /// # Panics
    ///
    /// Panics where the fixture has text before its first marker, names a file
    /// twice or leaves the directory, and where writing fails.
    pub fn new(fixture: &str) -> Tree {
        let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("no tempdir: {error}"));
        Tree::fill(directory, fixture)
    }

    /// Writes the files of `fixture` into the directory `parent/name`, which must not exist.
    ///
    /// # Panics
    ///
    /// Panics where [`Tree::new`] would.
    pub fn new_in(parent: &Path, name: &str, fixture: &str) -> Tree {
        let mut builder = tempfile::Builder::new();
        let directory = builder.prefix(name).rand_bytes(0).tempdir_in(parent);
        let directory =
            directory.unwrap_or_else(|error| fail("create", &parent.join(name), &error));
        Tree::fill(directory, fixture)
    }

    fn fill(directory: TempDir, fixture: &str) -> Tree {
        let tree = Tree { directory };
        for (path, content) in parse(fixture) {
            if path.ends_with('/') {
                let path = tree.path(path);
                fs::create_dir_all(&path).unwrap_or_else(|error| fail("create", &path, &error));
            } else {
                let twice = tree.path(path).exists();
                assert!(!twice, "the fixture names {path} twice");
                tree.write(path, content);
            }
        }
        tree
    }

    /// Returns the directory.
    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the absolute path of a file, with or without a leading slash.
    ///
    /// # Panics
    ///
    /// Panics where the path would leave the directory.
    pub fn path(&self, path: &str) -> PathBuf {
        let relative = Path::new(path.trim_start_matches('/'));
        let stays =
            relative.components().all(|component| matches!(component, Component::Normal(_)));
        assert!(stays, "{path} leaves the fixture");
        self.root().join(relative)
    }

    /// Writes a file, and the directories above it.
    ///
    /// # Panics
    ///
    /// Panics where writing fails.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        let directory = path.parent().unwrap_or(self.root());
        fs::create_dir_all(directory)
            .and_then(|()| fs::write(&path, content))
            .unwrap_or_else(|error| fail("write", &path, &error));
    }

    /// Reads a file as text.
    ///
    /// # Panics
    ///
    /// Panics where there is no such file, or it is not UTF-8.
    pub fn read(&self, path: &str) -> String {
        let path = self.path(path);
        fs::read_to_string(&path).unwrap_or_else(|error| fail("read", &path, &error))
    }
}

fn fail(action: &str, path: &Path, error: &std::io::Error) -> ! {
    panic!("cannot {action} {}: {error}", path.display())
}

/// Splits a fixture into paths and contents, in order.
fn parse(fixture: &str) -> Vec<(&str, String)> {
    let mut files: Vec<(&str, String)> = Vec::new();
    let mut indent = "";
    for line in fixture.lines() {
        if files.is_empty() {
            indent = &line[..line.len() - line.trim_start().len()];
        }
        let line = line.strip_prefix(indent).unwrap_or(line.trim_start());
        if let Some(path) = line.strip_prefix(MARKER) {
            let path = path.trim_end();
            assert!(path.starts_with('/'), "{path} must begin with a slash");
            files.push((path, String::new()));
        } else if let Some((_, content)) = files.last_mut() {
            content.push_str(line);
            content.push('\n');
        } else {
            assert!(line.is_empty(), "text before the first marker: {line}");
        }
    }
    drop_closing_line(fixture, &mut files);
    files
}

/// A fixture's closing quote stands on a line of its own; that line is not part of the content.
fn drop_closing_line(fixture: &str, files: &mut [(&str, String)]) {
    let last = fixture.rsplit('\n').next().unwrap_or_default();
    let closing = !last.is_empty() && last.trim().is_empty();
    if let Some((_, content)) = files.last_mut().filter(|_| closing) {
        content.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixture_becomes_files() {
        let tree = Tree::new(
            "
            //- /a.txt
            one

              two
            //- /deep/er/b.txt
            //- /c.txt
            last
            ",
        );
        assert_eq!(tree.read("a.txt"), "one\n\n  two\n");
        assert_eq!(tree.read("/deep/er/b.txt"), "");
        assert_eq!(tree.read("c.txt"), "last\n");
    }

    #[test]
    fn a_fixture_may_stand_at_the_margin() {
        let tree = Tree::new("//- /a\n    kept\n//- /b\nx");
        assert_eq!(tree.read("a"), "    kept\n");
        assert_eq!(tree.read("b"), "x\n");
    }

    #[test]
    fn the_directory_goes_with_the_tree() {
        let tree = Tree::new("//- /a\n");
        let root = tree.root().to_owned();
        assert!(root.join("a").is_file());
        drop(tree);
        assert!(!root.exists());
    }

    #[test]
    #[should_panic(expected = "leaves the fixture")]
    fn a_fixture_stays_in_its_directory() {
        Tree::new("//- /../a\n");
    }

    #[test]
    #[should_panic(expected = "twice")]
    fn a_file_is_named_once() {
        Tree::new("//- /a\n//- /a\n");
    }

    #[test]
    #[should_panic(expected = "before the first marker")]
    fn content_belongs_to_a_file() {
        Tree::new("lost\n//- /a\n");
    }
}
