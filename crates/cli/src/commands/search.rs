//! `loadline search`: finds the passages most relevant to a query.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use loadline::pack::{SearchOptions, Searched, search};
use serde::Serialize;

use super::paths::PathArgs;
use super::session::read_source;
use super::source::{FileArgs, Limit};
use crate::error::{CommandError, Result};
use crate::ui::{FAINT, SCHEMA, STRONG, Ui, escape_control, plural, thousands};

/// Search a repository for the passages most relevant to a query.
///
/// The query may be a few words, a question or a whole issue. It is ranked as a task is
/// by `loadline pack`, by an index that is cached, so later searches are fast.
///
/// Exit codes: 0 found, 1 nothing found or failure, 2 invalid usage or
/// configuration.
///
/// With --json, each result is one line of JSON.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline search \"where do sessions expire\"
  loadline search \"retry with backoff\" src --limit 3
  loadline search --files \"parse the config\" | xargs wc -l
  loadline search - --budget 4k < issue.txt
  loadline search timeout --json | jq -r .path")]
pub(crate) struct SearchArgs {
    /// Query, or - to read it from standard input.
    #[arg(value_name = "TEXT")]
    text: String,
    #[command(flatten)]
    paths: PathArgs,
    /// Maximum number of passages, or files.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Maximum tokens of all passages together, such as 4000 or 4k.
    #[arg(long, short, value_name = "TOKENS", default_value = "none")]
    budget: Limit,
    /// Print only the paths of files, one per line.
    #[arg(long, short = 'l', conflicts_with_all = ["budget", "no_text"])]
    files: bool,
    /// Omit the text of passages.
    #[arg(long)]
    no_text: bool,
    #[command(flatten)]
    source: FileArgs,
    /// Do not redact secrets.
    #[arg(long)]
    no_redact: bool,
}

/// Searches, and shows what was found.
pub(crate) fn run(args: &SearchArgs, ui: &mut Ui) -> Result<()> {
    let start = Instant::now();
    let as_json = ui.ask_for_lines();
    let text = args.text()?;
    let mut prepared = args.source.prepare(Some(&args.paths), ui)?;
    prepared.options.budget = args.budget.0;
    if args.no_redact {
        prepared.options.secrets = None;
    }
    let options = SearchOptions {
        pack: prepared.options.clone(),
        limit: if args.files { 0 } else { args.limit },
    };
    let mut searched = search(&prepared.root, &text, &options, &prepared.store)?;
    ui.remarks(std::mem::take(&mut searched.notes));
    if args.no_text {
        searched.hits.iter_mut().for_each(|hit| hit.text.clear());
    }
    prepared.done(ui);
    let shown = if args.files {
        args.show_files(&searched, as_json, ui)?
    } else {
        args.show_hits(&searched, as_json, ui)?
    };
    ui.finish()?;
    args.talk(&searched, shown, start, ui);
    if searched.files.is_empty() { Err(CommandError::no_match()) } else { Ok(()) }
}

impl SearchArgs {
    fn text(&self) -> Result<String> {
        if self.text != "-" {
            return Ok(self.text.clone());
        }
        Ok(String::from_utf8_lossy(&read_source(Path::new("-"))?).into_owned())
    }

    fn show_files(&self, searched: &Searched, as_json: bool, ui: &mut Ui) -> Result<usize> {
        let files = searched.files.iter().take(self.limit);
        for file in files.clone() {
            if as_json {
                write_line(file, ui.out())?
            } else {
                writeln!(ui.out(), "{}", escape_control(&file.path))?
            }
        }
        Ok(files.count())
    }

    fn show_hits(&self, searched: &Searched, as_json: bool, ui: &mut Ui) -> Result<usize> {
        for (number, hit) in searched.hits.iter().enumerate() {
            if as_json {
                write_line(hit, ui.out())?;
                continue;
            }
            if number > 0 && !self.no_text {
                writeln!(ui.out())?;
            }
            let (path, (first, last)) = (escape_control(&hit.path), hit.lines);
            // A passage that begins with its definition says so itself.
            let outer = hit.definition.as_deref();
            let outer = outer.filter(|line| !hit.text.trim_start().starts_with(line));
            let definition = outer.map(escape_control);
            let definition = definition.map(|line| format!(" {line}")).unwrap_or_default();
            let score = hit.score;
            writeln!(
                ui.out(),
                "{STRONG}{path}{STRONG:#} {first}-{last}{definition} {FAINT}score {score:.2}{FAINT:#}"
            )?;
            if !self.no_text {
                super::write_lines(&hit.text, first, ui.out())?;
            }
        }
        Ok(searched.hits.len())
    }

    fn talk(&self, searched: &Searched, shown: usize, start: Instant, ui: &mut Ui) {
        let seconds = start.elapsed().as_secs_f64();
        let searched_files = plural(searched.searched as u64, "text file");
        let found = match (self.files, searched.files.len() as u64) {
            (_, 0) => "nothing found".to_owned(),
            (true, files) => format!("{} of {}", thousands(shown as u64), plural(files, "file")),
            (false, files) => format!(
                "{} of {} in {}",
                thousands(shown as u64),
                plural(searched.matched as u64, "passage"),
                plural(files, "file")
            ),
        };
        ui.say(&format!("{found}; {searched_files} searched; {seconds:.2} s"));
    }
}

/// A line of JSON: a passage or a file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Line<'a, T> {
    schema: u32,
    #[serde(flatten)]
    found: &'a T,
}

fn write_line(found: &impl Serialize, out: &mut impl Write) -> std::io::Result<()> {
    let schema = SCHEMA;
    serde_json::to_writer(&mut *out, &Line { schema, found })?;
    writeln!(out)
}
