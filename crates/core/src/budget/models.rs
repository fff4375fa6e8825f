//! The table of models, and which of them a name means.
//!
//! The facts are data (`data/models.toml`) and age; a user's own entries
//! override them. Spellings of names are in `model_name`.

use serde::Deserialize;

use super::error::BudgetError;
use super::model::{Model, ModelEntry};
use super::model_name::{distance, is_variant_of, spellings};
use crate::Remark;

/// The table that is compiled in.
const BUILTIN: &str = include_str!("../../data/models.toml");

/// The entry that stands for a model nobody knows.
const GENERIC: &str = "generic";

/// How many names a suggestion holds at most.
const SUGGESTIONS: usize = 3;

/// A table of models, in the order of the file; a user's new ones come last.
///
/// ```
/// use loadline::budget::{ModelEntry, Models};
/// use loadline::tokens::Tokens;
///
/// let entry = ModelEntry {
///     name: "claude-sonnet-4-5".into(),
///     window: Some(1_000_000),
///     ..ModelEntry::default()
/// };
/// let models = Models::builtin()?.with_overrides(&[entry])?;
/// let model = models.find("anthropic/claude-sonnet-4.5").unwrap();
/// assert_eq!(model.window, Tokens::new(1_000_000));
/// assert_eq!(model.counter, "claude-3");
/// # Ok::<(), loadline::budget::BudgetError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Models {
    /// Never empty: the first is the generic one.
    models: Vec<Model>,
}

impl Models {
    /// Reads the table that is compiled in. A test keeps it readable.
    pub fn builtin() -> Result<Models, BudgetError> {
        let table: Table =
            toml::from_str(BUILTIN).map_err(|error| BudgetError::ModelTable(error.to_string()))?;
        let models = Models { models: Vec::new() };
        let models = models.with_overrides(&table.entries())?;
        match models.models.first() {
            Some(first) if first.name == GENERIC => Ok(models),
            _ => Err(BudgetError::ModelTable(format!("its first model is not {GENERIC:?}"))),
        }
    }

