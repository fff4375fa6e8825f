//! Directories, with what is in them and a bar for their share.

use std::io::{self, Write};

use super::Sort;
use super::counted::Counted;
use crate::ui::{TokenTree, TreeOrder, TreeView};

/// Writes the tree.
pub(super) fn write(counted: &Counted<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut tree = TokenTree::new(counted.counters.list.len());
    for file in &counted.report.files {
        tree.add(&file.path, file.lines, &file.tokens);
    }
    let view = TreeView {
        heads: counted.heads().collect(),
        order: match counted.args.sort {
            Sort::Tokens => TreeOrder::Tokens,
            Sort::Path => TreeOrder::Name,
            Sort::Lines => TreeOrder::Lines,
        },
        rows: counted.args.rows(),
        all: counted.args.all,
    };
    tree.write(&view, out)
}
