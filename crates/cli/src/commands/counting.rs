//! Arguments that choose the model and the counter.

use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::settings::Counting;
use crate::ui::Ui;

/// What to count for.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct CountingArgs {
    /// Model to count for; determines the counter.
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Counter to use [default: the model's].
    #[arg(long, short, value_name = "NAME")]
    counter: Option<String>,
}

impl CountingArgs {
    /// Settles the model and the counter.
    pub(super) fn open(&self, global: &GlobalArgs, ui: &mut Ui) -> Result<Counting, CommandError> {
        let flags = self.model.iter();
        let flags = flags.map(|name| ("--model", "model", name.clone()));
        Counting::open(flags.collect(), self.counter.as_deref(), global, ui)
    }
}
