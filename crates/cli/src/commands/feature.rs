//! `loadline feature`: notes that agents keep about their work, and less of them.

mod compact;
mod compact_all;
mod history;
mod revert;

use clap::Subcommand;

use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::ui::Ui;

pub(super) use revert::{edits, show as show_revert};

/// Look after a feature: a directory of notes that an agent keeps about its work.
///
/// Features are the directories in memory.root, .claude/plans/features.
#[derive(Debug, clap::Args)]
pub(crate) struct FeatureArgs {
    #[command(subcommand)]
    command: FeatureCommand,
}

#[derive(Debug, Subcommand)]
enum FeatureCommand {
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
        FeatureCommand::Compact(args) => compact::run(args, global, ui),
        FeatureCommand::History(args) => history::run(args, global, ui),
    }
}
