//! Writes markdown: headings and fenced blocks.

use super::{Block, Document, Part, Tier, Written, longest_run, written};

pub(super) fn render(document: &Document, blocks: &[&Block]) -> Written {
    let mut out = format!("# {}\n", document.name);
    for (number, line) in document.remarks().enumerate() {
        let gap = if number == 0 { "\n" } else { "" };
        out.push_str(&format!("{gap}{line}\n"));
    }
    written(out, document, blocks, write_part, write_block)
}

fn write_part(out: &mut String, part: &Part) {
    out.push('\n');
    if let Some(heading) = &part.heading {
        out.push_str(&format!("## {heading}\n"));
    }
    fenced(out, &part.text, part.language);
}

pub(super) fn write_block(out: &mut String, block: &Block) {
    let heading = block.origin.heading();
    let (path, extent) = (&block.path, block.extent());
    out.push_str(&format!("\n## {heading}: {path} ({extent})\n"));
    if block.tier == Tier::Signatures && block.listed.is_some() {
        // Each line begins with its number, so that none can pass for a heading or a fence.
        out.push_str(&block.body);
    } else {
        fenced(out, &block.body, block.language.unwrap_or("plaintext"));
    }
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
