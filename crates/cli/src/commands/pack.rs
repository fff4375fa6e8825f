//! `loadline pack`: a repository as one text under a budget.

mod account;
pub(super) mod json;
pub(super) mod sources;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use loadline::pack::{
    Format, PackError, PackOptions, PackSummary, Packed, Template, pack, pack_for_task,
};
use loadline::repo::Comparison;
use serde::Deserialize;

use super::models::budget_json;
use super::session::read_source;
use super::source::{Limit, Prepared, SourceArgs};
use crate::args::GlobalArgs;
use crate::error::{CommandError, RequestError};
use crate::settings::Flag;
use crate::ui::{Clipboard, LIKELY_LIMIT, Ui, plural, thousands};
use crate::{env, output};

/// Pack a repository into one text for a model, within a token budget.
///
/// Each file is shown in full, as selected sections, as signatures, or not at all,
/// depending on its score and on what fits. The output never exceeds the budget.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline pack                          this directory, for the configured model
  loadline pack . --budget 32k -o ctx.md
  loadline pack --task \"sessions expire too early\" --budget 8k
  loadline pack --model claude-opus-4-8 --budget 100k --format xml
  loadline pack --budget none            everything, in full
  loadline pack --compress               signatures only
  loadline pack --scores scores.json     by scores of your own
  loadline pack --changed main --diff    review a branch: what changed, callers, tests
  loadline pack --staged --diff          review what is about to be committed
  loadline pack --task \"why does it hang\" --changed --pin src/lib.rs --explain
  loadline pack -o ctx.md --tree         where the tokens went
  loadline pack --copy                   on the clipboard, to paste into a chat
  rg --json TODO | loadline pack --source - --open src/main.rs --query TODO")]
pub(crate) struct PackArgs {
    /// Directory to pack.
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Maximum tokens to print, such as 8000, 32k or none [default: what the model's
    /// window leaves].
    #[arg(long, short, value_name = "TOKENS")]
    budget: Option<Limit>,
    /// Select the code that a task needs: an issue, a question, a commit message.
    #[arg(long, value_name = "TEXT", conflicts_with = "compress")]
    task: Option<String>,
    /// Read the task from FILE, or from standard input if FILE is -.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["task", "compress"])]
    task_file: Option<PathBuf>,
    /// Leave out the task's own text, which a pack for a task begins with.
    #[arg(long)]
    no_task_text: bool,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    sources: sources::SourcesArgs,
    /// Output format: markdown, xml, plain or json.
    #[arg(long, short, value_name = "FORMAT")]
    format: Option<String>,
    /// Render the pack with a Jinja template. Variables: name, remarks, task, tree,
    /// changes (since, text), not_shown and files (path, kind, language, tier, shows, lines,
    /// ranges, same, content). Filter: fence.
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    template: Option<PathBuf>,
    /// Read scores from this file instead of working them out: what `loadline score
    /// --json` prints, or a list of {"path", "score"}; files that it does not name are
    /// scored as usual.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["task", "task_file"])]
    scores: Option<PathBuf>,
    /// How to choose files without a task: overview (signatures and definitions by worth
    /// per token) or greedy (by score, in full or as signatures).
    #[arg(long, value_name = "HOW", value_parser = ["overview", "greedy"])]
    strategy: Option<String>,
    /// Reduce every file to its signatures.
    #[arg(long)]
    compress: bool,
    /// Print line numbers.
    #[arg(long)]
    line_numbers: bool,
    /// Include a diff of what changed since HEAD, or as --changed, --since or --staged
    /// say; it can be applied from the root of the repository.
    #[arg(long)]
    diff: bool,
    /// Do not redact secrets.
    #[arg(long)]
    no_redact: bool,
    /// Order of files: by path (file), by score (rank), or depending on the format (auto).
    #[arg(long, value_name = "HOW", value_parser = ["auto", "file", "rank"])]
    order: Option<String>,
    /// Explain on standard error what happened to each file and how it was scored;
    /// with --json, in the document.
    #[arg(long)]
    explain: bool,
    /// Fail on contradictory settings instead of adjusting them.
    #[arg(long)]
    strict: bool,
    /// Show tokens by directory, on standard error, or on standard output with
    /// --output.
    #[arg(long)]
    tree: bool,
    /// Write to FILE instead of standard output; FILE itself is not packed.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Copy the pack to the clipboard through the terminal (OSC 52) instead of
    /// printing it.
    #[arg(long)]
    copy: bool,
}

/// Scores of files: the document of `loadline score --json`, or its list alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum ScoreList {
    Document { files: Vec<GivenScore> },
    Plain(Vec<GivenScore>),
}

