//! `loadline serve`: a page in the browser that shows what sessions cost and hold.

#[cfg_attr(not(feature = "server"), path = "serve/page_disabled.rs")]
mod page;

use crate::error::Result;
use crate::ui::Ui;

/// Show sessions, the bill, packs, notes and the archive in a browser.
///
/// Serves on 127.0.0.1 only, to whoever has the token in the printed address; after the
/// first visit a cookie stands for it. Nothing is loaded from the network and nothing is
/// sent. Looking changes nothing; reverting an operation on notes does what `feature
/// compact --revert` does. Set LOADLINE_SERVE_TOKEN to choose the token.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline serve                     print the address and open it
  loadline serve --port 8182 --no-open")]
pub(crate) struct ServeArgs {
    /// Port to listen on; 0 picks a free port.
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Do not open a browser.
    #[arg(long)]
    no_open: bool,
}

/// Serves until interrupted.
pub(crate) fn run(args: &ServeArgs, ui: &mut Ui) -> Result<()> {
    page::serve(args, ui)
}
