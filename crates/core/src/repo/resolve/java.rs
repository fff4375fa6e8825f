//! Java, Kotlin, Scala, Groovy and C#: dotted names that follow directories.
//!
//! `a.b.C` is the file whose path ends in `a/b/C.java`; of several, the one
//! nearest to the importing file. Kotlin files named otherwise than their
//! class are missed. C# names no files at all: a namespace is taken to be the
//! directory that is called like it, which holds for most projects.

use super::index::{Index, nearest};

const EXTENSIONS: [&str; 4] = ["java", "kt", "scala", "groovy"];

/// Members and nested classes may stand after the class.
const MOST_MEMBERS: usize = 2;

pub(super) fn resolve(index: &Index<'_>, path: &str, import: &str, found: &mut Vec<usize>) {
    let import = import.strip_prefix("import ").unwrap_or(import).trim();
    let import = import.strip_prefix("static ").unwrap_or(import).trim();
    let import = import.split([' ', '{']).next().unwrap_or_default();
    let import = import.trim_end_matches('.');
    for wildcard in [".*", "._"] {
        if let Some(package) = import.strip_suffix(wildcard) {
            let class = class(index, path, package);
            return match class {
                Some(class) => found.push(class),
                None => directory(index, path, &package.replace('.', "/"), found),
            };
        }
    }
    found.extend(class(index, path, import));
}

/// Finds a class, or the class that holds the last names.
fn class(index: &Index<'_>, path: &str, name: &str) -> Option<usize> {
    let full = name.replace('.', "/");
    let mut name = full.as_str();
    for _ in 0..=MOST_MEMBERS {
        // A name without a package fits any directory, so it says too little.
        let (outer, _) = name.rsplit_once('/')?;
        let suffixes = EXTENSIONS.map(|extension| format!("{name}.{extension}"));
        let candidates = suffixes.iter().flat_map(|suffix| index.ending(suffix));
        let best = nearest(candidates, |file| index.path(*file), path);
        if best.is_some() {
            return best;
        }
        name = outer;
    }
    None
}

/// Finds the files of a C# namespace.
pub(super) fn resolve_namespace(
    index: &Index<'_>,
    path: &str,
    import: &str,
    found: &mut Vec<usize>,
) {
    let import = import.strip_prefix("global ").unwrap_or(import).trim();
    let import = import.strip_prefix("using ").unwrap_or(import).trim();
    let import = import.strip_prefix("static ").unwrap_or(import).trim();
    let name = import.rsplit('=').next().unwrap_or_default().trim();
    if !name.contains('.') {
        return;
    }
    // Projects are often called `Company.Product`, with plain directories below.
    for (cut, _) in name.match_indices('.').rev() {
        let suffix = format!("{}/{}", &name[..cut], name[cut + 1..].replace('.', "/"));
        let before = found.len();
        directory(index, path, &suffix, found);
        if found.len() > before {
            return;
        }
    }
    let before = found.len();
    directory(index, path, name, found);
    if found.len() == before {
        directory(index, path, &name.replace('.', "/"), found);
    }
}

fn directory(index: &Index<'_>, path: &str, suffix: &str, found: &mut Vec<usize>) {
    let candidates = index.directories_ending(suffix);
    if let Some(directory) = nearest(candidates, |directory| *directory, path) {
        let extension = path.rsplit('.').next().unwrap_or_default();
        let files = index.directory(directory).iter().copied();
        found.extend(files.filter(|file| index.path(*file).rsplit('.').next() == Some(extension)));
    }
}
