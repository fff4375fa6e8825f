//! Draws the tree at the head of a pack: one line per directory with its files, folded
//! where a share of the budget does not reach.

use std::collections::BTreeMap;

use crate::fit::fit_prefix;
use crate::tokens::{Counter, Tokens};

/// A directory of the tree.
#[derive(Default)]
struct Directory<'a> {
    files: Vec<&'a str>,
    directories: BTreeMap<&'a str, Directory<'a>>,
    /// All files below it.
    total: usize,
    /// What they are worth together.
    worth: f64,
}

/// Draws the tree of files with what each is worth, in at most so many tokens.
///
/// All directories are folded at first, `tests/ (120)`; the one with the most worth is
/// opened, then the next, as long as that fits.
pub(super) fn tree(files: &[(&str, f64)], counter: &Counter, most: Tokens) -> String {
    let mut root = Directory::default();
    for (path, worth) in files {
        root.add(path, *worth);
    }
    let opened = root.by_worth();
    // An open directory takes a token a file at least.
    let longest = usize::try_from(most.get()).unwrap_or(usize::MAX).min(opened.len());
    let draw = |count: usize| {
        let mut out = String::new();
        if count > 0 {
            root.draw("", &opened[..count], &mut out);
        }
        out
    };
    fit_prefix(longest, most, counter, draw).map(|drawn| drawn.text).unwrap_or_default()
}

impl<'a> Directory<'a> {
    fn add(&mut self, path: &'a str, worth: f64) {
        self.total += 1;
        self.worth += worth;
        match path.split_once('/') {
            Some((name, rest)) => self.directories.entry(name).or_default().add(rest, worth),
            None => self.files.push(path),
        }
    }

    /// The paths of all directories, each after the one it is in, most worth first.
    fn by_worth(&self) -> Vec<String> {
        let mut open: Vec<(f64, String, &Directory<'a>)> = vec![(self.worth, String::new(), self)];
        let mut paths = Vec::new();
        while let Some(best) = open.iter().enumerate().max_by(|(_, left), (_, right)| {
            left.0.total_cmp(&right.0).then_with(|| right.1.cmp(&left.1))
        }) {
            let (_, path, directory) = open.swap_remove(best.0);
            let below = directory.directories.iter();
            open.extend(below.map(|(name, it)| (it.worth, format!("{path}{name}/"), it)));
            paths.push(path);
        }
        paths
    }

    fn draw(&self, path: &str, opened: &[String], out: &mut String) {
        if !path.is_empty() && !opened.iter().any(|it| it == path) {
            out.push_str(&format!("{path} ({})\n", self.total));
            return;
        }
        // Directories in which only one directory is are on the line of that.
        if !self.files.is_empty() {
            let name = if path.is_empty() { "./" } else { path };
            out.push_str(&format!("{name}: {}\n", self.files.join(" ")));
        }
        for (name, directory) in &self.directories {
            directory.draw(&format!("{path}{name}/"), opened, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_opened_by_worth_as_far_as_fits() {
        let files = [
            ("README.md", 1.0),
            ("src/a.rs", 5.0),
            ("src/deep/b.rs", 1.0),
            ("src/deep/c.rs", 1.0),
            ("tests/d.rs", 2.5),
        ];
        let counter: Counter = "heuristic".parse().unwrap();
        let drawn = |most: u64| tree(&files, &counter, Tokens::new(most));
        let all = "./: README.md\nsrc/: a.rs\nsrc/deep/: b.rs c.rs\ntests/: d.rs\n";
        assert_eq!(drawn(100), all);
        assert_eq!(drawn(13), "./: README.md\nsrc/: a.rs\nsrc/deep/ (2)\ntests/: d.rs\n");
        assert_eq!(drawn(10), "./: README.md\nsrc/ (3)\ntests/ (1)\n");
        assert_eq!(drawn(1), "");
    }
}
