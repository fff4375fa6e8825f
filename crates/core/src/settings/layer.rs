//! Layers: what the caller hands over, turned into checked values.
//!
//! This crate finds no files and reads no environment. Whoever does hands over
//! text or pairs and says what they are. Tables merge key by key; scalars and
//! arrays replace. Every value is checked in its own layer, even if a stronger
//! one overrides it, so that a mistake does not surface by chance later.

use std::path::PathBuf;

use toml::{Table, Value};

use crate::Remark;
use crate::settings::ConfigError;
use crate::settings::env::environment_key;
use crate::settings::key::{KeyPath, find_key, is_table, nearest_key};
use crate::settings::kind::{Misfit, Style};
use crate::settings::source::Source;
use crate::settings::values::Entry;

/// The defaults, which are also the documentation.
pub(super) const DEFAULTS: &str = include_str!("defaults.toml");

/// One source of settings, not yet parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer(Body);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Body {
    File { source: Source, text: String },
    Environment(Vec<(String, String)>),
    Flags(Vec<(String, String, String)>),
}

impl Layer {
    /// Makes the layer of the user's own file from its text.
    pub fn user(path: impl Into<PathBuf>, text: impl Into<String>) -> Layer {
        Layer::file(Source::User(path.into()), text)
    }

    /// Makes the layer of a project's file from its text.
    ///
    /// There may be several; of two, the one handed over later is stronger.
    pub fn project(path: impl Into<PathBuf>, text: impl Into<String>) -> Layer {
        Layer::file(Source::Project(path.into()), text)
    }

    /// Makes the layer of environment variables from names and values.
    ///
    /// Names that do not begin with `LOADLINE_` are ignored, so a whole
    /// environment may be handed over. Empty values count as not set.
    pub fn environment<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Layer
    where
        N: Into<String>,
        V: Into<String>,
    {
        let pairs = variables.into_iter();
        Layer(Body::Environment(pairs.map(|(name, value)| (name.into(), value.into())).collect()))
    }

    /// Makes the layer of flags from the flag as typed, the dotted key it sets, and its value.
    pub fn flags<N, K, V>(flags: impl IntoIterator<Item = (N, K, V)>) -> Layer
    where
        N: Into<String>,
        K: Into<String>,
        V: Into<String>,
    {
        let triples = flags.into_iter();
        Layer(Body::Flags(
            triples.map(|(name, key, value)| (name.into(), key.into(), value.into())).collect(),
        ))
    }

    /// Makes the layer of the built-in defaults.
    pub(super) fn defaults() -> Layer {
        Layer::file(Source::Default, DEFAULTS)
    }

    fn file(source: Source, text: impl Into<String>) -> Layer {
        let text = text.into();
        Layer(Body::File { source, text })
    }

    /// Returns the strength of the layer; a higher one wins.
    pub(super) fn rank(&self) -> u8 {
        match &self.0 {
            Body::File { source, .. } => match source {
                Source::Default => 0,
                Source::User(_) => 1,
                _ => 2,
            },
            Body::Environment(_) => 3,
            Body::Flags(_) => 4,
        }
    }

    /// Parses and checks the layer; unknown keys become notes.
    pub(super) fn entries(
        &self,
        notes: &mut Vec<Remark>,
    ) -> Result<Vec<(KeyPath, Entry)>, ConfigError> {
        let mut walk = Walk { entries: Vec::new(), notes };
        match &self.0 {
            Body::File { source, text } => {
                let table = parse(text, &source.to_string())?;
                walk.table(&KeyPath::default(), &table, source)?;
            }
            Body::Environment(variables) => {
                for (name, value) in variables.iter().filter(|(_, value)| !value.is_empty()) {
                    if let Some(key) = environment_key(name, walk.notes) {
                        walk.bare(key, value, Source::Environment(name.clone()))?;
                    }
                }
            }
            Body::Flags(flags) => {
                for (name, key, value) in flags {
                    walk.bare(key, value, Source::Flag(name.clone()))?;
                }
            }
        }
        Ok(walk.entries)
    }
}

