//! The file being written: values by our keys, notes for the rest.

use std::fmt::Write;

use toml::Value;

use super::convert::Convert;
use super::document::Leaf;
use super::{Config, ImportFormat, Remark};
use crate::settings::key::{KeyPath, find_key, key_text, known_keys};

/// A configuration in the making.
pub(super) struct Draft {
    name: String,
    lines: Vec<Line>,
    notes: Vec<Remark>,
}

/// One value, with the key it came from.
struct Line {
    path: KeyPath,
    value: Value,
    origin: String,
}

impl Draft {
    /// Begins the import of the file called `name`.
    pub(super) fn new(name: &str) -> Draft {
        Draft { name: name.to_owned(), lines: Vec::new(), notes: Vec::new() }
    }

    /// Carries a value over to `key`, where `rest` replaces a `*`, or notes why not.
    pub(super) fn set(&mut self, leaf: &Leaf, key: &str, rest: &str, convert: Convert) {
        let path = match key.strip_suffix(".*") {
            Some(table) => KeyPath::dotted(table).child(rest),
            None => KeyPath::dotted(key),
        };
        let Some(known) = find_key(&path) else {
            return self.no_equivalent(leaf, &format!("`{path}` does not exist"));
        };
        let value = convert(&leaf.value).filter(|value| known.rule.check(value).is_ok());
        let Some(value) = value else {
            let allowed = known.rule.allowed();
            return self.no_equivalent(leaf, &format!("`{path}` is {allowed}"));
        };
        let origin = leaf.path.clone();
        if let Some(at) = self.lines.iter().position(|line| line.path == path) {
            let replaced = self.lines.remove(at);
            let why = format!("replaced by `{origin}`, which is the same setting");
            self.note(&replaced.origin, &why);
        }
        self.lines.push(Line { path, value, origin });
    }

    /// Sets what a table leaves out to zero, if anything of it was carried over:
    /// where the old file lists the parts of a whole, it means no others.
    pub(super) fn complete(&mut self, table: &str) {
        let within = |path: &KeyPath| path.to_string().starts_with(table);
        if !self.lines.iter().any(|line| within(&line.path)) {
            return;
        }
        for key in known_keys() {
            let path = KeyPath::dotted(key.path);
            if within(&path) && !self.lines.iter().any(|line| line.path == path) {
                self.lines.push(Line {
                    path,
                    value: Value::Integer(0),
                    origin: "not given".to_owned(),
                });
            }
        }
    }

    /// Notes that a key has no equivalent.
    pub(super) fn no_equivalent(&mut self, leaf: &Leaf, why: &str) {
        let value = &leaf.value;
        self.note(&leaf.path, &format!("no equivalent: {why} (was {value})"));
    }

    fn note(&mut self, key: &str, message: &str) {
        let subject = format!("{}: {key}", self.name);
        self.notes.push(Remark::new(subject, message));
    }

    /// Replaces the weights of the ranking by those that loading made of them.
    pub(super) fn settle_weights(&mut self, config: &Config) {
        let rank = &config.settings().rank;
        for (key, weight) in [
            ("rank.relevance", rank.relevance),
            ("rank.recency", rank.recency),
            ("rank.source", rank.source),
            ("rank.position", rank.position),
        ] {
            let path = KeyPath::dotted(key);
            self.lines.retain(|line| line.path != path);
            self.lines.push(Line {
                path,
                value: Value::Float((weight * 1e6).round() / 1e6),
                origin: "the weights, made to add up to 1".to_owned(),
            });
        }
        let name = &self.name;
        let notes = config.notes().iter();
        let about =
            notes.map(|note| Remark::new(format!("{name}: {}", note.subject), &note.message));
        self.notes.extend(about);
    }

    /// Hands over what had no equivalent.
    pub(super) fn into_notes(self) -> Vec<Remark> {
        self.notes
    }

    /// Writes the file, in the order of the defaults.
    pub(super) fn toml(&self, format: ImportFormat) -> String {
        let origin = one_line(&self.name);
        let mut toml = format!("# Imported from {origin} ({}).\n", format.name());
        let mut table: &[String] = &[];
        for key in known_keys() {
            for line in self.lines.iter().filter(|line| key.matches(&line.path)) {
                let Some((name, parents)) = line.path.0.split_last() else {
                    continue;
                };
                if table != parents {
                    table = parents;
                    let _ = write!(toml, "\n[{}]\n", KeyPath(parents.to_vec()));
                }
                let origin = one_line(&line.origin);
                let _ = write!(toml, "# was {origin}\n{} = {}\n", key_text(name), line.value);
            }
        }
        for note in &self.notes {
            let _ = write!(toml, "\n# {}", one_line(&note.to_string()));
        }
        if !self.notes.is_empty() {
            toml.push('\n');
        }
        toml
    }
}

/// Keeps a text that others wrote from ending the comment it is put into.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}
