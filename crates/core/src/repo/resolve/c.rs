//! C and its family: `#include`.
//!
//! A quoted header is looked for next to the file, then both kinds below the
//! directories that are usually on the include path, then anywhere if only one
//! file fits. Compiler flags are not read. Quotes may be missing.

use super::index::{Index, ancestors, join, join_relative, nearest, split};

/// Directories that are usually on the include path.
const INCLUDE_ROOTS: [&str; 5] = ["include", "inc", "src", "headers", "Headers"];

pub(super) fn resolve(index: &Index<'_>, path: &str, import: &str) -> Option<usize> {
    let angled = import.starts_with('<');
    let header = import.trim_matches(['"', '<', '>']);
    let (directory, _) = split(path);
    let sibling = || index.file(&join_relative(directory, header)?);
    let above = || index.first(ancestors(directory).map(|root| join(root, header)));
    let found = if angled { None } else { sibling().or_else(above) };
    found.or_else(|| anywhere(index, path, header, angled))
}

fn anywhere(index: &Index<'_>, path: &str, header: &str, angled: bool) -> Option<usize> {
    let header = header.trim_start_matches("./").trim_start_matches("../");
    let candidates: Vec<usize> = index.ending(header).collect();
    let on_path = candidates.iter().copied().filter(|file| {
        let rest = index.path(*file).strip_suffix(header).unwrap_or_default();
        let (_, name) = split(rest.trim_end_matches('/'));
        INCLUDE_ROOTS.contains(&name)
    });
    // `<string.h>` is the system's even where one `lib/string.h` exists.
    let telling = !angled || header.contains('/');
    nearest(on_path, |file| index.path(*file), path).or(match candidates[..] {
        [only] if telling => Some(only),
        _ => None,
    })
}
