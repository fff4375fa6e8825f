//! `loadline session convert`: a session in another agent's format.

use std::path::PathBuf;

use loadline::session::{Draft, SessionFormat, convert_session};

use super::SourceArgs;
use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::output;
use crate::ui::Ui;

/// Convert a session to another format; what it cannot express is omitted.
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
pub(crate) fn run(
    args: &ConvertArgs,
    global: &GlobalArgs,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let session = args.source.open(global, ui)?;
    let transcript = &session.transcript;
    let bytes = convert_session(transcript, &Draft::whole(transcript), args.to)?;
    match &args.output {
        Some(path) => output::write(path, &bytes),
        None => Ok(ui.raw(&bytes)?),
    }
}
