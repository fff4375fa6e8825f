//! Remembers what was worked out about contents: counts, outlines, file stamps.
//!
//! A cache is one directory with one SQLite database, shared by all processes, and may be
//! deleted at any time. It never fails a run: whatever is wrong with it costs a remark and
//! speed. Originals are in the [`Archive`](crate::archive::Archive), which reports its errors.
//!
//! Times are nanoseconds since 1970 and come from the caller; this module
//! reads no clock.

mod counts;
mod database;
mod facts;
mod files;
mod hash;
mod limit;
mod upkeep;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::Remark;
use database::{Database, Fault};

pub use counts::{ContentCount, CountedFile, KnownCount};
pub use files::{FileStamp, KnownFile, RecordedFile};
pub use hash::ContentHash;
pub use upkeep::{CacheInfo, ClearError, Cleared, FactCount};

/// How a store is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheOptions {
    /// The most facts, and likewise files, to keep; the longest unused go first.
    ///
    /// Looked at rarely, so up to an eighth more may be there for a while.
    pub max_entries: u64,
    /// The most bytes of the database; the longest unused entries go first.
    ///
    /// One write may go over it for a moment.
    pub max_bytes: u64,
}

impl Default for CacheOptions {
    /// 200,000 entries, which are several large repositories, and a gigabyte.
    fn default() -> CacheOptions {
        CacheOptions { max_entries: 200_000, max_bytes: 1_000_000_000 }
    }
}

/// How often a cache knew the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Questions that were answered.
    pub hits: u64,
    /// Questions that had to be worked out.
    pub misses: u64,
}

impl CacheStats {
    fn count(&mut self, hit: bool) {
        let counter = if hit { &mut self.hits } else { &mut self.misses };
        *counter = counter.saturating_add(1);
    }
}

/// A cache of facts about contents and files, shared by processes and threads.
///
/// The first failure of the database switches the cache off for the life of
/// this value, so that a slow or broken disk is met once and not per file.
///
/// ```
/// use loadline::cache::{ContentHash, Cache, CacheOptions};
/// let directory = tempfile::tempdir()?;
/// let store = Cache::open(directory.path(), CacheOptions::default());
/// let hash = ContentHash::of(b"fn main() {}");
/// store.record_facts("outline/v1", &[(hash, b"main".to_vec())], 1_000);
/// assert_eq!(store.fact("outline/v1", &hash, 2_000), Some(b"main".to_vec()));
/// assert!(store.take_notes().is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Cache {
    directory: Option<PathBuf>,
    options: CacheOptions,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    database: Option<Database>,
    stats: CacheStats,
    notes: Vec<Remark>,
}

impl Cache {
    /// Opens the store in `directory`, making it where it is missing.
    ///
    /// Never fails and waits about two seconds at most: what cannot be used
    /// leaves a disabled store and a note. Costs less than a millisecond.
    pub fn open(directory: &Path, options: CacheOptions) -> Cache {
        let mut state = State::default();
        let subject = directory.join(database::DATABASE_NAME);
        let messages = match upkeep::claim(directory) {
            Ok(()) => {
                let opened = database::open(directory);
                state.database = opened.database;
                opened.messages
            }
            Err(message) => vec![format!("working without it: {message}")],
        };
        state.notes = messages
            .into_iter()
            .map(|message| Remark::new(subject.display().to_string(), message))
            .collect();
        Cache { directory: Some(directory.to_owned()), options, state: Mutex::new(state) }
    }

    /// Makes a store that knows nothing and keeps nothing.
    pub fn disabled() -> Cache {
        Cache { directory: None, options: CacheOptions::default(), state: Mutex::default() }
    }

    /// Tells whether anything can be looked up or recorded at all.
    pub fn is_enabled(&self) -> bool {
        self.state().database.is_some()
    }

    /// Returns the notes since the last call: damage found, locks, full disks.
    pub fn take_notes(&self) -> Vec<Remark> {
        std::mem::take(&mut self.state().notes)
    }

    /// Returns how often this value knew the answer.
    pub fn stats(&self) -> CacheStats {
        self.state().stats
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is left half-done in the state when a caller panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` on the database, or returns `None` if it is disabled or fails.
    fn run<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Option<T> {
        let mut state = self.state();
        match work(&mut state.database.as_mut()?.connection) {
            Ok(value) => Some(value),
            Err(error) => {
                state.database = None;
                let note = self.give_up(error.into());
                state.notes.push(note);
                None
            }
        }
    }

    /// Says why the cache is switched off, and moves a damaged one aside.
    fn give_up(&self, fault: Fault) -> Remark {
        let directory = self.directory.clone().unwrap_or_default();
        let message = match fault {
            Fault::Damaged(message) if database::set_aside_if_unused(&directory) => {
                format!("damaged and moved aside, working without it: {message}")
            }
            Fault::Damaged(message) => {
                format!("damaged and in use elsewhere, working without it: {message}")
            }
            Fault::Unreachable(message) => format!("working without it: {message}"),
            Fault::Missing | Fault::Version(_) => "working without it".to_owned(),
        };
        let subject = directory.join(database::DATABASE_NAME);
        Remark::new(subject.display().to_string(), message)
    }
}

#[cfg(test)]
mod tests;
