//! `loadline count`: counts tokens of files, directories and standard input.

pub(super) mod json;
mod show;

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loadline::cache::Cache;
use loadline::repo::{
    CountOptions, CountReport, FileCount, TypedGlob, WalkOptions, count_paths, count_text,
};

use super::paths::globs;
use super::session::read_source;
use crate::api::ApiCounter;
use crate::error::Result;
use crate::settings::{self, Choice};
use crate::ui::{Sort, Ui, first};
use show::{Counted, Window};

/// The default number of rows.
const ROWS: usize = 25;

/// Standard input, as a path.
const STDIN: &str = "-";

/// Count the tokens of files, directories and standard input.
///
/// Directories are walked as git does: ignored, hidden and binary files are skipped.
/// Counts are cached, so later runs are fast.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline count                               this directory, largest files first
  loadline count src README.md --model gpt-4o  with the share of the model's window
  git diff | loadline count -                  standard input
  loadline count --counter all                 what other models would count
  loadline count --tree --top 5                where the tokens are
  loadline count --json | jq .total.tokens     for programs")]
pub(crate) struct CountArgs {
    /// Files and directories; - means standard input.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Model to count for; determines the counter and the window.
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Counter to use, such as o200k, claude-4.8, heuristic, api or hf:FILE; repeat it
    /// to compare counters, or use `all`.
    #[arg(long, short, value_name = "NAME")]
    counter: Vec<String>,
    /// Show totals by language instead of files.
    #[arg(long, conflicts_with = "tree")]
    by_language: bool,
    /// Show a tree of directories; entries below 1 % are hidden.
    #[arg(long)]
    tree: bool,
    /// Maximum number of rows; in a tree, for each directory.
    #[arg(long, value_name = "N", default_value_t = ROWS)]
    top: usize,
    /// Show all rows.
    #[arg(long, conflicts_with = "top")]
    all: bool,
    /// Sort order.
    #[arg(long, value_name = "BY", default_value = "tokens")]
    sort: Sort,
    /// Include hidden files.
    #[arg(long)]
    hidden: bool,
    /// Include files that ignore files exclude.
    #[arg(long)]
    no_ignore: bool,
    /// Count only files that match GLOB; may be repeated.
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Skip files and directories that match GLOB; may be repeated.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
}

/// Counts, and shows the result in the form that was asked for.
pub(crate) fn run(args: &CountArgs, ui: &mut Ui) -> Result<()> {
    let flags = settings::typed([("--model", "model", args.model.clone())]);
    let config = settings::load_config(flags, ui)?;
    let models = settings::load_models(&config, ui)?;
    let model = settings::find_model(&models, &config, ui)?;
    let store = Arc::new(settings::open_store(&config, ui));
    let now_ns = settings::now_ns(ui);
    let counters = Choice { typed: &args.counter, config: &config, model, store: &store, now_ns };
    let counters = counters.counters()?;
    let options =
        CountOptions { counters: counters.list.clone(), walk: args.walk_options(), now_ns };
    let mut report = count(&args.paths, &options, &store)?;
    ui.remarks(counters.notes.clone());
    ui.remarks(std::mem::take(&mut report.notes));
    ui.remarks(counters.api.as_ref().and_then(ApiCounter::note));
    ui.remarks(store.take_notes());
    if let Some(api) = &counters.api {
        // A service says where its counts come from for a run as a whole.
        let source = api.source();
        report.files.iter_mut().for_each(|file| file.source = source);
    }
    args.sort(&mut report.files);

    let settings = config.settings();
    let is_named = args.model.is_some() || settings.model != "generic";
    let window =
        is_named.then_some(Window { model, tokens: config.window().unwrap_or(model.window) });
    let counted = Counted { args, counters: &counters, window, report };
    counted.show(ui)
}

/// Counts paths, and standard input where it is among them.
fn count(paths: &[PathBuf], options: &CountOptions, store: &Cache) -> Result<CountReport> {
    let (stdin, paths): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.iter().cloned().partition(|path| path == Path::new(STDIN));
    let mut report = count_paths(&paths, options, store)?;
    if !stdin.is_empty() {
        let bytes = read_source(Path::new(STDIN))?;
        let (file, notes) = count_text(STDIN, &bytes, options);
        report.files.extend(file);
        report.notes.extend(notes);
    }
    Ok(report)
}

impl CountArgs {
    fn walk_options(&self) -> WalkOptions {
        let (include, exclude) = (globs(&self.include), globs(&self.exclude));
        let typed = include.iter().map(|glob| ("--include", glob));
        let typed = typed.chain(exclude.iter().map(|glob| ("--exclude", glob)));
        // Of several paths, each may have what another lacks.
        let typed = typed.filter(|_| self.paths.len() == 1).map(|(flag, glob)| TypedGlob {
            flag,
            glob: glob.clone(),
            patterns: vec![glob.clone()],
        });
        WalkOptions {
            hidden: self.hidden,
            ignored: self.no_ignore,
            excludes_file: settings::git_excludes_file(),
            include: include.clone(),
            exclude: exclude.clone(),
            // What is too large to pack is still worth counting.
            max_file_size: None,
            named: Vec::new(),
            within: Vec::new(),
            typed: typed.collect(),
        }
    }

    /// Sorts files as asked for; ties, too, by path.
    fn sort(&self, files: &mut [FileCount]) {
        files.sort_by(|left, right| path_bytes(left).cmp(path_bytes(right)));
        match self.sort {
            Sort::Path => {}
            Sort::Tokens => files.sort_by_key(|file| Reverse(first(&file.tokens))),
            Sort::Lines => files.sort_by_key(|file| Reverse(file.lines)),
        }
    }

    /// Returns how many rows to show.
    fn rows(&self) -> usize {
        if self.all { usize::MAX } else { self.top }
    }
}

fn path_bytes(file: &FileCount) -> &[u8] {
    file.path.as_os_str().as_encoded_bytes()
}
