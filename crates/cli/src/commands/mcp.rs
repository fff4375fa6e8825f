//! `loadline mcp`: this program as a server for agents.

#[cfg_attr(not(feature = "server"), path = "mcp/serve_disabled.rs")]
mod serve;

use std::net::SocketAddr;
use std::path::PathBuf;

use super::source::{FileArgs, Prepared};
use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::ui::Ui;

/// Serve packs, searches, outlines, files and originals to agents, by MCP.
///
/// Speaks on standard input and output, or with --http to several clients at once.
/// Only files below the roots are read, none is changed, and secrets are redacted.
/// LOADLINE_MCP_TOKEN is what clients of --http must bring as a bearer token.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline mcp                           serve this directory on standard input and output
  loadline mcp ~/work/app ~/work/lib     serve two
  loadline mcp --http 127.0.0.1:8181     serve at http://127.0.0.1:8181/mcp
  claude mcp add loadline -- loadline mcp
  codex mcp add loadline -- loadline mcp")]
pub(crate) struct McpArgs {
    /// The directories that may be read.
    #[arg(value_name = "ROOT", default_value = ".")]
    roots: Vec<PathBuf>,
    /// Listen on this address of the machine itself instead; port 0 takes any.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    #[command(flatten)]
    files: FileArgs,
}

/// Serves until nobody is left.
pub(crate) fn run(args: &McpArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let prepared = args.files.prepare(global, ui)?;
    serve::serve(args, prepared, global, ui)
}
