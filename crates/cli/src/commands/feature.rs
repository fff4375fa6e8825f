//! `loadline feature`: measures and compacts the notes of a feature.

pub(super) mod compact;
pub(super) mod compact_all;
pub(super) mod history;
pub(super) mod revert;
pub(super) mod status;

pub(super) use revert::{edits, show as show_revert};
pub(super) use status::{SavingJson, UsageJson};

use clap::Subcommand;

use crate::error::Result;
use crate::ui::Ui;

/// Measure and compact the notes of a feature.
///
/// Features are the directories below memory.root [default: .claude/plans/features].
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
pub(crate) fn run(args: &FeatureArgs, ui: &mut Ui) -> Result<()> {
    match &args.command {
        FeatureCommand::Status(args) => status::run(args, ui),
        FeatureCommand::Compact(args) => compact::run(args, ui),
        FeatureCommand::History(args) => history::run(args, ui),
    }
}
