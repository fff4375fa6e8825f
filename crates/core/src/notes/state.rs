//! Changes one member of `state.json` and leaves every other byte alone.
//!
//! The file belongs to agents and people; unknown keys, their order and the
//! way it is indented stay. A file that is no JSON object is not touched.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::value::RawValue;

/// The members of `state.json` that Loadline writes, which do not count as notes.
pub(crate) const OWN_MEMBERS: [&str; 2] = ["tokenUsage", "lastCompaction"];

/// Sets a member of the object that `text` is, or returns `None` where it is none.
///
/// A member that is there is replaced in its place, a new one comes last. The
/// layout follows that of the object. An empty text becomes an object.
pub(crate) fn set_member(text: &str, key: &str, value: &Value) -> Option<String> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    if body.trim().is_empty() {
        return set_member("{\n}\n", key, value);
    }
    let members = members(text)?;
    let layout = Layout::of(text)?;
    if let Some((place, _)) = members.get(key) {
        let written = layout.write(value)?;
        return Some([&text[..place.start], &written, &text[place.end..]].concat());
    }
    let end = text.rfind('}')?;
    let before = text[..end].trim_end();
    let comma = if members.is_empty() { "" } else { "," };
    let key = Value::from(key).to_string();
    let member = format!("{comma}{}{key}:{}{}", layout.lead, layout.space, layout.write(value)?);
    Some([before, &member, &layout.end, &text[end..]].concat())
}

/// Returns the text of an object without some of its members.
///
/// `None` where it is no object or holds none of them.
pub(crate) fn without_members(text: &str, keys: &[&str]) -> Option<String> {
    let members = members(text)?;
    let mut cuts: Vec<Range<usize>> =
        keys.iter().filter_map(|key| cut_of(text, key, members.get(*key)?.0.clone())).collect();
    if cuts.is_empty() {
        return None;
    }
    cuts.sort_by_key(|cut| cut.start);
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for cut in cuts {
        kept.push_str(text.get(from..cut.start).unwrap_or_default());
        from = from.max(cut.end);
    }
    kept.push_str(&text[from..]);
    Some(kept)
}

/// Returns the members of the object that `text` is, with the places of their values.
fn members(text: &str) -> Option<BTreeMap<String, (Range<usize>, &RawValue)>> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(body).ok()?;
    let place = |raw: &RawValue| {
        // Borrowed from the text, so that the distance is where it stands.
        let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
        start..start + raw.get().len()
    };
    Some(members.into_iter().map(|(key, raw)| (key, (place(raw), raw))).collect())
}

/// Returns what to cut so that a member is gone and the rest is still an object.
fn cut_of(text: &str, key: &str, value: Range<usize>) -> Option<Range<usize>> {
    let before = text[..value.start].trim_end().strip_suffix(':')?.trim_end();
    // A key that is written with escapes stays; it costs a few tokens.
    let before = before.strip_suffix(&Value::from(key).to_string())?;
    let start = before.trim_end();
    if let Some(start) = start.strip_suffix(',') {
        return Some(start.len()..value.end);
    }
    let after = text[value.end..].trim_start();
    let end = text.len() - after.len();
    if after.starts_with(',') { Some(before.len()..end + 1) } else { Some(before.len()..value.end) }
}

/// How the members of an object are laid out.
struct Layout {
    /// What stands before a member.
    lead: String,
    /// What stands after the last member.
    end: String,
    /// What stands after a colon.
    space: &'static str,
    /// What one level is indented by; `None` is all on one line.
    indent: Option<String>,
    newline: &'static str,
}

impl Layout {
    fn of(text: &str) -> Option<Layout> {
        let inside = &text[text.find('{')? + 1..];
        let space = &inside[..inside.len() - inside.trim_start().len()];
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        if !space.contains('\n') {
            return Some(Layout {
                lead: space.to_owned(),
                end: space.to_owned(),
                space: if text.contains("\": ") { " " } else { "" },
                indent: None,
                newline,
            });
        }
        let indent = space.rsplit('\n').next().unwrap_or_default();
        let indent = if inside.trim_start().starts_with('}') { "  " } else { indent };
        Some(Layout {
            lead: format!("{newline}{indent}"),
            end: newline.to_owned(),
            space: " ",
            indent: Some(indent.to_owned()),
            newline,
        })
    }

    /// Writes a value as a member of the object.
    fn write(&self, value: &Value) -> Option<String> {
        let Some(indent) = &self.indent else {
            return Some(value.to_string());
        };
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(indent.as_bytes());
        value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter)).ok()?;
        let written = String::from_utf8(bytes).ok()?;
        Some(written.replace('\n', &format!("{}{indent}", self.newline)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn f222_a_member_is_set_and_the_rest_keeps_its_bytes() {
        for (text, want) in [
            ("{}", "{\"k\":{\"a\":1}}"),
            ("{\"x\": 1}", "{\"x\": 1,\"k\": {\"a\":1}}"),
            (
                "{\n    \"x\": [1,  2]\n}\n",
                "{\n    \"x\": [1,  2],\n    \"k\": {\n        \"a\": 1\n    }\n}\n",
            ),
            (
                "{\n  \"k\": 7,\n  \"x\":1.50\n}",
                "{\n  \"k\": {\n    \"a\": 1\n  },\n  \"x\":1.50\n}",
            ),
            ("", "{\n  \"k\": {\n    \"a\": 1\n  }\n}\n"),
            ("{\r\n\t\"x\": 1\r\n}", "{\r\n\t\"x\": 1,\r\n\t\"k\": {\r\n\t\t\"a\": 1\r\n\t}\r\n}"),
        ] {
            let set = set_member(text, "k", &json!({"a": 1}));
            assert_eq!(set.as_deref(), Some(want), "{text:?}");
        }
        for text in ["[]", "7", "{", "no", "{\"a\":1} x"] {
            assert_eq!(set_member(text, "k", &json!(1)), None, "{text:?}");
        }
    }

    #[test]
    fn own_members_are_cut_out_whole() {
        for (text, want) in [
            ("{\"k\":1}", "{}"),
            ("{\"a\":1,\"k\":{\"x\":2}}", "{\"a\":1}"),
            ("{\"k\":1, \"a\":1}", "{ \"a\":1}"),
            ("{\"a\":1,\n  \"k\":1,\n  \"b\":2}", "{\"a\":1,\n  \"b\":2}"),
        ] {
            assert_eq!(without_members(text, &["k"]).as_deref(), Some(want));
        }
        assert_eq!(without_members("{\"a\":1}", &["k"]), None);
        assert_eq!(without_members("nothing", &["k"]), None);
    }

    proptest! {
        #[test]
        fn setting_twice_is_setting_once(keys in prop::collection::vec("[a-d]", 0..4), pretty: bool) {
            let object: serde_json::Map<String, Value> =
                keys.into_iter().map(|key| (key, json!([1, {"z": "é"}]))).collect();
            let object = Value::from(object);
            let text = if pretty { serde_json::to_string_pretty(&object).unwrap() } else { object.to_string() };
            let once = set_member(&text, "b", &json!({"n": [1]})).unwrap();
            prop_assert_eq!(set_member(&once, "b", &json!({"n": [1]})).unwrap(), once.clone());
            let mut want = object;
            want["b"] = json!({"n": [1]});
            prop_assert_eq!(serde_json::from_str::<Value>(&once).unwrap(), want);
            let without = without_members(&once, &["b"]).unwrap();
            let without: Value = serde_json::from_str(&without).unwrap();
            prop_assert!(without.get("b").is_none());
        }
    }
}
