//! Resolves imports to files of the repository.
//!
//! One file per family of languages. Each takes an import as its language
//! writes it and returns files of the repository; what is not found there is
//! taken to be somebody else's and yields nothing.

mod c;
mod go;
mod index;
mod java;
mod json;
mod php;
mod python;
mod ruby;
mod rust;
mod script;
mod tsconfig;
mod usetree;

use super::graph::{Manifest, SourceFile};
use crate::Remark;

pub(super) use index::Index;

/// All resolvers, with what the manifests say.
pub(super) struct Resolver<'a> {
    index: &'a Index<'a>,
    script: script::Script<'a>,
    python: python::Python<'a>,
    rust: rust::Crates,
    go: go::Modules<'a>,
    php: php::Autoload,
}

impl<'a> Resolver<'a> {
    /// Reads the manifests; the notes say which made no sense.
    pub(super) fn new(
        index: &'a Index<'a>,
        manifests: &[Manifest<'a>],
    ) -> (Resolver<'a>, Vec<Remark>) {
        let mut notes = Vec::new();
        let resolver = Resolver {
            index,
            script: script::Script::new(manifests, &mut notes),
            python: python::Python::new(index),
            rust: rust::Crates::new(index, manifests, &mut notes),
            go: go::Modules::new(manifests, &mut notes),
            php: php::Autoload::new(manifests, &mut notes),
        };
        (resolver, notes)
    }

    /// Returns the files that a file imports, in no order, perhaps repeated.
    pub(super) fn resolve_all(&mut self, file: &SourceFile<'_>) -> Vec<usize> {
        let mut found = Vec::new();
        for import in file.imports {
            let import = import.trim().trim_end_matches(';').trim_end();
            self.resolve(file, import, &mut found);
        }
        found
    }

    fn resolve(&mut self, file: &SourceFile<'_>, import: &str, found: &mut Vec<usize>) {
        let (index, path) = (self.index, file.path);
        match file.language {
            "typescript" | "tsx" | "javascript" | "jsx" | "vue" | "svelte" | "astro" | "mdx" => {
                found.extend(self.script.resolve(index, path, import));
            }
            "python" => found.extend(self.python.resolve(index, path, import)),
            "rust" => self.rust.resolve(index, path, import, found),
            "go" => self.go.resolve(index, import, found),
            "java" | "kotlin" | "scala" | "groovy" => java::resolve(index, path, import, found),
            "csharp" => java::resolve_namespace(index, path, import, found),
            "c" | "cpp" | "objectivec" | "cuda" => found.extend(c::resolve(index, path, import)),
            "ruby" => found.extend(ruby::resolve(index, path, import)),
            "php" => found.extend(self.php.resolve(index, path, import)),
            _ => {}
        }
    }
}
