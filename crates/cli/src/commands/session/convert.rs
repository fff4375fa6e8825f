//! `loadline session convert`: a session in another agent's format.

use std::path::PathBuf;

use loadline::session::{Draft, SessionFormat, conversion_losses, convert_session};

use super::SourceArgs;
use crate::error::Result;
use crate::output;
use crate::ui::Ui;

/// Convert a session to another format.
///
/// Pictures and thoughts are carried over where the format has a place for them;
/// otherwise a remark says how many were left out.
#[derive(Debug, clap::Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Output format.
    #[arg(long, value_name = "FORMAT")]
    to: SessionFormat,
    /// Write to FILE instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Reads and writes.
pub(crate) fn run(args: &ConvertArgs, ui: &mut Ui) -> Result<()> {
    let session = args.source.open(ui)?;
    let transcript = &session.transcript;
    let draft = Draft::whole(transcript);
    let bytes = convert_session(transcript, &draft, args.to)?;
    ui.remarks(conversion_losses(transcript, &draft, &bytes, args.to));
    output::deliver(args.output.as_deref(), &bytes, ui)
}
