//! Builds the server and runs it.

use std::sync::Arc;

use loadline_server::{HttpOptions, Mcp, McpOptions, serve_http, serve_stdio};

use super::{McpArgs, Prepared};
use crate::agent::agent_homes;
use crate::env;
use crate::error::Result;
use crate::settings;
use crate::ui::Ui;

/// Serves on the streams, or on an address.
pub(super) fn serve(args: &McpArgs, prepared: Prepared, ui: &mut Ui) -> Result<()> {
    let mcp = Mcp::new(options(args, prepared, ui)?)?;
    // Nothing more is said on the way: whoever reads must not wait for notes.
    ui.finish()?;
    let Some(address) = args.http else {
        return Ok(serve_stdio(mcp)?);
    };
    let token = env::get(env::MCP_TOKEN).map(|token| token.to_string_lossy().into_owned());
    // Whoever sets it to nothing meant to set one; the server refuses it.
    let token = token.or(env::is_empty(env::MCP_TOKEN).then(String::new));
    let http = HttpOptions { address, token };
    let ready = |address| ui.say(&format!("listening at http://{address}/mcp"));
    Ok(serve_http(mcp, &http, ready)?)
}

fn options(args: &McpArgs, prepared: Prepared, ui: &mut Ui) -> Result<McpOptions> {
    let archive = if prepared.store.is_enabled() {
        settings::open_archive(args.roots.first().map(|it| it.as_path())).ok()
    } else {
        None
    };
    Ok(McpOptions {
        roots: args.roots.clone(),
        models: settings::load_models(&prepared.config, ui)?,
        settings: prepared.config.settings().clone(),
        pack: prepared.options,
        store: prepared.store,
        ledger: archive.as_ref().map(|it| it.directory().to_owned()),
        archive,
        agents: agent_homes().ok(),
        clock: Arc::new(settings::clock(ui)),
    })
}