/// Collects the values of one layer.
struct Walk<'a> {
    entries: Vec<(KeyPath, Entry)>,
    notes: &'a mut Vec<Remark>,
}

impl Walk<'_> {
    fn table(&mut self, path: &KeyPath, table: &Table, source: &Source) -> Result<(), ConfigError> {
        table.iter().try_for_each(|(name, value)| self.value(path.child(name), value, source))
    }

    fn value(&mut self, path: KeyPath, value: &Value, source: &Source) -> Result<(), ConfigError> {
        let entry = Entry { value: value.clone(), source: source.clone() };
        if let Some(key) = find_key(&path) {
            key.rule
                .check(value)
                .map_err(|misfit| entry.misfit(&path, misfit, key.rule.allowed()))?;
            self.entries.push((path, entry));
            return Ok(());
        }
        match value {
            Value::Table(table) if !table.is_empty() || is_table(&path) => {
                self.table(&path, table, source)
            }
            _ if is_table(&path) => Err(entry.misfit(&path, Misfit::Type, "a table".to_owned())),
            _ => {
                self.unknown(&path.to_string(), source);
                Ok(())
            }
        }
    }

    /// Takes a value written without TOML's quotes.
    fn bare(&mut self, key: &str, text: &str, source: Source) -> Result<(), ConfigError> {
        let path = KeyPath::parse(key);
        let Some(known) = find_key(&path) else {
            self.unknown(key, &source);
            return Ok(());
        };
        let value = from_bare(text, known.rule.style());
        self.value(path, &value, &source)
    }

    fn unknown(&mut self, key: &str, source: &Source) {
        let meant = nearest_key(key).map(|meant| format!("; did you mean `{meant}`?"));
        let message = format!("unknown key `{key}`{}", meant.unwrap_or_default());
        self.notes.push(Remark::new(source.to_string(), message));
    }
}

/// Turns bare text into TOML, the way its key wants it.
fn from_bare(text: &str, style: Style) -> Value {
    let toml = || format!("v = {text}").parse::<Table>().ok()?.remove("v");
    let string = |text: &str| Value::String(text.to_owned());
    match style {
        Style::Text => string(text),
        Style::List if !text.trim_start().starts_with('[') => {
            let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
            Value::Array(items.map(string).collect())
        }
        Style::List | Style::Plain => toml().unwrap_or_else(|| string(text)),
    }
}

/// Parses TOML; an error names the place, the line and the column.
fn parse(text: &str, place: &str) -> Result<Table, ConfigError> {
    text.parse::<Table>().map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let (line, column) = line_and_column(text, offset);
        ConfigError::Parse {
            place: place.to_owned(),
            line,
            column,
            message: error.message().to_owned(),
        }
    })
}

/// Returns line and column, both from 1, of a byte offset; columns count characters.
fn line_and_column(text: &str, offset: usize) -> (u64, u64) {
    let before = text.char_indices().take_while(|(index, _)| *index < offset);
    before.fold((1, 1), |(line, column), (_, character)| match character {
        '\n' => (line + 1, 1),
        _ => (line, column + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(layer: &Layer) -> (Vec<(String, String)>, Vec<String>) {
        let mut notes = Vec::new();
        let entries = layer.entries(&mut notes).unwrap();
        let shown = |(path, entry): &(KeyPath, Entry)| (path.to_string(), entry.value.to_string());
        (entries.iter().map(shown).collect(), notes.iter().map(Remark::to_string).collect())
    }

    #[test]
    fn bare_text_becomes_what_the_key_wants() {
        let layer = Layer::flags([
            ("--model", "model", "4"),
            ("--budget", "budget.window", "8k"),
            ("--pin", "pack.pin", "a/*, b"),
            ("--exclude", "pack.exclude", r#"["x,y"]"#),
            ("--compress", "pack.compress", "true"),
            ("--ladder", "pressure.ladder", "[70, 85]"),
        ]);
        let (values, notes) = entries(&layer);
        let values: Vec<&str> = values.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(
            values,
            [r#""4""#, r#""8k""#, r#"["a/*", "b"]"#, r#"["x,y"]"#, "true", "[70, 85]"]
        );
        assert!(notes.is_empty());
    }
}
