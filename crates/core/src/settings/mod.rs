//! What is configured, and who said so?
//!
//! [`Config::load`] is the whole flow: parse each layer, lay it over the weaker
//! ones, read typed settings, check what spans several keys. It runs once per
//! invocation and keeps nothing afterwards: there is no global configuration
//! and nothing to reload. A long-running caller that sees a file change calls
//! it again and swaps the value.
//!
//! Deliberately not here: finding files, reading the environment, and knowing
//! which models, counters or languages exist.

mod budget;
mod duration;
mod either;
mod env;
mod error;
mod import;
mod key;
mod keys;
mod kind;
mod layer;
mod number;
mod section;
mod size;
mod source;
mod validate;
mod values;

#[cfg(test)]
mod tests;

use crate::Remark;
use key::{Key, known_keys};
use section::Section;
use values::Values;

pub use duration::{ParseDurationError, format_duration, parse_duration};
pub use either::LadderSetting;
pub use env::environment_variables;
pub use error::ConfigError;
pub use import::{ImportFormat, Imported, import_config};
pub use keys::{
    AllocationSettings, ApiSettings, ArchiveSettings, BudgetSettings, CacheSettings, ChunkSettings,
    CompactSettings, DedupSettings, HookSettings, MemorySettings, PackSettings, PhaseTables,
    PressureSettings, PrioritySettings, RankSettings, ResumeSettings, RoundSettings, ScoreSettings,
    SessionSettings, Settings, TierSettings,
};
pub use layer::Layer;
pub use size::{ParseSizeError, parse_size};
pub use source::Source;

/// A loaded configuration: the settings, where each came from, and what was odd.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    settings: Settings,
    values: Values,
    notes: Vec<Remark>,
}

/// One line of `config show`.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown<'a> {
    /// The dotted key.
    pub key: String,
    /// The value as TOML, as it was written; `None` if it is not set.
    pub value: Option<String>,
    /// Who said so.
    pub source: &'a Source,
}

impl Config {
    /// Loads the defaults and lays the given layers over them.
    ///
    /// The order in which layers are given does not matter, except between
    /// several of one sort: defaults < user < project < environment < flags.
    ///
    /// ```
    /// use loadline::settings::{Config, Layer, Source};
    /// use loadline::tokens::Tokens;
    ///
    /// let config = Config::load([
    ///     Layer::project("loadline.toml", "[budget]\nwindow = \"100k\""),
    ///     Layer::environment([("LOADLINE_BUDGET_WINDOW", "50k")]),
    /// ])?;
    /// assert_eq!(config.settings().budget.window, Some(Tokens::new(50_000)));
    /// let source = Source::Environment("LOADLINE_BUDGET_WINDOW".into());
    /// assert_eq!(config.source("budget.window"), Some(&source));
    /// # Ok::<(), loadline::settings::ConfigError>(())
    /// ```
    pub fn load(layers: impl IntoIterator<Item = Layer>) -> Result<Config, ConfigError> {
        let mut layers: Vec<Layer> = layers.into_iter().collect();
        layers.push(Layer::defaults());
        layers.sort_by_key(Layer::rank);

        let mut notes = Vec::new();
        let mut values = Values::default();
        for layer in &layers {
            values.merge(layer.entries(&mut notes)?);
        }

        let mut settings = Settings::read(&values)?;
        validate::check(&settings, &values)?;
        notes.extend(validate::normalise(&mut settings));
        Ok(Config { settings, values, notes })
    }

    /// Returns the text of the defaults: every key with a comment, as a file to start from.
    pub fn defaults_toml() -> &'static str {
        layer::DEFAULTS
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns what was odd but did not stop the load, such as unknown keys.
    pub fn notes(&self) -> &[Remark] {
        &self.notes
    }

    /// Returns where the value of a dotted key came from; `None` if it is not set.
    pub fn source(&self, key: &str) -> Option<&Source> {
        self.values.get(key).map(|entry| &entry.source)
    }

    /// Lists every key with its value and source, in the order of the defaults.
    ///
    /// Keys whose names are free (shares, models) appear where they are set,
    /// sorted by name.
    pub fn show(&self) -> impl Iterator<Item = Shown<'_>> {
        known_keys().iter().flat_map(|key| self.show_key(key))
    }

    fn show_key(&self, key: &Key) -> Vec<Shown<'_>> {
        let set = self.values.matching(key).map(|(path, entry)| Shown {
            key: path.to_string(),
            value: Some(entry.value.to_string()),
            source: &entry.source,
        });
        let mut lines: Vec<Shown<'_>> = set.collect();
        if lines.is_empty() && !key.is_free() {
            lines.push(Shown { key: key.path.to_owned(), value: None, source: &Source::Default });
        }
        lines
    }
}
