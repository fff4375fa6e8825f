//! Python: dotted names from any source root, and relative ones.
//!
//! A source root is a directory that may be on Python's path: one that holds a
//! package without being one, or a module on its own. Of several that fit, the
//! one nearest to the importing file wins.

use std::collections::HashMap;

use super::index::{Index, ancestors, join, nearest, split};

/// The resolver, with the roots that a first name can be found in.
pub(super) struct Python<'a> {
    roots: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Python<'a> {
    pub(super) fn new(index: &Index<'a>) -> Python<'a> {
        let mut roots: HashMap<&'a str, Vec<&'a str>> = HashMap::new();
        for path in index.paths() {
            if let Some((name, root)) = top_level(index, path) {
                let known = roots.entry(name).or_default();
                known.push(root);
            }
        }
        for known in roots.values_mut() {
            known.sort_unstable();
            known.dedup();
        }
        Python { roots }
    }

    pub(super) fn resolve(&self, index: &Index<'_>, path: &str, import: &str) -> Option<usize> {
        let (directory, _) = split(path);
        let name = import.trim_start_matches('.');
        let dots = import.len() - name.len();
        let module = name.replace('.', "/");
        match dots {
            0 => self.absolute(index, path, &module),
            dots => relative(index, ancestors(directory).nth(dots - 1)?, &module),
        }
    }

    fn absolute(&self, index: &Index<'_>, path: &str, module: &str) -> Option<usize> {
        let first = module.split('/').next().unwrap_or_default();
        let known = self.roots.get(first).map_or(&[][..], Vec::as_slice);
        let mut known = known.to_vec();
        let mut found = None;
        while found.is_none() && !known.is_empty() {
            let root = nearest(known.iter().copied(), |root| *root, path)?;
            known.retain(|other| *other != root);
            found = module_at(index, &join(root, module));
        }
        // Directories without `__init__.py` can be packages too.
        let (directory, _) = split(path);
        let around = ancestors(directory).chain(["src", "lib"]);
        found.or_else(|| {
            let named = module.contains('/').then_some(module)?;
            let mut around = around;
            around.find_map(|root| exact_at(index, &join(root, named)))
        })
    }
}

/// Returns the name by which a file begins an absolute import, and its root.
fn top_level<'a>(index: &Index<'a>, path: &'a str) -> Option<(&'a str, &'a str)> {
    let (directory, name) = split(path);
    let stem = name.strip_suffix(".py").or(name.strip_suffix(".pyi"))?;
    if stem != "__init__" {
        return (!is_package(index, directory)).then_some((stem, directory));
    }
    let (parent, package) = split(directory);
    (!package.is_empty() && !is_package(index, parent)).then_some((package, parent))
}

fn is_package(index: &Index<'_>, directory: &str) -> bool {
    index.file(&join(directory, "__init__.py")).is_some()
}

fn relative(index: &Index<'_>, base: &str, module: &str) -> Option<usize> {
    match module {
        "" => index.file(&join(base, "__init__.py")),
        module => exact_at(index, &join(base, module)).or_else(|| {
            // `from .a import name` may come as `.a.name`.
            let (parent, _) = module.rsplit_once('/').unwrap_or_default();
            exact_at(index, &join(base, parent))
        }),
    }
}

/// Finds a module, or the one that holds the last name.
fn module_at(index: &Index<'_>, path: &str) -> Option<usize> {
    exact_at(index, path).or_else(|| exact_at(index, split(path).0))
}

fn exact_at(index: &Index<'_>, path: &str) -> Option<usize> {
    let package = |extension: &str| join(path, &format!("__init__.{extension}"));
    if path.is_empty() {
        return index.file(&package("py"));
    }
    index.first([package("py"), format!("{path}.py"), package("pyi"), format!("{path}.pyi")])
}
