//! Objects whose members are replaced one by one, while the rest stays as it was written.
//!
//! What a session holds besides its blocks (ids, times, fields that nobody here
//! knows) goes through unread and unformatted.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The members of an object in their order, each as its JSON.
pub(super) struct Object<'a> {
    members: Vec<(String, Cow<'a, str>)>,
}

impl<'a> Object<'a> {
    /// Makes an object that has no members.
    pub(super) fn empty() -> Object<'a> {
        Object {
            members: Vec::new(),
        }
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
    pub(super) fn set(&mut self, key: &str, json: impl Into<Cow<'a, str>>) {
        let json = json.into();
        match self.members.iter_mut().find(|member| member.0 == key) {
            Some(member) => member.1 = json,
            None => self.members.push((key.to_owned(), json)),
        }
    }

    /// Takes a member out.
    pub(super) fn remove(&mut self, key: &str) {
        self.members.retain(|member| member.0 != key);
    }
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
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut object = Object::empty();
                while let Some((key, raw)) = map.next_entry::<String, &'de RawValue>()? {
                    object.set(&key, raw.get());
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// Returns the JSON of each element of a list; nothing if it is none.
pub(super) fn elements(raw: &str) -> Vec<&str> {
    let elements: Vec<&RawValue> = serde_json::from_str(raw).unwrap_or_default();
    elements.into_iter().map(RawValue::get).collect()
}

/// Writes a list of JSON values.
pub(super) fn list(elements: &[String]) -> String {
    format!("[{}]", elements.join(","))
}

/// Writes a text as JSON.
pub(super) fn quoted(text: &str) -> String {
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
    }

    #[test]
    fn of_a_key_that_stands_twice_the_last_counts() {
        let object = Object::of(r#"{"a":1,"a":2}"#).expect("an object");
        assert_eq!(object.to_string(), r#"{"a":2}"#);
    }
}
