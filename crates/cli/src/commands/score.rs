//! `loadline score`: which files matter, and why?

use std::io::Write;
use std::path::PathBuf;

use loadline::pack::{OmittedFile, Scored, ScoredFile, score};
use serde::Serialize;
use serde_json::{Map, Value};

use super::pack::signals;
use super::source::SourceArgs;
use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::ui::{Align, FAINT, Table, Ui, plural};

/// Show the score of every file, and the signals it comes from.
///
/// A score is a sum of points between 0 and 100; `pack` and `map` go by it.
/// `loadline config show` lists the points under score.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline score                         this directory, best first
  loadline score --limit 10 src
  loadline score --boost 'src/api/**'    with more points for some
  loadline score --json | jq '.files[] | select(.score >= 70) | .path'")]
pub(crate) struct ScoreArgs {
    /// The directory to look at.
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    #[command(flatten)]
    source: SourceArgs,
    /// Show this many files; by default a screen on a terminal, else all.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

#[derive(Serialize)]
struct Document<'a> {
    total: usize,
    files: Vec<FileJson<'a>>,
    omitted: &'a [OmittedFile],
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: &'a str,
    score: u32,
    signals: Map<String, Value>,
    pinned: bool,
    changed: bool,
    lines: u32,
    tokens: u64,
}

/// Scores, and shows the best.
pub(crate) fn run(args: &ScoreArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let prepared = args.source.prepare(Vec::new(), global, ui)?;
    let mut scored = score(&args.path, &prepared.options, &prepared.store)?;
    ui.notes(std::mem::take(&mut scored.notes));
    prepared.done(ui);
    if ui.wants_json() {
        return Ok(ui.json(&document(&scored, args.limit))?);
    }
    let rows = args.limit.or(ui.screen_rows()).unwrap_or(usize::MAX);
    let mut table = Table::new([Align::Right, Align::Left, Align::Left]);
    table.head(["score", "signals", "path"].map(str::to_owned));
    for file in scored.files.iter().take(rows) {
        table.row([file.score.to_string(), reasons(file), file.path.clone()]);
    }
    table.write(ui.out())?;
    let rest = scored.files.len().saturating_sub(rows) as u64;
    if rest > 0 {
        let rest = plural(rest, "more file");
        writeln!(
            ui.out(),
            "{FAINT}... and {rest}; --limit shows more{FAINT:#}"
        )?;
    }
    Ok(())
}

/// The signals that said something: `entry_point 30, commits 4, pinned`.
fn reasons(file: &ScoredFile) -> String {
    let signals = signals(&file.signals);
    let signals = signals
        .iter()
        .map(|(name, points)| format!("{name} {points}"));
    let marks = [(file.pinned, "pinned"), (file.changed, "changed")];
    let marks = marks.into_iter().filter(|(is_so, _)| *is_so);
    let all: Vec<String> = signals
        .chain(marks.map(|(_, mark)| mark.to_owned()))
        .collect();
    all.join(", ")
}

fn document(scored: &Scored, limit: Option<usize>) -> Document<'_> {
    let files = scored.files.iter().take(limit.unwrap_or(usize::MAX));
    let files = files.map(|file| FileJson {
        path: &file.path,
        score: file.score,
        signals: signals(&file.signals),
        pinned: file.pinned,
        changed: file.changed,
        lines: file.lines,
        tokens: file.tokens.get(),
    });
    Document {
        total: scored.files.len(),
        files: files.collect(),
        omitted: &scored.omitted,
    }
}
