//! `loadline feature`: the notes of one feature, and less of them.

mod compact;
mod compact_all;
mod history;
mod revert;
mod status;

pub(super) use revert::{edits, show as show_revert};
pub(super) use status::SavingJson;

use clap::Subcommand;

use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::ui::Ui;

/// Look after the notes of a feature: how full they are, and how they get smaller.
///
/// Features are the directories in memory.root, .claude/plans/features.
#[derive(Debug, clap::Args)]
pub(crate) struct FeatureArgs {
    #[command(subcommand)]
    command: FeatureCommand,
}

#[derive(Debug, Subcommand)]
enum FeatureCommand {
    Status(status::StatusArgs),
    Compact(compact::CompactArgs),
    History(history::HistoryArgs),
}

/// Runs the command that was typed.
pub(crate) fn run(
    args: &FeatureArgs,
    global: &GlobalArgs,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    match &args.command {
        FeatureCommand::Status(args) => status::run(args, global, ui),
        FeatureCommand::Compact(args) => compact::run(args, global, ui),
        FeatureCommand::History(args) => history::run(args, global, ui),
    }
}
