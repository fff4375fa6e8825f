//! `loadline context status`: how full the notes of all features are.

use std::fmt::Write as _;
use std::io::Write as _;

use loadline::Remark;
use loadline::notes::{
    CompactionPlan, FeatureStatus, Level, MeasuredFeature, NotesError, find_context_file,
    measure_features, plan_features,
};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::super::feature::UsageJson;
use crate::error::Result;
use crate::memory::{Memory, MemoryArgs};
use crate::ui::{Ui, escape_control, plural, thousands};
use crate::watch;

/// Show how full the notes of all features are.
#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    /// Suggest which features to compact so that all together fit this many tokens.
    #[arg(long, value_name = "TOKENS")]
    budget: Option<Tokens>,
    /// Update whenever notes change, until Ctrl-C.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// The document of `context status`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct StatusJson<'a> {
    features: Vec<FeatureJson<'a>>,
    total_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<Tokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compact: Option<Vec<AdviceJson<'a>>>,
}

/// A feature that was measured, or why it could not be.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
enum FeatureJson<'a> {
    Measured(UsageJson<'a>),
    Failed { feature: &'a str, error: String },
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AdviceJson<'a> {
    feature: &'a str,
    level: Level,
    saved_tokens: Tokens,
}

/// Measures and shows, once or until Ctrl-C.
pub(in crate::commands) fn run(args: &StatusArgs, ui: &mut Ui) -> Result<()> {
    let mut memory = Memory::open(&args.memory, ui)?;
    memory.recover_all(ui);
    if !args.watch {
        let measured = measure_features(&memory.features, &memory.options, &memory.store)?;
        return show(&measured, &memory, args, ui);
    }
    let root = memory.features.root().to_owned();
    watch::watch(&root, |before| {
        memory.refresh(ui);
        let measured = measure_features(&memory.features, &memory.options, &memory.store)?;
        let shown = format!("{measured:?}");
        if before != Some(shown.as_str()) {
            show(&measured, &memory, args, ui)?;
            ui.finish()?;
        }
        Ok(shown)
    })
}

fn show(
    measured: &[MeasuredFeature],
    memory: &Memory,
    args: &StatusArgs,
    ui: &mut Ui,
) -> Result<()> {
    for status in measured.iter().filter_map(|(_, it)| it.as_ref().ok()) {
        let named = |note: &Remark| {
            Remark::new(format!("{}/{}", status.feature, note.subject), &note.message)
        };
        ui.remarks(status.notes.iter().map(named));
    }
    ui.remarks(memory.store.take_notes());
    ui.remarks(project_memory(memory));
    let plans = match args.budget {
        Some(budget) => Some(plan_features(&memory.features, budget, &memory.options)?),
        None => None,
    };
    if ui.wants_json() {
        return Ok(ui.json(&document(measured, args.budget, plans.as_deref()))?);
    }
    let mut text = "📊 Context Status - All Features\n\n".to_owned();
    for (name, status) in measured {
        let _ = writeln!(text, "{}", escape_control(&line(name, status)));
    }
    if measured.is_empty() {
        let root = memory.features.root().display();
        let _ = writeln!(text, "no features in {root}");
    }
    if let (Some(budget), Some(plans)) = (args.budget, &plans) {
        advise(total(measured), budget, plans, &mut text);
    }
    Ok(ui.out().write_all(text.as_bytes())?)
}

/// One feature in a line.
fn line(name: &str, status: &Result<FeatureStatus, NotesError>) -> String {
    match status {
        Ok(status) => {
            // The second sign is narrow on most screens.
            let sign = match status.level {
                Level::Raw => "✅",
                Level::Compact => "⚠️ ",
                Level::Summarize => "🔶",
                Level::Handoff => "🔴",
            };
            let tokens = thousands(status.tokens.get());
            let level = status.level.name().to_uppercase();
            format!("{sign} {name}: {tokens} tokens ({}%) - {level}", status.percent_text())
        }
        Err(error) => format!("⚪ {name}: {error}"),
    }
}

fn total(measured: &[MeasuredFeature]) -> u64 {
    let tokens = measured.iter().filter_map(|(_, it)| Some(it.as_ref().ok()?.tokens.get()));
    tokens.fold(0, u64::saturating_add)
}

/// Says what to compact.
fn advise(total: u64, budget: Tokens, plans: &[CompactionPlan], text: &mut String) {
    let (have, may) = (plural(total, "token"), thousands(budget.get()));
    let _ = writeln!(text, "\n{have} together, at most {may} wanted");
    for plan in plans {
        let saved = plural(plan.saved().get(), "token");
        let _ = writeln!(text, "  {} {}: saves {saved}", plan.level, plan.feature);
    }
    let saved: u64 = plans.iter().map(|plan| plan.saved().get()).sum();
    let left = total.saturating_sub(saved);
    if left > budget.get() {
        let over = plural(left - budget.get(), "token");
        let _ = writeln!(text, "  {over} too many remain");
    }
}

/// A remark about a project's memory that is longer than it may be.
fn project_memory(memory: &Memory) -> Option<Remark> {
    let path = find_context_file(&memory.project)?;
    let lines = std::fs::read_to_string(&path).ok()?.lines().count();
    let most = memory.config.settings().memory.max_lines;
    let message = format!(
        "has {} lines, above memory.max_lines ({}); `loadline notes prune NAME` archives the rest",
        thousands(lines as u64),
        thousands(most as u64)
    );
    (lines > most).then(|| Remark::new(path.display().to_string(), message))
}

fn document<'a>(
    measured: &'a [MeasuredFeature],
    budget: Option<Tokens>,
    plans: Option<&'a [CompactionPlan]>,
) -> StatusJson<'a> {
    let features = measured.iter().map(|(name, status)| match status {
        Ok(status) => FeatureJson::Measured(status.into()),
        Err(error) => FeatureJson::Failed { feature: name, error: error.to_string() },
    });
    let advice = |plan: &'a CompactionPlan| AdviceJson {
        feature: &plan.feature,
        level: plan.level,
        saved_tokens: plan.saved(),
    };
    StatusJson {
        features: features.collect(),
        total_tokens: total(measured),
        budget,
        compact: plans.map(|plans| plans.iter().map(advice).collect()),
    }
}
