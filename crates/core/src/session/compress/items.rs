//! JSON arrays: the first and the last items, and still JSON.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

use super::choose::{Chosen, Room};
use crate::session::marker::Marker;

/// A JSON array within a text.
pub(super) struct List<'a> {
    /// Where it stands.
    place: Range<usize>,
    items: Vec<&'a RawValue>,
}

/// Finds the array that a text is, or that makes up most of the object that a text is.
pub(super) fn find(text: &str) -> Option<List<'_>> {
    let body = text.trim();
    let (first, last) = (body.bytes().next()?, body.bytes().last()?);
    let raw = match (first, last) {
        (b'[', b']') => body,
        (b'{', b'}') => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(body).ok()?;
            let arrays = members.values().map(|raw| raw.get());
            let arrays = arrays.filter(|raw| raw.starts_with('['));
            arrays.max_by_key(|raw| raw.len())?
        }
        _ => return None,
    };
    let items: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    // Borrowed from the text, so that the distance is where it stands.
    let start = raw.as_ptr() as usize - text.as_ptr() as usize;
    let is_most = raw.len() * 2 > text.len();
    (is_most && items.len() > 2).then_some(List {
        place: start..start + raw.len(),
        items,
    })
}

/// Keeps as many items of either end as there is room for, `most` at most.
pub(super) fn choose(
    text: &str,
    list: &List<'_>,
    most: usize,
    room: Room,
    marker: Marker<'_>,
) -> Option<Chosen> {
    let total = list.items.len();
    let around = text.len() - list.place.len();
    let length = |items: &[&RawValue]| items.iter().map(|it| it.get().len() + 2).sum::<usize>();
    let mut each = most.min((total - 1) / 2);
    let fits = |each: usize| {
        let kept = length(&list.items[..each]) + length(&list.items[total - each..]);
        kept + around + 100 <= room.chars
    };
    while each > 0 && !fits(each) {
        each -= 1;
    }
    if each == 0 {
        return None;
    }
    let omitted = total - 2 * each;
    let mut parts: Vec<String> = Vec::new();
    parts.extend(list.items[..each].iter().map(|it| it.get().to_owned()));
    parts.push(Value::from(format!("... {omitted} items omitted ...")).to_string());
    parts.push(Value::from(marker.kept(2 * each, total, "items")).to_string());
    parts.extend(
        list.items[total - each..]
            .iter()
            .map(|it| it.get().to_owned()),
    );
    let array = format!("[\n{}\n]", parts.join(",\n"));
    let (before, after) = (&text[..list.place.start], &text[list.place.end..]);
    let total = text.lines().count();
    let text = [before, &array, after].concat();
    Some(Chosen {
        kept: text.lines().count().min(total),
        total,
        text,
    })
}
