//! `loadline check --features`: compares the notes of all features with limits.

use std::io::Write;
use std::path::Path;

use loadline::notes::{LimitCheck, TeamBudgets, measure_features};
use serde::Serialize;

use super::{CheckArgs, DEFAULT_PERCENT, Finding, Format, annotate};
use crate::error::{CommandError, Result};
use crate::memory::{Memory, MemoryArgs};
use crate::ui::{Ui, escape_control, percent, thousands};

/// The document of `check --features`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct FeaturesJson<'a> {
    ok: bool,
    checks: Vec<CheckJson<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CheckJson<'a> {
    #[serde(flatten)]
    check: &'a LimitCheck,
    ok: bool,
}

/// Measures all features, prints the verdicts, and fails if a limit is exceeded.
pub(super) fn run(args: &CheckArgs, ui: &mut Ui) -> Result<()> {
    let memory = MemoryArgs {
        root: args.root.clone(),
        counting: args.count.counting(),
        ..MemoryArgs::default()
    };
    let memory = Memory::open(&memory, ui)?;
    let budgets = budgets_of(args, ui)?;
    let mut statuses = Vec::new();
    let mut unreadable = false;
    for (name, status) in measure_features(&memory.features, &memory.options, &memory.store)? {
        match status {
            Ok(status) => statuses.push(status),
            Err(error) => {
                unreadable = true;
                ui.remarks([loadline::Remark::new(name, error.to_string())]);
            }
        }
    }
    ui.remarks(memory.store.take_notes());
    let mut checks = budgets.check(&statuses);
    if let Some(most) = args.max_tokens {
        let single = checks.iter_mut().filter(|it| it.subject.starts_with("feature "));
        single.for_each(|it| it.limit = it.limit.min(most));
    }
    show(&checks, &memory, args, ui)?;
    if checks.iter().all(LimitCheck::holds) && !unreadable {
        Ok(())
    } else {
        Err(CommandError::gate())
    }
}

/// Reads the file of limits; what is typed is stronger.
fn budgets_of(args: &CheckArgs, ui: &mut Ui) -> Result<TeamBudgets> {
    let mut budgets = match &args.budgets {
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|error| CommandError::at("read", path, error))?;
            let (budgets, notes) = TeamBudgets::parse(&text)?;
            ui.remarks(notes);
            budgets
        }
        None => TeamBudgets::default(),
    };
    budgets.max_percent = args.max_percent.or(budgets.max_percent).or(Some(DEFAULT_PERCENT));
    Ok(budgets)
}

fn show(checks: &[LimitCheck], memory: &Memory, args: &CheckArgs, ui: &mut Ui) -> Result<()> {
    if ui.wants_json() {
        let with_verdict = |check| CheckJson { ok: LimitCheck::holds(check), check };
        return Ok(ui.json(&FeaturesJson {
            ok: checks.iter().all(LimitCheck::holds),
            checks: checks.iter().map(with_verdict).collect(),
        })?);
    }
    if args.format != Format::Text {
        let findings: Vec<Finding> = checks.iter().map(|it| finding(it, memory)).collect();
        return Ok(annotate(args.format, &findings, ui.out())?);
    }
    for check in checks {
        let verdict = if check.holds() { "ok" } else { "over" };
        let (tokens, limit) = (check.tokens.get(), check.limit.get());
        let line = format!(
            "{verdict}: {}: {} of {} tokens, {}",
            check.subject,
            thousands(tokens),
            thousands(limit),
            percent(tokens, limit)
        );
        writeln!(ui.out(), "{}", escape_control(&line))?;
    }
    if checks.is_empty() {
        let root = memory.features.root().display().to_string();
        writeln!(ui.out(), "ok: no features in {}", escape_control(&root))?;
    }
    Ok(())
}

fn finding(check: &LimitCheck, memory: &Memory) -> Finding {
    let root = memory.features.root();
    let path = match check.features.as_slice() {
        [feature] => root.join(feature),
        _ => root.to_owned(),
    };
    let inside = path.strip_prefix(&memory.project).unwrap_or(&path);
    Finding {
        subject: check.subject.clone(),
        path: slashes(inside),
        tokens: check.tokens.get(),
        limit: check.limit.get(),
        ok: check.holds(),
    }
}

/// Writes a path as addresses do.
fn slashes(path: &Path) -> String {
    let parts = path.components().map(|it| it.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}
