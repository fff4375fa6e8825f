//! The merged values, each with its source.

use std::collections::BTreeMap;

use toml::Value;

use crate::settings::ConfigError;
use crate::settings::key::{Key, KeyPath};
use crate::settings::kind::{Kind, Misfit};
use crate::settings::source::Source;

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The value as it was written.
    pub(super) value: Value,
    /// Who said so.
    pub(super) source: Source,
}

/// All values by key; a later entry for the same key replaces the earlier one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Values(BTreeMap<KeyPath, Entry>);

impl Values {
    /// Lays stronger values over these.
    pub(super) fn merge(&mut self, stronger: impl IntoIterator<Item = (KeyPath, Entry)>) {
        self.0.extend(stronger);
    }

    /// Returns the entry at a dotted key.
    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        self.0.get(&KeyPath::parse(key))
    }

    /// Returns the entries of a key, more than one only if its names are free.
    pub(super) fn matching(&self, key: &Key) -> impl Iterator<Item = (&KeyPath, &Entry)> {
        self.0.iter().filter(|(path, _)| key.matches(path))
    }

    /// Returns the entries in the table at a dotted key, nested ones included.
    pub(super) fn within(&self, table: &str) -> impl Iterator<Item = (&KeyPath, &Entry)> {
        let table = KeyPath::dotted(table);
        self.0
            .iter()
            .filter(move |(path, _)| path.0.len() > table.0.len() && path.0.starts_with(&table.0))
    }

    /// Reads the value of a key.
    pub(super) fn read<K: Kind>(&self, key: &str, kind: &K) -> Result<K::Output, ConfigError> {
        let path = KeyPath::dotted(key);
        match self.0.get(&path) {
            Some(entry) => entry.read(&path, kind),
            // Only a key that the defaults lack could get past `absent`; a test holds them to it.
            None => kind.absent().ok_or_else(|| ConfigError::WrongType {
                place: Source::Default,
                key: key.to_owned(),
                value: "not set".to_owned(),
                allowed: kind.allowed(),
            }),
        }
    }
}

impl Entry {
    /// Reads the value, which is at `path`.
    pub(super) fn read<K: Kind>(&self, path: &KeyPath, kind: &K) -> Result<K::Output, ConfigError> {
        kind.read(&self.value).map_err(|misfit| self.misfit(path, misfit, kind.allowed()))
    }

    /// Makes the error for a value that does not fit.
    pub(super) fn misfit(&self, path: &KeyPath, misfit: Misfit, allowed: String) -> ConfigError {
        let place = self.source.clone();
        let (key, value) = (path.to_string(), self.value.to_string());
        match misfit {
            Misfit::Type => ConfigError::WrongType { place, key, value, allowed },
            Misfit::Range => ConfigError::OutOfRange { place, key, value, allowed },
        }
    }
}
