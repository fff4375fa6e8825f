//! Which model and which counter, for commands that measure what they are given.

use std::sync::Arc;

use loadline::{Config, Counter, Model};

use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::settings::{self, Choice};
use crate::ui::Ui;

/// What to count for.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct CountingArgs {
    /// The model to count for; decides the counter.
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Count with this counter instead of the model's.
    #[arg(long, short, value_name = "NAME")]
    counter: Option<String>,
}

/// A model and a counter, with the settings that they come from.
pub(super) struct Counting {
    pub(super) config: Config,
    pub(super) model: Model,
    pub(super) counter: Counter,
}

impl CountingArgs {
    /// Settles the model and the counter.
    pub(super) fn open(&self, global: &GlobalArgs, ui: &mut Ui) -> Result<Counting, CommandError> {
        let flags = self.model.iter();
        let flags = flags.map(|name| ("--model", "model", name.clone()));
        let config = settings::load_config(global, flags.collect(), ui)?;
        let models = settings::load_models(&config, ui)?;
        let (model, note) = models.find_or_generic(&config.settings().model);
        ui.notes(note);
        let store = Arc::new(settings::open_store(global, &config, ui));
        let typed: Vec<String> = self.counter.iter().cloned().collect();
        let counters = Choice {
            typed: &typed,
            config: &config,
            model,
            store: &store,
            now_ns: settings::now_ns(global),
        };
        let counter = counters.counter(ui)?;
        Ok(Counting {
            counter,
            model: model.clone(),
            config,
        })
    }
}
