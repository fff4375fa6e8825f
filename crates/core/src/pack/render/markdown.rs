//! Headings and fenced blocks.

use super::{Block, Document, longest_run};

pub(super) fn render(document: &Document) -> String {
    let mut out = format!("# {}\n", document.name);
    if !document.legend.is_empty() {
        out.push('\n');
        for line in &document.legend {
            out.push_str(line);
            out.push('\n');
        }
    }
    if !document.tree.is_empty() {
        out.push('\n');
        fenced(&mut out, &document.tree, "");
    }
    for block in &document.blocks {
        write_block(&mut out, block);
    }
    out
}

pub(super) fn write_block(out: &mut String, block: &Block) {
    out.push_str(&format!("\n## File: {} ({})\n", block.path, block.extent()));
    fenced(out, &block.body, block.language.unwrap_or("plaintext"));
}

/// Writes a text between fences longer than any in it.
fn fenced(out: &mut String, body: &str, language: &str) {
    let fence = "`".repeat(longest_run(body, '`').max(2) + 1);
    out.push_str(&format!("{fence}{language}\n{body}"));
    if !body.is_empty() && !body.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(&fence);
    out.push('\n');
}
