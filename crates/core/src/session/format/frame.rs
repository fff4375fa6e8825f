//! How the records of a session are framed: one on each line, as a list, or as a list
//! in a document. A format is recognised by its first records.

use std::ops::Range;

use serde_json::value::RawValue;

use super::json::{Members, Source, elements, list, string};
use super::{SessionFormat, malformed};
use crate::Remark;
use crate::session::error::SessionError;

/// How many records are looked at to find a format.
const LOOKED_AT: usize = 64;

/// How many lines that cannot be read are remarked on one by one.
const REMARKED: usize = 5;

/// How JSON is laid out in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// One value on each line.
    Lines,
    /// One list.
    List,
    /// One object. A log of a single line looks the same.
    Object,
}

/// The beginning of a session, for finding its format.
pub(crate) struct Head<'a> {
    /// How the records are laid out.
    pub(super) layout: Layout,
    /// The first records: of the lines, of the list, or the one document.
    pub(super) objects: Vec<Members<'a>>,
}

impl<'a> Head<'a> {
    /// Looks at the first records of a source.
    pub(super) fn of(source: &'a [u8]) -> Result<Head<'a>, SessionError> {
        if source.trim_ascii().is_empty() {
            return Err(SessionError::Empty);
        }
        let mut parts = lines(source);
        let first = parts.next().and_then(|(_, line)| line.ok());
        let is_value = first.is_some_and(|it| serde_json::from_str::<&RawValue>(it).is_ok());
        if is_value && parts.next().is_some() {
            return Ok(Head::of_lines(source));
        }
        let text = std::str::from_utf8(source).unwrap_or_default();
        if let Ok(document) = serde_json::from_str(text) {
            return Ok(Head { layout: Layout::Object, objects: vec![document] });
        }
        if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(text) {
            let objects = elements.into_iter().take(LOOKED_AT);
            return Ok(Head {
                layout: Layout::List,
                objects: objects.filter_map(|it| serde_json::from_str(it.get()).ok()).collect(),
            });
        }
        Ok(Head::of_lines(source))
    }

    fn of_lines(source: &'a [u8]) -> Head<'a> {
        let objects = lines(source)
            .filter_map(|(_, line)| serde_json::from_str(line.ok()?).ok())
            .take(LOOKED_AT)
            .collect();
        Head { layout: Layout::Lines, objects }
    }

    /// Returns the document, if the source is one.
    pub(super) fn document(&self) -> Option<&Members<'a>> {
        let first = self.objects.first();
        first.filter(|_| self.layout == Layout::Object)
    }

    /// Returns the records of a list: bare, on lines, or under `key` of a document.
    pub(super) fn records(&self, key: &str) -> Vec<Members<'_>> {
        match self.document() {
            None => self.objects.clone(),
            Some(document) => {
                let list = document.get(key).map(|it| it.get().as_bytes());
                let inner = list.and_then(|list| Head::of(list).ok());
                inner.map_or_else(Vec::new, |it| it.objects)
            }
        }
    }

    /// Describes the source, for an error.
    pub(super) fn describe(&self) -> String {
        let Some(first) = self.objects.first() else {
            return "no JSON objects found".to_owned();
        };
        let keys: Vec<&str> = first.keys().take(8).map(String::as_str).collect();
        format!("the first object has the keys {}", keys.join(", "))
    }
}

/// Tells whether a record has a member with this text.
pub(super) fn is(record: &Members<'_>, key: &str, text: &str) -> bool {
    string(record.get(key)).as_deref() == Some(text)
}

/// Splits a source into lines with their places; blank ones are skipped.
///
/// A line that is not UTF-8 is an error, so that the caller can remark on it.
fn lines(source: &[u8]) -> impl Iterator<Item = (Range<usize>, Result<&str, std::str::Utf8Error>)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= source.len() {
            return None;
        }
        let rest = &source[start..];
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let range = start..start + length;
        start += length;
        Some(range)
    })
    .filter(|range| !source[range.clone()].trim_ascii().is_empty())
    .map(|range| {
        let line = std::str::from_utf8(&source[range.clone()]);
        (range, line)
    })
}

/// A record of a log.
pub(super) struct Entry<'a> {
    /// Its line, without the line break.
    pub(super) line: Source<'a>,
    /// What it holds.
    pub(super) members: Members<'a>,
}

/// Hands over every record of a log, in order. A line that is not a record, or that is
/// not accepted, costs a remark.
pub(super) fn each_entry<'a>(
    source: &'a [u8],
    remarks: &mut Vec<Remark>,
    mut accept: impl FnMut(Entry<'a>) -> bool,
) {
    let mut bad: Vec<Range<usize>> = Vec::new();
    for (place, line) in lines(source) {
        let entry = line.ok().and_then(|line| {
            let text = line.trim_end();
            let members = serde_json::from_str(text).ok()?;
            let start = place.start;
            let line = Source { text, start };
            Some(Entry { line, members })
        });
        if !entry.is_some_and(&mut accept) {
            bad.push(place);
        }
    }
    for place in bad.iter().take(REMARKED) {
        let is_cut = place.end == source.len() && source.last() != Some(&b'\n');
        let message = if is_cut {
            "the last line is cut off; it is kept as it is"
        } else {
            "this line is not a record; it is kept as it is"
        };
        remarks.push(Remark::new(format!("byte {}", place.start), message));
    }
    if let Some(more) = bad.len().checked_sub(REMARKED).filter(|more| *more > 0) {
        let message = format!("{more} more lines are not records; they are kept as they are");
        remarks.push(Remark::new("session", message));
    }
}

