//! The kinds of values a key can have: how each is read and what it allows.
//!
//! A kind knows three things: how a TOML value becomes a plain Rust value, which
//! values are allowed, in words for an error, and how the bare text of a
//! variable or a flag becomes TOML. It knows nothing about keys or files.
//! Kinds of numbers are in `number.rs`.

use std::time::Duration;

use toml::Value;

use crate::settings::duration::{format_duration, parse_duration};
use crate::settings::size::parse_size;

/// Why a value does not fit its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// It is another kind of value.
    Type,
    /// It is the right kind, but not an allowed value.
    Range,
}

/// How bare text, from a variable or a flag, is to be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// As it stands: `1` is the text "1".
    Text,
    /// As TOML where it is TOML (`8000`, `true`, `[70, 85]`), else as text (`8k`, `40%`).
    Plain,
    /// As a TOML array, or as texts between commas.
    List,
}

/// One kind of value.
pub(super) trait Kind {
    /// What the value is read into.
    type Output;

    /// How bare text becomes TOML.
    const STYLE: Style = Style::Plain;

    /// Reads and checks a value.
    fn read(&self, value: &Value) -> Result<Self::Output, Misfit>;

    /// Says what is allowed, so that it reads on after "expected" or "set to".
    fn allowed(&self) -> String;

    /// Returns what an absent key means, where it may be absent.
    fn absent(&self) -> Option<Self::Output> {
        None
    }
}

/// The part of a [`Kind`] that does not depend on what it reads into.
pub(super) trait Rule: Sync {
    /// Checks a value without keeping it.
    fn check(&self, value: &Value) -> Result<(), Misfit>;
    /// See [`Kind::allowed`].
    fn allowed(&self) -> String;
    /// See [`Kind::STYLE`].
    fn style(&self) -> Style;
}

impl<K: Kind + Sync> Rule for K {
    fn check(&self, value: &Value) -> Result<(), Misfit> {
        self.read(value).map(drop)
    }

    fn allowed(&self) -> String {
        Kind::allowed(self)
    }

    fn style(&self) -> Style {
        K::STYLE
    }
}

/// A value that may be absent.
pub(super) struct Unset<K>(pub(super) K);

impl<K: Kind> Kind for Unset<K> {
    type Output = Option<K::Output>;
    const STYLE: Style = K::STYLE;

    fn read(&self, value: &Value) -> Result<Self::Output, Misfit> {
        self.0.read(value).map(Some)
    }

    fn allowed(&self) -> String {
        self.0.allowed()
    }

    fn absent(&self) -> Option<Self::Output> {
        Some(None)
    }
}

/// Any text but the empty one.
pub(super) struct Text;

impl Kind for Text {
    type Output = String;
    const STYLE: Style = Style::Text;

    fn read(&self, value: &Value) -> Result<String, Misfit> {
        match text(value)? {
            "" => Err(Misfit::Range),
            text => Ok(text.to_owned()),
        }
    }

    fn allowed(&self) -> String {
        "a text that is not empty".to_owned()
    }
}

/// An address of a web service.
pub(super) struct Address;

impl Kind for Address {
    type Output = String;
    const STYLE: Style = Style::Text;

    fn read(&self, value: &Value) -> Result<String, Misfit> {
        let text = text(value)?;
        let known = text.starts_with("https://") || text.starts_with("http://");
        known.then(|| text.to_owned()).ok_or(Misfit::Range)
    }

    fn allowed(&self) -> String {
        "an address that begins with https:// or http://".to_owned()
    }
}

/// One of a few names.
pub(super) struct Choice(pub(super) &'static [&'static str]);

impl Kind for Choice {
    type Output = String;
    const STYLE: Style = Style::Text;

    fn read(&self, value: &Value) -> Result<String, Misfit> {
        let text = text(value)?;
        let known = self.0.contains(&text);
        known.then(|| text.to_owned()).ok_or(Misfit::Range)
    }

    fn allowed(&self) -> String {
        let names: Vec<String> = self.0.iter().map(|name| format!("{name:?}")).collect();
        format!("one of {}", names.join(", "))
    }
}

/// A list of texts.
pub(super) struct Texts;

impl Kind for Texts {
    type Output = Vec<String>;
    const STYLE: Style = Style::List;

    fn read(&self, value: &Value) -> Result<Vec<String>, Misfit> {
        let items = value.as_array().ok_or(Misfit::Type)?;
        items.iter().map(|item| Text.read(item)).collect()
    }

    fn allowed(&self) -> String {
        "an array of texts, none of them empty".to_owned()
    }
}

/// Yes or no.
pub(super) struct Flag;

impl Kind for Flag {
    type Output = bool;

    fn read(&self, value: &Value) -> Result<bool, Misfit> {
        value.as_bool().ok_or(Misfit::Type)
    }

    fn allowed(&self) -> String {
        "true or false".to_owned()
    }
}

/// A length of time, at least as long as the one named.
pub(super) struct Time(pub(super) Duration);

impl Kind for Time {
    type Output = Duration;
    const STYLE: Style = Style::Text;

    fn read(&self, value: &Value) -> Result<Duration, Misfit> {
        let duration = parse_duration(text(value)?).map_err(|_| Misfit::Type)?;
        (duration >= self.0).then_some(duration).ok_or(Misfit::Range)
    }

    fn allowed(&self) -> String {
        let unit = "a duration with its unit, such as \"90s\", \"5m\", \"24h\" or \"30d\"";
        match format_duration(self.0).as_str() {
            "0s" => unit.to_owned(),
            least => format!("{unit}, at least {least}"),
        }
    }
}

/// A size in bytes, one or more.
pub(super) struct Size;

impl Kind for Size {
    type Output = u64;

    fn read(&self, value: &Value) -> Result<u64, Misfit> {
        let size = match value {
            Value::Integer(bytes) => u64::try_from(*bytes).map_err(|_| Misfit::Range)?,
            other => parse_size(text(other)?).map_err(|_| Misfit::Type)?,
        };
        (size > 0).then_some(size).ok_or(Misfit::Range)
    }

    fn allowed(&self) -> String {
        "a size of 1 byte or more, such as 4096, \"500kB\" or \"2MiB\"".to_owned()
    }
}

/// Any value; it is checked where it is used.
pub(super) struct Opaque;

impl Kind for Opaque {
    type Output = Value;

    fn read(&self, value: &Value) -> Result<Value, Misfit> {
        Ok(value.clone())
    }

    fn allowed(&self) -> String {
        "any value".to_owned()
    }
}

/// Returns the text of a value, which must be one.
pub(super) fn text(value: &Value) -> Result<&str, Misfit> {
    value.as_str().ok_or(Misfit::Type)
}
