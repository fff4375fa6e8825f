//! `loadline recall`: prints what was cut from a session.

use std::io::Write;
use std::path::Path;

use loadline::archive::{Cut, CutKind, CutLedger};
use loadline::session::{LineRange, RecallTarget, recall};
use regex::Regex;
use serde::Serialize;

use crate::error::{CommandError, Result};
use crate::settings::{now_ns, open_archive};
use crate::ui::{FAINT, Ui, escape_line};

/// Print what was cut from a session, by the handle in its marker.
///
/// HANDLE is the whole session as it was; HANDLE:7 its turn 7, with the results
/// of its calls; HANDLE:3-7 several turns. Handles work in the project they come from.
#[derive(Debug, clap::Args)]
pub(crate) struct RecallArgs {
    /// What a marker names, such as k3f9c2td or k3f9c2td:7.
    #[arg(value_name = "HANDLE[:TURN]")]
    target: RecallTarget,
    /// Print these lines only: 10-20, 10- or 10.
    #[arg(long, value_name = "A-B")]
    lines: Option<LineRange>,
    /// Print lines that match this pattern, with their numbers.
    #[arg(long, value_name = "REGEX")]
    grep: Option<Regex>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct RecallJson<'a> {
    handle: &'a str,
    turns: Option<(usize, usize)>,
    /// Lines of the whole, of which those below were asked for.
    total_lines: usize,
    lines: Vec<LineJson<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LineJson<'a> {
    number: usize,
    text: &'a str,
}

/// Finds the original and prints the lines that were asked for.
pub(crate) fn run(args: &RecallArgs, ui: &mut Ui) -> Result<()> {
    let archive = open_archive(None)?;
    let hash = archive.find(&args.target.handle)?;
    record(archive.directory(), &args.target.handle, ui);
    let is_all = args.lines.is_none() && args.grep.is_none() && args.target.turns.is_none();
    if is_all && !ui.wants_json() {
        return Ok(ui.raw(&archive.get(&hash)?)?);
    }
    let text = recall(&archive, &args.target)?;
    let lines: Vec<(usize, &str)> = (1..)
        .zip(text.lines())
        .filter(|(number, _)| args.lines.as_ref().is_none_or(|it| it.contains(*number)))
        .filter(|(_, line)| args.grep.as_ref().is_none_or(|it| it.is_match(line)))
        .collect();
    if ui.wants_json() {
        let turns = args.target.turns.as_ref().map(LineRange::get);
        let document = RecallJson {
            handle: &args.target.handle,
            turns: turns.map(|turns| (*turns.start(), *turns.end())),
            total_lines: text.lines().count(),
            lines: lines.iter().map(|&(number, text)| LineJson { number, text }).collect(),
        };
        ui.json(&document)?;
    } else {
        write(&lines, args.grep.is_some(), ui.out())?;
    }
    if lines.is_empty() { Err(CommandError::no_match()) } else { Ok(()) }
}

/// Notes that something was asked for again; a ledger that cannot be written stops nothing.
fn record(directory: &Path, handle: &str, ui: &Ui) {
    let row = Cut { handle: handle.to_owned(), ..Cut::new(now_ns(ui), CutKind::Recall) };
    let _ = CutLedger::open(directory).and_then(|ledger| ledger.add(&row));
}

fn write(lines: &[(usize, &str)], numbered: bool, out: &mut impl Write) -> Result<()> {
    let width = lines.last().map_or(0, |(number, _)| number.to_string().len());
    for (number, line) in lines {
        let line = escape_line(line);
        if numbered {
            writeln!(out, "{FAINT}{number:>width$}:{FAINT:#} {line}")?
        } else {
            writeln!(out, "{line}")?
        }
    }
    Ok(())
}
