//! `loadline cache`: what the cache holds, and emptying it.

use std::io::Write;
use std::time::Duration;

use clap::Subcommand;
use loadline::repo::display_path;
use loadline::settings::format_duration;
use loadline::store::{Blobs, Store, StoreInfo, StoreOptions};
use serde::Serialize;

use crate::args::GlobalArgs;
use crate::error::{CommandError, RequestError};
use crate::settings::{self, cache_directory};
use crate::ui::{Align, Table, Ui, plural, thousands};

/// Look at the cache of counts and originals, or empty it.
///
/// Counts only save work. Originals are what was cut from sessions; without
/// them it cannot be recalled.
#[derive(Debug, clap::Args)]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Show what the cache holds.
    Info,
    /// Remove originals that are older than cache.blob_retention.
    Prune,
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
    blob_retention: String,
}

#[derive(Serialize)]
struct PruneJson {
    blobs: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct FactsJson {
    kind: String,
    entries: u64,
}

/// Shows, empties or names the cache.
pub(crate) fn run(args: &CacheArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    match args.command {
        CacheCommand::Info => info(global, ui),
        CacheCommand::Prune => prune(global, ui),
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

fn prune(global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let config = settings::load_config(global, Vec::new(), ui)?;
    let retention = settings::retention(global, &config);
    let pruned = Blobs::new(&cache_directory()?).prune(&retention);
    ui.notes(pruned.notes);
    let (blobs, bytes) = (pruned.blobs, pruned.bytes);
    if ui.wants_json() {
        return Ok(ui.json(&PruneJson { blobs, bytes })?);
    }
    let (blobs, freed) = (plural(blobs, "blob"), plural(bytes, "byte"));
    let age = kept_for(retention.keep);
    Ok(writeln!(ui.out(), "removed {blobs}, {freed} freed; {age}")?)
}

/// Says how long blobs are kept.
fn kept_for(retention: Duration) -> String {
    match retention {
        Duration::ZERO => "kept for good".to_owned(),
        keep => format!("kept for {}", format_duration(keep)),
    }
}

fn info(global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let config = settings::load_config(global, Vec::new(), ui)?;
    let retention = config.settings().cache.blob_retention;
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
        return Ok(ui.json(&info_json(info, exists, retention))?);
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
    let (blobs, age) = (thousands(info.blobs), kept_for(retention));
    row("blobs", format!("{blobs} ({blob_bytes}), {age}"));
    Ok(table.write(ui.out())?)
}

fn info_json(info: StoreInfo, exists: bool, retention: Duration) -> InfoJson {
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
        blob_retention: format_duration(retention),
    }
}
