//! Directories, with what is in them and a bar for their share.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use loadline::repo::display_path;
use loadline::tokens::Tokens;

use super::{FAINT, STRONG, Table, percent, plural, thousands};

/// The width of a full bar.
const BAR: u64 = 16;

/// What is less than one part in this many is not shown.
const FOLDED: u64 = 100;

/// An eighth of a cell to seven eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Sort order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sort {
    /// Most tokens first.
    Tokens,
    /// By path.
    Path,
    /// Most lines first.
    Lines,
}

/// How a tree is shown.
pub(crate) struct TreeView {
    /// The headings of the numbers, one per counter.
    pub(crate) heads: Vec<String>,
    /// What comes first in a directory.
    pub(crate) order: Sort,
    /// The most rows of a directory.
    pub(crate) rows: usize,
    /// Shows what is less than 1 %, too.
    pub(crate) all: bool,
}

/// Files in their directories, each with its tokens by one or more counters.
#[derive(Default)]
pub(crate) struct TokenTree {
    root: Node,
}

/// A directory, or a file where it has no children.
#[derive(Default)]
struct Node {
    children: BTreeMap<OsString, Node>,
    files: u64,
    lines: u64,
    tokens: Vec<Tokens>,
}

impl TokenTree {
    /// Makes a tree without files, for this many counters.
    pub(crate) fn new(counters: usize) -> TokenTree {
        TokenTree { root: Node { tokens: vec![Tokens::ZERO; counters], ..Node::default() } }
    }

    /// Adds a file.
    pub(crate) fn add(&mut self, path: &Path, lines: u64, tokens: &[Tokens]) {
        self.add_many(path, 1, lines, tokens);
    }

    /// Adds tokens that belong to no file.
    pub(crate) fn add_other(&mut self, name: &str, tokens: &[Tokens]) {
        self.add_many(Path::new(name), 0, 0, tokens);
    }

    fn add_many(&mut self, path: &Path, files: u64, lines: u64, tokens: &[Tokens]) {
        let mut node = &mut self.root;
        node.add(files, lines, tokens);
        for component in path.components() {
            if component == Component::CurDir {
                continue;
            }
            let name = component.as_os_str().to_owned();
            node = node.children.entry(name).or_default();
            node.add(files, lines, tokens);
        }
    }

    /// Writes the tree as a table.
    pub(crate) fn write(&self, view: &TreeView, out: &mut impl Write) -> io::Result<()> {
        let root = &self.root;
        let columns = "r".repeat(root.tokens.len() + 1);
        let mut rows = Rows {
            table: Table::new(&format!("{columns}ll")),
            whole: first(&root.tokens),
            view,
            least: if view.all {
                Tokens::ZERO
            } else {
                Tokens::new(first(&root.tokens).get() / FOLDED)
            },
        };
        let heads = ["share", "", "path"].map(str::to_owned);
        rows.table.head(view.heads.iter().cloned().chain(heads));
        let (name, top) = collapse(&OsString::new(), root);
        let name = if name == "/" { "total" } else { &name };
        let label = format!("{name}, {}", plural(root.files, "file"));
        rows.row(STRONG, &root.tokens, label);
        rows.children(top, "");
        rows.table.write(out)
    }
}

impl Node {
    fn add(&mut self, files: u64, lines: u64, tokens: &[Tokens]) {
        self.files += files;
        self.lines += lines;
        add(&mut self.tokens, tokens);
    }
}

/// Returns the count of the first counter, which sorts and shares go by.
pub(crate) fn first(tokens: &[Tokens]) -> Tokens {
    tokens.first().copied().unwrap_or_default()
}

/// Adds counts to a sum, counter by counter.
pub(crate) fn add(sum: &mut Vec<Tokens>, tokens: &[Tokens]) {
    sum.resize(sum.len().max(tokens.len()), Tokens::ZERO);
    for (sum, tokens) in sum.iter_mut().zip(tokens) {
        *sum = sum.saturating_add(*tokens);
    }
}

struct Rows<'a> {
    table: Table,
    whole: Tokens,
    view: &'a TreeView,
    /// What has fewer tokens is not shown.
    least: Tokens,
}

impl Rows<'_> {
    /// Adds the rows of what is in a directory; `indent` leads to it.
    fn children(&mut self, node: &Node, indent: &str) {
        let mut children: Vec<(&OsString, &Node)> = node.children.iter().collect();
        match self.view.order {
            Sort::Path => {}
            Sort::Tokens => children.sort_by_key(|(_, child)| Reverse(first(&child.tokens))),
            Sort::Lines => children.sort_by_key(|(_, child)| Reverse(child.lines)),
        }
        let (mut shown, mut rest): (Vec<_>, Vec<_>) =
            children.into_iter().partition(|(_, child)| first(&child.tokens) >= self.least);
        rest.extend(shown.drain(self.view.rows.min(shown.len())..));
        for (index, (name, child)) in shown.iter().enumerate() {
            let is_last = index + 1 == shown.len() && rest.is_empty();
            let (branch, below) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let (name, child) = collapse(name, child);
            let style = anstyle::Style::new();
            self.row(style, &child.tokens, format!("{indent}{branch}{name}"));
            self.children(child, &format!("{indent}{below}"));
        }
        if !rest.is_empty() {
            let mut tokens = Vec::new();
            rest.iter().for_each(|(_, child)| add(&mut tokens, &child.tokens));
            let what = match rest.iter().map(|(_, child)| child.files).sum() {
                // The head of a pack belongs to no file.
                0 => rest
                    .iter()
                    .map(|(name, _)| name.to_string_lossy())
                    .collect::<Vec<_>>()
                    .join(", "),
                files => format!("... and {}", plural(files, "more file")),
            };
            self.row(FAINT, &tokens, format!("{indent}└─ {what}"));
        }
    }

    fn row(&mut self, style: anstyle::Style, tokens: &[Tokens], name: String) {
        let (part, whole) = (first(tokens).get(), self.whole.get());
        let cells = [percent(part, whole), bar(part, whole), name];
        let numbers = tokens.iter().map(|tokens| thousands(tokens.get()));
        self.table.styled(style, numbers.chain(cells));
    }
}

/// Names a file, or a directory with a slash, and follows directories that hold only one.
fn collapse<'a>(name: &OsString, node: &'a Node) -> (String, &'a Node) {
    let (mut path, mut node) = (PathBuf::from(name), node);
    while let (1, Some((name, child))) = (node.children.len(), node.children.first_key_value()) {
        if child.children.is_empty() {
            break;
        }
        path.push(name);
        node = child;
    }
    let slash = if node.children.is_empty() { "" } else { "/" };
    let name = display_path(&path);
    (format!("{}{slash}", name.trim_end_matches('/')), node)
}

/// Draws a part of a whole; something is never drawn as nothing.
pub(crate) fn bar(part: u64, whole: u64) -> String {
    let eighths = (part as f64 * (BAR * 8) as f64 / whole.max(1) as f64).round() as u64;
    let eighths = eighths.clamp(u64::from(part > 0), BAR * 8);
    let full = "█".repeat(usize::try_from(eighths / 8).unwrap_or_default());
    let rest = usize::try_from(eighths % 8).unwrap_or_default();
    full + EIGHTHS.get(rest).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_the_share() {
        for (part, whole, drawn) in [
            (0, 0, ""),
            (0, 10, ""),
            (10, 10, "████████████████"),
            (5, 10, "████████"),
            (1, 1_000_000, "▏"),
            (3, 128, "▍"),
        ] {
            assert_eq!(bar(part, whole), drawn, "{part} of {whole}");
        }
    }
}
