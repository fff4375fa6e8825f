//! `loadline feature`: the notes of one feature.

mod status;

pub(super) use status::SavingJson;

use clap::Subcommand;

use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::ui::Ui;

/// Look after the notes of a feature: how full they are.
#[derive(Debug, clap::Args)]
pub(crate) struct FeatureArgs {
    #[command(subcommand)]
    command: FeatureCommand,
}

#[derive(Debug, Subcommand)]
enum FeatureCommand {
    Status(status::StatusArgs),
}

/// Runs what was typed.
pub(crate) fn run(
    args: &FeatureArgs,
    global: &GlobalArgs,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    match &args.command {
        FeatureCommand::Status(args) => status::run(args, global, ui),
    }
}
