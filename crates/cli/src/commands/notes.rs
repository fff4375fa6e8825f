//! `loadline notes`: everything about the notes that agents keep between sessions.

pub(super) mod brief;
pub(super) mod diff;
pub(super) mod units;

use clap::Subcommand;

use super::context::{prune, status as all};
use super::feature::{compact, history, status};
use crate::error::Result;
use crate::memory::MemoryArgs;
use crate::ui::Ui;

/// Measure, shorten, hand over and restore the notes that agents keep.
///
/// NAME is a feature, a directory below memory.root [default: .claude/plans/features], or
/// the path of any directory of notes (memory-bank, .planning) or of a single file.
#[derive(Debug, clap::Args)]
pub(crate) struct NotesArgs {
    #[command(subcommand)]
    command: NotesCommand,
}

#[derive(Debug, Subcommand)]
enum NotesCommand {
    Brief(brief::BriefArgs),
    Status(status::StatusArgs),
    #[command(name = "list")]
    List(all::StatusArgs),
    Compact(compact::CompactArgs),
    History(history::HistoryArgs),
    Diff(diff::DiffArgs),
    Prune(prune::PruneArgs),
    Restore(RestoreArgs),
    Units(units::UnitsArgs),
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

impl RestoreArgs {
    fn as_prune(&self) -> prune::PruneArgs {
        prune::PruneArgs {
            name: self.name.clone(),
            dry_run: self.dry_run,
            restore: Some(self.id.clone()),
            force: self.force,
            memory: self.memory.clone(),
        }
    }
}

/// Runs the command that was typed.
pub(crate) fn run(args: &NotesArgs, ui: &mut Ui) -> Result<()> {
    match &args.command {
        NotesCommand::Brief(args) => brief::run(args, ui),
        NotesCommand::Status(args) => status::run(args, ui),
        NotesCommand::List(args) => all::run(args, ui),
        NotesCommand::Compact(args) => compact::run(args, ui),
        NotesCommand::History(args) => history::run(args, ui),
        NotesCommand::Diff(args) => diff::run(args, ui),
        NotesCommand::Restore(args) => prune::run(&args.as_prune(), ui),
        NotesCommand::Prune(args) => prune::run(args, ui),
        NotesCommand::Units(args) => units::run(args, ui),
    }
}
