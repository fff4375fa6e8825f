//! `loadline pin`: words that stay in every trim, compaction and handoff.

use std::io::Write;

use clap::ArgAction;
use loadline::{read_plain_file, write_atomic};
use serde::Serialize;

use crate::error::{RequestError, Result};
use crate::pins::pinned;
use crate::settings::{load_config, project_root};
use crate::ui::{Ui, escape_line};

/// Pin words or a section of a file, to stay in trims, compactions and handoffs.
///
/// Pins are lines of .loadline/pins.md (compact.pins). FILE#Heading pins a section by its
/// name, as it is at the time. In AGENTS.md and CLAUDE.md (compact.rules), a line or a
/// heading that ends with <!-- pin --> is pinned too. Without TEXT, prints what is pinned.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline pin 'Never touch the migrations.'
  loadline pin AGENTS.md#Testing
  loadline pin
  loadline pin --remove 'Never touch the migrations.'")]
pub(crate) struct PinArgs {
    /// Words to pin, a file, or FILE#Heading.
    #[arg(value_name = "TEXT|FILE")]
    text: Vec<String>,
    /// Take the pin out again.
    #[arg(long, action = ArgAction::SetTrue, requires = "text")]
    remove: bool,
}

/// The document of `pin`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    /// The file of pins.
    file: &'a str,
    /// The lines that are pinned now.
    pins: Vec<&'a str>,
}

/// The most bytes of the file of pins.
const MOST: u64 = 1 << 20;

/// Adds or removes a line, or prints what is pinned.
pub(crate) fn run(args: &PinArgs, ui: &mut Ui) -> Result<()> {
    let config = load_config(Vec::new(), ui)?;
    let settings = &config.settings().compact;
    if args.text.is_empty() {
        let text = pinned(None, settings, ui);
        if ui.wants_json() {
            let pins = text.lines().collect();
            return Ok(ui.json(&Document { file: &settings.pins, pins })?);
        }
        for line in text.lines() {
            writeln!(ui.out(), "{}", escape_line(line))?;
        }
        return Ok(());
    }
    let root = project_root(None);
    let path = root.join(&settings.pins);
    let bytes = read_plain_file(&path, MOST).unwrap_or_default();
    let before = String::from_utf8_lossy(&bytes).into_owned();
    let text = args.text.join(" ").trim().replace(['\n', '\r'], " ");
    let file = text.split('#').next().unwrap_or_default();
    let is_file = !file.is_empty() && root.join(file).is_file();
    let line = if is_file { format!("@{text}") } else { text };
    let mut lines: Vec<&str> = before.lines().filter(|it| *it != line).collect();
    if args.remove {
        if lines.len() == before.lines().count() {
            return Err(RequestError::NoPin { text: line }.into());
        }
    } else {
        lines.push(&line);
    }
    let after = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    write_atomic(&path, after.as_bytes())?;
    lines.retain(|line| !line.trim().is_empty());
    if ui.wants_json() {
        return Ok(ui.json(&Document { file: &settings.pins, pins: lines })?);
    }
    let count = lines.len() as u64;
    ui.say(&format!("{} in {}", crate::ui::plural(count, "pin"), settings.pins));
    Ok(())
}
