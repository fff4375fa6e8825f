//! Puts short items on the line that introduces them.

use super::super::ItemKind;
use super::edit::Edit;
use super::shape::Shape;
use crate::notes::words::WORDS;

/// Longer items are read better on lines of their own.
const SHORT: usize = 40;
/// So many items are a line; more are a list.
const MOST: usize = 6;
/// So many words name a subject; more say something about it.
const SUBJECT: usize = 4;

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
        let to = last.start + shape.line(end - 1).len();
        let (from, with) = match subject(shape, lead) {
            Some(end) => (end, format!(": {}", items.join("; "))),
            None => (shape.lines[lead].start + text.len(), format!(" {}", items.join("; "))),
        };
        edits.push(Edit { range: from..to, with, kind: ItemKind::Verbose });
    }
    edits
}

/// Returns where a line ends that names a subject and can introduce the items itself, since
/// the line that does says no more than the heading.
fn subject(shape: &Shape<'_>, lead: usize) -> Option<usize> {
    let line = lead.checked_sub(1)?;
    let text = shape.line(line).strip_suffix('.')?;
    let heading = shape.heading_of(line)?;
    let role = WORDS.title(&heading.title)?;
    let is_first = shape.is_blank(line.checked_sub(1)?) || heading.line + 1 == line;
    let is_subject = text.split_whitespace().count() <= SUBJECT
        && text.starts_with(char::is_alphabetic)
        && !text.contains(['.', ':', ';', ','])
        && !shape.guards(line);
    let one_word = !shape.line(lead).contains(' ');
    let repeats = one_word && WORDS.title(shape.line(lead)) == Some(role);
    // "Authentication feature:" says no more than "Authentication:".
    let (name, last) = text.rsplit_once(' ').unwrap_or((text, ""));
    let name = if WORDS.is_generic(last) { name } else { text };
    (is_first && is_subject && repeats).then(|| shape.lines[line].start + name.len())
}

fn short_item<'a>(shape: &Shape<'a>, line: usize) -> Option<&'a str> {
    let item = shape.line(line).strip_prefix("- ")?;
    let plain = !item.contains([';', ':', '`', '[', '|']) && !item.is_empty();
    (plain && item.len() <= SHORT && !shape.guards(line)).then(|| item.trim_end())
}
