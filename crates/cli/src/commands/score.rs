//! `loadline score`: shows the scores of files and their signals.

use std::io::Write;

use loadline::pack::{OmittedFile, ScoredFile, score};
use serde::Serialize;

use super::paths::PathArgs;
use super::source::SourceArgs;
use crate::error::Result;
use crate::ui::{FAINT, Table, Ui, plural};

/// Show the score of each file and the signals behind it.
///
/// A score is a sum of points between 0 and 100; `pack` and `map` rank by it.
/// `loadline config show` lists the points under `score`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline score                         this directory, best first
  loadline score --limit 10 src
  loadline score --boost 'src/api/**'    with more points for some
  loadline score --json | jq '.files[] | select(.score >= 70) | .path'")]
pub(crate) struct ScoreArgs {
    #[command(flatten)]
    paths: PathArgs,
    #[command(flatten)]
    source: SourceArgs,
    /// Maximum number of files [default: one screen on a terminal, otherwise all].
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// The document of `score`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    total: usize,
    files: &'a [ScoredFile],
    omitted: &'a [OmittedFile],
}

/// Scores, and shows the best.
pub(crate) fn run(args: &ScoreArgs, ui: &mut Ui) -> Result<()> {
    let prepared = args.source.prepare(Some(&args.paths), Vec::new(), ui)?;
    let mut scored = score(&prepared.root, &prepared.options, &prepared.store)?;
    ui.remarks(std::mem::take(&mut scored.notes));
    prepared.done(ui);
    if ui.wants_json() {
        let shown = args.limit.unwrap_or(usize::MAX).min(scored.files.len());
        return Ok(ui.json(&Document {
            total: scored.files.len(),
            files: &scored.files[..shown],
            omitted: &scored.omitted,
        })?);
    }
    let rows = args.limit.or(ui.screen_rows()).unwrap_or(usize::MAX);
    let mut table = Table::headed("rll", ["score", "signals", "path"]);
    for file in scored.files.iter().take(rows) {
        table.row([file.score.to_string(), reasons(file), file.path.clone()]);
    }
    table.write(ui.out())?;
    let rest = scored.files.len().saturating_sub(rows) as u64;
    if rest > 0 {
        let rest = plural(rest, "more file");
        writeln!(ui.out(), "{FAINT}... and {rest}; --limit shows more{FAINT:#}")?;
    }
    Ok(())
}

/// The signals that said something: `entry_point 30, commits 4, pinned`.
fn reasons(file: &ScoredFile) -> String {
    let signals = file.signals.named().into_iter();
    let signals =
        signals.filter(|(_, points)| *points != 0).map(|(name, points)| format!("{name} {points}"));
    let marks = [(file.pinned, "pinned"), (file.changed, "changed")];
    let marks = marks.into_iter().filter(|(is_so, _)| *is_so);
    let all: Vec<String> = signals.chain(marks.map(|(_, mark)| mark.to_owned())).collect();
    all.join(", ")
}
