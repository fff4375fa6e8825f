//! Writes markdown: headings and fenced blocks.

use super::{Block, Document, Written, longest_run};

pub(super) fn render(document: &Document, blocks: &[&Block]) -> Written {
    let mut out = format!("# {}\n", document.name);
    for (number, line) in document.remarks().enumerate() {
        let gap = if number == 0 { "\n" } else { "" };
        out.push_str(&format!("{gap}{line}\n"));
    }
    if !document.tree.is_empty() {
        out.push('\n');
        fenced(&mut out, &document.tree, "");
    }
    if let Some(changes) = &document.changes {
        out.push_str(&format!("\n## Changes since {}\n", changes.since));
        fenced(&mut out, &changes.text, "diff");
    }
    let mut written = Written { text: out, starts: Vec::with_capacity(blocks.len()) };
    for block in blocks {
        written.begin();
        write_block(&mut written.text, block);
    }
    written
}

pub(super) fn write_block(out: &mut String, block: &Block) {
    let heading = block.origin.heading();
    let (path, extent) = (&block.path, block.extent());
    out.push_str(&format!("\n## {heading}: {path} ({extent})\n"));
    fenced(out, &block.body, block.language.unwrap_or("plaintext"));
}

/// Writes a text between fences longer than any in it.
pub(super) fn fenced(out: &mut String, body: &str, language: &str) {
    let fence = "`".repeat(longest_run(body, '`').max(2) + 1);
    out.push_str(&format!("{fence}{language}\n{body}"));
    if !body.is_empty() && !body.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(&fence);
    out.push('\n');
}
