//! The page: what sessions cost and hold, packs, notes and the archive, in a browser.
//!
//! ```text
//! request -> gate -> route -> a call of the library, on a thread -> markup -> answer
//! ```
//!
//! One file per page turns values of the library into markup and does nothing else.
//! Everything is written on the server: pages load nothing from elsewhere and are complete
//! when they arrive. One line of script says when a log has changed; without it they work. Only `notes_revert` changes anything, by the same
//! calls as the command.

mod archive;
mod chart;
mod data;
mod events;
mod fills;
mod gate;
mod layout;
mod line;
mod notes;
mod notes_revert;
mod overview;
mod packs;
mod preview;
mod route;
mod session;
mod sessions;
mod text;
mod treemap;

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use loadline::agents::{Agent, AgentHomes};
use loadline::archive::Archive;
use loadline::budget::Models;
use loadline::cache::Cache;
use loadline::notes::{Feature, Features, NotesOptions, WriteOptions};
use loadline::settings::Settings;
use loadline::tokens::Tokens;

use crate::error::ServerError;
use crate::listen::listen;
use crate::mcp::Clock;
use data::Data;
use gate::Gate;

/// Returns what the user pinned in the project of a directory.
pub type Pinned = Arc<dyn Fn(&Path) -> String + Send + Sync>;

/// Adds what is known besides the notes of a feature, such as what git says.
pub type Background = Arc<dyn Fn(&Feature, &mut NotesOptions) + Send + Sync>;

/// What the page shows, and who may see it.
pub struct PageOptions {
    /// A loopback address; port 0 takes any that is free.
    pub address: SocketAddr,
    /// What a browser must bring.
    pub token: String,
    /// Where agents keep their logs.
    pub homes: AgentHomes,
    /// The agents whose logs are read.
    pub agents: Vec<Agent>,
    /// The models, for prices and windows.
    pub models: Models,
    /// What is set.
    pub settings: Settings,
    /// The window to measure sessions against; none takes each model's.
    pub window: Option<Tokens>,
    /// What is known already.
    pub store: Arc<Cache>,
    /// What is kept; none where there is no directory for it.
    pub archive: Option<Archive>,
    /// The features of the project.
    pub features: Features,
    /// How notes are measured and compacted.
    pub notes: NotesOptions,
    /// How notes are written.
    pub write: WriteOptions,
    /// Adds what is known besides notes.
    pub background: Background,
    /// Finds what the user pinned.
    pub pinned: Pinned,
    /// Tells the time.
    pub clock: Clock,
}

impl fmt::Debug for PageOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageOptions").field("address", &self.address).finish_non_exhaustive()
    }
}

/// What all requests share.
struct State {
    options: PageOptions,
    /// What the logs said when they were last read.
    data: Mutex<Option<Arc<Data>>>,
}

impl State {
    fn now(&self) -> Timestamp {
        let now = (self.options.clock)();
        Timestamp::from_nanosecond(i128::from(now)).unwrap_or_default()
    }
}

/// Serves the page until the process ends; `ready` is told the address.
pub fn serve_page(options: PageOptions, ready: impl FnOnce(SocketAddr)) -> Result<(), ServerError> {
    if options.token.trim().is_empty() {
        return Err(ServerError::NoToken);
    }
    listen(options.address, |address| {
        ready(address);
        let state = State { options, data: Mutex::default() };
        Gate::new(Arc::new(state), address.port())
    })
}
