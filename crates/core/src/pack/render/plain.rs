//! Writes plain text under rules. A rule is longer than any in the content.

use super::{Block, Document, Origin, Written, longest_run};

/// The rule where no content has one.
pub(super) const SHORTEST_RULE: &str = "========";

pub(super) fn render(document: &Document, blocks: &[&Block]) -> Written {
    let changes = document.changes.iter().map(|changes| &changes.text);
    let bodies = blocks.iter().map(|block| &block.body);
    let bodies = bodies.chain(changes).chain([&document.tree]);
    let longest = bodies.map(|body| longest_run(body, '=')).max();
    let rule = "=".repeat((longest.unwrap_or(0) + 1).max(SHORTEST_RULE.len()));
    let mut out = format!("{rule} {}\n", document.name);
    for line in document.remarks().chain([document.tree.trim_end()]) {
        if !line.is_empty() {
            out.push_str(line);
            out.push('\n');
        }
    }
    if let Some(changes) = &document.changes {
        let (since, text) = (&changes.since, changes.text.trim_end());
        out.push_str(&format!("\n{rule} changes since {since}\n{text}\n"));
    }
    let mut written = Written { text: out, starts: Vec::with_capacity(blocks.len()) };
    for block in blocks {
        written.begin();
        write_block(&mut written.text, block, &rule);
    }
    written
}

/// Writes a block under a rule.
pub(super) fn write_block(out: &mut String, block: &Block, rule: &str) {
    let what = match block.origin {
        Origin::File => String::new(),
        other => format!("{}: ", other.heading()),
    };
    let (path, extent) = (&block.path, block.extent());
    out.push_str(&format!("\n{rule} {what}{path} ({extent})\n"));
    out.push_str(&block.body);
    if !block.body.is_empty() && !block.body.ends_with('\n') {
        out.push('\n');
    }
}
