//! `loadline notes brief`: what a session should start with.

use std::io::Write;

use loadline::notes::brief;
use loadline::tokens::Tokens;
use serde::Serialize;

use crate::error::Result;
use crate::memory::{Memory, MemoryArgs};
use crate::ui::Ui;

/// Print what a session should start with, from notes and git.
///
/// Changes nothing. Suits a SessionStart hook.
#[derive(Debug, clap::Args)]
pub(crate) struct BriefArgs {
    /// Feature, directory or file [default: the active feature, or else memory-bank,
    /// .planning, docs/plans or progress.md of the project].
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// What the session is to work on.
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// Maximum tokens [default: memory.handoff_size percent of the window].
    #[arg(long, value_name = "TOKENS")]
    tokens: Option<Tokens>,
    /// Say where each line comes from.
    #[arg(long)]
    cite: bool,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// The document of `notes brief`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct BriefJson {
    feature: String,
    tokens: Tokens,
    budget: Tokens,
    units_shown: usize,
    units: usize,
    content: String,
}

/// Prints the brief.
pub(crate) fn run(args: &BriefArgs, ui: &mut Ui) -> Result<()> {
    let (mut memory, name, feature) = Memory::of_notes(&args.memory, args.name.as_deref(), ui)?;
    memory.ask_git(&feature);
    memory.options.background.task = args.task.clone();
    memory.options.cite = args.cite;
    let budget = args.tokens.unwrap_or_else(|| memory.options.handoff_budget());
    let done = brief(&feature, budget, &memory.options)?;
    ui.remarks(done.notes);
    ui.remarks(memory.store.take_notes());
    if ui.wants_json() {
        return Ok(ui.json(&BriefJson {
            feature: name,
            tokens: done.tokens,
            budget,
            units_shown: done.shown.0,
            units: done.shown.1,
            content: done.text,
        })?);
    }
    Ok(ui.out().write_all(done.text.as_bytes())?)
}
