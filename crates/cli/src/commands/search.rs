//! `loadline search`: the passages that answer a text, the best first.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use loadline::pack::{SearchFile, SearchHit, SearchOptions, Searched, search};
use serde_json::{Value, json};

use super::source::{FileArgs, Limit};
use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::ui::{FAINT, STRONG, Ui, escape_control, plural, thousands};

/// Search a repository for the passages that a text is about, the best first.
///
/// The text may be a few words, a question or a whole issue. Passages are ranked
/// as by pack --task, from the same index, so that a second search is fast.
///
/// Exit codes: 0 something was found, 1 nothing was found or the work failed, 2
/// wrong usage or configuration.
///
/// With --json, one object is printed per line: path, lines, score, signals,
/// tokens, text.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline search \"where do sessions expire\"
  loadline search \"retry with backoff\" src --limit 3
  loadline search --files \"parse the config\" | xargs wc -l
  loadline search - --budget 4k < issue.txt
  loadline search timeout --json | jq -r .path")]
pub(crate) struct SearchArgs {
    /// What to look for; - reads it from standard input.
    #[arg(value_name = "TEXT")]
    text: String,
    /// The directory to search.
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Show this many passages, or files, at most.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Show no more passages than fit in these tokens, such as 4000 or 4k.
    #[arg(long, short, value_name = "TOKENS", default_value = "none")]
    budget: Limit,
    /// Print the paths of files only, one per line.
    #[arg(long, short = 'l', conflicts_with_all = ["budget", "no_text"])]
    files: bool,
    /// Leave out the lines themselves.
    #[arg(long)]
    no_text: bool,
    #[command(flatten)]
    source: FileArgs,
    /// Leave secrets in the text.
    #[arg(long)]
    no_redact: bool,
}

/// Searches, and shows what was found.
pub(crate) fn run(args: &SearchArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let start = Instant::now();
    let as_json = ui.ask_for_lines();
    let text = args.text()?;
    let mut prepared = args.source.prepare(global, ui)?;
    prepared.options.budget = args.budget.0;
    if args.no_redact {
        prepared.options.secrets = None;
    }
    let options = SearchOptions {
        pack: prepared.options.clone(),
        limit: if args.files { 0 } else { args.limit },
    };
    let mut searched = search(&args.path, &text, &options, &prepared.store)?;
    ui.notes(std::mem::take(&mut searched.notes));
    prepared.done(ui);
    let shown = if args.files {
        args.show_files(&searched, as_json, ui)?
    } else {
        args.show_hits(&searched, as_json, ui)?
    };
    ui.finish()?;
    args.talk(&searched, shown, start, ui);
    if searched.files.is_empty() {
        Err(CommandError::no_match())
    } else {
        Ok(())
    }
}

impl SearchArgs {
    fn text(&self) -> Result<String, CommandError> {
        if self.text != "-" {
            return Ok(self.text.clone());
        }
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| CommandError::at("read", Path::new("standard input"), error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn show_files(
        &self,
        searched: &Searched,
        as_json: bool,
        ui: &mut Ui,
    ) -> Result<usize, CommandError> {
        let files = searched.files.iter().take(self.limit);
        for file in files.clone() {
            if as_json {
                writeln!(ui.out(), "{}", file_json(file))?
            } else {
                writeln!(ui.out(), "{}", escape_control(&file.path))?
            }
        }
        Ok(files.count())
    }

    fn show_hits(
        &self,
        searched: &Searched,
        as_json: bool,
        ui: &mut Ui,
    ) -> Result<usize, CommandError> {
        for (number, hit) in searched.hits.iter().enumerate() {
            if as_json {
                writeln!(ui.out(), "{}", hit_json(hit, self.no_text))?;
                continue;
            }
            if number > 0 && !self.no_text {
                writeln!(ui.out())?;
            }
            let (path, (first, last)) = (escape_control(&hit.path), hit.lines);
            let score = hit.score;
            writeln!(
                ui.out(),
                "{STRONG}{path}{STRONG:#} {first}-{last} {FAINT}score {score:.2}{FAINT:#}"
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
        ui.say(&format!(
            "{found}; {searched_files} searched; {seconds:.2} s"
        ));
    }
}

fn hit_json(hit: &SearchHit, no_text: bool) -> Value {
    let signals = &hit.signals;
    let mut value = json!({
        "schema": 1,
        "path": hit.path,
        "language": hit.language,
        "lines": hit.lines,
        "score": rounded(hit.score),
        "signals": {
            "body": rounded(signals.body),
            "names": rounded(signals.names),
            "comments": rounded(signals.comments),
            "kind": rounded(signals.kind),
            "file": rounded(signals.file),
        },
        "tokens": hit.tokens.get(),
    });
    if !no_text {
        value["text"] = Value::from(hit.text.as_str());
    }
    value
}

fn file_json(file: &SearchFile) -> Value {
    let signals = &file.signals;
    json!({
        "schema": 1,
        "path": file.path,
        "score": rounded(file.score),
        "signals": {
            "body": rounded(signals.body),
            "path": rounded(signals.path),
            "names": rounded(signals.names),
            "messages": rounded(signals.messages),
            "mention": rounded(signals.mention),
            "kind": rounded(signals.kind),
        },
    })
}

fn rounded(value: f64) -> f64 {
    // Adding nothing makes a negative zero a plain one.
    (value * 1e4).round() / 1e4 + 0.0
}
