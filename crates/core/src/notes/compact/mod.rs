//! Makes a note shorter without taking anything out of it that matters.
//!
//! ```text
//! shape -> tool output, repeats, links, layout, plain words -> apply   (until nothing changes)
//! ```
//!
//! Each step finds edits in lines that are not guarded, see [`Shape`]. Every
//! edit makes the text lighter, so the loop ends, and since it ends only when
//! no step finds anything, a second run changes nothing. In the end the result
//! is held against the original: whatever was guarded must be there, in order
//! and byte for byte, or else the original stays.

mod edit;
mod join;
mod layout;
mod links;
mod plain;
mod repeat;
mod shape;
mod stale;
mod tool_output;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

use super::{CompactedItem, NotesOptions};
use crate::tokens::Counter;
use edit::{Draft, Edit, in_order, weight};
use shape::Shape;

pub(super) use layout::is_name;
pub(super) use stale::{fold, is_mark};

/// A note after compaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactedNotes {
    /// What is left; the original where nothing could be saved.
    pub text: String,
    /// What was reduced, in the order of the text.
    pub items: Vec<CompactedItem>,
}

/// Makes a markdown text shorter, and never longer.
///
/// Tool output, repetitions, decoration, wrapped lines, white space and filler
/// go. Code, tables, JSON, markup, front matter, tasks, decisions and lines
/// that match a pattern of `preserve` stay byte for byte. A second run changes
/// nothing. Line ends and a byte order mark stay as they are.
///
/// ```
/// use loadline::notes::{NotesOptions, compact_notes};
/// use loadline::settings::Config;
/// use loadline::tokens::{Counter, Tokens};
/// let config = Config::load(Vec::new()).unwrap();
/// let counter: Counter = "o200k".parse().unwrap();
/// let now = jiff::Timestamp::UNIX_EPOCH;
/// let options =
///     NotesOptions::new(&config.settings().memory, counter, Tokens::new(200_000), now).unwrap();
/// let notes = compact_notes("## Log ##\n\nBash output: a\nb\nc\nd\ne\nf\n\n- **Done**: login\n", &options);
/// assert_eq!(notes.text, "## Log\n\n[Tool output removed]\n\n- Done: login\n");
/// ```
pub fn compact_notes(text: &str, options: &NotesOptions) -> CompactedNotes {
    let unchanged = || CompactedNotes { text: text.to_owned(), items: Vec::new() };
    let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let body = &text[mark.len()..];
    // A lone carriage return ends a line for some readers and not for others.
    if body.replace("\r\n", "").contains('\r') {
        return unchanged();
    }
    let (draft, mut items) = shortened(body, options);
    let result = format!("{mark}{}", draft.text);
    let cost = |text: &str| options.counter.count(text);
    if items.is_empty() || !keeps(body, &draft.text, options) || cost(&result) >= cost(text) {
        return unchanged();
    }
    items.sort_by_key(|item| item.line);
    CompactedNotes { text: result, items }
}

/// Runs all steps until none finds anything.
fn shortened(text: &str, options: &NotesOptions) -> (Draft, Vec<CompactedItem>) {
    let mut draft = Draft::new(text);
    let mut items = Vec::new();
    loop {
        let found = Shape::of(&draft.text, &options.preserve);
        let steps: [&dyn Fn() -> Vec<Edit>; 6] = [
            &|| tool_output::edits(&found, &options.remove, &options.preserve),
            &|| repeat::edits(&found),
            &|| links::edits(&found),
            &|| layout::edits(&found),
            &|| plain::edits(&found),
            &|| join::edits(&found),
        ];
        let edits = steps.iter().map(|step| in_order(step()));
        let Some(edits) = edits.into_iter().find(|edits| !edits.is_empty()) else {
            return (draft, items);
        };
        items.extend(items_of(&draft, &edits, &options.counter));
        let next = draft.apply(&edits);
        if weight(&next.text) >= weight(&draft.text) {
            return (draft, items);
        }
        draft = next;
    }
}

/// Accounts for edits; those of lines that touch are one item.
fn items_of(draft: &Draft, edits: &[Edit], counter: &Counter) -> Vec<CompactedItem> {
    let mut groups: Vec<&[Edit]> = Vec::new();
    let mut from = 0;
    for (index, pair) in edits.windows(2).enumerate() {
        let between = &draft.text[pair[0].range.end..pair[1].range.start];
        if between.contains("\n\n") || pair[0].kind != pair[1].kind {
            groups.push(&edits[from..=index]);
            from = index + 1;
        }
    }
    groups.push(&edits[from..]);
    let groups = groups.into_iter().filter_map(|group| item_of(draft, group, counter));
    groups.collect()
}

fn item_of(draft: &Draft, edits: &[Edit], counter: &Counter) -> Option<CompactedItem> {
    let (first, last) = (edits.first()?, edits.last()?);
    let line_start = |place: usize| draft.text[..place].rfind('\n').map_or(0, |it| it + 1);
    let start = line_start(first.range.start);
    let end = draft.text[last.range.end..].find('\n');
    let end = end.map_or(draft.text.len(), |end| last.range.end + end);
    let (mut after, mut from) = (String::new(), start);
    for edit in edits {
        after.push_str(&draft.text[from..edit.range.start]);
        after.push_str(&edit.with);
        from = edit.range.end;
    }
    after.push_str(&draft.text[from..end]);
    let original_size = counter.count(&draft.text[start..end]);
    Some(CompactedItem {
        kind: first.kind,
        line: draft.number_at(first.range.start),
        original_size,
        compacted_size: counter.count(&after).min(original_size),
    })
}

/// Tells whether all that was guarded is still there, in order and byte for byte.
fn keeps(before: &str, after: &str, options: &NotesOptions) -> bool {
    let shape = Shape::of(before, &options.preserve);
    let mut lines = after.split_inclusive('\n').map(str::trim_end);
    let guarded = (0..shape.lines.len()).filter(|line| shape.guards(*line));
    let all = guarded.into_iter().all(|line| {
        let text = shape.line(line).trim_end();
        text.is_empty() || lines.any(|other| other == text)
    });
    all && blocks(before) == blocks(after)
}

/// Returns what is code, a table, markup or a task by the standard, in order.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut inside = 0_usize;
    for event in Parser::new_ext(text, shape::reading()) {
        match &event {
            Event::Start(Tag::CodeBlock(kind)) => {
                inside += 1;
                let language = match kind {
                    CodeBlockKind::Indented => "",
                    CodeBlockKind::Fenced(language) => language,
                };
                blocks.push(format!("code {language}\n"));
            }
            Event::Start(Tag::Table(_) | Tag::HtmlBlock | Tag::MetadataBlock(_)) => {
                inside += 1;
                blocks.push(format!("{event:?}"));
            }
            Event::End(
                pulldown_cmark::TagEnd::CodeBlock
                | pulldown_cmark::TagEnd::Table
                | pulldown_cmark::TagEnd::HtmlBlock
                | pulldown_cmark::TagEnd::MetadataBlock(_),
            ) => inside = inside.saturating_sub(1),
            Event::TaskListMarker(done) => blocks.push(format!("task {done}")),
            _ if inside > 0 => {
                if let Some(block) = blocks.last_mut() {
                    match event {
                        Event::Text(text) | Event::Html(text) => block.push_str(&text),
                        other => block.push_str(&format!("{other:?}")),
                    }
                }
            }
            _ => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests;
