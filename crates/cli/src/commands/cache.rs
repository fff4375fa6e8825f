//! `loadline cache`: shows what the cache holds, and empties it.

use std::io::Write;

use clap::Subcommand;
use loadline::cache::{Cache, CacheInfo, CacheOptions};
use loadline::repo::display_path;
use serde::Serialize;

use super::archive::{self, PruneArgs};
use crate::error::{RequestError, Result};
use crate::settings::{self, cache_directory};
use crate::ui::{Table, Ui, plural, thousands};

/// Show or empty the cache of counts and outlines.
///
/// It only saves work and may be emptied at any time. Originals of what was cut are not
/// in it; see `loadline archive`.
#[derive(Debug, clap::Args)]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Show what the cache holds.
    Info,
    /// The old name of `archive prune`.
    #[command(hide = true)]
    Prune(PruneArgs),
    /// Empty the cache.
    Clear,
    /// Print the cache's directory.
    Path,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct ClearJson {
    /// Where the cache is.
    directory: String,
    /// Bytes freed.
    bytes: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct InfoJson {
    /// Where the cache is.
    directory: String,
    /// Whether it is there yet.
    exists: bool,
    #[serde(flatten)]
    info: CacheInfo,
    /// The most bytes of the database.
    max_bytes: u64,
}

/// Shows, empties or names the cache.
pub(crate) fn run(args: &CacheArgs, ui: &mut Ui) -> Result<()> {
    match &args.command {
        CacheCommand::Info => info(ui),
        CacheCommand::Prune(args) => archive::prune(args, ui),
        CacheCommand::Clear => clear(ui),
        CacheCommand::Path => archive::show_path(&cache_directory()?, ui),
    }
}

fn clear(ui: &mut Ui) -> Result<()> {
    let path = cache_directory()?;
    let cleared = Cache::clear(&path)?;
    ui.remarks(cleared.notes);
    let directory = display_path(&path);
    let bytes = cleared.bytes;
    if ui.wants_json() {
        return Ok(ui.json(&ClearJson { directory, bytes })?);
    }
    let freed = plural(bytes, "byte");
    Ok(writeln!(ui.out(), "emptied {directory}: {freed} freed")?)
}

fn info(ui: &mut Ui) -> Result<()> {
    let config = settings::load_config(Vec::new(), ui)?;
    let max_bytes = config.settings().cache.max_size;
    let path = cache_directory()?;
    let directory = display_path(&path);
    // Opening a store would make it.
    let exists = path.exists();
    let info = if exists {
        let store = Cache::open(&path, CacheOptions::default());
        let info = store.info();
        ui.remarks(store.take_notes());
        info.ok_or(RequestError::CacheUnreadable { path })?
    } else {
        CacheInfo::default()
    };
    if ui.wants_json() {
        return Ok(ui.json(&InfoJson { directory, exists, info, max_bytes })?);
    }
    let absent = if exists { "" } else { " (not there yet)" };
    let mut table = Table::new("ll");
    let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
    row("directory", directory + absent);
    let size = plural(info.database_bytes, "byte");
    row("database", format!("{size} of at most {}", thousands(max_bytes)));
    row("files", thousands(info.files));
    for facts in &info.facts {
        row(&facts.kind, thousands(facts.entries));
    }
    Ok(table.write(ui.out())?)
}
