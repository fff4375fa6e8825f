//! Entries of a log that name the entry before them.
//!
//! Agents write trees: going back in a conversation begins a branch. What is
//! context is the path from one entry back to its root.

use std::collections::HashMap;

use super::check::Violation;
use crate::Remark;

/// Entries with their names and the names of their parents, in the order of the log.
#[derive(Default)]
pub(super) struct Links {
    parents: Vec<Option<String>>,
    by_name: HashMap<String, usize>,
    /// How many names were given again. The last entry of a name is the one that counts.
    pub(super) twice: usize,
}

/// Entries from a root to the entry that was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Path {
    /// The numbers of the entries, root first.
    pub(super) entries: Vec<usize>,
    /// How it begins.
    pub(super) start: Start,
}

impl Path {
    /// Returns the rule that the beginning of the path breaks.
    pub(super) fn violation(&self) -> Option<Violation> {
        let rule = match self.start {
            Start::Root => return None,
            Start::Missing => "the parent of every record must be in the session",
            Start::Circle => "the parents of records must not form a circle",
        };
        Some(Violation { turn: 0, rule })
    }
}

/// How a path begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Start {
    /// With an entry that has no parent.
    #[default]
    Root,
    /// With an entry whose parent is not in the log.
    Missing,
    /// With an entry whose parent comes after it on the path.
    Circle,
}

impl Links {
    /// Adds an entry. Entries without a name are on no path but their own.
    pub(super) fn add(&mut self, name: Option<&str>, parent: Option<String>) {
        let number = self.parents.len();
        self.parents.push(parent);
        if let Some(name) = name
            && self.by_name.insert(name.to_owned(), number).is_some()
        {
            self.twice += 1;
        }
    }

    /// Returns the entry of a name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns the parent of an entry, if it is there.
    pub(super) fn parent(&self, entry: usize) -> Option<usize> {
        self.find(self.parents.get(entry)?.as_deref()?)
    }

    /// Returns the name that an entry calls its parent.
    pub(super) fn parent_name(&self, entry: usize) -> Option<&str> {
        self.parents.get(entry)?.as_deref()
    }

    /// Gives an entry another parent.
    pub(super) fn set_parent(&mut self, entry: usize, parent: &str) {
        if let Some(slot) = self.parents.get_mut(entry) {
            *slot = Some(parent.to_owned());
        }
    }

    /// Lists what is odd about a path, for the reader. `id` is what entries call their names.
    pub(super) fn remarks(&self, path: &Path, first: usize, id: &str) -> Vec<Remark> {
        let mut remarks = Vec::new();
        if self.twice > 0 {
            let message =
                format!("{} records have the {id} of another; the last of each counts", self.twice);
            remarks.push(Remark::new("session", message));
        }
        let message = match path.start {
            Start::Root => return remarks,
            Start::Circle => "the parents of this record form a circle; the context begins here",
            Start::Missing => "the parent of this record is missing; the context begins here",
        };
        remarks.push(Remark::new(format!("byte {first}"), message));
        remarks
    }

    /// Returns the path to an entry.
    pub(super) fn path(&self, entry: usize) -> Path {
        let mut seen = vec![false; self.parents.len()];
        let mut entries = Vec::new();
        let mut next = Some(entry);
        let mut start = Start::Root;
        while let Some(entry) = next {
            if std::mem::replace(&mut seen[entry], true) {
                start = Start::Circle;
                break;
            }
            entries.push(entry);
            next = self.parent(entry);
            if next.is_none() && self.parent_name(entry).is_some() {
                start = Start::Missing;
            }
        }
        entries.reverse();
        Path { entries, start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(entries: &[(&str, Option<&str>)]) -> Links {
        let mut links = Links::default();
        for (name, parent) in entries {
            links.add(Some(name), parent.map(str::to_owned));
        }
        links
    }

    #[test]
    fn paths_end_at_roots_gaps_and_circles() {
        let tree = links(&[("a", None), ("b", Some("a")), ("c", Some("a"))]);
        assert_eq!(tree.path(2).entries, [0, 2]);
        let gap = links(&[("a", Some("lost")), ("b", Some("a"))]);
        assert_eq!(gap.path(1).start, Start::Missing);
        let circle = links(&[("a", Some("b")), ("b", Some("a")), ("c", Some("b"))]);
        let path = circle.path(2);
        assert_eq!((path.entries, path.start), (vec![0, 1, 2], Start::Circle));
        assert_eq!(links(&[("a", Some("a"))]).path(0).entries, [0]);
    }

    #[test]
    fn the_last_of_a_name_counts() {
        let tree = links(&[("a", None), ("a", None), ("b", Some("a"))]);
        assert_eq!((tree.twice, tree.path(2).entries), (1, vec![1, 2]));
    }
}