#[derive(Deserialize)]
struct GivenScore {
    path: String,
    score: u32,
}

/// Packs, prints, and accounts for every file.
pub(crate) fn run(args: &PackArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let start = Instant::now();
    // Whoever cannot have what was asked for should not wait for it.
    let clipboard =
        if args.copy { Some(Clipboard::open().ok_or(RequestError::NoTerminal)?) } else { None };
    let mut prepared = args.source.prepare(args.flags(), global, ui)?;
    if let Some(remark) = prepared.config.notes().first().filter(|_| args.strict) {
        let remark = remark.to_string();
        return Err(RequestError::Strict { remark }.into());
    }
    if prepared.config.settings().pack.format == "json" {
        ui.ask_for_json();
    }
    let mut budget_parts = None;
    prepared.options.budget = match args.budget {
        Some(Limit(budget)) => budget,
        None => {
            let precision = prepared.options.counter.precision();
            let budget = prepared.config.budget(&prepared.model, precision)?;
            budget_parts = Some(budget_json(&budget));
            Some(budget.available())
        }
    };
    prepared.leave_out(&args.path, args.output.as_deref());
    if let Some(template) = args.template()? {
        prepared.options.format = template;
    }
    prepared.options.line_numbers = args.line_numbers;
    prepared.options.diff = args.diff;
    prepared.options.task_text = !args.no_task_text;
    if args.diff && prepared.options.changed.is_none() {
        prepared.options.changed = Some(Comparison::Changed("HEAD".to_owned()));
    }
    if args.no_redact {
        prepared.options.secrets = None;
    }
    if args.packs_sources()? {
        return args.pack_sources(&prepared, clipboard, start, ui);
    }
    prepared.options.open = args.sources.open_files();
    prepared.options.scores = args.scores()?;
    let (options, store) = (&prepared.options, &prepared.store);
    let mut packed = match args.task()? {
        Some(task) => pack_for_task(&args.path, &task, options, store)?,
        None => pack(&args.path, options, store)?,
    };
    let summary = PackSummary::new(&args.path, &packed, options, store.stats());
    summary.record(&args.path, store);
    ui.remarks(std::mem::take(&mut packed.notes));
    prepared.done(ui);
    let written = if ui.wants_json() {
        json::document(&packed, &summary, budget_parts, args.explain, ui)?
    } else {
        std::mem::take(&mut packed.content).into_bytes()
    };
    args.deliver(&written, clipboard, ui)?;
    args.talk(&packed, options, start, ui)
}

impl PackArgs {
    /// What was typed, as settings.
    fn flags(&self) -> Vec<Flag> {
        let mut flags: Vec<Flag> = Vec::new();
        if let Some(format) = &self.format {
            flags.push(("--format", "pack.format", format.clone()));
        }
        if let Some(order) = &self.order {
            flags.push(("--order", "pack.order", order.clone()));
        }
        if let Some(strategy) = &self.strategy {
            flags.push(("--strategy", "pack.strategy", strategy.clone()));
        }
        if self.compress {
            flags.push(("--compress", "pack.compress", "true".to_owned()));
        }
        flags
    }

