//! `loadline archive`: shows what is kept of what was cut, and removes old originals.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use clap::Subcommand;
use loadline::Remark;
use loadline::archive::{ArchiveSize, Retention};
use loadline::repo::display_path;
use loadline::settings::{format_duration, parse_duration};
use serde::Serialize;

use crate::error::Result;
use crate::settings::{self, archive_directory, archive_settings, open_archive};
use crate::ui::{Table, Ui, plural, thousands};

/// Show or prune the originals of what was cut from sessions and outputs.
///
/// Nothing but `archive prune` ever removes an original.
#[derive(Debug, clap::Args)]
pub(crate) struct ArchiveArgs {
    #[command(subcommand)]
    command: ArchiveCommand,
}

#[derive(Debug, Subcommand)]
enum ArchiveCommand {
    /// Show what the archive holds.
    Info,
    /// Remove originals of all projects that were not used for long.
    Prune(PruneArgs),
    /// Print the archive's directory.
    Path,
}

/// What to remove.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PruneArgs {
    /// Remove what was last used longer ago [default: archive.retention].
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    older_than: Option<Duration>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct PathJson {
    /// Where it is.
    directory: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct InfoJson {
    /// Where it is.
    directory: String,
    #[serde(flatten)]
    size: ArchiveSize,
    /// How long originals are kept that nobody uses.
    retention: String,
}

/// Shows, prunes or names the archive.
pub(crate) fn run(args: &ArchiveArgs, ui: &mut Ui) -> Result<()> {
    match &args.command {
        ArchiveCommand::Info => info(ui),
        ArchiveCommand::Prune(args) => prune(args, ui),
        ArchiveCommand::Path => show_path(&archive_directory()?, ui),
    }
}

/// Names a directory of ours.
pub(super) fn show_path(directory: &Path, ui: &mut Ui) -> Result<()> {
    let directory = display_path(directory);
    if ui.wants_json() {
        return Ok(ui.json(&PathJson { directory })?);
    }
    Ok(writeln!(ui.out(), "{directory}")?)
}

fn info(ui: &mut Ui) -> Result<()> {
    let settings = archive_settings(ui)?;
    let archive = open_archive(None)?;
    let directory = display_path(archive.directory());
    let size = archive.size();
    ui.remarks(size_remark(size, settings.warn_size));
    if ui.wants_json() {
        return Ok(ui.json(&InfoJson {
            directory,
            size,
            retention: format_duration(settings.retention),
        })?);
    }
    let mut table = Table::new("ll");
    let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
    row("directory", directory);
    row("projects", thousands(size.projects));
    let bytes = plural(size.bytes, "byte");
    row("originals", format!("{} ({bytes})", thousands(size.originals)));
    row("pruned after", kept_for(settings.retention));
    Ok(table.write(ui.out())?)
}

/// Removes what was not used for as long as the user's own settings say.
pub(crate) fn prune(args: &PruneArgs, ui: &mut Ui) -> Result<()> {
    let settings = archive_settings(ui)?;
    let retention = Retention {
        keep: args.older_than.unwrap_or(settings.retention),
        now_ns: settings::now_ns(ui),
    };
    let mut pruned = open_archive(None)?.prune(&retention);
    ui.remarks(std::mem::take(&mut pruned.remarks));
    if ui.wants_json() {
        return Ok(ui.json(&pruned)?);
    }
    let (originals, freed) = (plural(pruned.originals, "original"), plural(pruned.bytes, "byte"));
    let age = kept_for(retention.keep);
    Ok(writeln!(ui.out(), "removed {originals}, {freed} freed; pruned after {age}")?)
}

/// Returns the warning that is due when the archive has grown too large.
fn size_remark(size: ArchiveSize, warn_size: u64) -> Option<Remark> {
    let bytes = plural(size.bytes, "byte");
    let message = format!("{bytes}, more than archive.warn_size; `loadline archive prune` helps");
    (size.bytes > warn_size).then(|| Remark::new("archive", message))
}

fn kept_for(retention: Duration) -> String {
    if retention == Duration::ZERO { "never".to_owned() } else { format_duration(retention) }
}
