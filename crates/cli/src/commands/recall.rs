//! `loadline recall`: what was cut from a session.

use std::fmt;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use loadline::{Blobs, Cut, CutKind, CutLedger, read_session, recall_turns};
use regex::Regex;
use serde::Serialize;

use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::settings::{cache_directory, now_ns};
use crate::ui::{FAINT, Ui, escape_line};

/// Print what was cut from a session, by the handle in its marker.
///
/// HANDLE is the whole session as it was; HANDLE:7 its turn 7, with the results
/// of its calls; HANDLE:3-7 several turns.
#[derive(Debug, clap::Args)]
pub(crate) struct RecallArgs {
    /// What a marker names, such as k3f9c2td or k3f9c2td:7.
    #[arg(value_name = "HANDLE[:TURN]")]
    target: Target,
    /// Print these lines only: 10-20, 10- or 10.
    #[arg(long, value_name = "A-B")]
    lines: Option<Lines>,
    /// Print lines that match this pattern, with their numbers.
    #[arg(long, value_name = "REGEX")]
    grep: Option<Regex>,
}

/// A handle, and maybe turns.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    handle: String,
    turns: Option<RangeInclusive<usize>>,
}

/// Lines from one to another, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lines(RangeInclusive<usize>);

/// What is wrong with a range.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NoRange(String);

#[derive(Serialize)]
struct RecallJson<'a> {
    handle: &'a str,
    turns: Option<(usize, usize)>,
    /// Lines of the whole, of which those below were asked for.
    total_lines: usize,
    lines: Vec<LineJson<'a>>,
}

#[derive(Serialize)]
struct LineJson<'a> {
    number: usize,
    text: &'a str,
}

/// Finds the original and prints what was asked for.
pub(crate) fn run(args: &RecallArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let directory = cache_directory()?;
    let blobs = Blobs::new(&directory);
    let bytes = blobs.get(&blobs.find(&args.target.handle)?)?;
    record(&directory, &args.target.handle, global);
    let is_all = args.lines.is_none() && args.grep.is_none() && args.target.turns.is_none();
    if is_all && !ui.wants_json() {
        return Ok(ui.raw(&bytes)?);
    }
    let text = match &args.target.turns {
        Some(turns) => {
            let transcript = read_session(bytes, None)?;
            let last = match *turns.end() {
                usize::MAX => transcript.turns.len().max(*turns.start()),
                last => last,
            };
            recall_turns(&transcript, *turns.start()..=last)?
        }
        None => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let lines: Vec<(usize, &str)> = (1..)
        .zip(text.lines())
        .filter(|(number, _)| args.lines.as_ref().is_none_or(|it| it.0.contains(number)))
        .filter(|(_, line)| args.grep.as_ref().is_none_or(|it| it.is_match(line)))
        .collect();
    if ui.wants_json() {
        let turns = args.target.turns.as_ref();
        let document = RecallJson {
            handle: &args.target.handle,
            turns: turns.map(|turns| (*turns.start(), *turns.end())),
            total_lines: text.lines().count(),
            lines: lines
                .iter()
                .map(|&(number, text)| LineJson { number, text })
                .collect(),
        };
        ui.json(&document)?;
    } else {
        write(&lines, args.grep.is_some(), ui.out())?;
    }
    match lines.is_empty() {
        true => Err(CommandError::no_match()),
        false => Ok(()),
    }
}

/// Notes that something was asked for again; a ledger that cannot be written stops nothing.
fn record(directory: &Path, handle: &str, global: &GlobalArgs) {
    let row = Cut {
        handle: handle.to_owned(),
        ..Cut::new(now_ns(global), CutKind::Recall)
    };
    let _ = CutLedger::open(directory).and_then(|ledger| ledger.add(&row));
}

fn write(
    lines: &[(usize, &str)],
    numbered: bool,
    out: &mut impl Write,
) -> Result<(), CommandError> {
    let width = lines
        .last()
        .map_or(0, |(number, _)| number.to_string().len());
    for (number, line) in lines {
        let line = escape_line(line);
        match numbered {
            true => writeln!(out, "{FAINT}{number:>width$}:{FAINT:#} {line}")?,
            false => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

impl FromStr for Target {
    type Err = NoRange;

    fn from_str(text: &str) -> Result<Target, NoRange> {
        let (handle, turns) = match text.split_once(':') {
            Some((handle, turns)) => (handle, Some(range(turns)?)),
            None => (text, None),
        };
        Ok(Target {
            handle: handle.to_owned(),
            turns,
        })
    }
}

impl FromStr for Lines {
    type Err = NoRange;

    fn from_str(text: &str) -> Result<Lines, NoRange> {
        range(text).map(Lines)
    }
}

/// Reads `7`, `3-7` or `3-`, counted from 1.
fn range(text: &str) -> Result<RangeInclusive<usize>, NoRange> {
    let refuse = || NoRange(text.to_owned());
    let number = |text: &str| text.parse::<usize>().map_err(|_| refuse());
    let (first, last) = match text.split_once('-') {
        Some((first, "")) => (number(first)?, usize::MAX),
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    match first >= 1 && first <= last {
        true => Ok(first..=last),
        false => Err(refuse()),
    }
}

impl fmt::Display for NoRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no range; write 7, 3-7 or 3-", self.0)
    }
}

impl std::error::Error for NoRange {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_handle_and_turns() {
        for (text, turns) in [
            ("k3f9c2td", None),
            ("k3f9c2td:7", Some(7..=7)),
            ("k3f9c2td:3-7", Some(3..=7)),
        ] {
            let target: Target = text.parse().unwrap();
            assert_eq!((target.handle.as_str(), target.turns), ("k3f9c2td", turns));
        }
        for text in ["a:", "a:0", "a:7-3", "a:x", "a:1-2-3", "a:TURN"] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
        assert_eq!("3-".parse(), Ok(Lines(3..=usize::MAX)));
    }
}
