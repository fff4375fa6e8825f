//! Changes of JSON that leave every other byte as it is, and names for what is added.

use std::fmt::Display;
use std::ops::Range;

use serde_json::Value;

use super::json::{Members, place};

/// The time of what has none.
pub(super) const NO_TIME: &str = "1970-01-01T00:00:00.000Z";

/// Sets members of a JSON object; those that it lacks come first.
///
/// Values are JSON. What is no object is given back as it is.
pub(super) fn set_members(object: &str, changes: &[(&str, String)]) -> String {
    let Ok(members) = serde_json::from_str::<Members<'_>>(object) else {
        return object.to_owned();
    };
    let mut added = Vec::new();
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    for (key, value) in changes {
        match members.get(*key) {
            Some(raw) => edits.push((place(object, raw.get()), value)),
            None => added.push(format!("{}:{value}", quoted(key))),
        }
    }
    let mut head = added.join(",");
    if !head.is_empty() && !members.is_empty() {
        head.push(',');
    }
    let open = object.find('{').map_or(0, |at| at + 1);
    edits.push((open..open, &head));
    edits.sort_by_key(|edit| edit.0.start);
    splice(object, &edits)
}

/// Replaces parts of a text. They stand in order and do not overlap.
fn splice(text: &str, edits: &[(Range<usize>, &str)]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for (range, with) in edits {
        result.push_str(text.get(done..range.start).unwrap_or_default());
        result.push_str(with);
        done = range.end;
    }
    result.push_str(text.get(done..).unwrap_or_default());
    result
}

/// Writes an object of members that are JSON already.
pub(super) fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(key, value)| format!("{}:{value}", quoted(key)))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// Writes a text as JSON.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns the line that a place of the source stands in, without its end.
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

/// A name that follows from what it names: the same input has the same names.
pub(super) struct Name([u8; 32]);

impl Name {
    /// Makes a name from parts, which are told apart.
    pub(super) fn of(parts: &[&dyn Display]) -> Name {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            let part = part.to_string();
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Name(*hasher.finalize().as_bytes())
    }

    /// The name as a UUID; it looks like a random one.
    pub(super) fn uuid(&self) -> String {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&self.0[..16]);
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let hex = hex(&bytes);
        let (a, b, c, d, e) = (
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..],
        );
        format!("{a}-{b}-{c}-{d}-{e}")
    }

    /// The first digits of the name.
    pub(super) fn digits(&self, count: usize) -> String {
        let mut hex = hex(&self.0);
        hex.truncate(count);
        hex
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_stay() {
        let object = r#"{ "a" : 1,  "b": {"c":[ 1 ]} }"#;
        let changes = [("b", "2".to_owned()), ("n", "null".to_owned())];
        assert_eq!(
            set_members(object, &changes),
            r#"{"n":null, "a" : 1,  "b": 2 }"#
        );
        assert_eq!(set_members("{}", &changes), r#"{"b":2,"n":null}"#);
        assert_eq!(set_members("[1]", &changes), "[1]");
    }

    #[test]
    fn names_follow_from_their_parts() {
        let name = Name::of(&[&"a", &1]).uuid();
        assert_eq!(name, Name::of(&[&"a", &1]).uuid());
        assert_ne!(name, Name::of(&[&"a1", &""]).uuid());
        assert_eq!((name.len(), &name[14..15]), (36, "4"));
    }

    #[test]
    fn lines_are_found_by_a_place_in_them() {
        assert_eq!(line_at(b"ab\ncd\n", 0), 0..2);
        assert_eq!(line_at(b"ab\ncd\n", 4), 3..5);
        assert_eq!(line_at(b"ab", 9), 0..2);
    }
}
