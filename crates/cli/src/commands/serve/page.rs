//! Gathers what the page shows, and serves it.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::sync::Arc;

use loadline_server::{PageOptions, ServerError, serve_page};

use super::ServeArgs;
use crate::agent::{agent_homes, logged_agents};
use crate::env;
use crate::error::Result;
use crate::memory::{Memory, MemoryArgs};
use crate::pins::read_pinned;
use crate::settings;
use crate::ui::Ui;

/// Bytes of a token; each is two letters of it.
const TOKEN: usize = 24;

/// Serves the page until the process is ended.
pub(super) fn serve(args: &ServeArgs, ui: &mut Ui) -> Result<()> {
    let token = token()?;
    let options = options(args, token.clone(), ui)?;
    let ready = |address: SocketAddr| {
        let address = format!("http://{address}/?token={token}");
        // A closed output does not keep the page from being served.
        let _ = writeln!(ui.out(), "{address}");
        let _ = ui.finish();
        ui.say("Open it in a browser; Ctrl-C ends the page.");
        if !args.no_open && ui.is_terminal() {
            open(&address);
        }
    };
    Ok(serve_page(options, ready)?)
}

fn options(args: &ServeArgs, token: String, ui: &mut Ui) -> Result<PageOptions> {
    let memory = Memory::open(&MemoryArgs::default(), ui)?;
    let settings = memory.config.settings().clone();
    let (compact, store) = (settings.compact.clone(), Arc::clone(&memory.store));
    Ok(PageOptions {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, args.port)),
        token,
        homes: agent_homes()?,
        agents: logged_agents(),
        models: settings::load_models(&memory.config, ui)?,
        window: settings.session.total.or_else(|| memory.config.window()),
        settings,
        archive: settings::open_archive(None).ok(),
        features: memory.features,
        notes: memory.options,
        write: memory.write,
        background: Arc::new(move |feature, options| options.ask_git(feature, &store)),
        store: memory.store,
        pinned: Arc::new(move |directory| read_pinned(Some(directory), &compact).0),
        clock: Arc::new(settings::clock(ui)),
    })
}

/// Returns the token that is set, or a new one.
fn token() -> Result<String> {
    if env::is_empty(env::SERVE_TOKEN) {
        return Err(ServerError::NoToken.into());
    }
    if let Some(token) = env::get(env::SERVE_TOKEN) {
        let token = token.to_string_lossy().into_owned();
        // It is a part of an address and of a cookie.
        let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
        if token.chars().all(is_plain) {
            return Ok(token);
        }
        return Err(ServerError::OddToken.into());
    }
    let mut bytes = [0; TOKEN];
    getrandom::fill(&mut bytes).map_err(std::io::Error::from)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Opens an address in the user's browser, if there is a program for it.
fn open(address: &str) {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(before).arg(address);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The address is printed: whoever has no such program can follow it.
    let _ = command.spawn();
}
