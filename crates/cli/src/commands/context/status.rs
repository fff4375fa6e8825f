//! `loadline context status`: how full the notes of all features are.

use std::fmt::Write as _;
use std::io::Write as _;

use loadline::Remark;
use loadline::notes::{
    CONTEXT_MOST_LINES, CONTEXT_WARN_LINES, CompactionPlan, FeatureStatus, Level, MeasuredFeature,
    NotesError, measure_features, plan_features,
};
use loadline::tokens::Tokens;
use serde::Serialize;

use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::memory::{Memory, MemoryArgs};
use crate::ui::{Ui, escape_control, plural, thousands};
use crate::watch;

/// Show how full the notes of all features are.
#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    /// Say which features to compact so that all together have at most this many tokens.
    #[arg(long, value_name = "TOKENS")]
    budget: Option<Tokens>,
    /// Show it again whenever notes change, until Ctrl-C.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    memory: MemoryArgs,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatusJson {
    features: Vec<FeatureJson>,
    total_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compact: Option<Vec<AdviceJson>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FeatureJson {
    feature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    usage: Option<UsageJson>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UsageJson {
    current_tokens: u64,
    max_tokens: u64,
    usage_percentage: f64,
    level: &'static str,
    recommendation: &'static str,
    can_continue: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdviceJson {
    feature: String,
    level: &'static str,
    saved_tokens: u64,
}

/// Measures and shows, once or until Ctrl-C.
pub(super) fn run(args: &StatusArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let mut memory = Memory::open(&args.memory, global, ui)?;
    memory.recover_all(ui);
    if !args.watch {
        let measured = measure_features(&memory.features, &memory.options, &memory.store)?;
        return show(&measured, &memory, args, ui);
    }
    let root = memory.features.root().to_owned();
    watch::watch(&root, |before| {
        memory.refresh(global);
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
) -> Result<(), CommandError> {
    for status in measured.iter().filter_map(|(_, it)| it.as_ref().ok()) {
        let named = |note: &Remark| {
            Remark::new(
                format!("{}/{}", status.feature, note.subject),
                &note.message,
            )
        };
        ui.notes(status.notes.iter().map(named));
    }
    ui.notes(memory.store.take_notes());
    ui.notes(project_memory(memory));
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
            format!(
                "{sign} {name}: {tokens} tokens ({}%) - {level}",
                status.percent_text()
            )
        }
        Err(error) => format!("⚪ {name}: {error}"),
    }
}

fn total(measured: &[MeasuredFeature]) -> u64 {
    let tokens = measured
        .iter()
        .filter_map(|(_, it)| Some(it.as_ref().ok()?.tokens.get()));
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

/// A remark about a project's memory that grows too long.
fn project_memory(memory: &Memory) -> Option<Remark> {
    let path = memory.project.join(".claude/memory/project-context.md");
    let lines = std::fs::read_to_string(&path).ok()?.lines().count();
    let message = match lines {
        lines if lines > CONTEXT_MOST_LINES => format!("has {lines} lines; compress it"),
        lines if lines > CONTEXT_WARN_LINES => format!("has {lines} lines and is getting long"),
        _ => return None,
    };
    Some(Remark::new(path.display().to_string(), message))
}

fn document(
    measured: &[MeasuredFeature],
    budget: Option<Tokens>,
    plans: Option<&[CompactionPlan]>,
) -> StatusJson {
    let features = measured.iter().map(|(name, status)| FeatureJson {
        feature: name.clone(),
        error: status.as_ref().err().map(ToString::to_string),
        usage: status.as_ref().ok().map(|status| UsageJson {
            current_tokens: status.tokens.get(),
            max_tokens: status.max_tokens.get(),
            usage_percentage: status.percent(),
            level: status.level.name(),
            recommendation: status.level.recommendation(),
            can_continue: status.level.can_continue(),
        }),
    });
    let advice = |plan: &CompactionPlan| AdviceJson {
        feature: plan.feature.clone(),
        level: plan.level.name(),
        saved_tokens: plan.saved().get(),
    };
    StatusJson {
        features: features.collect(),
        total_tokens: total(measured),
        budget: budget.map(Tokens::get),
        compact: plans.map(|plans| plans.iter().map(advice).collect()),
    }
}
