//! `loadline session stats`: what a session holds, and what of it costs most.

pub(in crate::commands) mod json;
mod show;

use loadline::session::session_stats;
use loadline::tokens::Tokens;

use super::{Session, SourceArgs};
use crate::error::Result;
use crate::ui::Ui;

/// Show what a session contains, by role, kind, tool and file, and how its window filled.
///
/// If the session records billed tokens, counts are compared with them.
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Window to measure against [default: the model's].
    #[arg(long, value_name = "TOKENS")]
    window: Option<Tokens>,
    /// Maximum number of tools, files and blocks to list.
    #[arg(long, value_name = "N", default_value_t = 8)]
    limit: usize,
}

/// Measures and shows.
pub(crate) fn run(args: &StatsArgs, ui: &mut Ui) -> Result<()> {
    let session = args.source.open(ui)?;
    let stats = session_stats(&session.transcript, &session.counter);
    let window = session.window(args.window);
    if ui.wants_json() {
        let document = json::document(&session, &stats, window)?;
        return Ok(ui.json(&document)?);
    }
    show::Show { session: &session, stats: &stats, window, limit: args.limit, width: ui.columns() }
        .write(ui.out())
}
