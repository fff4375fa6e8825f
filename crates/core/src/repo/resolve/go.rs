//! Go: an import names a package, which is a directory below a module.
//!
//! It leads to every file of that directory but the tests. Modules come from
//! `go.mod`; without one nothing can be resolved.

use std::collections::HashMap;

use super::super::graph::Manifest;
use super::index::{Index, join, split};
use crate::Remark;

/// The modules of the repository: the path of each, and its directory.
pub(super) struct Modules<'a> {
    directories: HashMap<&'a str, &'a str>,
}

impl<'a> Modules<'a> {
    pub(super) fn new(manifests: &[Manifest<'a>], notes: &mut Vec<Remark>) -> Modules<'a> {
        let mut directories = HashMap::new();
        for manifest in manifests {
            let (directory, name) = split(manifest.path);
            if name != "go.mod" {
                continue;
            }
            match module_path(manifest.text) {
                Some(path) => drop(directories.insert(path, directory)),
                None => notes.push(Remark::new(manifest.path, "names no module")),
            }
        }
        Modules { directories }
    }

    pub(super) fn resolve(&self, index: &Index<'_>, import: &str, found: &mut Vec<usize>) {
        let import = import.trim_matches(['"', '`']);
        let ends = import.match_indices('/').map(|(end, _)| end);
        let mut prefixes: Vec<usize> = ends.chain([import.len()]).collect();
        prefixes.reverse();
        // The longest module path wins: modules can lie within each other.
        let module = prefixes.into_iter().find_map(|end| {
            let directory = self.directories.get(&import[..end])?;
            Some(join(directory, import[end..].trim_start_matches('/')))
        });
        let Some(directory) = module else { return };
        let files = index.directory(&directory).iter().copied();
        found.extend(files.filter(|file| {
            let path = index.path(*file);
            path.ends_with(".go") && !path.ends_with("_test.go")
        }));
    }
}

fn module_path(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("module")?;
        let rest = rest.strip_prefix([' ', '\t'])?;
        let path = rest.split("//").next()?.trim();
        let path = path.trim_matches(['"', '`']);
        (!path.is_empty()).then_some(path)
    })
}
