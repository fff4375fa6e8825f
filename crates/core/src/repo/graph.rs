//! Builds the graph of which file imports which.
//!
//! A graph over the files of one repository, from the imports that a parser
//! found. How an import is written differs by language, so each family has a
//! resolver of its own in `resolve`; what leads out of the repository is left
//! out. The cost grows with the number of imports; names are looked up, never
//! searched for.

use super::resolve::{Index, Resolver};
use crate::Remark;

/// A file as the graph needs it.
#[derive(Clone, Copy, Debug)]
pub struct SourceFile<'a> {
    /// The path from the root, with `/` between its parts.
    pub path: &'a str,
    /// Its language, as `language_of` calls it.
    pub language: &'a str,
    /// What it imports, as written: `./a`, `a.b`, `crate::a`, `mod x`, `<x.h>`.
    pub imports: &'a [String],
}

/// A file that says where imports lead: `tsconfig.json`, `go.mod`.
#[derive(Clone, Copy, Debug)]
pub struct Manifest<'a> {
    /// The path from the root, with `/` between its parts.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl Manifest<'_> {
    /// Tells whether the graph reads files of this name.
    pub fn is_one(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or_default();
        let typescript = name.ends_with(".json")
            && (name.starts_with("tsconfig") || name.starts_with("jsconfig"));
        typescript || matches!(name, "go.mod" | "Cargo.toml" | "composer.json")
    }
}

/// The imports between the files of a repository.
///
/// Files are known by their position in the list that was handed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportGraph {
    imports: Vec<Vec<usize>>,
    importers: Vec<u32>,
    notes: Vec<Remark>,
}

impl ImportGraph {
    /// Resolves all imports.
    ///
    /// A file that imports another several times counts once, and itself not
    /// at all. Manifests that cannot be read cost a note.
    ///
    /// ```
    /// use loadline::repo::{ImportGraph, SourceFile};
    /// let imports = ["./b.js".to_owned()];
    /// let files = [
    ///     SourceFile { path: "src/a.ts", language: "typescript", imports: &imports },
    ///     SourceFile { path: "src/b.ts", language: "typescript", imports: &[] },
    /// ];
    /// let graph = ImportGraph::build(&files, &[]);
    /// assert_eq!(graph.imports(0), [1]);
    /// assert_eq!(graph.importers(1), 1);
    /// ```
    pub fn build(files: &[SourceFile<'_>], manifests: &[Manifest<'_>]) -> ImportGraph {
        let index = Index::new(files);
        let (mut resolver, notes) = Resolver::new(&index, manifests);
        let imports: Vec<Vec<usize>> = files
            .iter()
            .enumerate()
            .map(|(position, file)| {
                let mut found = resolver.resolve_all(file);
                found.sort_unstable();
                found.dedup();
                found.retain(|target| *target != position);
                found
            })
            .collect();
        let mut importers = vec![0_u32; files.len()];
        for target in imports.iter().flatten() {
            if let Some(count) = importers.get_mut(*target) {
                *count += 1;
            }
        }
        ImportGraph { imports, importers, notes }
    }

    /// Returns the files that a file imports, in their order; none for a wrong position.
    pub fn imports(&self, file: usize) -> &[usize] {
        self.imports.get(file).map_or(&[], Vec::as_slice)
    }

    /// Returns how many other files import a file.
    pub fn importers(&self, file: usize) -> u32 {
        self.importers.get(file).copied().unwrap_or_default()
    }

    /// Returns what was wrong with manifests, in their order.
    pub fn notes(&self) -> &[Remark] {
        &self.notes
    }
}

#[cfg(test)]
mod tests;
