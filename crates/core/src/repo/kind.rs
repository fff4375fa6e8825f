//! Classifies a file by its path alone: test, configuration, entry point, generated.
//!
//! Everything is decided by tables of names; no file is opened. Two sets of
//! names exist: [`EntryPoints::Compat`] repeats the reference implementation
//! of file scoring to the letter, [`EntryPoints::Extended`] knows more
//! languages and is the default. Paths have `/` between their parts.

use std::path::Path;

use super::language_of;
use super::names::{Kinds, NAMES, holds};

/// Which set of names decides what a file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryPoints {
    /// Names of many languages.
    #[default]
    Extended,
    /// The names of the reference implementation, which knows TypeScript best.
    Compat,
}

/// What a path says about its file; several may be true at once.
///
/// ```
/// use loadline::repo::{EntryPoints, FileKind};
/// let kind = FileKind::of("src/index.test.ts", EntryPoints::Extended);
/// assert!(kind.entry_point && kind.test);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileKind {
    /// Where reading or running begins: `index.ts`, `main.rs`, `__init__.py`.
    pub entry_point: bool,
    /// Configures the project: `package.json`, `vite.config.ts`.
    ///
    /// Most names count at the root only; deeper ones are mostly [data](Self::data).
    pub config: bool,
    /// A test or what belongs to one.
    pub test: bool,
    /// Written by a package manager, never by a person.
    pub lock: bool,
    /// Generated, minified, built or somebody else's.
    pub generated: bool,
    /// Written for people to read.
    pub documentation: bool,
    /// Values without logic: JSON, YAML, CSV.
    pub data: bool,
}

impl FileKind {
    /// Sorts a file by its path from the root.
    ///
    /// With [`EntryPoints::Compat`] nothing is ever `generated`: the reference
    /// leaves that to the walk.
    pub fn of(path: &str, names: EntryPoints) -> FileKind {
        let compat = names == EntryPoints::Compat;
        let place = Place::new(path);
        let lock = holds(&kinds().compat_locks, place.name)
            || (!compat && holds(&kinds().locks, place.name));
        let language = language_of(Path::new(place.name)).unwrap_or_default();
        FileKind {
            entry_point: place.is_compat_entry() || (!compat && place.is_entry()),
            config: place.is_compat_config() || (!compat && place.is_config()),
            test: is_compat_test(path) || (!compat && place.is_test()),
            lock,
            generated: !compat && place.is_generated(),
            documentation: holds(&kinds().doc_languages, language) || place.is_document(),
            data: lock || holds(&kinds().data_languages, language),
        }
    }
}

/// Says where a file stands among those that tell what a repository is, if it does:
/// README first, then the manifests of the root. A name that begins with a dot is an ending.
pub(crate) fn door_rank(path: &str) -> Option<usize> {
    let place = Place::new(path);
    if !place.is_at_root() {
        return None;
    }
    let stem = place.name.split('.').next().unwrap_or_default();
    if stem.eq_ignore_ascii_case("readme") {
        return Some(0);
    }
    let is_it = |name: &String| match name.strip_prefix('.') {
        Some(_) => place.name.ends_with(name.as_str()),
        None => place.name == name,
    };
    kinds().manifests.iter().position(is_it).map(|position| position + 1)
}

/// The tables of names.
fn kinds() -> &'static Kinds {
    &NAMES.kinds
}

fn is_compat_test(path: &str) -> bool {
    kinds().compat_tests.iter().any(|part| path.contains(part))
}

/// A path, cut where its directories end.
struct Place<'a> {
    path: &'a str,
    /// With the slash at its end; empty at the root.
    directory: &'a str,
    name: &'a str,
}

impl<'a> Place<'a> {
    fn new(path: &'a str) -> Place<'a> {
        let cut = path.rfind('/').map_or(0, |slash| slash + 1);
        let (directory, name) = path.split_at(cut);
        Place { path, directory, name }
    }

    fn is_at_root(&self) -> bool {
        self.directory.is_empty()
    }

    fn directories(&self) -> impl Iterator<Item = &'a str> {
        self.directory.split('/').filter(|part| !part.is_empty())
    }

    fn is_compat_entry(&self) -> bool {
        let Some((stem, rest)) = self.name.split_once('.') else {
            return false;
        };
        let known = holds(&kinds().entry_stems, stem) || (stem == "cli" && self.is_at_root());
        known && !rest.is_empty()
    }

    fn is_entry(&self) -> bool {
        holds(&kinds().entry_names, self.name) || (self.directory == "src/" && self.is_cli())
    }

    fn is_cli(&self) -> bool {
        self.name.split_once('.').is_some_and(|(stem, rest)| {
            // `src/cli.ts` is an entry point, `src/cli.test.ts` is not.
            stem == "cli" && !rest.contains('.')
        })
    }

    /// The anchored patterns of the reference look at the whole path, so that
    /// everything below a directory `vite-plugin` at the root is configuration.
    fn is_compat_config(&self) -> bool {
        let undotted = self.path.strip_prefix('.').unwrap_or(self.path);
        let tool = kinds().compat_config_prefixes.iter().any(|prefix| undotted.starts_with(prefix));
        self.has_config_part()
            || tool
            || self.path.starts_with(".env")
            || holds(&kinds().compat_root_configs, self.path)
    }

    fn has_config_part(&self) -> bool {
        let rest = self.name.rsplit_once(".config.").map(|(_, rest)| rest);
        rest.is_some_and(|rest| !rest.is_empty())
    }

    fn is_config(&self) -> bool {
        self.is_at_root() && holds(&kinds().root_configs, self.name)
    }

    fn is_test(&self) -> bool {
        let named = kinds().test_names.iter().any(|(prefix, suffix)| {
            self.name.len() >= prefix.len() + suffix.len()
                && self.name.starts_with(prefix)
                && self.name.ends_with(suffix)
        });
        named || self.directories().any(|part| holds(&kinds().test_directories, part))
    }

    fn is_generated(&self) -> bool {
        // `src/build/` holds code that builds; `build/` at the top is what was built.
        let built = self
            .directories()
            .take_while(|part| !holds(&kinds().source_directories, part))
            .any(|part| holds(&kinds().build_directories, part));
        let foreign = || self.directories().any(|part| holds(&kinds().foreign_directories, part));
        let named = || kinds().generated_parts.iter().any(|part| self.name.contains(part));
        built || foreign() || named()
    }

    fn is_document(&self) -> bool {
        let stem = self.name.split('.').next().unwrap_or_default();
        let upper = stem.to_ascii_uppercase();
        let bare = !self.name.contains('.');
        bare && holds(&kinds().doc_names, &upper)
    }
}

#[cfg(test)]
mod tests;
