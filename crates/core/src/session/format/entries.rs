//! The objects of a log, one on each line; what is none costs a note.

use std::ops::Range;

use super::json::{Members, lines};
use crate::Remark;

/// How many lines that cannot be read are noted one by one.
const NOTED: usize = 5;

/// An object of a log.
pub(super) struct Entry<'a> {
    /// Where its line begins in the source.
    pub(super) start: usize,
    /// Its line.
    pub(super) line: &'a str,
    /// What it holds.
    pub(super) members: Members<'a>,
}

/// Hands over every object of a log, in order.
pub(super) fn each_entry<'a>(
    source: &'a [u8],
    notes: &mut Vec<Remark>,
    mut take: impl FnMut(Entry<'a>),
) {
    let mut bad: Vec<Range<usize>> = Vec::new();
    for (place, line) in lines(source) {
        let entry = line.ok().and_then(|line| {
            let members = serde_json::from_str(line).ok()?;
            let start = place.start;
            Some(Entry {
                start,
                line,
                members,
            })
        });
        match entry {
            Some(entry) => take(entry),
            None => bad.push(place),
        }
    }
    for place in bad.iter().take(NOTED) {
        let is_cut = place.end == source.len() && source.last() != Some(&b'\n');
        let message = if is_cut {
            "the last line is cut off; it is kept as it is"
        } else {
            "this line is no JSON object; it is kept as it is"
        };
        notes.push(Remark::new(format!("byte {}", place.start), message));
    }
    if let Some(more) = bad.len().checked_sub(NOTED).filter(|more| *more > 0) {
        let message = format!("{more} more lines are no JSON objects; they are kept as they are");
        notes.push(Remark::new("session", message));
    }
}
