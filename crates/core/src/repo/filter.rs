//! Narrows the files found to those the user asked for.
//!
//! Globs are read as in `.gitignore`. They only narrow what is found: unlike a
//! ripgrep override, an include does not bring back what is ignored or hidden.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::RepoError;

/// Globs to include and exclude, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    include: Gitignore,
    exclude: Gitignore,
}

impl Filter {
    pub(crate) fn new(include: &[String], exclude: &[String]) -> Result<Filter, RepoError> {
        Ok(Filter { include: compile(include)?, exclude: compile(exclude)? })
    }

    /// Tells whether there are no globs, so that everything is wanted.
    pub(super) fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Tells whether a directory may hold files that are wanted.
    pub(super) fn enters(&self, relative: &Path) -> bool {
        !self.exclude.matched(relative, true).is_ignore()
    }

    /// Tells whether a file is wanted.
    ///
    /// A glob that includes a directory includes what is below it.
    pub(crate) fn wants(&self, relative: &Path) -> bool {
        let included = || {
            let matched = self.include.matched_path_or_any_parents(relative, false);
            self.include.is_empty() || matched.is_ignore()
        };
        !self.exclude.matched_path_or_any_parents(relative, false).is_ignore() && included()
    }
}

/// Compiles globs as in `.gitignore`.
pub(crate) fn compile(globs: &[String]) -> Result<Gitignore, RepoError> {
    if globs.is_empty() {
        return Ok(Gitignore::empty());
    }
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
        let line = glob.strip_prefix("./").unwrap_or(glob);
        builder.add_line(None, line).map_err(|error| failed(glob, error))?;
    }
    builder.build().map_err(|error| failed(&globs.join(" "), error))
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
    }

    #[test]
    fn a_bad_glob_is_named() {
        let error = Filter::new(&["src/{a".to_owned()], &[]).unwrap_err();
        assert!(error.to_string().starts_with("\"src/{a\" is not a glob: "), "{error}");
    }
}
