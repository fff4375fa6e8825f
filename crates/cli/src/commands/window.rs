//! `loadline window`: builds prompts for a phase, from messages, or from many sources.

pub(super) mod build;
pub(super) mod fill;
pub(super) mod messages;
pub(super) mod phases;

use clap::ValueEnum;
use loadline::prompt::Provider;
use loadline::session::{SessionFormat, convert_messages};
use serde_json::Value;

group! {
    /// Build a prompt within a budget: for a phase, from messages or from sources.
    WindowArgs, WindowCommand {
        Build(build::BuildArgs) => build::run,
        Messages(messages::MessagesArgs) => messages::run,
        Fill(fill::FillArgs) => fill::run,
        Phases(phases::PhasesArgs) => phases::run,
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
