//! Rules and bare text. A rule is longer than any in the content.

use super::{Block, Document, longest_run};

/// The rule where no content has one.
pub(super) const SHORTEST_RULE: &str = "========";

pub(super) fn render(document: &Document) -> String {
    let bodies = document
        .blocks
        .iter()
        .map(|block| longest_run(&block.body, '='));
    let longest = bodies.chain([longest_run(&document.tree, '=')]).max();
    let rule = "=".repeat((longest.unwrap_or(0) + 1).max(SHORTEST_RULE.len()));
    let mut out = format!("{rule} {}\n", document.name);
    let legend = document.legend.iter().map(String::as_str);
    for line in legend.chain([document.tree.trim_end()]) {
        if !line.is_empty() {
            out.push_str(line);
            out.push('\n');
        }
    }
    for block in &document.blocks {
        write_block(&mut out, block, &rule);
    }
    out
}

/// Writes a block under a rule.
pub(super) fn write_block(out: &mut String, block: &Block, rule: &str) {
    out.push_str(&format!("\n{rule} {} ({})\n", block.path, block.extent()));
    out.push_str(&block.body);
    if !block.body.is_empty() && !block.body.ends_with('\n') {
        out.push('\n');
    }
}
