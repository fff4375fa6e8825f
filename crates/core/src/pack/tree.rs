//! Draws the directory tree at the head of a pack, as deep as a share of the budget allows.

use std::collections::BTreeMap;

use crate::fit::fit_prefix;
use crate::tokens::{Counter, Tokens};

/// Draws the directories of `paths` with their numbers of files, as deep as fits `most` tokens.
pub(super) fn tree(paths: &[&str], counter: &Counter, most: Tokens) -> String {
    let deepest = paths.iter().map(|path| path.matches('/').count()).max();
    let deepest = deepest.unwrap_or(0);
    let drawn = fit_prefix(deepest, most, counter, |depth| draw(paths, depth));
    drawn.map(|drawn| drawn.text).unwrap_or_default()
}

/// One line per directory down to `depth`: `src/commands/ (12)`.
fn draw(paths: &[&str], depth: usize) -> String {
    let mut directories: BTreeMap<String, usize> = BTreeMap::new();
    for path in paths {
        let parts: Vec<&str> = path.split('/').collect();
        for level in 1..parts.len().min(depth + 1) {
            *directories.entry(parts[..level].join("/")).or_default() += 1;
        }
    }
    let line = |(path, files): (&String, &usize)| {
        let level = path.matches('/').count();
        let name = path.rsplit('/').next().unwrap_or(path);
        format!("{}{name}/ ({files})\n", "  ".repeat(level))
    };
    directories.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_drawn_as_deep_as_fits() {
        let paths = ["README.md", "src/a.rs", "src/deep/b.rs", "src/deep/c.rs", "tests/d.rs"];
        let counter: Counter = "heuristic".parse().unwrap();
        let whole = "src/ (3)\n  deep/ (2)\ntests/ (1)\n";
        assert_eq!(tree(&paths, &counter, Tokens::new(100)), whole);
        assert_eq!(tree(&paths, &counter, Tokens::new(6)), "src/ (3)\ntests/ (1)\n");
        assert_eq!(tree(&paths, &counter, Tokens::new(1)), "");
    }
}
