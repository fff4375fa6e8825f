//! Which counters were asked for, by a flag, the configuration or the model.

use std::sync::Arc;

use loadline::Remark;
use loadline::budget::Model;
use loadline::cache::Cache;
use loadline::settings::{Config, Source};
use loadline::tokens::Counter;

use super::{Flag, find_model, load_config, load_models, now_ns, open_store, typed};
use crate::api::{self, ApiCounter, ApiOptions};
use crate::env;
use crate::error::{RequestError, Result};
use crate::ui::Ui;

/// The word for all counters that are worth comparing.
const ALL: &str = "all";

/// The counters that `all` stands for.
const COMPARED: [&str; 6] =
    ["o200k", "cl100k", "claude-3", "claude-4.7", "claude-4.8", "heuristic"];

/// The counters to use, in order and without repetition.
pub(crate) struct Counters {
    /// All of them; never empty.
    pub(crate) list: Vec<Counter>,
    /// The one that asks a service, if it is among them.
    pub(crate) api: Option<ApiCounter>,
    /// Which of them could not be had, and what counts in their place.
    pub(crate) notes: Vec<Remark>,
}

/// What choosing counters depends on.
pub(crate) struct Choice<'a> {
    /// The names typed after `--counter`.
    pub(crate) typed: &'a [String],
    /// The settings.
    pub(crate) config: &'a Config,
    /// The model to count for.
    pub(crate) model: &'a Model,
    /// The cache, for answers of the service.
    pub(crate) store: &'a Arc<Cache>,
    /// The present.
    pub(crate) now_ns: i64,
}

/// A model and the one counter of a budget, with the settings that they come from.
pub(crate) struct Counting {
    pub(crate) config: Config,
    pub(crate) model: Model,
    pub(crate) counter: Counter,
    /// What is known already, answers of a counting service among it.
    pub(crate) store: Arc<Cache>,
}

/// What to count for.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct CountingArgs {
    /// Model to count for; determines the counter.
    #[arg(long, short, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Counter to use [default: the model's].
    #[arg(long, short, value_name = "NAME")]
    pub(crate) counter: Option<String>,
}

impl CountingArgs {
    /// Settles the model and the counter.
    pub(crate) fn open(&self, ui: &mut Ui) -> Result<Counting> {
        self.open_with(Vec::new(), ui)
    }

    /// Loads settings with what else was typed, and settles the model and the counter.
    pub(crate) fn open_with(&self, mut flags: Vec<Flag>, ui: &mut Ui) -> Result<Counting> {
        flags.extend(typed([("--model", "model", self.model.clone())]));
        let config = load_config(flags, ui)?;
        let models = load_models(&config, ui)?;
        let model = find_model(&models, &config, ui)?;
        let store = Arc::new(open_store(&config, ui));
        let typed: Vec<String> = self.counter.iter().cloned().collect();
        let choice =
            Choice { typed: &typed, config: &config, model, store: &store, now_ns: now_ns(ui) };
        Ok(Counting { counter: choice.counter(ui)?, model: model.clone(), config, store })
    }
}

impl Choice<'_> {
    /// Makes the counters: as typed, else as configured, else the model's.
    pub(crate) fn counters(&self) -> Result<Counters> {
        let mut counters = Counters { list: Vec::new(), api: None, notes: Vec::new() };
        for name in self.names() {
            let counter = if name == api::NAME {
                let api = self.api()?;
                counters.api = Some(api.clone());
                Counter::custom(api)
            } else {
                let (counter, note) = Counter::open(name)?;
                counters.notes.extend(note);
                counter
            };
            let known = counters.list.iter().any(|known| known.name() == counter.name());
            if !known {
                counters.list.push(counter);
            }
        }
        Ok(counters)
    }

    /// Makes the one counter of a budget, which is counted in one way.
    pub(crate) fn counter(&self, ui: &mut Ui) -> Result<Counter> {
        let mut counters = self.counters()?;
        ui.remarks(std::mem::take(&mut counters.notes));
        match counters.list.as_slice() {
            [counter] => Ok(counter.clone()),
            list => Err(RequestError::ManyCounters { count: list.len() }.into()),
        }
    }

    fn names(&self) -> Vec<&str> {
        if self.typed.is_empty() {
            let configured = self.config.settings().counter.as_deref();
            return vec![configured.unwrap_or(&self.model.counter)];
        }
        let typed = self.typed.iter().map(String::as_str);
        let expanded = typed.map(|name| match name {
            ALL => COMPARED.to_vec(),
            name => vec![name],
        });
        expanded.flatten().collect()
    }

    fn api(&self) -> Result<ApiCounter> {
        if self.typed.is_empty() {
            self.refuse_project("counter")?;
        }
        self.refuse_project("api.url")?;
        if self.model.provider != "anthropic" {
            let model = self.config.settings().model.clone();
            return Err(RequestError::NotClaude { model }.into());
        }
        let settings = self.config.settings();
        Ok(ApiCounter::new(ApiOptions {
            url: settings.api.url.clone(),
            timeout: settings.api.timeout,
            key: env::get(env::API_KEY).map(|key| key.to_string_lossy().into_owned()),
            model: self.api_model(),
            fallback: self.model.counter.parse()?,
            store: Arc::clone(self.store),
            ttl: settings.cache.api_ttl,
            now_ns: self.now_ns,
        }))
    }

    /// Refuses a setting that came with a project: someone else's repository
    /// must not make us send files or the key anywhere.
    fn refuse_project(&self, key: &'static str) -> Result<(), RequestError> {
        match self.config.source(key) {
            Some(Source::Project(path)) => {
                Err(RequestError::ProjectSetsApi { place: path.display().to_string(), key })
            }
            _ => Ok(()),
        }
    }

    /// Returns the name the service knows the model by.
    ///
    /// A dated name is passed on as it is; a name with a provider or a region
    /// in it would not be understood.
    fn api_model(&self) -> String {
        let typed = &self.config.settings().model;
        if typed.starts_with("claude-") { typed.clone() } else { self.model.name.clone() }
    }
}
