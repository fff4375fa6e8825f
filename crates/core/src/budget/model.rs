//! What is known about a model, and how an entry of the table becomes one.
//!
//! An entry is what someone wrote down, with gaps; a model has no gaps. The
//! table itself and the looking up are in `models`.

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::error::BudgetError;
use crate::Remark;
use crate::tokens::Tokens;

/// The keys of an entry, and what the value of each has to be.
const KEYS: [(&str, &str); 6] = [
    ("provider", "a name in quotes"),
    ("counter", "a counter's name in quotes"),
    ("window", "tokens, such as 128000 or \"128k\""),
    ("max_output", "tokens, such as 8000 or \"8k\""),
    ("prices", "dollars per million tokens, such as { input = 3.0, output = 15.0 }"),
    ("aliases", "a list of names in quotes"),
];

/// What is known about one model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Model {
    /// The provider's own name for it, without a date.
    pub name: String,
    /// Who makes it, in lower case.
    pub provider: String,
    /// The name of the counter that counts its tokens.
    pub counter: String,
    /// The largest input it takes.
    pub window: Tokens,
    /// The longest answer it gives, where known.
    pub max_output: Option<Tokens>,
    /// What it costs, where known.
    pub prices: Option<Prices>,
    /// Other names it goes by.
    pub aliases: Vec<String>,
}

/// Prices in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Prices {
    /// Input that no cache held.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Input read from the provider's cache, where it has a price of its own.
    pub cache_read: Option<f64>,
    /// Input written to the provider's cache, where it has a price of its own.
    pub cache_write: Option<f64>,
}

/// One entry of a table of models as it is written down.
///
/// A known model keeps whatever an entry of its name leaves out. A new model
/// needs at least `window` and `counter`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ModelEntry {
    /// The model's name.
    pub name: String,
    /// Who makes it.
    pub provider: Option<String>,
    /// The name of its counter.
    pub counter: Option<String>,
    /// The largest input in tokens.
    pub window: Option<u64>,
    /// The longest answer in tokens.
    pub max_output: Option<u64>,
    /// Prices; those left out stay as they were.
    pub prices: PriceEntry,
    /// Further names, in addition to those it already has.
    pub aliases: Vec<String>,
}

/// The prices of a [`ModelEntry`], in US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PriceEntry {
    /// Input that no cache held.
    pub input: Option<f64>,
    /// Output.
    pub output: Option<f64>,
    /// Input read from a cache.
    pub cache_read: Option<f64>,
    /// Input written to a cache.
    pub cache_write: Option<f64>,
}

impl ModelEntry {
    /// Reads the table that a user wrote about the model `name`.
    pub(super) fn from_table(
        name: &str,
        table: &Table,
        notes: &mut Vec<Remark>,
    ) -> Result<ModelEntry, BudgetError> {
        let mut known = Table::new();
        for (key, value) in table {
            let Some((_, allowed)) = KEYS.iter().find(|(known, _)| known == key) else {
                let keys = KEYS.map(|(key, _)| key).join(", ");
                let message = format!("unknown key `{key}`; a model has {keys}");
                notes.push(Remark::new(format!("model {name:?}"), message));
                continue;
            };
            let written = value.to_string();
            let value = amount(key, value).unwrap_or_else(|| value.clone());
            // Each key is tried alone, so that the error can name it.
            let alone = Table::from_iter([(key.clone(), value.clone())]);
            if alone.try_into::<ModelEntry>().is_err() {
                let key = format!("{key} of model {name:?}");
                return Err(BudgetError::out_of_range(key, written, *allowed));
            }
            known.insert(key.clone(), value);
        }
        let entry: ModelEntry = known.try_into().map_err(|error: toml::de::Error| {
            let message = error.to_string();
            BudgetError::ModelTable(message)
        })?;
        let name = name.to_owned();
        Ok(ModelEntry { name, ..entry })
    }
}

/// Returns an amount written as people do, `"128k"`, as a plain number.
fn amount(key: &str, value: &Value) -> Option<Value> {
    let is_amount = matches!(key, "window" | "max_output");
    let tokens: Tokens = value.as_str().filter(|_| is_amount)?.parse().ok()?;
    i64::try_from(tokens.get()).ok().map(Value::Integer)
}

impl Model {
    /// Makes the model that an entry describes, on top of a known one if there is one.
    ///
    /// `incomplete` makes the error for a key that neither of them has.
    pub(super) fn from_entry(
        entry: &ModelEntry,
        base: Option<&Model>,
        incomplete: impl Fn(&'static str) -> BudgetError,
    ) -> Result<Model, BudgetError> {
        check(entry)?;
        let window = entry.window.map(Tokens::new);
        let max_output = entry.max_output.map(Tokens::new);
        let mut model = match base {
            Some(base) => base.clone(),
            None => Model {
                name: entry.name.clone(),
                provider: "unknown".to_owned(),
                counter: entry.counter.clone().ok_or_else(|| incomplete("counter"))?,
                window: window.ok_or_else(|| incomplete("window"))?,
                max_output: None,
                prices: None,
                aliases: Vec::new(),
            },
        };
        model.provider = entry.provider.clone().unwrap_or(model.provider);
        model.counter = entry.counter.clone().unwrap_or(model.counter);
        model.window = window.unwrap_or(model.window);
        model.max_output = max_output.or(model.max_output);
        model.prices = prices(&entry.prices, model.prices).map_err(incomplete)?;
        model.aliases.extend(entry.aliases.iter().cloned());
        Ok(model)
    }

    /// Returns the name and the aliases.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let aliases = self.aliases.iter().map(String::as_str);
        std::iter::once(self.name.as_str()).chain(aliases)
    }
}

/// Refuses values that no model can have.
fn check(entry: &ModelEntry) -> Result<(), BudgetError> {
    let key = |key: &str| format!("{key} of model {:?}", entry.name);
    if entry.name.trim().is_empty() {
        return Err(BudgetError::out_of_range("the name of a model", "empty", "a name"));
    }
    if entry.counter.as_ref().is_some_and(|counter| counter.trim().is_empty()) {
        return Err(BudgetError::out_of_range(key("counter"), "empty", "a counter's name"));
    }
    if entry.window == Some(0) {
        return Err(BudgetError::out_of_range(key("window"), 0, "at least 1 token"));
    }
    let PriceEntry { input, output, cache_read, cache_write } = entry.prices;
    for price in [input, output, cache_read, cache_write].into_iter().flatten() {
        if !(price.is_finite() && price >= 0.0) {
            return Err(BudgetError::out_of_range(key("a price"), price, "0 or more dollars"));
        }
    }
    Ok(())
}

/// Merges prices; fails with the missing key where only one of the two main ones is known.
fn prices(entry: &PriceEntry, base: Option<Prices>) -> Result<Option<Prices>, &'static str> {
    let cache_read = entry.cache_read.or(base.and_then(|base| base.cache_read));
    let cache_write = entry.cache_write.or(base.and_then(|base| base.cache_write));
    let input = entry.input.or(base.map(|base| base.input));
    let output = entry.output.or(base.map(|base| base.output));
    match (input, output) {
        (Some(input), Some(output)) => Ok(Some(Prices { input, output, cache_read, cache_write })),
        (None, None) if cache_read.is_none() && cache_write.is_none() => Ok(None),
        (None, _) => Err("prices.input"),
        (_, None) => Err("prices.output"),
    }
}
