//! `loadline session trim`: as much of a session as a budget holds.

use loadline::{
    Note, SessionFormat, Tokens, TrimOptions, TrimStrategy, convert_session, trim, trim_summarized,
};
use regex::Regex;

use super::SourceArgs;
use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::summarizer::Summarizer;
use crate::ui::{Ui, thousands};

/// Fit a session into a budget; what was cut can be recalled.
#[derive(Debug, clap::Args)]
pub(crate) struct TrimArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// The most tokens to leave, such as 8000 or 8k.
    #[arg(long, short, value_name = "TOKENS")]
    budget: Tokens,
    /// How what stays is chosen.
    #[arg(long, value_name = "NAME", default_value = "coverage")]
    strategy: TrimStrategy,
    /// Write this format instead of the session's own.
    #[arg(long, value_name = "FORMAT")]
    to: Option<SessionFormat>,
    /// Turns at the end that stay as they are.
    #[arg(long, value_name = "N")]
    keep_last: Option<usize>,
    /// Keep lines that match this pattern.
    #[arg(long, value_name = "REGEX")]
    preserve: Vec<Regex>,
    /// A command that reads the turns that go and prints their summary; for --strategy priority.
    #[arg(long, value_name = "CMD")]
    summarizer: Option<String>,
}

/// Trims, archives the original, and writes what is left.
pub(crate) fn run(args: &TrimArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let session = args.source.open(global, ui)?;
    let transcript = &session.transcript;
    let handle = session.archive(global)?;
    let options = TrimOptions {
        counter: session.counter.clone(),
        budget: args.budget,
        strategy: args.strategy,
        keep_last: args.keep_last,
        preserve: args.preserve.clone(),
        handle,
    };
    let summarizer = match args.strategy {
        TrimStrategy::Priority => Summarizer::find(args.summarizer.as_deref(), &session.config)?,
        _ => None,
    };
    if summarizer.is_none() && args.summarizer.is_some() {
        let message = "not asked: only --strategy priority summarises";
        ui.notes([Note::new("summarizer", message)]);
    }
    let trimmed = match &summarizer {
        Some(summarizer) => trim_summarized(transcript, &options, summarizer)?,
        None => trim(transcript, &options)?,
    };
    let format = args.to.unwrap_or(transcript.format);
    let bytes = convert_session(transcript, &trimmed.draft, format);
    ui.raw(&bytes)?;
    ui.notes(trimmed.notes);
    let (before, after) = (trimmed.before.get(), trimmed.after.get());
    ui.say(&format!(
        "{} of {} tokens left by {}",
        thousands(after),
        thousands(before),
        session.counter.name()
    ));
    Ok(())
}
