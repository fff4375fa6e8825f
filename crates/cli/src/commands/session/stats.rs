//! `loadline session stats`: what a session holds, and what of it costs most.

mod billed;
mod json;
mod show;

use loadline::session::session_stats;
use loadline::tokens::Tokens;

use super::{Session, SourceArgs};
use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::ui::Ui;

/// Show what a session holds: by role, kind, tool and file, and how its window filled.
///
/// Where the session says what was billed, the count is compared with it.
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// The window to measure against instead of the model's.
    #[arg(long, value_name = "TOKENS")]
    window: Option<Tokens>,
    /// List this many tools, files and blocks.
    #[arg(long, value_name = "N", default_value_t = 8)]
    limit: usize,
}

/// Measures and shows.
pub(crate) fn run(args: &StatsArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let session = args.source.open(global, ui)?;
    let stats = session_stats(&session.transcript, &session.counter);
    let window = session.window(args.window);
    if ui.wants_json() {
        let document = json::document(&session, &stats, window)?;
        return Ok(ui.json(&document)?);
    }
    show::Show {
        session: &session,
        stats: &stats,
        window,
        limit: args.limit,
        width: ui.columns(),
    }
    .write(ui.out())
}
