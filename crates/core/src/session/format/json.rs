//! JSON whose places in the source are known, and objects that are changed member by
//! member while the rest goes through unread.
//!
//! What a session holds besides its blocks (ids, times, members that nobody here knows)
//! is copied as it was written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The members of an object, not yet parsed.
pub(super) type Members<'a> = BTreeMap<String, &'a RawValue>;

/// A part of a source, and where it begins.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The part.
    pub(super) text: &'a str,
    /// Where it begins.
    pub(super) start: usize,
}

impl<'a> Source<'a> {
    /// Takes the whole of a source.
    pub(super) fn whole(text: &'a str) -> Source<'a> {
        Source { text, start: 0 }
    }

    /// Returns where a part of this part is in the source; nowhere is `0..0`.
    pub(super) fn place(&self, part: &str) -> Range<usize> {
        let start = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        match self.text.get(start..start.wrapping_add(part.len())) {
            Some(found) if std::ptr::eq(found.as_ptr(), part.as_ptr()) => {
                start + self.start..start + self.start + part.len()
            }
            _ => 0..0,
        }
    }
}

/// Returns a part of a source as text.
pub(super) fn text_at(source: &[u8], range: Range<usize>) -> &str {
    let bytes = source.get(range).unwrap_or_default();
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Returns the members of an object; none if it is not an object.
pub(super) fn members(raw: &str) -> Members<'_> {
    serde_json::from_str(raw).unwrap_or_default()
}

/// Returns the text of a JSON string, if it is one.
pub(super) fn string(raw: Option<&&RawValue>) -> Option<String> {
    text(raw?.get())
}

/// Returns the text of a JSON string, if it is one.
pub(super) fn text(raw: &str) -> Option<String> {
    match serde_json::from_str(raw) {
        Ok(text) => Some(text),
        Err(_) if raw.starts_with('"') => serde_json::from_str(&repaired(raw)).ok(),
        Err(_) => None,
    }
}

/// Parses JSON that agents write and parsers refuse: halves of characters that stand
/// alone, numbers that no machine holds, more than a hundred levels of nesting. The bytes
/// stay as they are wherever nothing changes; these readings are for everything else.
pub(super) fn value(raw: &str) -> Value {
    let parse = |raw: &str| serde_json::from_str(raw).ok();
    parse(raw).or_else(|| parse(&repaired(raw))).unwrap_or_default()
}

/// The most levels of nesting that are read.
const DEEPEST: usize = 100;

/// Writes JSON again with replacements for what no parser takes.
fn repaired(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let (mut depth, mut at) = (0_usize, 0);
    let bytes = raw.as_bytes();
    while at < bytes.len() {
        let end = match bytes[at] {
            b'"' => string_end(bytes, at),
            b'[' | b'{' if depth == DEEPEST => nested_end(bytes, at),
            b'-' | b'0'..=b'9' => {
                let is_part = |it: &u8| it.is_ascii_alphanumeric() || b"+-.".contains(it);
                at + bytes[at..].iter().take_while(|it| is_part(it)).count()
            }
            _ => at + 1,
        };
        let Some(part) = raw.get(at..end) else {
            return out;
        };
        match bytes[at] {
            b'"' => whole_characters(part, &mut out),
            b'[' | b'{' if depth == DEEPEST => out.push_str(&quoted(part)),
            b'-' | b'0'..=b'9' if part.parse::<f64>().is_ok_and(f64::is_infinite) => {
                out.push_str(&quoted(part));
            }
            byte => {
                depth += usize::from(matches!(byte, b'[' | b'{'));
                depth -= usize::from(matches!(byte, b']' | b'}') && depth > 0);
                // Bytes beyond ASCII stand within strings only.
                out.push_str(part);
            }
        }
        at = end;
    }
    out
}

/// Where a string that begins at `start` ends.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// Where a list or an object that begins at `start` ends.
fn nested_end(bytes: &[u8], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

/// Copies a string; half of a character that stands alone becomes the mark for one.
fn whole_characters(string: &str, out: &mut String) {
    let unit = |at: usize| {
        let digits = string.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = string[at..].find('\\') {
        at += found;
        let width = match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str(&string[copied..at]);
                out.push_str("\\ufffd");
                copied = at + 6;
                6
            }
            (Some(_), _) => 6,
            (None, _) => 2,
        };
        at = (at + width).min(string.len());
    }
    out.push_str(&string[copied..]);
}

/// Takes the text out of a member, if it is one.
pub(super) fn take_string(value: &mut Value, key: &str) -> Option<String> {
    match value.get_mut(key).map(Value::take) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Takes the text out of a member; anything else is an empty text.
pub(super) fn take_text(value: &mut Value, key: &str) -> String {
    take_string(value, key).unwrap_or_default()
}

/// Returns a member that is a number.
pub(super) fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// The members of an object in their order, each as its JSON.
#[derive(Default)]
pub(super) struct Object<'a> {
    members: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Object<'a> {
    /// Makes an object of members that are JSON already.
    pub(super) fn new(members: impl IntoIterator<Item = (&'a str, String)>) -> Object<'a> {
        let members = members.into_iter();
        Object { members: members.map(|(key, json)| (key.into(), json.into())).collect() }
    }

    /// Takes an object apart, if it is one.
    pub(super) fn of(raw: &'a str) -> Option<Object<'a>> {
        serde_json::from_str(raw).ok()
    }

    /// Returns the JSON of a member.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let found = self.members.iter().find(|member| member.0 == key);
        found.map(|member| member.1.as_ref())
    }

    /// Replaces a member in its place, or adds it at the end.
    pub(super) fn set(&mut self, key: &'a str, json: impl Into<Cow<'a, str>>) {
        self.put(key.into(), json.into());
    }

    fn put(&mut self, key: Cow<'a, str>, json: Cow<'a, str>) {
        match self.members.iter_mut().find(|member| member.0 == key) {
            Some(member) => member.1 = json,
            None => self.members.push((key, json)),
        }
    }

    /// Takes a member out.
    pub(super) fn remove(&mut self, key: &str) {
        self.members.retain(|member| member.0 != key);
    }
}

/// Sets members of an object. What is not an object stays as it is.
pub(super) fn with_members<'a>(
    raw: &'a str,
    changes: impl IntoIterator<Item = (&'a str, String)>,
) -> String {
    let Some(mut object) = Object::of(raw) else {
        return raw.to_owned();
    };
    for (key, json) in changes {
        object.set(key, json);
    }
    object.to_string()
}

impl fmt::Display for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (number, (key, json)) in self.members.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            write!(f, "{comma}{}:{json}", quoted(key))?;
        }
        f.write_str("}")
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<'a>, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut object = Object::default();
                while let Some((key, raw)) = map.next_entry::<String, &'de RawValue>()? {
                    object.put(key.into(), raw.get().into());
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Returns the JSON of each element of a list; nothing if it is not a list.
pub(super) fn elements(raw: &str) -> Vec<&str> {
    let elements: Vec<&RawValue> = serde_json::from_str(raw).unwrap_or_default();
    elements.into_iter().map(RawValue::get).collect()
}

/// Returns the JSON of each element of a member.
pub(super) fn elements_of<'a>(members: &Members<'a>, key: &str) -> Vec<&'a str> {
    members.get(key).map_or_else(Vec::new, |it| elements(it.get()))
}

/// Writes a list of JSON values.
pub(super) fn list(elements: &[String]) -> String {
    format!("[{}]", elements.join(","))
}

/// Writes a text as JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Writes a text as JSON, or null.
pub(super) fn quoted_or_null(text: Option<&str>) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_bytes() {
        let mut object = Object::of(r#"{"b": 1.50, "a":[ 1 ], "c":"\u00e9"}"#).expect("an object");
        object.set("a", "2");
        object.set("d", "null");
        object.remove("c");
        assert_eq!(object.to_string(), r#"{"b":1.50,"a":2,"d":null}"#);
        assert_eq!(object.get("b"), Some("1.50"));
        assert!(Object::of("[1]").is_none());
        let twice = Object::of(r#"{"a":1,"a":2}"#).expect("an object");
        assert_eq!(twice.to_string(), r#"{"a":2}"#, "the last one counts");
    }
}
