//! Messages or items of an API: a bare list, one on each line, or a member of a
//! request's body.

use std::ops::Range;

use serde_json::value::RawValue;

use super::json::{Head, Layout, Members, lines, place};
use super::object::list;
use crate::Remark;

/// A list and what stands around it.
pub(super) struct Listed<'a> {
    /// The other members of the body, if the list stands in one.
    pub(super) body: Members<'a>,
    /// The JSON of each element.
    pub(super) elements: Vec<&'a str>,
    /// What was odd.
    pub(super) notes: Vec<Remark>,
    source: &'a str,
    /// Where the list stands in the source.
    range: Range<usize>,
    is_lines: bool,
}

impl<'a> Listed<'a> {
    /// Finds the list in a source; `key` is its name in a body.
    ///
    /// Fails with the reason when there is none.
    pub(super) fn of(source: &'a [u8], key: &str) -> Result<Listed<'a>, String> {
        let text = std::str::from_utf8(source).map_err(|error| error.to_string())?;
        let mut listed = Listed {
            body: Members::new(),
            elements: Vec::new(),
            notes: Vec::new(),
            source: text,
            range: 0..text.len(),
            is_lines: false,
        };
        if let Ok(mut body) = serde_json::from_str::<Members<'a>>(text)
            && let Some(member) = body.remove(key)
        {
            listed.range = place(text, member.get());
            listed.body = body;
            // The input of a request may be one text.
            listed.elements = match serde_json::from_str::<Vec<&'a RawValue>>(member.get()) {
                Ok(elements) => elements.into_iter().map(RawValue::get).collect(),
                Err(_) if member.get().starts_with('"') => vec![member.get()],
                Err(error) => return Err(format!("its {key} are no list: {error}")),
            };
            return Ok(listed);
        }
        match serde_json::from_str::<Vec<&'a RawValue>>(text) {
            Ok(elements) => listed.elements = elements.into_iter().map(RawValue::get).collect(),
            Err(error) => {
                listed.read_lines(source);
                if listed.elements.is_empty() {
                    return Err(error.to_string());
                }
            }
        }
        Ok(listed)
    }

    fn read_lines(&mut self, source: &'a [u8]) {
        self.is_lines = true;
        for (number, (_, line)) in lines(source).enumerate() {
            let value = line.ok().map(serde_json::from_str::<&RawValue>);
            match value {
                Some(Ok(value)) => self.elements.push(value.get()),
                _ => self.notes.push(unread(number + 1)),
            }
        }
    }

    /// Returns where a part stands in the source.
    pub(super) fn place(&self, part: &str) -> Range<usize> {
        place(self.source, part)
    }

    /// Writes the source with other elements in its list.
    pub(super) fn with(&self, elements: &[String]) -> Vec<u8> {
        let list = if self.is_lines {
            elements
                .iter()
                .map(|it| format!("{}\n", one_line(it)))
                .collect()
        } else {
            list(elements)
        };
        let (before, after) = (
            &self.source[..self.range.start],
            &self.source[self.range.end..],
        );
        [before, &list, after].concat().into_bytes()
    }
}

/// Says that a line cannot be read.
pub(super) fn unread(line: usize) -> Remark {
    Remark::new(format!("line {line}"), "this is no record and is left out")
}

/// Puts JSON on one line: whatever break it has stands between its marks.
fn one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}

/// Returns the objects of a list, bare or under `key` of a body, for finding a format.
pub(super) fn inner<'a>(head: &'a Head<'a>, key: &str) -> Option<Head<'a>> {
    let list = match head.layout {
        Layout::Object => head.objects.first()?.get(key)?.get(),
        Layout::List | Layout::Lines => return None,
    };
    Head::of(list.as_bytes()).ok()
}
