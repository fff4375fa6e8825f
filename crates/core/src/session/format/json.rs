//! JSON whose places in the source are known.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::session::error::SessionError;

/// How many objects are looked at to find a format.
const LOOKED_AT: usize = 64;

/// The members of an object, not yet parsed.
pub(super) type Members<'a> = BTreeMap<String, &'a RawValue>;

/// The beginning of a session, for finding its format.
pub(crate) struct Head<'a> {
    /// How the objects stand in the source.
    pub(super) layout: Layout,
    /// The first objects: of the lines, of the list, or the one document.
    pub(super) objects: Vec<Members<'a>>,
}

/// How JSON stands in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// One value on each line.
    Lines,
    /// One list.
    List,
    /// One object. A log of a single line looks the same.
    Object,
}

impl<'a> Head<'a> {
    /// Looks at the first objects of a source.
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
        if let Ok(members) = serde_json::from_str(text) {
            let (layout, objects) = (Layout::Object, vec![members]);
            return Ok(Head { layout, objects });
        }
        if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(text) {
            let objects = elements.into_iter().take(LOOKED_AT);
            return Ok(Head {
                layout: Layout::List,
                objects: objects
                    .filter_map(|it| serde_json::from_str(it.get()).ok())
                    .collect(),
            });
        }
        Ok(Head::of_lines(source))
    }

    fn of_lines(source: &'a [u8]) -> Head<'a> {
        let objects = lines(source)
            .filter_map(|(_, line)| serde_json::from_str(line.ok()?).ok())
            .take(LOOKED_AT)
            .collect();
        let layout = Layout::Lines;
        Head { layout, objects }
    }

    /// Tells whether any of the objects has this member.
    pub(super) fn any_has(&self, key: &str) -> bool {
        self.objects.iter().any(|object| object.contains_key(key))
    }

    /// Tells whether any of the objects has this member with this text.
    pub(super) fn any_is(&self, key: &str, text: &str) -> bool {
        let is = |object: &Members<'_>| string(object.get(key)).as_deref() == Some(text);
        self.objects.iter().any(is)
    }

    /// Says what the source looks like, for an error.
    pub(super) fn describe(&self) -> String {
        let Some(first) = self.objects.first() else {
            return "it holds no JSON objects".to_owned();
        };
        let keys: Vec<&str> = first.keys().take(8).map(String::as_str).collect();
        format!("its first object has the keys {}", keys.join(", "))
    }
}

/// Splits a source into lines with their places; blank ones are passed over.
///
/// A line that is not UTF-8 is an error, so that the caller can note it.
pub(super) fn lines(
    source: &[u8],
) -> impl Iterator<Item = (Range<usize>, Result<&str, std::str::Utf8Error>)> {
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

/// Returns where a part of the source stands in it.
pub(super) fn place(source: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(source.as_ptr() as usize);
    match source.get(start..start.wrapping_add(part.len())) {
        Some(found) if std::ptr::eq(found.as_ptr(), part.as_ptr()) => start..start + part.len(),
        _ => 0..0,
    }
}

/// Returns the text of a JSON string, if it is one.
pub(super) fn string(raw: Option<&&RawValue>) -> Option<String> {
    serde_json::from_str(raw?.get()).ok()
}

/// Takes the text out of a value, if it is one.
pub(super) fn take_string(value: Option<&mut Value>) -> Option<String> {
    match value.map(Value::take) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Returns a member that is a number.
pub(super) fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}
