//! `loadline cache`: what the cache holds, and emptying it.

use std::io::Write;

use clap::Subcommand;
use loadline::{Store, StoreInfo, StoreOptions, display_path};
use serde::Serialize;

use crate::error::{CommandError, RequestError};
use crate::settings::cache_directory;
use crate::ui::{Align, Table, Ui, plural, thousands};

/// Look at the cache of counts, or empty it.
///
/// The cache may be deleted at any time; it only saves work.
#[derive(Debug, clap::Args)]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Show what the cache holds.
    Info,
    /// Empty the cache.
    Clear,
    /// Print the cache's directory.
    Path,
}

#[derive(Serialize)]
struct PathJson {
    directory: String,
}

#[derive(Serialize)]
struct ClearJson {
    directory: String,
    bytes: u64,
    blobs: u64,
}

#[derive(Serialize)]
struct InfoJson {
    directory: String,
    exists: bool,
    database_version: i64,
    database_bytes: u64,
    files: u64,
    facts: Vec<FactsJson>,
    blobs: u64,
    blob_bytes: u64,
}

#[derive(Serialize)]
struct FactsJson {
    kind: String,
    entries: u64,
}

/// Shows, empties or names the cache.
pub(crate) fn run(args: &CacheArgs, ui: &mut Ui) -> Result<(), CommandError> {
    match args.command {
        CacheCommand::Info => info(ui),
        CacheCommand::Clear => clear(ui),
        CacheCommand::Path => {
            let directory = display_path(&cache_directory()?);
            if ui.wants_json() {
                return Ok(ui.json(&PathJson { directory })?);
            }
            Ok(writeln!(ui.out(), "{directory}")?)
        }
    }
}

fn clear(ui: &mut Ui) -> Result<(), CommandError> {
    let path = cache_directory()?;
    let cleared = Store::clear(&path)?;
    ui.notes(cleared.notes);
    let directory = display_path(&path);
    let (bytes, blobs) = (cleared.bytes, cleared.blobs);
    if ui.wants_json() {
        return Ok(ui.json(&ClearJson {
            directory,
            bytes,
            blobs,
        })?);
    }
    let freed = plural(bytes, "byte");
    Ok(writeln!(ui.out(), "emptied {directory}: {freed} freed")?)
}

fn info(ui: &mut Ui) -> Result<(), CommandError> {
    let path = cache_directory()?;
    // Opening a store would make it.
    let exists = path.exists();
    let info = if exists {
        let store = Store::open(&path, StoreOptions::default());
        let info = store.info();
        ui.notes(store.take_notes());
        info.ok_or(RequestError::CacheUnreadable { path })?
    } else {
        StoreInfo {
            directory: path,
            schema_version: 0,
            database_bytes: 0,
            files: 0,
            facts: Vec::new(),
            blobs: 0,
            blob_bytes: 0,
        }
    };
    if ui.wants_json() {
        return Ok(ui.json(&info_json(info, exists))?);
    }
    let absent = if exists { "" } else { " (not there yet)" };
    let mut table = Table::new([Align::Left, Align::Left]);
    let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
    row("directory", display_path(&info.directory) + absent);
    row("database", plural(info.database_bytes, "byte"));
    row("files", thousands(info.files));
    for (kind, entries) in &info.facts {
        row(kind, thousands(*entries));
    }
    let blob_bytes = plural(info.blob_bytes, "byte");
    row("blobs", format!("{} ({blob_bytes})", thousands(info.blobs)));
    Ok(table.write(ui.out())?)
}

fn info_json(info: StoreInfo, exists: bool) -> InfoJson {
    let facts = info.facts.into_iter();
    InfoJson {
        directory: display_path(&info.directory),
        exists,
        database_version: info.schema_version,
        database_bytes: info.database_bytes,
        files: info.files,
        facts: facts
            .map(|(kind, entries)| FactsJson { kind, entries })
            .collect(),
        blobs: info.blobs,
        blob_bytes: info.blob_bytes,
    }
}
