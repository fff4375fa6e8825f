//! Keeps the first and the last items of JSON arrays, so that what is left is still JSON.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

use super::Limit;
use super::choose::Kept;
use crate::fit::longest;
use crate::session::marker::Marker;

/// A JSON array within a text.
pub(super) struct List<'a> {
    text: &'a str,
    /// Where it stands in the text.
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
    (is_most && items.len() > 2).then_some(List { text, place: start..start + raw.len(), items })
}

impl List<'_> {
    /// Keeps as many items of either end as fit, `most` at most.
    pub(super) fn keep(
        &self,
        most: usize,
        chars: usize,
        limit: &Limit<'_>,
        marker: Marker<'_>,
    ) -> Option<Kept> {
        let mut best = None;
        longest(most.min((self.items.len() - 1) / 2), |each| {
            if each == 0 {
                return true;
            }
            let text = self.write(each, marker);
            let fits = text.len() <= chars && limit.size(&text) <= limit.most();
            if fits {
                best = Some(text);
            }
            fits
        });
        let text = best?;
        let total = self.text.lines().count();
        Some(Kept { lines: text.lines().count().min(total), total, text })
    }

    fn write(&self, each: usize, marker: Marker<'_>) -> String {
        let total = self.items.len();
        let raw = |items: &[&RawValue]| -> Vec<String> {
            items.iter().map(|it| it.get().to_owned()).collect()
        };
        let omitted = format!("... {} items omitted ...", total - 2 * each);
        let said = [omitted, marker.kept(2 * each, total, "items")];
        let said = said.map(|text| Value::from(text).to_string()).to_vec();
        let ends = (&self.items[..each], &self.items[total - each..]);
        let parts = [raw(ends.0), said, raw(ends.1)].concat();
        let (before, after) = (&self.text[..self.place.start], &self.text[self.place.end..]);
        format!("{before}[\n{}\n]{after}", parts.join(",\n"))
    }
}
