//! `loadline context prune`: old notes go to the archive.

use std::io::Write;

use loadline::Remark;
use loadline::notes::{
    ContextPrune, NotesError, OldFile, PruneOptions, PrunePlan, Pruned as PrunedNotes, VaultError,
    WayBack, find_context_file, plan_context as plan_prune_context, plan_prune,
    prune as prune_feature, prune_context,
};
use loadline::repo::display_path;
use loadline::settings::format_duration;
use serde::Serialize;

use crate::commands::feature::{TypedBack, show_revert};
use crate::error::Result;
use crate::memory::{Memory, MemoryArgs};
use crate::ui::{Table, Ui, plural};

/// Archive old notes of a feature, and shorten the project's context file.
///
/// Archives notes older than memory.max_age. project-context.md keeps its headings and
/// its newest memory.max_lines lines. The state and tasks of the active feature stay.
/// Nothing is deleted: archived notes can be restored (--restore).
#[derive(Debug, clap::Args)]
pub(crate) struct PruneArgs {
    /// Name of the feature.
    #[arg(value_name = "NAME")]
    pub(in crate::commands) name: String,
    /// Show what would be done without writing anything.
    #[arg(long)]
    pub(in crate::commands) dry_run: bool,
    /// Restore archived notes, by a name from the history or from .compaction/archived.
    #[arg(long, value_name = "ID")]
    pub(in crate::commands) restore: Option<String>,
    /// Replace existing files; they are archived first.
    #[arg(long, requires = "restore")]
    pub(in crate::commands) force: bool,
    #[command(flatten)]
    pub(in crate::commands) memory: MemoryArgs,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document {
    feature: String,
    dry_run: bool,
    history_id: Option<String>,
    stage: &'static str,
    archived: Vec<FileJson>,
    protected: Vec<FileJson>,
    purged: Vec<String>,
    project_context: Option<ContextJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FileJson {
    path: String,
    size: u64,
    age_seconds: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ContextJson {
    path: String,
    lines_before: usize,
    lines_after: usize,
    history_id: Option<String>,
}

/// Prunes, or brings back.
pub(crate) fn run(args: &PruneArgs, ui: &mut Ui) -> Result<()> {
    let memory = Memory::open(&args.memory, ui)?;
    if let Some(id) = &args.restore {
        return restore(args, id, &memory, ui);
    }
    let pruned = prune(args, &memory, ui)?;
    let context = prune_project(args, &memory)?;
    ui.remarks(context.iter().flat_map(|it| it.notes.iter().cloned()));
    if ui.wants_json() {
        return Ok(ui.json(&document(args, &pruned, context.as_ref()))?);
    }
    Ok(show(args, &pruned, context.as_ref(), ui)?)
}

/// Brings back what has this name: of the feature, of the project's context file, or of both.
fn restore(args: &PruneArgs, id: &str, memory: &Memory, ui: &mut Ui) -> Result<()> {
    let feature = memory.find(&args.name)?;
    let typed = TypedBack { id, force: args.force, dry_run: args.dry_run };
    let notes = typed.go_back(WayBack::Restore(&feature), &memory.write);
    let context = find_context_file(&memory.project);
    let context = context.map(|path| typed.go_back(WayBack::RestoreContext(&path), &memory.write));
    let (plan, entry) = match (notes, context) {
        (Err(error), Some(context)) if is_unknown(&error) => match context {
            Err(other) if is_unknown(&other) => return Err(error.into()),
            context => context?,
        },
        (Ok((mut plan, entry)), Some(Ok((context, _)))) => {
            plan.files.extend(context.files);
            (plan, entry)
        }
        (Ok(_), Some(Err(error))) if !is_unknown(&error) => return Err(error.into()),
        (notes, _) => notes?,
    };
    ui.remarks(plan.notes.iter().cloned());
    show_revert(&args.name, &plan, entry.as_ref(), "restored", ui)
}

fn is_unknown(error: &NotesError) -> bool {
    matches!(error, NotesError::Vault(VaultError::UnknownId { .. }))
}

/// What was pruned, with its name in the history.
type Done = (PrunePlan, Option<String>);

/// Prunes the feature; one that does not exist is an empty result with a note.
fn prune(args: &PruneArgs, memory: &Memory, ui: &mut Ui) -> Result<Done> {
    let feature = match memory.features.feature(&args.name) {
        Ok(feature) => feature,
        Err(error @ NotesError::NoFeature { .. }) => {
            ui.remarks([Remark::new(&args.name, error.to_string())]);
            return Ok((PrunePlan::nothing(&args.name), None));
        }
        Err(error) => return Err(error.into()),
    };
    let settings = &memory.config.settings().memory;
    let options = PruneOptions::new(settings, memory.is_active(&args.name));
    if args.dry_run {
        let plan = plan_prune(&feature, &options, &memory.write)?;
        ui.remarks(plan.notes.iter().cloned());
        return Ok((plan, None));
    }
    let done: PrunedNotes = prune_feature(&feature, &options, &memory.write)?;
    ui.remarks(done.notes);
    Ok((done.plan, done.entry.map(|entry| entry.id)))
}

fn prune_project(args: &PruneArgs, memory: &Memory) -> Result<Option<ContextPrune>> {
    let Some(path) = find_context_file(&memory.project) else {
        return Ok(None);
    };
    let most = memory.config.settings().memory.max_lines;
    Ok(Some(if args.dry_run {
        plan_prune_context(&path, most, &memory.write)?
    } else {
        prune_context(&path, most, &memory.write)?
    }))
}

fn show(
    args: &PruneArgs,
    (plan, id): &Done,
    context: Option<&ContextPrune>,
    ui: &mut Ui,
) -> std::io::Result<()> {
    let is = if args.dry_run { "would be archived" } else { "archived" };
    let count = plural(plan.files.len() as u64, "file");
    writeln!(ui.out(), "{}: {count} {is}", plan.feature)?;
    let mut table = Table::new("lrl");
    for file in &plan.files {
        table.row(row(file, ""));
    }
    for file in &plan.protected {
        table.row(row(file, ", stays: the feature is worked on"));
    }
    table.write(ui.out())?;
    if !plan.purged.is_empty() {
        let count = plural(plan.purged.len() as u64, "original");
        let gone = if args.dry_run { "would leave" } else { "left" };
        writeln!(ui.out(), "{count} {gone} the archive for good")?;
    }
    if let Some(id) = id {
        let command = format!("loadline notes restore {} {id}", plan.feature);
        writeln!(ui.out(), "To have them back: {command}")?;
    }
    if let Some(context) = context.filter(|it| !it.is_empty()) {
        let (before, after) = (context.lines_before, context.lines_after);
        let path = display_path(&context.path);
        writeln!(ui.out(), "{path}: {before} → {after} lines")?;
    }
    Ok(())
}

fn row(file: &OldFile, remark: &str) -> [String; 3] {
    let days = std::time::Duration::from_secs(file.age.as_secs() / 86_400 * 86_400);
    [
        format!("  {}", file.name),
        plural(file.size, "byte"),
        format!("{} old{remark}", format_duration(days)),
    ]
}

fn document(args: &PruneArgs, (plan, id): &Done, context: Option<&ContextPrune>) -> Document {
    let json = |file: &OldFile| FileJson {
        path: file.name.clone(),
        size: file.size,
        age_seconds: file.age.as_secs(),
    };
    Document {
        feature: plan.feature.clone(),
        dry_run: args.dry_run,
        history_id: id.clone(),
        stage: plan.stage.name(),
        archived: plan.files.iter().map(json).collect(),
        protected: plan.protected.iter().map(json).collect(),
        purged: plan.purged.iter().map(|file| file.name.clone()).collect(),
        project_context: context.map(|it| ContextJson {
            path: display_path(&it.path),
            lines_before: it.lines_before,
            lines_after: it.lines_after,
            history_id: it.entry.as_ref().map(|entry| entry.id.clone()),
        }),
    }
}
