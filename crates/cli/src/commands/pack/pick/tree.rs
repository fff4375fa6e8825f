//! A tree of files, of which some are chosen.

use std::collections::BTreeSet;

/// Files and directories, each directory before what is in it.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

struct Node {
    path: String,
    depth: usize,
    /// Of a file; those of a directory are added up.
    tokens: u64,
    is_directory: bool,
    is_open: bool,
    is_chosen: bool,
    /// Where what is in it ends.
    end: usize,
}

/// How much of a row is chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    All,
    Some,
    None,
}

/// A row as it is drawn.
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    pub(super) depth: usize,
    pub(super) tokens: u64,
    pub(super) is_directory: bool,
    pub(super) is_open: bool,
    pub(super) mark: Mark,
    node: usize,
}

impl Tree {
    /// Makes a tree of paths with their tokens; everything is chosen, the first level open.
    pub(super) fn new<'a>(files: impl Iterator<Item = (&'a str, u64)>) -> Tree {
        let mut entries: Vec<(Vec<&str>, Option<u64>)> = Vec::new();
        let mut directories = BTreeSet::new();
        for (path, tokens) in files {
            let parts: Vec<&str> = path.split('/').collect();
            directories.extend((1..parts.len()).map(|depth| parts[..depth].to_vec()));
            entries.push((parts, Some(tokens)));
        }
        entries.extend(directories.into_iter().map(|parts| (parts, None)));
        entries.sort();
        let mut nodes: Vec<Node> = entries
            .into_iter()
            .map(|(parts, tokens)| Node {
                path: parts.join("/"),
                depth: parts.len() - 1,
                tokens: tokens.unwrap_or(0),
                is_directory: tokens.is_none(),
                is_open: parts.len() == 1,
                is_chosen: true,
                end: 0,
            })
            .collect();
        for number in 0..nodes.len() {
            let depth = nodes[number].depth;
            let inside = nodes[number + 1..].iter().take_while(|node| node.depth > depth).count();
            nodes[number].end = number + 1 + inside;
        }
        Tree { nodes }
    }

    /// The rows to draw: what is in closed directories is not among them.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let (mut rows, mut number) = (Vec::new(), 0);
        while let Some(node) = self.nodes.get(number) {
            let (chosen, all, tokens) = self.inside(number);
            rows.push(Row {
                name: node.path.rsplit('/').next().unwrap_or(&node.path),
                depth: node.depth,
                tokens,
                is_directory: node.is_directory,
                is_open: node.is_open,
                mark: match chosen {
                    0 => Mark::None,
                    chosen if chosen == all => Mark::All,
                    _ => Mark::Some,
                },
                node: number,
            });
            number = if node.is_directory && !node.is_open { node.end } else { number + 1 };
        }
        rows
    }

    /// The files of a node: how many are chosen, how many there are, and their tokens.
    fn inside(&self, number: usize) -> (usize, usize, u64) {
        let files = self.nodes[number..self.nodes[number].end].iter();
        files.filter(|node| !node.is_directory).fold((0, 0, 0), |(chosen, all, tokens), node| {
            (chosen + usize::from(node.is_chosen), all + 1, tokens + node.tokens)
        })
    }

    fn node_at(&self, row: usize) -> Option<usize> {
        self.rows().get(row).map(|row| row.node)
    }

    /// Chooses a row and all in it, or nothing of it if all is chosen already.
    pub(super) fn toggle(&mut self, row: usize) {
        let Some(number) = self.node_at(row) else {
            return;
        };
        let (chosen, all, _) = self.inside(number);
        let end = self.nodes[number].end;
        self.nodes[number..end].iter_mut().for_each(|node| node.is_chosen = chosen < all);
    }

    pub(super) fn set_all(&mut self, is_chosen: bool) {
        self.nodes.iter_mut().for_each(|node| node.is_chosen = is_chosen);
    }

    pub(super) fn open(&mut self, row: usize, is_open: bool) {
        if let Some(number) = self.node_at(row) {
            self.nodes[number].is_open = is_open;
        }
    }

    /// Closes a directory, or the one that a file is in; returns its row.
    pub(super) fn close(&mut self, row: usize) -> usize {
        let rows = self.rows();
        let Some(at) = rows.get(row) else {
            return row;
        };
        let depth = at.depth;
        let is_open = at.is_directory && at.is_open;
        let above = (0..row).rev().find(|above| rows[*above].depth < depth);
        let row = if is_open { row } else { above.unwrap_or(row) };
        self.open(row, false);
        row
    }

    /// How many files are chosen, and their tokens.
    pub(super) fn totals(&self) -> (usize, u64) {
        let files = self.nodes.iter().filter(|node| !node.is_directory && node.is_chosen);
        files.fold((0, 0), |(count, tokens), node| (count + 1, tokens + node.tokens))
    }

    /// The paths of the files that are chosen.
    pub(super) fn chosen(&self) -> impl Iterator<Item = &str> {
        let files = self.nodes.iter().filter(|node| !node.is_directory && node.is_chosen);
        files.map(|node| node.path.as_str())
    }
}