    /// Reads the table that is compiled in and lays a user's own tables over it.
    ///
    /// Takes the tables as `Settings::models` has them. A key that no model has
    /// becomes a note.
    ///
    /// ```
    /// use loadline::budget::Models;
    /// use loadline::settings::{Config, Layer};
    /// use loadline::tokens::Tokens;
    ///
    /// let file = "[models.mine]\nwindow = \"32k\"\ncounter = \"o200k\"";
    /// let config = Config::load([Layer::project("loadline.toml", file)])?;
    /// let (models, notes) = Models::configured(&config.settings().models)?;
    /// assert_eq!(models.find("mine").unwrap().window, Tokens::new(32_000));
    /// assert!(notes.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn configured(
        tables: &[(String, toml::Table)],
    ) -> Result<(Models, Vec<Remark>), BudgetError> {
        let mut notes = Vec::new();
        let entries = tables
            .iter()
            .map(|(name, table)| ModelEntry::from_table(name, table, &mut notes))
            .collect::<Result<Vec<_>, _>>()?;
        Ok((Models::builtin()?.with_overrides(&entries)?, notes))
    }

    /// Merges entries into the table, in their order.
    ///
    /// An entry whose name is exactly a model's name or alias changes that
    /// model; any other adds one.
    pub fn with_overrides(mut self, entries: &[ModelEntry]) -> Result<Models, BudgetError> {
        for entry in entries {
            let known = self.position(|name| name == entry.name);
            let base = known.map(|position| &self.models[position]);
            let model = Model::from_entry(entry, base, |key| self.incomplete(entry, key))?;
            match known {
                Some(position) => self.models[position] = model,
                None => self.models.push(model),
            }
        }
        Ok(self)
    }

    /// Returns all models.
    pub fn iter(&self) -> impl Iterator<Item = &Model> {
        self.models.iter()
    }

    /// Returns the model a name means.
    ///
    /// Tried in turn: the name as given, without regard to case, without
    /// provider and region, and at last the longest known name of which it is a
    /// dated or tagged variant. A name wins over an alias, and among aliases
    /// the later entry, so a user's entry comes before a built-in one.
    ///
    /// ```
    /// # let models = loadline::budget::Models::builtin()?;
    /// let name = "bedrock/us.anthropic.claude-opus-4-1-20250805-v1:0";
    /// assert_eq!(models.find(name).unwrap().name, "claude-opus-4-1");
    /// assert_eq!(models.find("gpt-4-0613").unwrap().name, "gpt-4");
    /// assert!(models.find("gpt-4.9").is_none());
    /// # Ok::<(), loadline::budget::BudgetError>(())
    /// ```
    pub fn find(&self, name: &str) -> Option<&Model> {
        let spellings = spellings(name);
        let exact = self.position(|known| known == name);
        let position = exact
            .or_else(|| spellings.iter().find_map(|spelling| self.spelled(spelling)))
            .or_else(|| self.variant(spellings.last()?))?;
        Some(&self.models[position])
    }

    /// Returns the model a name means, or else a generic one and a note.
    ///
    /// Unknown Claude and Gemini models get the generic entry of their family,
    /// all others the common one.
    pub fn find_or_generic(&self, name: &str) -> (&Model, Option<Remark>) {
        if let Some(model) = self.find(name) {
            return (model, None);
        }
        let model = self.generic(name);
        let mut message = format!(
            "unknown model, treated as {} with a window of {} tokens",
            model.name, model.window
        );
        let nearest = self.suggest(name);
        if !nearest.is_empty() {
            message.push_str("; similar names: ");
            message.push_str(&nearest.join(", "));
        }
        (model, Some(Remark::new(name, message)))
    }

    /// Returns up to three names that a misspelled one may have meant, nearest first.
    pub fn suggest(&self, name: &str) -> Vec<&str> {
        let spellings = spellings(name);
        let spelling = spellings.last().map_or(name, String::as_str);
        // A third of the letters wrong is no longer the same word; two wrong
        // ones are as often as not two that changed places.
        let limit = (spelling.chars().count() / 3).max(2);
        let mut near: Vec<(usize, &str)> = self
            .models
            .iter()
            .map(|model| (distance_to(model, spelling), model.name.as_str()))
            .filter(|(distance, _)| *distance <= limit)
            .collect();
        // Stable, so that equals stay in the order of the table.
        near.sort_by_key(|(distance, _)| *distance);
        near.truncate(SUGGESTIONS);
        near.into_iter().map(|(_, name)| name).collect()
    }

    /// Returns the generic model of a name's family.
    fn generic(&self, name: &str) -> &Model {
        let spelling = spellings(name).pop().unwrap_or_default();
        let family = ["claude", "gemini"]
            .into_iter()
            .find(|family| spelling.starts_with(family))
            .map(|family| format!("{GENERIC}-{family}"));
        let position = family.and_then(|family| self.position(|known| known == family));
        &self.models[position.unwrap_or(0)]
    }

    /// Returns the position of the model with such a name, or else such an alias.
    fn position(&self, matches: impl Fn(&str) -> bool) -> Option<usize> {
        let named = self.models.iter().position(|model| matches(&model.name));
        named.or_else(|| {
            let aliased = |model: &Model| model.aliases.iter().any(|alias| matches(alias));
            self.models.iter().rposition(aliased)
        })
    }

    /// Returns the position of the model spelled like this, without regard to case.
    fn spelled(&self, spelling: &str) -> Option<usize> {
        self.position(|known| known.eq_ignore_ascii_case(spelling))
    }

    /// Returns the position of the longest known name that `spelling` is a variant of.
    fn variant(&self, spelling: &str) -> Option<usize> {
        let known = self.models.iter().flat_map(Model::names);
        let longest = known
            .filter(|known| is_variant_of(spelling, &known.to_ascii_lowercase()))
            .max_by_key(|known| known.len())?;
        self.spelled(longest)
    }

    /// Makes the error for an entry that lacks a key.
    fn incomplete(&self, entry: &ModelEntry, key: &'static str) -> BudgetError {
        let nearest = self.suggest(&entry.name).into_iter();
        BudgetError::ModelIncomplete {
            model: entry.name.clone(),
            key,
            nearest: nearest.map(str::to_owned).collect(),
        }
    }
}

/// The compiled-in table: models grouped by what they share.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    family: Vec<Family>,
}

/// Models of one provider that share a counter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    provider: String,
    counter: String,
    models: Vec<ModelEntry>,
}

impl Table {
    /// Returns the entries with what their family says filled in.
    fn entries(self) -> Vec<ModelEntry> {
        let families = self.family.into_iter();
        let entries = families.flat_map(|family| {
            let (provider, counter) = (family.provider, family.counter);
            family.models.into_iter().map(move |entry| ModelEntry {
                provider: Some(provider.clone()),
                counter: Some(counter.clone()),
                ..entry
            })
        });
        entries.collect()
    }
}

/// Returns the distance from a spelling to the nearest name of a model.
fn distance_to(model: &Model, spelling: &str) -> usize {
    let distances = model.names().map(|known| distance(&known.to_ascii_lowercase(), spelling));
    distances.min().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
