//! `loadline context`: what the last pack of a directory was made of, and how full notes are.

mod html;
pub(super) mod json;
pub(super) mod prune;
pub(super) mod savings;
mod show;
pub(super) mod status;

use std::path::PathBuf;

use loadline::pack::PackSummary;

use super::paths::root_around;
use crate::error::{RequestError, Result};
use crate::memory::{Memory, MemoryArgs};
use crate::ui::Ui;
use crate::{output, settings};
use savings::Savings;

group! {
    /// Show and prune notes, and show the contents of the last pack.
    ///
    /// `pack` records paths, numbers and reasons in the cache, but no text.
    ContextArgs, ContextCommand {
        Status(status::StatusArgs) => status::run,
        Show(ShowArgs) => run_show,
        Report(ReportArgs) => run_report,
        Prune(prune::PruneArgs) => prune::run,
    }
}

/// Show the totals of the last pack and its largest files.
#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// Directory that was packed.
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// List omitted files with the reason.
    #[arg(long)]
    excluded: bool,
    /// Maximum number of files to list.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

/// Report on the last pack and on tokens saved by compacting notes.
#[derive(Debug, clap::Args)]
pub(super) struct ReportArgs {
    /// Directory that was packed.
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Report on the last pack (the default; only the last pack is recorded).
    #[arg(long)]
    last: bool,
    /// Maximum number of files to list for each reason.
    #[arg(long, value_name = "N", default_value_t = 3)]
    limit: usize,
    /// Write the savings to FILE as an HTML page with charts.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    memory: MemoryArgs,
}

fn run_show(args: &ShowArgs, ui: &mut Ui) -> Result<()> {
    let config = settings::load_config(Vec::new(), ui)?;
    let store = settings::open_store(&config, ui);
    let path = &args.path;
    let last = PackSummary::last(&root_around(path), &store, settings::now_ns(ui));
    ui.remarks(store.take_notes());
    let summary = last.ok_or_else(|| RequestError::NoPack { path: path.clone() })?;
    if ui.wants_json() {
        Ok(ui.json(&json::shown(&summary, args))?)
    } else {
        Ok(show::show(&summary, args, ui.out())?)
    }
}

/// Reports on what there is: a pack, compactions, or both.
fn run_report(args: &ReportArgs, ui: &mut Ui) -> Result<()> {
    let memory = Memory::open(&args.memory, ui)?;
    let last = PackSummary::last(&root_around(&args.path), &memory.store, settings::now_ns(ui));
    let savings = Savings::of(&memory, ui)?;
    ui.remarks(memory.store.take_notes());
    if let Some(file) = &args.html {
        output::write(file, html::page(&savings, memory.options.now).as_bytes())?;
        ui.say(&format!("written to {}", file.display()));
        return Ok(());
    }
    if last.is_none() && savings.is_empty() {
        let path = args.path.clone();
        return Err(RequestError::NoPack { path }.into());
    }
    if ui.wants_json() {
        let pack = last.as_ref().map(json::report);
        return Ok(ui.json(&savings.document(pack))?);
    }
    if let Some(summary) = &last {
        show::report(summary, args, ui.out())?;
    }
    Ok(savings.show(last.is_some(), ui.out())?)
}

/// The files that cost most, first.
fn by_tokens(summary: &PackSummary) -> Vec<&loadline::pack::SummaryFile> {
    let mut files: Vec<_> = summary.files.iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.tokens));
    files
}

/// What was left out, by its reason without the details: duplicates are one.
fn by_reason(
    summary: &PackSummary,
) -> std::collections::BTreeMap<&str, Vec<&loadline::pack::OmittedFile>> {
    let mut reasons: std::collections::BTreeMap<&str, Vec<_>> = Default::default();
    for file in &summary.omitted {
        reasons.entry(file.reason.name()).or_default().push(file);
    }
    reasons
}