/// Returns the line that a place of the source is in, without its end.
pub(super) fn line_at(source: &[u8], place: usize) -> Range<usize> {
    let place = place.min(source.len());
    let start = memchr::memrchr(b'\n', &source[..place]).map_or(0, |at| at + 1);
    let end = memchr::memchr(b'\n', &source[place..]).map_or(source.len(), |at| place + at);
    start..end
}

/// Returns a log to which lines can be added: its last line has an end.
pub(super) fn open_end(source: &[u8]) -> Vec<u8> {
    let mut bytes = source.to_vec();
    if bytes.last().is_some_and(|it| *it != b'\n') {
        bytes.push(b'\n');
    }
    bytes
}

/// A list of records with what surrounds it: a bare list, one record on each line, or a
/// member of a document.
pub(super) struct Listed<'a> {
    /// The other members of the document, if the list is in one.
    pub(super) body: Members<'a>,
    /// The JSON of each record.
    pub(super) records: Vec<&'a str>,
    /// What was odd.
    pub(super) remarks: Vec<Remark>,
    /// The whole source.
    pub(super) source: Source<'a>,
    /// Where the list is in the source.
    range: Range<usize>,
    is_lines: bool,
}

impl<'a> Listed<'a> {
    /// Finds the list in a source; `key` is its name in a document.
    pub(super) fn of(
        source: &'a [u8],
        key: &str,
        format: SessionFormat,
    ) -> Result<Listed<'a>, SessionError> {
        let text = std::str::from_utf8(source).map_err(|error| malformed(format, error))?;
        let mut listed = Listed {
            body: Members::new(),
            records: Vec::new(),
            remarks: Vec::new(),
            source: Source::whole(text),
            range: 0..text.len(),
            is_lines: false,
        };
        if let Ok(mut body) = serde_json::from_str::<Members<'a>>(text)
            && let Some(member) = body.remove(key)
        {
            let raw = member.get();
            listed.range = listed.source.place(raw);
            listed.body = body;
            listed.records = match raw.as_bytes().first() {
                Some(b'[') => elements(raw),
                // The input of a request may be one text.
                Some(b'"') => vec![raw],
                _ => return Err(malformed(format, format!("its {key} are not a list"))),
            };
            return Ok(listed);
        }
        match serde_json::from_str::<Vec<&'a RawValue>>(text) {
            Ok(records) => {
                listed.records = records.into_iter().map(RawValue::get).collect();
                listed.range = listed.source.place(text.trim());
            }
            Err(error) => {
                listed.is_lines = true;
                let Listed { records, remarks, .. } = &mut listed;
                each_entry(source, remarks, |entry| {
                    records.push(entry.line.text.trim());
                    true
                });
                if records.is_empty() {
                    return Err(malformed(format, error));
                }
            }
        }
        Ok(listed)
    }

    /// Tells whether the list is a member of a document.
    pub(super) fn is_member(&self) -> bool {
        self.range != (0..self.source.text.len()) && !self.body.is_empty()
    }

    /// Writes the source with other records in its list.
    pub(super) fn with(&self, records: &[String]) -> Vec<u8> {
        let one_line = |json: &String| json.replace(['\n', '\r'], " ") + "\n";
        let written = if self.is_lines {
            records.iter().map(one_line).collect()
        } else {
            self.spaced(records).unwrap_or_else(|| list(records))
        };
        let text = self.source.text;
        let (before, after) = (&text[..self.range.start], &text[self.range.end..]);
        [before, &written, after].concat().into_bytes()
    }

    /// Writes a list with the spaces that were between its records.
    fn spaced(&self, records: &[String]) -> Option<String> {
        let [first, second, ..] = self.records.as_slice() else {
            return None;
        };
        let text = self.source.text;
        let (first, second) = (self.source.place(first), self.source.place(second));
        let last = self.source.place(self.records.last()?);
        let opening = text.get(self.range.start + 1..first.start)?;
        let between = text.get(first.end..second.start)?;
        let closing = text.get(last.end..self.range.end.checked_sub(1)?)?;
        let opening = if records.is_empty() { "" } else { opening };
        Some(format!("[{opening}{}{closing}]", records.join(between)))
    }
}

/// Remarks on a record that is left out.
pub(super) fn left_out(source: Source<'_>, record: &str) -> Remark {
    let place = source.place(record).start;
    Remark::new(format!("byte {place}"), "this is not a message; it is left out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_a_place_in_them() {
        assert_eq!(line_at(b"ab\ncd\n", 0), 0..2);
        assert_eq!(line_at(b"ab\ncd\n", 4), 3..5);
        assert_eq!(line_at(b"ab", 9), 0..2);
    }
}
