//! `loadline session restore`: the original of a trimmed session.

use std::path::PathBuf;

use loadline::session::restore_session;

use super::read_source;
use crate::error::Result;
use crate::output;
use crate::settings::open_archive;
use crate::ui::Ui;

/// Restore the original of a trimmed session, byte for byte.
///
/// Run it in the project in which the session was trimmed. If a session was trimmed
/// twice, this restores the state before the last trim.
#[derive(Debug, clap::Args)]
pub(crate) struct RestoreArgs {
    /// Trimmed session; - means standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write to FILE instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Finds the original by the trimmed session's markers and writes it.
pub(crate) fn run(args: &RestoreArgs, ui: &mut Ui) -> Result<()> {
    let trimmed = read_source(&args.file)?;
    let original = restore_session(&trimmed, &open_archive(None)?)?;
    output::deliver(args.output.as_deref(), &original, ui)
}
