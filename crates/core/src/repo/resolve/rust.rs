//! Rust: `mod x`, and paths from the crate, the module or another crate.
//!
//! A path leads to the deepest module that has a file of its own; names within
//! that file are not told apart. Crates of the workspace are known from
//! `Cargo.toml`. `#[path]` and modules written inline are not seen, so a bare
//! `super::*` is skipped: nearly always it stands in an inline test module and
//! means the file itself.

use std::collections::HashMap;

use toml::Table;

use super::super::graph::Manifest;
use super::index::{Index, ancestors, join, join_relative, split};
use super::usetree::expand;
use crate::Remark;

/// Files that are the root of a crate or of the directory they lie in.
const ROOT_NAMES: [&str; 4] = ["lib.rs", "main.rs", "mod.rs", "build.rs"];

/// Directories in which every file is a crate of its own.
const TARGET_DIRECTORIES: [&str; 4] = ["tests", "examples", "benches", "bin"];

/// The crates of the workspace: by name, the path of the root file of each.
pub(super) struct Crates {
    roots: HashMap<String, String>,
}

impl Crates {
    pub(super) fn new(
        index: &Index<'_>,
        manifests: &[Manifest<'_>],
        notes: &mut Vec<Remark>,
    ) -> Crates {
        let mut roots = HashMap::new();
        for manifest in manifests {
            let (directory, name) = split(manifest.path);
            if name != "Cargo.toml" {
                continue;
            }
            match manifest.text.parse::<Table>() {
                Ok(table) => roots.extend(library(index, directory, &table)),
                Err(error) => notes.push(Remark::new(
                    manifest.path,
                    format!("not readable, its crate is unknown: {}", error.message()),
                )),
            }
        }
        Crates { roots }
    }

    pub(super) fn resolve(
        &self,
        index: &Index<'_>,
        path: &str,
        import: &str,
        found: &mut Vec<usize>,
    ) {
        let import = without_visibility(import);
        if let Some(name) = import.strip_prefix("mod ") {
            found.extend(child(index, &children(path), name.trim()));
            return;
        }
        let import = import.strip_prefix("use ").unwrap_or(import);
        let import = import.strip_prefix("extern crate ").unwrap_or(import);
        for path_used in expand(import) {
            found.extend(self.follow(index, path, &path_used));
        }
    }

    fn follow(&self, index: &Index<'_>, path: &str, used: &str) -> Option<usize> {
        let used = used.trim_start_matches("::");
        let mut names = used.split("::").map(|name| name.trim_start_matches("r#"));
        let first = names.next()?;
        match first {
            "crate" => {
                let root = crate_directory(index, path)?;
                descend(index, root.to_owned(), names, root_file(index, root))
            }
            "self" => descend(index, children(path), names, None),
            "super" => up(index, path, used),
            name => {
                let directory = children(path);
                if let Some(file) = child(index, &directory, name) {
                    return descend(index, join(&directory, name), names, Some(file));
                }
                let file = index.file(self.roots.get(name)?)?;
                let directory = split(index.path(file)).0.to_owned();
                descend(index, directory, names, Some(file))
            }
        }
    }
}

/// Returns the name and the root file of a package's library, or of its program.
fn library(index: &Index<'_>, directory: &str, table: &Table) -> Option<(String, String)> {
    let text = |section: &str, key: &str| table.get(section)?.get(key)?.as_str();
    let name = text("lib", "name").or_else(|| text("package", "name"))?;
    let named = text("lib", "path").and_then(|path| join_relative(directory, path));
    let usual = ["src/lib.rs", "src/main.rs"].map(|path| join(directory, path));
    let root = named.into_iter().chain(usual);
    let root = root.into_iter().find(|path| index.file(path).is_some())?;
    Some((name.replace('-', "_"), root))
}

/// Drops `pub` and `pub(...)`.
fn without_visibility(import: &str) -> &str {
    let Some(rest) = import.strip_prefix("pub") else {
        return import;
    };
    match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, rest)) => rest.trim_start(),
        None if rest.starts_with(' ') => rest.trim_start(),
        None => import,
    }
}

/// Follows names down as long as they have files; `start` is where none has.
fn descend<'n>(
    index: &Index<'_>,
    mut directory: String,
    names: impl Iterator<Item = &'n str>,
    start: Option<usize>,
) -> Option<usize> {
    let mut found = start;
    for name in names {
        match child(index, &directory, name) {
            Some(file) => found = Some(file),
            None => break,
        }
        directory = join(&directory, name);
    }
    found
}

/// Follows a path that begins with one or more `super`.
fn up(index: &Index<'_>, path: &str, used: &str) -> Option<usize> {
    let in_tests = matches!(split(path).1, "tests.rs" | "test.rs");
    if used == "super::*" && !in_tests {
        return None;
    }
    let mut directory = children(path);
    let mut names = used.split("::").peekable();
    while names.next_if_eq(&"super").is_some() {
        if directory.is_empty() {
            return None;
        }
        directory = split(&directory).0.to_owned();
    }
    let start = module_file(index, &directory);
    descend(index, directory, names, start)
}

/// Returns the directory in which the modules of a file lie.
fn children(path: &str) -> String {
    let (directory, name) = split(path);
    let (_, place) = split(directory);
    let is_target = TARGET_DIRECTORIES.contains(&place) && is_target_directory(directory);
    if ROOT_NAMES.contains(&name) || is_target {
        return directory.to_owned();
    }
    join(directory, name.strip_suffix(".rs").unwrap_or(name))
}

/// Tells `tests/` of a package from a module that is called so.
fn is_target_directory(directory: &str) -> bool {
    let (parent, name) = split(directory);
    match name {
        "bin" => split(parent).1 == "src",
        _ => !parent.split('/').any(|part| part == "src"),
    }
}

fn child(index: &Index<'_>, directory: &str, name: &str) -> Option<usize> {
    let base = join(directory, name);
    index.first([format!("{base}.rs"), format!("{base}/mod.rs")])
}

/// Returns the file of the module whose children lie in a directory.
fn module_file(index: &Index<'_>, directory: &str) -> Option<usize> {
    let own = (!directory.is_empty()).then(|| format!("{directory}.rs"));
    let inside = join(directory, "mod.rs");
    let own = index.first(own.into_iter().chain([inside]));
    own.or_else(|| root_file(index, directory))
}

fn root_file(index: &Index<'_>, directory: &str) -> Option<usize> {
    index.first([join(directory, "lib.rs"), join(directory, "main.rs")])
}

/// Returns the directory of the root of the crate that a file belongs to.
fn crate_directory<'p>(index: &Index<'_>, path: &'p str) -> Option<&'p str> {
    let (directory, _) = split(path);
    let mut around = ancestors(directory);
    around.find(|directory| {
        let (_, name) = split(directory);
        let is_target = TARGET_DIRECTORIES.contains(&name) && is_target_directory(directory);
        is_target || root_file(index, directory).is_some()
    })
}
