//! `loadline pack`: a repository as one text under a budget.

mod account;
mod around;
pub(super) mod json;
mod pick;
pub(super) mod sources;
mod split;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use loadline::pack::{
    Format, PackError, PackOptions, PackSummary, Packed, Template, pack, pack_for_task, score,
};
use loadline::repo::Comparison;
use loadline::tokens::Tokens;
use serde::Deserialize;

use super::models::budget_json;
use super::paths::PathArgs;
use super::session::read_source;
use super::source::{Limit, Prepared, SourceArgs};
use crate::error::{CommandError, RequestError, Result};
use crate::output;
use crate::settings::{Flag, typed};
use crate::ui::{Clipboard, LIKELY_LIMIT, Ui, plural, thousands};
use around::Around;

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
    #[command(flatten)]
    paths: PathArgs,
    /// Maximum tokens to print, such as 8000, 32k or none [default: what the model's
    /// window leaves]. With --json it covers the pack itself (content), not the document
    /// around it.
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
    /// Render the pack with a Jinja template. Variables: name, remarks, task, tokens,
    /// tree, diff, log, header, instructions, changes (since, text), not_shown and files
    /// (path, kind, language, tier, shows, lines, ranges, same, content, tokens). Filter:
    /// fence.
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
    /// What ranks passages for a task: learned (trees fitted to real changes) or formula.
    #[arg(long, value_name = "HOW", value_parser = ["learned", "formula"])]
    rank: Option<String>,
    /// Percentage of the budget for code related to a task's lines: tests, callers and the
    /// definitions they use; 0 for none [default: rank.related].
    #[arg(long, value_name = "PERCENT")]
    related: Option<String>,
    /// Reduce every file to its signatures.
    #[arg(long)]
    compress: bool,
    /// Remove comments from code; lines keep their numbers.
    #[arg(long)]
    remove_comments: bool,
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
    /// Show only what is new or changed since an earlier pack of this directory, and list
    /// the rest; ID is what that pack printed at its end, or last.
    #[arg(long, value_name = "ID")]
    since_pack: Option<String>,
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
    #[command(flatten)]
    around: around::AroundArgs,
    /// Choose files in a tree with their tokens before packing.
    #[arg(long)]
    pick: bool,
    /// Write to FILE, or to standard output if FILE is - [default: standard output, on a
    /// terminal NAME.context.md]; FILE itself is not packed.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write parts of at most N tokens each, as FILE.1, FILE.2 and so on before the
    /// extension, with a table of contents; cut between files.
    #[arg(long, value_name = "TOKENS", conflicts_with = "copy")]
    split: Option<Tokens>,
    /// Copy the pack to the clipboard instead of printing it: by wl-copy, xclip, xsel,
    /// pbcopy or clip.exe, or else through the terminal (OSC 52).
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
pub(crate) fn run(args: &PackArgs, ui: &mut Ui) -> Result<()> {
    let start = Instant::now();
    // Whoever cannot have what was asked for should not wait for it.
    let clipboard =
        if args.copy { Some(Clipboard::open().ok_or(RequestError::NoTerminal)?) } else { None };
    let mut prepared = args.source.prepare(Some(&args.paths), args.flags(), ui)?;
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
    let output = args.output(&prepared, clipboard.is_some(), ui)?;
    prepared.leave_out(output.path());
    if let Some(path) = output.path().filter(|_| args.split.is_some()) {
        let parts = (1..).map(|number| numbered(path, number)).take_while(|part| part.exists());
        parts.for_each(|part| prepared.leave_out(Some(&part)));
    }
    prepared.options.remove_comments = args.remove_comments;
    prepared.options.line_numbers = args.line_numbers;
    prepared.options.diff = args.diff;
    prepared.options.task_text = !args.no_task_text;
    if args.diff && prepared.options.changed.is_none() {
        prepared.options.changed = Some(Comparison::Changed("HEAD".to_owned()));
    }
    if args.no_redact {
        prepared.options.secrets = None;
    }
    if args.pick && !picked(&mut prepared, ui)? {
        return Ok(());
    }
    let around = args.around.read(&prepared.root, &prepared.options, &prepared.store)?;
    if let Some(template) = args.template(&around, &prepared.options)? {
        prepared.options.format = template;
    }
    if let Some(id) = &args.since_pack {
        let (root, now_ns) = (&prepared.root, prepared.options.now_ns);
        let earlier = PackSummary::named(root, id, &prepared.store, now_ns);
        let earlier = earlier.ok_or_else(|| RequestError::NoEarlierPack { id: id.clone() })?;
        prepared.options.since = Some(earlier.texts);
    }
    if args.compress && args.sources.are_given() {
        // Signatures are of whole files, so these are packed as files of the repository are.
        let files = args.sources.files(&prepared.root, ui)?;
        prepared.options.walk.within = files;
        prepared.options.walk.typed.clear();
    } else if args.packs_sources()? {
        return args.pack_sources(&prepared, &output, &around, clipboard, start, ui);
    }
    prepared.options.open = args.sources.open_files()?;
    prepared.options.scores = args.scores()?;
    let (options, store) = (&prepared.options, &prepared.store);
    let inside = around.inside(options)?;
    let mut packed = match args.task()? {
        Some(task) => pack_for_task(&prepared.root, &task, &inside, store)?,
        None => pack(&prepared.root, &inside, store)?,
    };
    around.put(&mut packed.content, &mut packed.tokens, options);
    let summary = PackSummary::new(&prepared.root, &packed, options, store.stats());
    summary.record(&prepared.root, store);
    ui.remarks(std::mem::take(&mut packed.notes));
    prepared.done(ui);
    let written = if ui.wants_json() {
        json::document(&packed, &summary, budget_parts, args.explain, ui)?
    } else {
        std::mem::take(&mut packed.content).into_bytes()
    };
    args.deliver(&written, &output, options, clipboard, ui)?;
    args.talk(&packed, &summary.id, options, &output, start, ui)
}

