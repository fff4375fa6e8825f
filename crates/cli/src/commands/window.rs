//! `loadline window`: builds prompts for a phase, from messages, or from many sources.

pub(super) mod build;
pub(super) mod fill;
pub(super) mod messages;
pub(super) mod phases;

use clap::{Subcommand, ValueEnum};
use loadline::prompt::Provider;
use loadline::session::{SessionFormat, convert_messages};
use serde_json::Value;

use crate::error::Result;
use crate::ui::Ui;

/// Build a prompt within a budget: for a phase, from messages or from sources.
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
pub(crate) fn run(args: &WindowArgs, ui: &mut Ui) -> Result<()> {
    match &args.command {
        WindowCommand::Build(args) => build::run(args, ui),
        WindowCommand::Messages(args) => messages::run(args, ui),
        WindowCommand::Fill(args) => fill::run(args, ui),
        WindowCommand::Phases(args) => phases::run(args, ui),
    }
}

/// The provider that a prompt is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The body of an Anthropic request: system and messages.
    Anthropic,
    /// The body of an OpenAI chat request: messages.
    Openai,
}

impl From<Format> for Provider {
    fn from(format: Format) -> Provider {
        match format {
            Format::Anthropic => Provider::Anthropic,
            Format::Openai => Provider::OpenAi,
        }
    }
}

/// Rewrites messages of one provider as another's, by the formats of sessions.
fn convert(messages: &[Value], from: Provider, to: Provider) -> Option<Vec<Value>> {
    let format = |provider| match provider {
        Provider::Anthropic => SessionFormat::Anthropic,
        Provider::OpenAi => SessionFormat::OpenAiChat,
    };
    convert_messages(messages, format(from), format(to))
}
