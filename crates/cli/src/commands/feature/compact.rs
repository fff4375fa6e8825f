//! `loadline feature compact`: makes notes smaller, and takes that back.

use std::io::Write;

use loadline::Remark;
use loadline::notes::{self, CompactionPlan, HistoryEntry, Level, NotesError, plan_compaction};
use loadline::session::{Role, Summarize, SummaryTurn};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::{compact_all, revert};
use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::memory::{Memory, MemoryArgs};
use crate::summarizer::Summarizer;
use crate::ui::{Align, STRONG, Table, Ui, plural, thousands};

/// Make the notes of a feature smaller, or take that back.
///
/// Originals are archived below the feature in .compaction, and every compaction
/// can be reverted for memory.rollback_window, 24 hours.
#[derive(Debug, clap::Args)]
pub(crate) struct CompactArgs {
    /// The feature; with --all there is none.
    #[arg(value_name = "NAME", required_unless_present = "all")]
    pub(super) name: Option<String>,
    /// How far: compact, summarize or handoff; without it, as far as the notes are full.
    #[arg(long, value_name = "LEVEL", conflicts_with_all = ["revert", "all"])]
    level: Option<String>,
    /// Show what would be done, and write nothing.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Take back a compaction, a prune or a revert by its name in the history, or go back to a
    /// checkpoint.
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    revert: Option<String>,
    /// Replace files that were changed since, after archiving them.
    #[arg(long, requires = "revert")]
    pub(super) force: bool,
    /// Compact as many features as it takes for all together to fit --budget.
    #[arg(long, requires = "budget", conflicts_with = "name")]
    all: bool,
    /// Tokens of all features together.
    #[arg(long, value_name = "TOKENS", requires = "all")]
    budget: Option<Tokens>,
    /// A command that reads the notes and prints them in a few words, for a summary or handoff.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["revert", "all"])]
    summarizer: Option<String>,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// What a compaction did or would do.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompactionJson {
    feature: String,
    level: &'static str,
    dry_run: bool,
    original_tokens: u64,
    compacted_tokens: u64,
    saved_tokens: u64,
    items_compacted: usize,
    timestamp: String,
    can_revert: bool,
    history_id: Option<String>,
    expires_at: Option<String>,
    checkpoint: Option<String>,
    information_loss: bool,
    files: Vec<FileJson>,
    items: Vec<ItemJson>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileJson {
    path: String,
    size_before: Option<usize>,
    size_after: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ItemJson {
    #[serde(rename = "type")]
    kind: &'static str,
    file: String,
    line: usize,
    original_size: u64,
    compacted_size: u64,
    can_revert: bool,
}

/// Compacts, or takes back.
pub(crate) fn run(
    args: &CompactArgs,
    global: &GlobalArgs,
    ui: &mut Ui,
) -> Result<(), CommandError> {
    let level = args.level.as_deref().map(str::parse::<Level>).transpose()?;
    let mut memory = Memory::open(&args.memory, global, ui)?;
    if let Some(budget) = args.budget {
        return compact_all::run(args, budget, &memory, ui);
    }
    let name = args.name.as_deref().unwrap_or_default();
    if let Some(id) = &args.revert {
        return revert::run(args, name, id, &memory, ui);
    }
    memory.ask_git();
    memory.options.prose = prose(args, level, &memory, ui)?;
    let (plan, entry) = if args.dry_run {
        (planned(name, level, &memory, ui)?, None)
    } else {
        let feature = memory.features.feature(name)?;
        let done = notes::compact(&feature, level, &memory.options, &memory.write)?;
        ui.notes(done.notes);
        (done.plan, done.entry)
    };
    ui.notes(memory.store.take_notes());
    if ui.wants_json() {
        let document = CompactionJson::of(&plan, entry.as_ref(), args.dry_run, &memory);
        return Ok(ui.json(&document)?);
    }
    Ok(show(&plan, entry.as_ref(), args.dry_run, ui)?)
}

/// Asks the user's summarizer for prose; where that fails, the summary is by rule alone.
fn prose(
    args: &CompactArgs,
    level: Option<Level>,
    memory: &Memory,
    ui: &mut Ui,
) -> Result<Option<String>, CommandError> {
    let Some(summarizer) = Summarizer::find(args.summarizer.as_deref(), &memory.config)? else {
        return Ok(None);
    };
    let name = args.name.as_deref().unwrap_or_default();
    let plan = plan_compaction(&memory.features.feature(name)?, level, &memory.options)?;
    if !matches!(plan.level, Level::Summarize | Level::Handoff) {
        return Ok(None);
    }
    let notes = plan
        .changes
        .iter()
        .filter_map(|change| change.before.as_ref());
    let turns: Vec<SummaryTurn> = notes
        .enumerate()
        .map(|(turn, bytes)| SummaryTurn {
            turn,
            role: Role::User,
            text: String::from_utf8_lossy(bytes).into_owned(),
            score: 50,
        })
        .collect();
    match summarizer.summarize(&turns) {
        Ok(text) => Ok(Some(text)),
        Err(reason) => {
            ui.notes([Remark::new(
                "summarizer",
                format!("{reason}; by rule instead"),
            )]);
            Ok(None)
        }
    }
}

/// Makes the plan for a dry run, which not even recovers.
fn planned(
    name: &str,
    level: Option<Level>,
    memory: &Memory,
    ui: &mut Ui,
) -> Result<CompactionPlan, NotesError> {
    let feature = memory.features.feature(name)?;
    if notes::is_unfinished(&feature)? {
        let message = "something was interrupted there, or is being done; it is finished first";
        ui.notes([Remark::new(name, message)]);
    }
    let plan = plan_compaction(&feature, level, &memory.options)?;
    ui.notes(plan.notes.iter().cloned());
    Ok(plan)
}

/// Says in words what was done or would be.
pub(super) fn show(
    plan: &CompactionPlan,
    entry: Option<&HistoryEntry>,
    dry_run: bool,
    ui: &mut Ui,
) -> std::io::Result<()> {
    let (feature, level) = (&plan.feature, plan.level.name());
    let (before, after) = (plan.tokens_before.get(), plan.tokens_after.get());
    if plan.is_empty() {
        let tokens = plural(before, "token");
        return writeln!(
            ui.out(),
            "{feature}: nothing to do at level {level}, {tokens}"
        );
    }
    let (saved, before, after) = (
        thousands(plan.saved().get()),
        thousands(before),
        thousands(after),
    );
    let done = if dry_run { "would be " } else { "" };
    writeln!(
        ui.out(),
        "{STRONG}{feature}{STRONG:#}: {done}compacted to level {level}"
    )?;
    let verb = if dry_run { "Saves" } else { "Saved" };
    writeln!(ui.out(), "{verb}: {saved} tokens ({before} → {after})")?;
    files(plan).write(ui.out())?;
    let items = plan.items().count() as u64;
    if items > 0 {
        writeln!(ui.out(), "{} reduced", plural(items, "item"))?;
    }
    if let Some(entry) = entry {
        let (id, until) = (&entry.id, entry.expires_at);
        let command = format!("loadline feature compact {feature} --revert {id}");
        writeln!(ui.out(), "Until {until}: {command}")?;
    }
    Ok(())
}

fn files(plan: &CompactionPlan) -> Table {
    let mut table = Table::new([Align::Left, Align::Right, Align::Left, Align::Right]);
    let size = |bytes: &Option<Vec<u8>>| match bytes {
        Some(bytes) => plural(bytes.len() as u64, "byte"),
        None => "-".to_owned(),
    };
    for change in &plan.changes {
        table.row([
            format!("  {}", change.name),
            size(&change.before),
            "→".to_owned(),
            size(&change.after),
        ]);
    }
    table
}

impl CompactionJson {
    pub(super) fn of(
        plan: &CompactionPlan,
        entry: Option<&HistoryEntry>,
        dry_run: bool,
        memory: &Memory,
    ) -> CompactionJson {
        let items: Vec<ItemJson> = plan
            .changes
            .iter()
            .flat_map(|change| change.items.iter().map(move |item| (change, item)))
            .map(|(change, item)| ItemJson {
                kind: item.kind.name(),
                file: change.name.clone(),
                line: item.line,
                original_size: item.original_size.get(),
                compacted_size: item.compacted_size.get(),
                can_revert: entry.is_some(),
            })
            .collect();
        let file = |change: &loadline::notes::FileChange| FileJson {
            path: change.name.clone(),
            size_before: change.before.as_ref().map(Vec::len),
            size_after: change.after.as_ref().map(Vec::len),
        };
        CompactionJson {
            feature: plan.feature.clone(),
            level: plan.level.name(),
            dry_run,
            original_tokens: plan.tokens_before.get(),
            compacted_tokens: plan.tokens_after.get(),
            saved_tokens: plan.saved().get(),
            items_compacted: items.len(),
            timestamp: entry
                .map_or(memory.write.now, |it| it.timestamp)
                .to_string(),
            can_revert: entry.is_some(),
            history_id: entry.map(|it| it.id.clone()),
            expires_at: entry.map(|it| it.expires_at.to_string()),
            checkpoint: entry.and_then(|it| it.checkpoint.clone()),
            information_loss: plan.information_loss,
            files: plan.changes.iter().map(file).collect(),
            items,
        }
    }
}
