//! `loadline notes units`: how notes are read, and what each unit is worth.

use loadline::notes::{WeighedUnit, weigh};
use serde::Serialize;

use crate::error::Result;
use crate::memory::{Memory, MemoryArgs};
use crate::ui::{Table, Ui, escape_control};

/// Show how notes are read: each unit with how much it is needed and used, and its role.
#[derive(Debug, clap::Args)]
pub(crate) struct UnitsArgs {
    /// Feature, directory or file [default: the active feature].
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Ignore git.
    #[arg(long)]
    no_git: bool,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// The document of `notes units`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct UnitsJson {
    feature: String,
    units: Vec<WeighedUnit>,
}

/// Lists the units in the order of the notes.
pub(crate) fn run(args: &UnitsArgs, ui: &mut Ui) -> Result<()> {
    let (mut memory, name, feature) = Memory::of_notes(&args.memory, args.name.as_deref(), ui)?;
    if !args.no_git {
        memory.ask_git(&feature);
    }
    let (units, notes) = weigh(&feature, &memory.options)?;
    ui.remarks(notes);
    ui.remarks(memory.store.take_notes());
    if ui.wants_json() {
        return Ok(ui.json(&UnitsJson { feature: name, units })?);
    }
    let mut table = Table::new("lrrll");
    for unit in units {
        let place = format!("{}:{}", escape_control(&unit.file), unit.line);
        let [needed, used] = [unit.needed, unit.used].map(|it| format!("{it:.2}"));
        let text = escape_control(&unit.text).to_string();
        table.row([place, needed, used, unit.role.name().to_owned(), text]);
    }
    Ok(table.write(ui.out())?)
}
