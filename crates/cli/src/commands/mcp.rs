//! `loadline mcp`: serves agents over MCP.

#[cfg_attr(not(feature = "server"), path = "mcp/serve_disabled.rs")]
mod serve;

use std::net::SocketAddr;
use std::path::PathBuf;

use super::source::{FileArgs, Prepared};
use crate::error::Result;
use crate::ui::Ui;

/// Serve packs, searches, outlines, files and originals to agents over MCP.
///
/// Uses standard input and output, or HTTP with --http for several clients. Reads only
/// files below the roots, changes none, and redacts secrets. If LOADLINE_MCP_TOKEN is
/// set, HTTP clients must send it as a bearer token.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline mcp                           serve this directory on standard input and output
  loadline mcp ~/work/app ~/work/lib     serve two
  loadline mcp --http 127.0.0.1:8181     serve at http://127.0.0.1:8181/mcp
  claude mcp add loadline -- loadline mcp
  codex mcp add loadline -- loadline mcp")]
pub(crate) struct McpArgs {
    /// Directories that may be read.
    #[arg(value_name = "ROOT", default_value = ".")]
    roots: Vec<PathBuf>,
    /// Listen on a loopback address instead; port 0 picks a free port.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    #[command(flatten)]
    files: FileArgs,
}

/// Serves until nobody is left.
pub(crate) fn run(args: &McpArgs, ui: &mut Ui) -> Result<()> {
    let prepared = args.files.prepare(None, ui)?;
    serve::serve(args, prepared, ui)
}
