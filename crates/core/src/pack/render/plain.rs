//! Writes plain text under rules. A rule is longer than any in the content.

use super::{Block, Document, Origin, Part, Written, longest_run, written};

/// The rule where no content has one.
pub(super) const SHORTEST_RULE: &str = "========";

pub(super) fn render(document: &Document, blocks: &[&Block]) -> Written {
    let parts = document.parts().map(|part| &part.text);
    let bodies = blocks.iter().map(|block| &block.body).chain(parts);
    let longest = bodies.map(|body| longest_run(body, '=')).max();
    let rule = "=".repeat((longest.unwrap_or(0) + 1).max(SHORTEST_RULE.len()));
    let mut out = format!("{rule} {}\n", document.name);
    for line in document.remarks() {
        out.push_str(&format!("{line}\n"));
    }
    let part = |out: &mut String, part: &Part| write_part(out, part, &rule);
    let block = |out: &mut String, block: &Block| write_block(out, block, &rule);
    written(out, document, blocks, part, block)
}

fn write_part(out: &mut String, part: &Part, rule: &str) {
    if let Some(heading) = &part.heading {
        out.push_str(&format!("\n{rule} {heading}\n"));
    }
    out.push_str(&format!("{}\n", part.text.trim_end()));
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
