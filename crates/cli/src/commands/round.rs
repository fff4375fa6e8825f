//! `loadline round`: what one round of an analysis hands to the next, and what it used.

pub(super) mod compress;
pub(super) mod usage;

use clap::Subcommand;

use crate::error::Result;
use crate::ui::Ui;

/// Hand results from one round of an analysis to the next, and report usage.
#[derive(Debug, clap::Args)]
pub(crate) struct RoundArgs {
    #[command(subcommand)]
    command: RoundCommand,
}

#[derive(Debug, Subcommand)]
enum RoundCommand {
    Compress(compress::CompressArgs),
    Usage(usage::UsageArgs),
}

/// Runs the command that was typed.
pub(crate) fn run(args: &RoundArgs, ui: &mut Ui) -> Result<()> {
    match &args.command {
        RoundCommand::Compress(args) => compress::run(args, ui),
        RoundCommand::Usage(args) => usage::run(args, ui),
    }
}
