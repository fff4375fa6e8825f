//! `loadline notes diff`: what a level would take out of notes, line by line.

use std::collections::HashSet;
use std::io::Write;

use loadline::notes::{Level, plan_compaction};
use serde::Serialize;

use crate::error::Result;
use crate::memory::{Memory, MemoryArgs};
use crate::ui::{Ui, escape_control};

/// Show which lines a level would remove and add.
#[derive(Debug, clap::Args)]
pub(crate) struct DiffArgs {
    /// Feature, directory or file [default: the active feature].
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Level: compact, summarize or handoff.
    #[arg(long, value_name = "LEVEL", default_value = "compact")]
    level: String,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// The document of `notes diff`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct DiffJson {
    feature: String,
    level: Level,
    files: Vec<FileJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FileJson {
    path: String,
    removed: Vec<String>,
    added: Vec<String>,
}

/// Shows the lines of both sides that the other one does not have.
pub(crate) fn run(args: &DiffArgs, ui: &mut Ui) -> Result<()> {
    let level: Level = args.level.parse()?;
    let (mut memory, name, feature) = Memory::of_notes(&args.memory, args.name.as_deref(), ui)?;
    memory.ask_git(&feature);
    let plan = plan_compaction(&feature, Some(level), &memory.options)?;
    ui.remarks(plan.notes.iter().cloned());
    let text = |bytes: &Option<Vec<u8>>| {
        bytes.as_ref().map(|it| String::from_utf8_lossy(it).into_owned()).unwrap_or_default()
    };
    let files: Vec<FileJson> = plan
        .changes
        .iter()
        .map(|change| {
            let (before, after) = (text(&change.before), text(&change.after));
            FileJson {
                path: change.name.clone(),
                removed: only_in(&before, &after),
                added: only_in(&after, &before),
            }
        })
        .collect();
    if ui.wants_json() {
        return Ok(ui.json(&DiffJson { feature: name, level, files })?);
    }
    for file in &files {
        writeln!(ui.out(), "{}", escape_control(&file.path))?;
        for (sign, lines) in [("-", &file.removed), ("+", &file.added)] {
            for line in lines {
                writeln!(ui.out(), "{sign} {}", escape_control(line))?;
            }
        }
    }
    Ok(())
}

fn only_in(text: &str, other: &str) -> Vec<String> {
    let known: HashSet<&str> = other.lines().map(str::trim_end).collect();
    let lines = text.lines().map(str::trim_end);
    let new = lines.filter(|it| !it.is_empty() && !known.contains(it));
    new.map(str::to_owned).collect()
}