/// Restricts a pack to what a person picks; tells whether they picked anything.
fn picked(prepared: &mut Prepared, ui: &mut Ui) -> Result<bool> {
    let scored = score(&prepared.root, &prepared.options, &prepared.store)?;
    prepared.done(ui);
    let chosen = pick::pick(&scored.files, prepared.options.budget)?;
    let is_any = !chosen.is_empty();
    if !is_any {
        ui.say("nothing chosen, nothing packed");
    }
    prepared.options.walk.within = chosen;
    prepared.options.walk.typed.clear();
    Ok(is_any)
}

/// Where a pack goes.
enum Output {
    /// To standard output.
    Stdout,
    /// To the clipboard only.
    Clipboard,
    /// To a file that was named.
    File(PathBuf),
    /// To a file named after the directory, because a pack would flood the terminal.
    Own(PathBuf),
}

impl Output {
    fn path(&self) -> Option<&Path> {
        match self {
            Output::File(path) | Output::Own(path) => Some(path),
            Output::Stdout | Output::Clipboard => None,
        }
    }
}

impl PackArgs {
    /// What was typed, as settings.
    fn flags(&self) -> Vec<Flag> {
        let related = self.related.as_ref().map(|it| it.trim_end_matches('%').to_owned());
        typed([
            ("--format", "pack.format", self.format.clone()),
            ("--order", "pack.order", self.order.clone()),
            ("--strategy", "pack.strategy", self.strategy.clone()),
            ("--rank", "rank.by", self.rank.clone()),
            ("--related", "rank.related", related),
            ("--compress", "pack.compress", self.compress.then(|| "true".to_owned())),
        ])
    }

    /// Tells whether sources are packed instead of the repository; what makes no
    /// sense together is refused.
    fn packs_sources(&self) -> Result<bool> {
        let has_task = self.task.is_some() || self.task_file.is_some();
        let are_packed = self.sources.has_lists() || self.sources.are_given() && !has_task;
        if !are_packed {
            return match self.sources.about_sources() {
                Some(flag) => Err(RequestError::NoSources { flag }.into()),
                None => Ok(false),
            };
        }
        let typed = self.tree.then_some("--tree");
        match typed.or(self.source.about_files()) {
            Some(flag) => Err(RequestError::NotForSources { flag }.into()),
            None => Ok(true),
        }
    }

    /// Packs what was brought instead of the repository.
    fn pack_sources(
        &self,
        prepared: &Prepared,
        output: &Output,
        around: &Around,
        clipboard: Option<Clipboard>,
        start: Instant,
        ui: &mut Ui,
    ) -> Result<()> {
        let options = &prepared.options;
        let task = self.task()?;
        let mut packed =
            self.sources.pack(&prepared.root, task, prepared, around, self.strict, ui)?;
        around.put(&mut packed.content, &mut packed.tokens, options);
        let known = prepared.store.stats();
        let summary = PackSummary::of_sources(&prepared.root, &packed, options, known);
        summary.record(&prepared.root, &prepared.store);
        ui.remarks(std::mem::take(&mut packed.notes));
        prepared.done(ui);
        let written = if ui.wants_json() {
            sources::document(&mut packed, &summary.id, options, self.explain, ui)?
        } else {
            std::mem::take(&mut packed.content).into_bytes()
        };
        self.deliver(&written, output, options, clipboard, ui)?;
        sources::talk(&packed, &summary.id, self.explain, start.elapsed(), ui);
        Ok(())
    }

