//! Narrows the files found to those the user asked for.
//!
//! Globs are read as in `.gitignore`. They only narrow what is found: unlike a
//! ripgrep override, an include does not bring back what is ignored or hidden.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::RepoError;

/// Globs as in `.gitignore`, compiled.
///
/// The same name may be written with letters and marks in one or in several code
/// points, and file systems differ in which they keep; both are brought into one form.
#[derive(Clone, Debug)]
pub(crate) struct Globs(Gitignore);

impl Globs {
    pub(crate) fn compile(globs: &[String]) -> Result<Globs, RepoError> {
        let mut builder = GitignoreBuilder::new("");
        let failed = |glob: &str, error: ignore::Error| RepoError::Glob {
            glob: glob.to_owned(),
            reason: match error {
                ignore::Error::Glob { err, .. } => err,
                other => other.to_string(),
            },
        };
        for glob in globs {
            // People write `./src`; to git that would match nothing.
            let line: String = glob.strip_prefix("./").unwrap_or(glob).nfc().collect();
            builder.add_line(None, &line).map_err(|error| failed(glob, error))?;
        }
        let built = builder.build().map_err(|error| failed(&globs.join(" "), error))?;
        Ok(Globs(built))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells whether an entry is named, whatever it lies in.
    fn matches(&self, relative: &Path, is_directory: bool) -> bool {
        !self.is_empty() && self.0.matched(composed(relative), is_directory).is_ignore()
    }

    /// Tells whether a file is named, or a directory that it lies in.
    pub(crate) fn names(&self, relative: &Path) -> bool {
        // The matcher panics on paths that leave the tree; no file of it has one.
        let stays = relative.components().all(|part| matches!(part, Component::Normal(_)));
        !self.is_empty()
            && stays
            && !relative.as_os_str().is_empty()
            && self.0.matched_path_or_any_parents(composed(relative), false).is_ignore()
    }
}

/// A path with each letter and its marks in one code point, where there is one.
fn composed(path: &Path) -> Cow<'_, Path> {
    match path.to_str() {
        Some(text) if !text.is_ascii() && !is_nfc(text) => {
            Cow::Owned(PathBuf::from(text.nfc().collect::<String>()))
        }
        _ => Cow::Borrowed(path),
    }
}

/// Globs to include and exclude, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    include: Globs,
    exclude: Globs,
}

impl Filter {
    pub(crate) fn new(include: &[String], exclude: &[String]) -> Result<Filter, RepoError> {
        Ok(Filter { include: Globs::compile(include)?, exclude: Globs::compile(exclude)? })
    }

    /// Tells whether a directory may hold files that are wanted.
    pub(super) fn enters(&self, relative: &Path) -> bool {
        !self.exclude.matches(relative, true)
    }

    /// Tells whether a file is wanted.
    ///
    /// A glob that names a directory names what is below it.
    pub(crate) fn wants(&self, relative: &Path) -> bool {
        !self.exclude.names(relative) && (self.include.is_empty() || self.include.names(relative))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(include: &[&str], exclude: &[&str], wanted: &[&str], unwanted: &[&str]) {
        let owned = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect::<Vec<_>>();
        let filter = Filter::new(&owned(include), &owned(exclude)).unwrap();
        for path in wanted {
            assert!(filter.wants(Path::new(path)), "{path} is wanted");
        }
        for path in unwanted {
            assert!(!filter.wants(Path::new(path)), "{path} is not wanted");
        }
    }

    #[test]
    fn globs_read_as_in_gitignore() {
        check(&[], &[], &["a", "b/c.rs"], &[]);
        check(&["*.rs"], &[], &["a.rs", "b/c.rs"], &["a.py"]);
        check(&["src"], &[], &["src/a/b.py"], &["lib/src.py"]);
        check(&["./src/"], &[], &["src/a.py"], &["src.py"]);
        check(&["/a.rs"], &[], &["a.rs"], &["b/a.rs"]);
        check(&["*.rs"], &["*_test.rs"], &["a.rs"], &["a_test.rs"]);
        check(&[], &["*.md", "!README.md"], &["README.md"], &["x.md"]);
        check(&["caf\u{e9}"], &[], &["cafe\u{301}/a", "caf\u{e9}/a"], &["cafe/a"]);
    }

    #[test]
    fn a_bad_glob_is_named() {
        let error = Filter::new(&["src/{a".to_owned()], &[]).unwrap_err();
        assert!(error.to_string().starts_with("\"src/{a\" is not a glob: "), "{error}");
    }
}
