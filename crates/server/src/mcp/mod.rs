//! The MCP server: what agents can ask for, and the answers.
//!
//! ```text
//! request -> arguments -> a call of the library, on a thread -> page -> answer
//! ```
//!
//! Six tools, all of which only read, resources for packs and for what was cut,
//! and one prompt. The list never changes while the server runs. Requests are
//! independent of one another, so that the same server serves the revisions
//! with a handshake and the one without.

mod answer;
mod arguments;
mod handler;
mod job;
mod page;
mod prompt;
mod resources;
mod sessions;
mod tools;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use loadline::agents::AgentHomes;
use loadline::archive::Archive;
use loadline::budget::Models;
use loadline::cache::Cache;
use loadline::pack::PackOptions;
use loadline::settings::Settings;
use tokio::sync::Semaphore;

use crate::error::ServerError;
use crate::roots::Roots;

/// Calls of the library that run at once; more wait for their turn.
const AT_ONCE: usize = 4;

/// Packs that are remembered for the list of resources.
const REMEMBERED: usize = 32;

/// Tells the time in nanoseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// What a server serves.
pub struct McpOptions {
    /// The directories that may be read; at least one.
    pub roots: Vec<PathBuf>,
    /// How files are found, counted, redacted and written; the rest is set by requests.
    pub pack: PackOptions,
    /// The model, the window and the levels of pressure of sessions.
    pub settings: Settings,
    /// What is known already.
    pub store: Arc<Cache>,
    /// Where originals and large packs are kept; none keeps nothing.
    pub archive: Option<Archive>,
    /// The directory of the ledger, in which every answer is a row; none keeps no record.
    pub ledger: Option<PathBuf>,
    /// The models, for the windows of sessions.
    pub models: Models,
    /// Where agents keep their sessions; none if no home directory is known.
    pub agents: Option<AgentHomes>,
    /// Tells the time.
    pub clock: Clock,
}

impl fmt::Debug for McpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots = &self.roots;
        f.debug_struct("McpOptions").field("roots", roots).finish_non_exhaustive()
    }
}

/// An MCP server. Clones share everything.
#[derive(Clone, Debug)]
pub struct Mcp {
    state: Arc<State>,
}

/// What all requests share.
#[derive(Debug)]
struct State {
    options: McpOptions,
    roots: Roots,
    jobs: Arc<Semaphore>,
    /// The large packs of this server, the newest last.
    packs: Mutex<Vec<KeptPack>>,
}

/// A pack that was too large for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct KeptPack {
    handle: String,
    /// What it is about.
    about: String,
    /// Its size in bytes.
    size: u64,
}

impl Mcp {
    /// Makes a server of directories that exist.
    pub fn new(mut options: McpOptions) -> Result<Mcp, ServerError> {
        let roots = Roots::new(&options.roots)?;
        options.archive = options.archive.map(Archive::without_unbound);
        let state = State {
            options,
            roots,
            jobs: Arc::new(Semaphore::new(AT_ONCE)),
            packs: Mutex::default(),
        };
        Ok(Mcp { state: Arc::new(state) })
    }
}

impl State {
    /// Remembers a pack for the list of resources.
    fn remember(&self, pack: KeptPack) {
        let mut packs = self.packs.lock().unwrap_or_else(PoisonError::into_inner);
        packs.retain(|kept| kept.handle != pack.handle);
        packs.push(pack);
        let old = packs.len().saturating_sub(REMEMBERED);
        packs.drain(..old);
    }

    /// Returns the packs of this server, the newest first.
    fn packs(&self) -> Vec<KeptPack> {
        let packs = self.packs.lock().unwrap_or_else(PoisonError::into_inner);
        packs.iter().rev().cloned().collect()
    }
}
