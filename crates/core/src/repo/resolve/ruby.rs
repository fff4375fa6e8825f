//! Ruby: `require_relative` and `require`.
//!
//! A bare name is looked for below `lib` and `app`, the nearest first. Where
//! the statement was kept (`require_relative x`) it decides; a name that
//! begins with a dot is relative anyway. Names found by autoloading are missed.

use super::index::{Index, join_relative, nearest, split};

pub(super) fn resolve(index: &Index<'_>, path: &str, import: &str) -> Option<usize> {
    let (relative, name) = match import.strip_prefix("require_relative") {
        Some(name) => (true, name),
        None => (false, import.strip_prefix("require ").unwrap_or(import)),
    };
    let name = name.trim().trim_matches(['"', '\'', '(', ')']);
    let file = if name.ends_with(".rb") { name.to_owned() } else { format!("{name}.rb") };
    if relative || name.starts_with('.') {
        return index.file(&join_relative(split(path).0, &file)?);
    }
    let candidates = index.ending(&file).filter(|candidate| {
        let root = index.path(*candidate).strip_suffix(&file);
        is_root(root.unwrap_or_default().trim_end_matches('/'))
    });
    nearest(candidates, |candidate| index.path(*candidate), path)
}

/// Tells whether a directory is on the load path: `lib`, the root, `app/models`.
fn is_root(directory: &str) -> bool {
    let (parent, name) = split(directory);
    directory.is_empty() || name == "lib" || name == "app" || split(parent).1 == "app"
}
