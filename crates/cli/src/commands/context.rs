//! `loadline context`: what the last pack of a directory was made of.

mod json;
mod prune;
mod show;

use std::path::PathBuf;

use clap::Subcommand;
use loadline::PackSummary;

use crate::args::GlobalArgs;
use crate::error::{CommandError, RequestError};
use crate::settings;
use crate::ui::Ui;

/// Show what the last pack of a directory was made of, or archive old notes.
///
/// `pack` remembers paths, numbers and reasons in the cache, and no text.
#[derive(Debug, clap::Args)]
pub(crate) struct ContextArgs {
    #[command(subcommand)]
    command: ContextCommand,
}

#[derive(Debug, Subcommand)]
enum ContextCommand {
    Show(ShowArgs),
    Report(ReportArgs),
    Prune(prune::PruneArgs),
}

/// Show the totals of the last pack, and its largest files.
#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// The directory that was packed.
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// List what was left out, and why.
    #[arg(long)]
    excluded: bool,
    /// List this many files.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

/// Report on the last pack: the cache, the reasons, the duplicates.
#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// The directory that was packed.
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Report on the last pack, which is the only one that is remembered.
    #[arg(long)]
    last: bool,
    /// List this many files for each reason.
    #[arg(long, value_name = "N", default_value_t = 3)]
    limit: usize,
}

/// Shows or reports.
pub(crate) fn run(
    args: &ContextArgs,
    global: &GlobalArgs,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let path = match &args.command {
        ContextCommand::Show(args) => &args.path,
        ContextCommand::Report(args) => &args.path,
        ContextCommand::Prune(args) => return prune::run(args, global, ui),
    };
    let config = settings::load_config(global, Vec::new(), ui)?;
    let store = settings::open_store(global, &config, ui);
    let last = PackSummary::last(path, &store, settings::now_ns(global));
    ui.notes(store.take_notes());
    let summary = last.ok_or_else(|| RequestError::NoPack { path: path.clone() })?;
    match &args.command {
        ContextCommand::Show(args) if ui.wants_json() => Ok(ui.json(&json::shown(&summary, args))?),
        ContextCommand::Report(_) if ui.wants_json() => Ok(ui.json(&json::report(&summary))?),
        ContextCommand::Show(args) => Ok(show::show(&summary, args, ui.out())?),
        ContextCommand::Report(args) => Ok(show::report(&summary, args, ui.out())?),
        ContextCommand::Prune(_) => Ok(()),
    }
}

/// The files that cost most, first.
fn by_tokens(summary: &PackSummary) -> Vec<&loadline::SummaryFile> {
    let mut files: Vec<_> = summary.files.iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.tokens));
    files
}

/// What was left out, by its reason without the details: duplicates are one.
fn by_reason(
    summary: &PackSummary,
) -> std::collections::BTreeMap<&str, Vec<&loadline::SummaryOmitted>> {
    let mut reasons: std::collections::BTreeMap<&str, Vec<_>> = Default::default();
    for file in &summary.omitted {
        let reason = match file.reason.split_once(" of ") {
            Some(("duplicate", _)) => "duplicate",
            _ => file.reason.as_str(),
        };
        reasons.entry(reason).or_default().push(file);
    }
    reasons
}
