//! Takes out what tools printed, from its label to the next blank line.
//!
//! Lines that must stay do stay; code, tables and the like end the block.

use regex::Regex;

use super::super::ItemKind;
use super::edit::Edit;
use super::shape::Shape;

/// What stands in place of the output.
pub(super) const MARKER: &str = "[Tool output removed]";

/// Finds blocks of tool output.
pub(super) fn edits(shape: &Shape<'_>, labels: &[Regex], preserve: &[Regex]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut line = 0;
    while line < shape.lines.len() {
        let text = shape.line(line);
        let labelled = labels.iter().any(|label| label.is_match(text));
        if !labelled || !is_free(shape, line, preserve) {
            line += 1;
            continue;
        }
        let mut end = line + 1;
        while end < shape.lines.len() && !shape.is_blank(end) && is_free(shape, end, preserve) {
            end += 1;
        }
        edits.extend(block(shape, line, end, preserve));
        line = end;
    }
    edits
}

/// Tells whether a line may belong to a block of output.
fn is_free(shape: &Shape<'_>, line: usize, preserve: &[Regex]) -> bool {
    let text = shape.line(line);
    !shape.guards(line) || preserve.iter().any(|pattern| pattern.is_match(text))
}

/// Takes out the lines of one block, but for those that must stay.
fn block(shape: &Shape<'_>, from: usize, to: usize, preserve: &[Regex]) -> Vec<Edit> {
    let kept = |line: usize| preserve.iter().any(|it| it.is_match(shape.line(line)));
    let mut edits: Vec<Edit> = Vec::new();
    let (mut saved, mut marked) = (0, false);
    for line in from..to {
        if kept(line) {
            continue;
        }
        let range = shape.lines.get(line).cloned().unwrap_or(0..0);
        let text = range.start..range.start + shape.line(line).len();
        if !marked {
            marked = true;
            saved += text.len();
            edits.push(Edit { range: text, with: MARKER.to_owned(), kind: ItemKind::ToolOutput });
            continue;
        }
        saved += range.len();
        match edits.last_mut().filter(|last| last.with.is_empty() && last.range.end == range.start)
        {
            Some(last) => last.range.end = range.end,
            None => edits.push(Edit::cut(range, ItemKind::ToolOutput)),
        }
    }
    if saved > MARKER.len() { edits } else { Vec::new() }
}