    /// Tells whether sources are packed instead of the repository; what makes no
    /// sense together is refused.
    fn packs_sources(&self) -> Result<bool, CommandError> {
        let has_task = self.task.is_some() || self.task_file.is_some();
        let are_packed = self.sources.has_lists() || self.sources.are_given() && !has_task;
        if !are_packed {
            return match self.sources.about_sources() {
                Some(flag) => Err(RequestError::NoSources { flag }.into()),
                None => Ok(false),
            };
        }
        let typed = [("--compress", self.compress), ("--diff", self.diff), ("--tree", self.tree)];
        let typed = typed.into_iter().find(|(_, is)| *is).map(|(flag, _)| flag);
        match typed.or(self.source.about_files()) {
            Some(flag) => Err(RequestError::NotForSources { flag }.into()),
            None => Ok(true),
        }
    }

    /// Packs what was brought instead of the repository.
    fn pack_sources(
        &self,
        prepared: &Prepared,
        clipboard: Option<Clipboard>,
        start: Instant,
        ui: &mut Ui,
    ) -> Result<(), CommandError> {
        let options = &prepared.options;
        let task = self.task()?;
        let mut packed = self.sources.pack(&self.path, task, prepared, self.strict, ui)?;
        let known = prepared.store.stats();
        let summary = PackSummary::of_sources(&self.path, &packed, options, known);
        summary.record(&self.path, &prepared.store);
        ui.remarks(std::mem::take(&mut packed.notes));
        prepared.done(ui);
        let written = if ui.wants_json() {
            sources::document(&mut packed, options, self.explain, ui)?
        } else {
            std::mem::take(&mut packed.content).into_bytes()
        };
        self.deliver(&written, clipboard, ui)?;
        sources::talk(&packed, self.explain, start.elapsed(), ui);
        Ok(())
    }

    /// Brings the pack where it was asked for.
    fn deliver(
        &self,
        written: &[u8],
        clipboard: Option<Clipboard>,
        ui: &mut Ui,
    ) -> Result<(), CommandError> {
        if let Some(path) = &self.output {
            output::write(path, written)?;
        }
        let Some(mut clipboard) = clipboard else {
            return match self.output {
                Some(_) => Ok(()),
                None => Ok(ui.raw(written)?),
            };
        };
        let in_tmux = env::get(env::TMUX).is_some();
        let sent = clipboard.copy(written, in_tmux)?;
        ui.say(&format!("copied {}", plural(written.len() as u64, "byte")));
        if sent > LIKELY_LIMIT {
            ui.say(&format!(
                "{} bytes encoded: many terminals take no more than {}; if nothing arrives, use -o FILE",
                thousands(sent as u64),
                thousands(LIKELY_LIMIT as u64),
            ));
        }
        Ok(())
    }

    /// The task, where there is one.
    fn task(&self) -> Result<Option<String>, CommandError> {
        let Some(path) = &self.task_file else {
            return Ok(self.task.clone());
        };
        Ok(Some(String::from_utf8_lossy(&read_source(path)?).into_owned()))
    }

    /// The scores that were given, by path.
    fn scores(&self) -> Result<BTreeMap<String, u32>, CommandError> {
        let Some(path) = &self.scores else {
            return Ok(BTreeMap::new());
        };
        let text = std::fs::read(path).and_then(|text| Ok(serde_json::from_slice(&text)?));
        let list = text.map_err(|error| CommandError::at("read", path, error))?;
        let (ScoreList::Document { files } | ScoreList::Plain(files)) = list;
        Ok(files.into_iter().map(|it| (it.path, it.score)).collect())
    }

    /// The template that was named.
    fn template(&self) -> Result<Option<Format>, CommandError> {
        let Some(path) = &self.template else {
            return Ok(None);
        };
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| CommandError::at("read", path, error))?;
        let template = Template::parse(&text).map_err(PackError::from)?;
        Ok(Some(Format::Template(template)))
    }

    /// Says how it went, in as much detail as was asked for.
    fn talk(
        &self,
        packed: &Packed,
        options: &PackOptions,
        start: Instant,
        ui: &mut Ui,
    ) -> Result<(), CommandError> {
        account::summary(packed, options, start.elapsed(), ui);
        if self.explain {
            account::explain(packed, ui);
        }
        match (self.tree, &self.output) {
            (false, _) => {}
            (true, Some(_)) => account::tree(packed, ui.out())?,
            (true, None) => account::tree(packed, ui.err())?,
        }
        Ok(())
    }
}
