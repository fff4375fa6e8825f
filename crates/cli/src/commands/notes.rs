//! `loadline notes`: everything about the notes that agents keep between sessions.

pub(super) mod brief;
pub(super) mod diff;
pub(super) mod units;

use super::context::{prune, status as all};
use super::feature::{compact, history, status};
use crate::error::Result;
use crate::memory::MemoryArgs;
use crate::ui::Ui;

group! {
    /// Measure, shorten, hand over and restore the notes that agents keep.
    ///
    /// NAME is a feature, a directory below memory.root [default: .claude/plans/features], or
    /// the path of any directory of notes (memory-bank, .planning) or of a single file.
    NotesArgs, NotesCommand {
        Brief(brief::BriefArgs) => brief::run,
        Status(status::StatusArgs) => status::run,
        #[command(name = "list")]
        List(all::StatusArgs) => all::run,
        Compact(compact::CompactArgs) => compact::run,
        History(history::HistoryArgs) => history::run,
        Diff(diff::DiffArgs) => diff::run,
        Prune(prune::PruneArgs) => prune::run,
        Restore(RestoreArgs) => restore,
        Units(units::UnitsArgs) => units::run,
    }
}

/// Restore originals from the archive, at any time.
///
/// A document that was written from notes names the command that restores them.
#[derive(Debug, clap::Args)]
struct RestoreArgs {
    /// Feature, directory or file.
    #[arg(value_name = "NAME")]
    name: String,
    /// Name of an operation in the history, or of a file in .compaction/archived.
    #[arg(value_name = "ID")]
    id: String,
    /// Show what would be done without writing anything.
    #[arg(long)]
    dry_run: bool,
    /// Replace existing files; they are archived first.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    memory: MemoryArgs,
}

fn restore(args: &RestoreArgs, ui: &mut Ui) -> Result<()> {
    let prune = prune::PruneArgs {
        name: args.name.clone(),
        dry_run: args.dry_run,
        restore: Some(args.id.clone()),
        force: args.force,
        memory: args.memory.clone(),
    };
    prune::run(&prune, ui)
}
