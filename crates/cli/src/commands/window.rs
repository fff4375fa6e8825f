//! `loadline window`: the exact prompt of a phase, from messages, from many sources.

mod build;
mod fill;
mod messages;
mod phases;

use clap::{Subcommand, ValueEnum};

use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::ui::Ui;

/// Build the prompt for a phase of work, or from many sources, within a budget.
#[derive(Debug, clap::Args)]
pub(crate) struct WindowArgs {
    #[command(subcommand)]
    command: WindowCommand,
}

#[derive(Debug, Subcommand)]
enum WindowCommand {
    Build(build::BuildArgs),
    Messages(messages::MessagesArgs),
    Fill(fill::FillArgs),
    Phases(phases::PhasesArgs),
}

/// Runs the command that was typed.
pub(crate) fn run(args: &WindowArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    match &args.command {
        WindowCommand::Build(args) => build::run(args, global, ui),
        WindowCommand::Messages(args) => messages::run(args, global, ui),
        WindowCommand::Fill(args) => fill::run(args, global, ui),
        WindowCommand::Phases(args) => phases::run(args, global, ui),
    }
}

/// For whom a prompt is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Provider {
    /// The body of a request to Anthropic: system and messages.
    Anthropic,
    /// The body of a request to OpenAI's chat: messages.
    Openai,
}
