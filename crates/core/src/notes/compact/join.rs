//! Puts short items on the line that introduces them.

use super::super::ItemKind;
use super::edit::Edit;
use super::shape::Shape;

/// Longer items are read better on lines of their own.
const SHORT: usize = 40;
/// So many items are a line; more are a list.
const MOST: usize = 6;

/// Finds lines such as `Implemented:` with two to six short items below them.
pub(super) fn edits(shape: &Shape<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for lead in 0..shape.lines.len() {
        let text = shape.line(lead);
        let is_lead = text.ends_with(':')
            && text.starts_with(|c: char| c.is_alphabetic())
            && !shape.guards(lead);
        if !is_lead {
            continue;
        }
        let items: Vec<&str> =
            (lead + 1..shape.lines.len()).map_while(|line| short_item(shape, line)).collect();
        let end = lead + 1 + items.len();
        let ends = end == shape.lines.len() || shape.is_blank(end);
        if !(2..=MOST).contains(&items.len()) || !ends {
            continue;
        }
        let last = &shape.lines[end - 1];
        let from = shape.lines[lead].start + text.len();
        let to = last.start + shape.line(end - 1).len();
        let with = format!(" {}", items.join("; "));
        edits.push(Edit { range: from..to, with, kind: ItemKind::Verbose });
    }
    edits
}

fn short_item<'a>(shape: &Shape<'a>, line: usize) -> Option<&'a str> {
    let item = shape.line(line).strip_prefix("- ")?;
    let plain = !item.contains([';', ':', '`', '[', '|']) && !item.is_empty();
    (plain && item.len() <= SHORT && !shape.guards(line)).then(|| item.trim_end())
}
