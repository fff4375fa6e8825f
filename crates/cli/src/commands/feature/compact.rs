//! `loadline feature compact`: compacts the notes of a feature, with a way back.

use std::io::Write;

use jiff::Timestamp;
use loadline::Remark;
use loadline::notes::{
    self, CompactedItem, CompactionPlan, FileChange, HistoryEntry, Level, plan_compaction,
};
use loadline::session::{Role, Summarize, SummaryTurn};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::{compact_all, revert};
use crate::error::Result;
use crate::memory::{Memory, MemoryArgs};
use crate::summarizer::Summarizer;
use crate::ui::{STRONG, Table, Ui, plural, thousands};

/// Compact the notes of a feature, or revert a compaction.
///
/// Originals are archived, and a compaction can be reverted within
/// memory.rollback_window [default: 24 hours].
#[derive(Debug, clap::Args)]
pub(crate) struct CompactArgs {
    /// Feature to compact; not with --all.
    #[arg(value_name = "NAME", required_unless_present = "all")]
    pub(super) name: Option<String>,
    /// Level: compact, summarize or handoff [default: depends on how full the notes are].
    #[arg(long, value_name = "LEVEL", conflicts_with_all = ["revert", "all"])]
    level: Option<String>,
    /// Show what would be done without writing anything.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Revert an operation of the history, or go back to a checkpoint.
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    revert: Option<String>,
    /// Replace files that were changed since; they are archived first.
    #[arg(long, requires = "revert")]
    pub(super) force: bool,
    /// Compact features until all of them together fit --budget.
    #[arg(long, requires = "budget", conflicts_with = "name")]
    all: bool,
    /// Maximum tokens of all features together.
    #[arg(long, value_name = "TOKENS", requires = "all")]
    budget: Option<Tokens>,
    /// Maximum tokens of the document, for the levels summarize and handoff.
    #[arg(long, value_name = "TOKENS", conflicts_with_all = ["revert", "all"])]
    tokens: Option<Tokens>,
    /// Say in the document where each line comes from.
    #[arg(long, conflicts_with_all = ["revert", "all"])]
    cite: bool,
    /// Command that reads the notes and prints a summary, for the levels summarize and handoff.
    #[arg(long, value_name = "CMD", conflicts_with_all = ["revert", "all"])]
    summarizer: Option<String>,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// What a compaction did or would do.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct CompactionJson<'a> {
    feature: &'a str,
    level: Level,
    dry_run: bool,
    original_tokens: Tokens,
    compacted_tokens: Tokens,
    saved_tokens: Tokens,
    items_compacted: usize,
    timestamp: Timestamp,
    can_revert: bool,
    history_id: Option<&'a str>,
    expires_at: Option<Timestamp>,
    checkpoint: Option<&'a str>,
    information_loss: bool,
    files: Vec<FileJson<'a>>,
    items: Vec<ItemJson<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FileJson<'a> {
    path: &'a str,
    size_before: Option<usize>,
    size_after: Option<usize>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ItemJson<'a> {
    file: &'a str,
    #[serde(flatten)]
    item: &'a CompactedItem,
    can_revert: bool,
}

/// Compacts, or takes back.
pub(crate) fn run(args: &CompactArgs, ui: &mut Ui) -> Result<()> {
    let level = args.level.as_deref().map(str::parse::<Level>).transpose()?;
    let mut memory = Memory::open(&args.memory, ui)?;
    if let Some(budget) = args.budget {
        return compact_all::run(args, budget, &memory, ui);
    }
    let name = args.name.as_deref().unwrap_or_default();
    if let Some(id) = &args.revert {
        return revert::run(args, name, id, &memory, ui);
    }
    memory.ask_git(&memory.find(name)?);
    memory.options.document_tokens = args.tokens;
    memory.options.cite = args.cite;
    memory.options.prose = prose(args, level, &memory, ui)?;
    let (plan, entry) = if args.dry_run {
        (planned(name, level, &memory, ui)?, None)
    } else {
        let feature = memory.find(name)?;
        let done = notes::compact(&feature, level, &memory.options, &memory.write)?;
        ui.remarks(done.notes);
        (done.plan, done.entry)
    };
    ui.remarks(memory.store.take_notes());
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
) -> Result<Option<String>> {
    let Some(summarizer) = Summarizer::find(args.summarizer.as_deref(), &memory.config)? else {
        return Ok(None);
    };
    let name = args.name.as_deref().unwrap_or_default();
    let plan = plan_compaction(&memory.find(name)?, level, &memory.options)?;
    if !matches!(plan.level, Level::Summarize | Level::Handoff) {
        return Ok(None);
    }
    let notes = plan.changes.iter().filter_map(|change| change.before.as_ref());
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
            ui.remarks([Remark::new("summarizer", format!("{reason}; by rule instead"))]);
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
) -> Result<CompactionPlan> {
    let feature = memory.find(name)?;
    if notes::is_unfinished(&feature)? {
        let message = "something was interrupted there, or is being done; it is finished first";
        ui.remarks([Remark::new(name, message)]);
    }
    let plan = plan_compaction(&feature, level, &memory.options)?;
    ui.remarks(plan.notes.iter().cloned());
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
        return writeln!(ui.out(), "{feature}: nothing to do at level {level}, {tokens}");
    }
    let (saved, before, after) =
        (thousands(plan.saved().get()), thousands(before), thousands(after));
    let done = if dry_run { "would be " } else { "" };
    writeln!(ui.out(), "{STRONG}{feature}{STRONG:#}: {done}compacted to level {level}")?;
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
    let mut table = Table::new("lrlr");
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

impl<'a> CompactionJson<'a> {
    pub(super) fn of(
        plan: &'a CompactionPlan,
        entry: Option<&'a HistoryEntry>,
        dry_run: bool,
        memory: &Memory,
    ) -> CompactionJson<'a> {
        let can_revert = entry.is_some();
        let items = plan.changes.iter().flat_map(|change| {
            change.items.iter().map(move |item| ItemJson { file: &change.name, item, can_revert })
        });
        let file = |change: &'a FileChange| FileJson {
            path: &change.name,
            size_before: change.before.as_ref().map(Vec::len),
            size_after: change.after.as_ref().map(Vec::len),
        };
        CompactionJson {
            feature: &plan.feature,
            level: plan.level,
            dry_run,
            original_tokens: plan.tokens_before,
            compacted_tokens: plan.tokens_after,
            saved_tokens: plan.saved(),
            items_compacted: plan.items().count(),
            timestamp: entry.map_or(memory.write.now, |it| it.timestamp),
            can_revert,
            history_id: entry.map(|it| it.id.as_str()),
            expires_at: entry.map(|it| it.expires_at),
            checkpoint: entry.and_then(|it| it.checkpoint.as_deref()),
            information_loss: plan.information_loss,
            files: plan.changes.iter().map(file).collect(),
            items: items.collect(),
        }
    }
}
