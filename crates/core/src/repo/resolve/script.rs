//! TypeScript and JavaScript: relative paths, and what `tsconfig.json` maps.
//!
//! A name that is not relative belongs to a package and is skipped unless the
//! nearest `tsconfig.json` or `jsconfig.json` maps it. Workspace packages by
//! name are not followed.

use super::super::graph::Manifest;
use super::index::{Index, join_relative, split};
use super::tsconfig::TsConfigs;
use crate::Remark;

/// What is tried after a path, in this order; the exact path wins.
const SUFFIXES: [&str; 10] =
    ["", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", "/index.ts", "/index.tsx", "/index.js"];

/// Where the suffixes of directories begin.
const DIRECTORY_SUFFIXES: usize = 7;

/// The resolver, with the mappings of the repository.
pub(super) struct Script<'a> {
    configs: TsConfigs<'a>,
}

impl<'a> Script<'a> {
    pub(super) fn new(manifests: &[Manifest<'a>], notes: &mut Vec<Remark>) -> Script<'a> {
        Script { configs: TsConfigs::new(manifests, notes) }
    }

    pub(super) fn resolve(&self, index: &Index<'_>, path: &str, import: &str) -> Option<usize> {
        // Bundlers take a query: `./icon.svg?raw`.
        let import = import.split('?').next().unwrap_or_default();
        let (directory, _) = split(path);
        if is_relative(import) {
            return at(index, &join_relative(directory, import)?, names_directory(import));
        }
        let candidates = self.configs.candidates(directory, import);
        candidates.iter().find_map(|candidate| at(index, candidate, false))
    }
}

fn is_relative(import: &str) -> bool {
    matches!(import, "." | "..") || import.starts_with("./") || import.starts_with("../")
}

/// Tells whether an import can only mean a directory, as `..` does.
fn names_directory(import: &str) -> bool {
    matches!(split(import).1, "" | "." | "..")
}

/// Finds the file that a path stands for.
fn at(index: &Index<'_>, path: &str, only_directory: bool) -> Option<usize> {
    let from = if only_directory { DIRECTORY_SUFFIXES } else { 0 };
    let found = with_suffix(index, path, &SUFFIXES[from..]);
    if only_directory {
        return found;
    }
    // NodeNext writes the name of the compiled file: `./a.js` for `a.ts`.
    found.or_else(|| {
        let (stem, extension) = path.rsplit_once('.')?;
        let compiled = matches!(extension, "js" | "jsx" | "mjs" | "cjs");
        compiled.then(|| with_suffix(index, stem, &SUFFIXES))?
    })
}

fn with_suffix(index: &Index<'_>, path: &str, suffixes: &[&str]) -> Option<usize> {
    // Most imports that lead out are tried with every suffix, so one buffer serves all.
    let mut candidate = path.to_owned();
    suffixes.iter().find_map(|suffix| {
        candidate.truncate(path.len());
        candidate.push_str(suffix);
        // At the root there is no directory before the slash.
        index.file(candidate.trim_start_matches('/'))
    })
}
