//! `loadline models`: lists the known models, or shows one.

use std::collections::BTreeMap;
use std::io::Write;

use loadline::budget::{Budget, Model, Models, Prices};
use loadline::settings::Config;
use loadline::tokens::{Counter, Precision};
use serde::Serialize;

use crate::error::{RequestError, Result};
use crate::settings::{load_config, load_models};
use crate::ui::{STRONG, Table, Ui, counter_words, plural, thousands};

/// List the known models, or show one with the budget that its window leaves.
///
/// Dates, providers and regions in names are ignored. Define your own models in
/// [models.NAME] tables of loadline.toml.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline models
  loadline models anthropic/claude-sonnet-4.5
  loadline models --json | jq '.models[] | select(.window > 500000) | .name'")]
pub(crate) struct ModelsArgs {
    /// Model to show in detail.
    name: Option<String>,
}

/// The model that stands for any; naming it leaves the window to a preset.
const GENERIC: &str = "generic";

/// The document of `models`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct ListJson<'a> {
    models: Vec<ModelJson<'a>>,
}

/// The document of `models NAME`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct OneJson<'a> {
    model: ModelJson<'a>,
    budget: Option<BudgetJson>,
}

/// What the settings make of the model's window, in tokens.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct BudgetJson {
    window: u64,
    reserves: BTreeMap<String, u64>,
    margin: f64,
    available: u64,
    shares: BTreeMap<String, u64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ModelJson<'a> {
    #[serde(flatten)]
    model: &'a Model,
    precision: Option<Precision>,
}

/// Lists all models, or shows one.
pub(crate) fn run(args: &ModelsArgs, ui: &mut Ui) -> Result<()> {
    let typed = args.name.iter().filter(|name| *name != GENERIC);
    let flags = typed.map(|name| ("NAME", "model", name.clone()));
    let config = load_config(flags.collect(), ui)?;
    let models = load_models(&config, ui)?;
    match &args.name {
        Some(name) => show(find(&models, name)?, &config, ui),
        None => list(&models, ui),
    }
}

fn find<'a>(models: &'a Models, name: &str) -> Result<&'a Model, RequestError> {
    models.find(name).ok_or_else(|| {
        let nearest = models.suggest(name).into_iter();
        RequestError::UnknownModel {
            name: name.to_owned(),
            nearest: nearest.map(str::to_owned).collect(),
        }
    })
}

fn list(models: &Models, ui: &mut Ui) -> Result<()> {
    if ui.wants_json() {
        let models = models.iter().map(json).collect();
        return Ok(ui.json(&ListJson { models })?);
    }
    let mut table =
        Table::headed("lrrlrr", ["model", "window", "output", "counter", "$/M in", "$/M out"]);
    for model in models.iter() {
        let prices = model.prices.as_ref();
        table.row([
            model.name.clone(),
            thousands(model.window.get()),
            model.max_output.map_or_else(unknown, |tokens| thousands(tokens.get())),
            model.counter.clone(),
            prices.map_or_else(unknown, |prices| dollars(prices.input)),
            prices.map_or_else(unknown, |prices| dollars(prices.output)),
        ]);
    }
    Ok(table.write(ui.out())?)
}

fn show(model: &Model, config: &Config, ui: &mut Ui) -> Result<()> {
    let counter_name = config.settings().counter.as_ref().unwrap_or(&model.counter);
    let counted = counter_name.parse::<Counter>();
    let precision = counted.map_or(Precision::Heuristic, |counter| counter.precision());
    // A window may be smaller than the reserves; the model is shown all the same.
    let budget = config.budget(model, precision);
    if ui.wants_json() {
        return Ok(ui.json(&OneJson {
            model: json(model),
            budget: budget.ok().as_ref().map(budget_json),
        })?);
    }
    let mut table = Table::new("ll");
    let mut row = |name: &str, value: String| table.row([format!("  {name}"), value]);
    row("window", plural(model.window.get(), "token"));
    let output = model.max_output;
    row("output", output.map_or_else(unknown, |tokens| plural(tokens.get(), "token")));
    row("budget", budget.map_or_else(|error| error.to_string(), |budget| budget_words(&budget)));
    row("counter", counter(model));
    row("prices", model.prices.as_ref().map_or_else(unknown, prices));
    if !model.aliases.is_empty() {
        row("aliases", model.aliases.join(", "));
    }
    let (name, provider) = (&model.name, &model.provider);
    writeln!(ui.out(), "{STRONG}{name}{STRONG:#} ({provider})")?;
    Ok(table.write(ui.out())?)
}

/// Writes a budget as the sum it is.
fn budget_words(budget: &Budget) -> String {
    let kept = budget.reserves().iter().filter(|it| !it.tokens.is_zero());
    let kept = kept.map(|it| format!(" - {} {}", thousands(it.tokens.get()), it.name));
    let window = thousands(budget.window().get());
    let margin = match budget.margin() {
        1.0 => String::new(),
        margin => format!(", x {margin}"),
    };
    let available = plural(budget.available().get(), "token");
    let sum = format!("{window}{}{margin}", kept.collect::<String>());
    format!("{available} ({sum})")
}

pub(in crate::commands) fn budget_json(budget: &Budget) -> BudgetJson {
    let allocation = budget.allocate();
    let shares = allocation.shares().iter();
    let reserves = budget.reserves().iter();
    BudgetJson {
        window: budget.window().get(),
        reserves: reserves.map(|it| (it.name.clone(), it.tokens.get())).collect(),
        margin: budget.margin(),
        available: budget.available().get(),
        shares: shares.map(|it| (it.name.clone(), it.limit.get())).collect(),
    }
}

fn unknown() -> String {
    "-".to_owned()
}

/// Names the counter and how sure it is; a user's entry may name one that does not exist.
fn counter(model: &Model) -> String {
    match model.counter.parse::<Counter>() {
        Ok(counter) => counter_words(counter.name(), counter.precision()),
        Err(error) => format!("{} ({error})", model.counter),
    }
}

fn prices(prices: &Prices) -> String {
    let named = [
        ("input", Some(prices.input)),
        ("output", Some(prices.output)),
        ("cache read", prices.cache_read),
        ("cache write", prices.cache_write),
    ];
    let known =
        named.into_iter().filter_map(|(name, price)| Some(format!("{name} ${}", dollars(price?))));
    let known: Vec<String> = known.collect();
    format!("{} per million tokens", known.join(", "))
}

/// Writes a price with cents, or with as many digits as it has.
fn dollars(price: f64) -> String {
    let cents = format!("{price:.2}");
    match cents.parse::<f64>() {
        Ok(rounded) if (rounded - price).abs() < 1e-9 => cents,
        _ => price.to_string(),
    }
}

fn json(model: &Model) -> ModelJson<'_> {
    let counter = model.counter.parse::<Counter>().ok();
    ModelJson { model, precision: counter.map(|counter| counter.precision()) }
}