    /// Decides where the pack goes.
    fn output(&self, prepared: &Prepared, copies: bool, ui: &Ui) -> Result<Output> {
        let is_markdown = matches!(prepared.options.format, Format::Markdown);
        let output = match &self.output {
            Some(path) if path.as_os_str() == "-" => Output::Stdout,
            Some(path) => Output::File(path.clone()),
            None if copies => Output::Clipboard,
            None if ui.wants_json() || !ui.is_terminal() => Output::Stdout,
            None => {
                let root = prepared.root.canonicalize().unwrap_or_default();
                let name = root.file_name().unwrap_or("pack".as_ref()).to_string_lossy();
                let ending = match prepared.options.format {
                    Format::Xml => "xml",
                    Format::Plain => "txt",
                    _ => "md",
                };
                Output::Own(PathBuf::from(format!("{name}.context.{ending}")))
            }
        };
        let splits = is_markdown && self.template.is_none() && !ui.wants_json();
        if self.split.is_some() && (output.path().is_none() || !splits) {
            return Err(RequestError::NotSplit.into());
        }
        if let Some(most) = self.split.filter(|most| *most < split::SMALLEST) {
            let (most, smallest) = (most.get(), split::SMALLEST.get());
            return Err(RequestError::SplitTooSmall { most, smallest }.into());
        }
        Ok(output)
    }

    /// Brings the pack where it was asked for.
    fn deliver(
        &self,
        written: &[u8],
        output: &Output,
        options: &PackOptions,
        clipboard: Option<Clipboard>,
        ui: &mut Ui,
    ) -> Result<()> {
        match (output.path(), self.split) {
            (Some(path), Some(most)) => {
                let text = String::from_utf8_lossy(written);
                let parts = split::split(&text, most, &options.counter);
                for (number, part) in parts.iter().enumerate() {
                    output::write(&numbered(path, number + 1), part.as_bytes())?;
                }
                let (first, last) = (numbered(path, 1), numbered(path, parts.len()));
                ui.say(&format!("written to {} ... {}", first.display(), last.display()));
            }
            (Some(path), None) => {
                output::write(path, written)?;
                if let Output::Own(path) = output {
                    ui.say(&format!("written to {}; -o - prints it", path.display()));
                }
            }
            (None, _) if matches!(output, Output::Stdout) => ui.raw(written)?,
            (None, _) => {}
        }
        let Some(mut clipboard) = clipboard else {
            return Ok(());
        };
        let sent = clipboard.copy(written)?;
        ui.say(&format!("copied {}", plural(written.len() as u64, "byte")));
        if let Some(sent) = sent.filter(|sent| *sent > LIKELY_LIMIT) {
            ui.say(&format!(
                "{} bytes encoded: many terminals take no more than {}; if nothing arrives, use -o FILE",
                thousands(sent as u64),
                thousands(LIKELY_LIMIT as u64),
            ));
        }
        Ok(())
    }

    /// The task, where there is one.
    fn task(&self) -> Result<Option<String>> {
        let Some(path) = &self.task_file else {
            return Ok(self.task.clone());
        };
        Ok(Some(String::from_utf8_lossy(&read_source(path)?).into_owned()))
    }

    /// The scores that were given, by path.
    fn scores(&self) -> Result<BTreeMap<String, u32>> {
        let Some(path) = &self.scores else {
            return Ok(BTreeMap::new());
        };
        let text = std::fs::read(path).and_then(|text| Ok(serde_json::from_slice(&text)?));
        let list = text.map_err(|error| CommandError::at("read", path, error))?;
        let (ScoreList::Document { files } | ScoreList::Plain(files)) = list;
        Ok(files.into_iter().map(|it| (it.path, it.score)).collect())
    }

    /// The template that was named.
    fn template(&self, around: &Around, options: &PackOptions) -> Result<Option<Format>> {
        let Some(path) = &self.template else {
            return Ok(None);
        };
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| CommandError::at("read", path, error))?;
        let task = self.task()?.map(|task| ("task", task));
        let parts: Vec<_> = around.parts.iter().cloned().chain(task).collect();
        let counter = Some(options.counter.clone());
        let template = Template::with(&text, &parts, counter).map_err(PackError::from)?;
        Ok(Some(Format::Template(template)))
    }

    /// Says how it went, in as much detail as was asked for.
    fn talk(
        &self,
        packed: &Packed,
        id: &str,
        options: &PackOptions,
        output: &Output,
        start: Instant,
        ui: &mut Ui,
    ) -> Result<()> {
        account::summary(packed, id, options, start.elapsed(), ui);
        if self.explain {
            account::explain(packed, options, ui);
        }
        match (self.tree, output) {
            (true, Output::File(_)) | (_, Output::Own(_)) => account::tree(packed, ui.out())?,
            (true, _) => account::tree(packed, ui.err())?,
            (false, _) => {}
        }
        Ok(())
    }
}

/// The path of a part: `ctx.2.md` of `ctx.md`, `name.2.context.md` of `name.context.md`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let cut = name.find(".context.").or(name.rfind('.').filter(|at| *at > 0));
    let (stem, ending) = name.split_at(cut.unwrap_or(name.len()));
    path.with_file_name(format!("{stem}.{number}{ending}"))
}
