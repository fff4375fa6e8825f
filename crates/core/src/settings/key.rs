//! Keys: which ones exist, and which one was probably meant.
//!
//! The table of known keys is not written down a second time: it is collected
//! from the sections of `settings.rs`, where each field is a key.

use std::fmt;
use std::sync::LazyLock;

use toml::{Table, Value};

use crate::settings::keys::Settings;
use crate::settings::kind::Rule;
use crate::settings::section::Section;
use crate::text::nearest;

/// The place of a value in the tables of a file, from the outside in.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeyPath(pub(super) Vec<String>);

impl KeyPath {
    /// Splits a dotted key as written in this crate; not for names that hold dots.
    pub(super) fn dotted(text: &str) -> KeyPath {
        KeyPath(text.split('.').map(str::to_owned).collect())
    }

    /// Reads a key as TOML writes it, with quotes around names that hold dots.
    pub(super) fn parse(text: &str) -> KeyPath {
        let mut path = KeyPath::default();
        let table = format!("{text} = 0").parse::<Table>();
        let mut rest = table.map_or(Value::Integer(0), Value::Table);
        while let Value::Table(table) = rest {
            // More than one entry was no key but several lines.
            let mut entries = table.into_iter();
            let (Some((name, value)), None) = (entries.next(), entries.next()) else {
                return KeyPath::dotted(text);
            };
            path.0.push(name);
            rest = value;
        }
        if path.0.is_empty() {
            return KeyPath::dotted(text);
        }
        path
    }

    /// Returns the path of an entry in the table at this path.
    pub(super) fn child(&self, name: &str) -> KeyPath {
        let mut path = self.clone();
        path.0.push(name.to_owned());
        path
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            write!(f, "{dot}{}", key_text(segment))?;
        }
        Ok(())
    }
}

/// Writes one segment of a key as TOML does: quoted only where it has to be.
pub(super) fn key_text(segment: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !segment.is_empty() && segment.chars().all(bare) {
        segment.to_owned()
    } else {
        Value::String(segment.to_owned()).to_string()
    }
}

/// One known key; a segment `*` stands for a name the user chooses.
pub(super) struct Key {
    /// The dotted key.
    pub(super) path: &'static str,
    /// What its value has to be.
    pub(super) rule: &'static dyn Rule,
}

impl Key {
    /// Tells whether the user chooses part of this key's path.
    pub(super) fn is_free(&self) -> bool {
        self.path.ends_with('*')
    }

    /// Tells whether `path` is this key.
    pub(super) fn matches(&self, path: &KeyPath) -> bool {
        self.path.split('.').count() == path.0.len() && self.starts_with(path)
    }

    /// Tells whether this key is `path`, or lies in the table at `path`.
    fn starts_with(&self, path: &KeyPath) -> bool {
        let mut pattern = self.path.split('.');
        path.0.iter().all(|segment| pattern.next().is_some_and(|p| p == "*" || p == segment))
    }
}

/// Returns all known keys, in the order of the defaults.
pub(super) fn known_keys() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
        let mut keys = Vec::new();
        Settings::collect_keys(&mut keys);
        keys
    });
    &KEYS
}

/// Returns the known key at a path.
pub(super) fn find_key(path: &KeyPath) -> Option<&'static Key> {
    known_keys().iter().find(|key| key.matches(path))
}

/// Tells whether a path is a table with known keys in it.
pub(super) fn is_table(path: &KeyPath) -> bool {
    known_keys().iter().any(|key| key.starts_with(path) && !key.matches(path))
}

/// Returns the known key that `key` was probably meant to be.
///
/// The right name in the wrong table will do where no name is near.
pub(super) fn nearest_key(key: &str) -> Option<&'static str> {
    let fixed = || known_keys().iter().filter(|key| !key.is_free()).map(|key| key.path);
    let name = |key: &str| key.rsplit('.').next().map(str::to_owned);
    let elsewhere = || fixed().find(|known| name(known) == name(key));
    nearest(key, fixed()).or_else(elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_need_it_are_quoted() {
        let path = KeyPath::dotted("models").child("gpt-4.1").child("window");
        assert_eq!(path.to_string(), r#"models."gpt-4.1".window"#);
        assert_eq!(KeyPath::parse(&path.to_string()), path);
        assert_eq!(KeyPath::parse("a b"), KeyPath::default().child("a b"));
        assert_eq!(KeyPath::parse("a = 1\nb").0.len(), 1);
        assert_eq!(KeyPath::default().child("").to_string(), r#""""#);
    }

    #[test]
    fn the_nearest_key_forgives_slips_and_the_wrong_table() {
        for (typed, meant) in [
            ("budget.repsonse_reserve", Some("budget.response_reserve")),
            ("buget.window", Some("budget.window")),
            ("response_reserve", Some("budget.response_reserve")),
            ("modle", Some("model")),
            ("xyzzy", None),
        ] {
            assert_eq!(nearest_key(typed), meant, "{typed}");
        }
    }
}
