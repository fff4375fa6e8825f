//! `loadline pack`: a repository as one text under a budget.

mod account;
mod json;

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use loadline::{
    Budget, Config, Format, Model, PackError, PackOptions, SecretOptions, Secrets, Template,
    Tokens, WalkOptions, pack, write_atomic,
};

use crate::args::GlobalArgs;
use crate::error::{CommandError, RequestError};
use crate::settings::{self, Choice};
use crate::ui::Ui;

/// Pack a repository into one text for a model, within a budget of tokens.
///
/// Every file is shown in full, as chosen lines, as signatures, or not at all,
/// by its score and by what fits. What is printed never exceeds the budget.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline pack                          this directory, for the configured model
  loadline pack . --budget 32k -o ctx.md
  loadline pack --model claude-opus-4-8 --budget 100k --format xml
  loadline pack --budget none            everything, in full
  loadline pack --compress               signatures only
  loadline pack --changed main           changed files first")]
pub(crate) struct PackArgs {
    /// The directory to pack.
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// The most tokens to print, such as 8000, 32k or none; by default what the
    /// model's window leaves.
    #[arg(long, short, value_name = "TOKENS")]
    budget: Option<Limit>,
    /// The model to pack for; decides the counter and the window.
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Count with this counter instead of the model's.
    #[arg(long, short, value_name = "NAME")]
    counter: Option<String>,
    /// How the pack is written: markdown, xml, plain or json.
    #[arg(long, short, value_name = "FORMAT")]
    format: Option<String>,
    /// Write the pack as this Jinja template says; it sees name, remarks, tree,
    /// changes (since, text) and files (path, language, tier, shows, lines,
    /// ranges, same, content), and has the filter fence.
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    template: Option<PathBuf>,
    /// Reduce every file to its signatures.
    #[arg(long)]
    compress: bool,
    /// Put line numbers before lines.
    #[arg(long)]
    line_numbers: bool,
    /// Files that are always shown in full; may be repeated.
    #[arg(long, value_name = "GLOB")]
    pin: Vec<String>,
    /// Files that score higher; may be repeated.
    #[arg(long, value_name = "GLOB")]
    boost: Vec<String>,
    /// Show files changed since this revision first; HEAD unless named.
    #[arg(long, value_name = "BASE", num_args = 0..=1, default_missing_value = "HEAD")]
    changed: Option<String>,
    /// Show what changed as a diff, too; since HEAD unless --changed names a
    /// revision.
    #[arg(long)]
    diff: bool,
    /// Pack only files that match; may be repeated. A path without wildcards
    /// also lets in a file that is hidden, ignored or holds credentials.
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Leave out files and directories that match; may be repeated.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Pack files whose name begins with a dot, too.
    #[arg(long)]
    hidden: bool,
    /// Pack what ignore files leave out, too.
    #[arg(long)]
    no_ignore: bool,
    /// Leave secrets in the text.
    #[arg(long)]
    no_redact: bool,
    /// Say on standard error what became of every file, and why.
    #[arg(long)]
    explain: bool,
    /// Write to this file instead of standard output; it is not packed itself.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A budget as typed: a number of tokens, or none.
#[derive(Clone, Copy, Debug)]
struct Limit(Option<Tokens>);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        if text == "none" {
            return Ok(Limit(None));
        }
        let tokens: Result<Tokens, _> = text.parse();
        tokens
            .map(|tokens| Limit(Some(tokens)))
            .map_err(|error| format!("{error}, or none"))
    }
}

/// Packs, prints, and accounts for every file.
pub(crate) fn run(args: &PackArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let start = Instant::now();
    let config = settings::load_config(global, args.flags(), ui)?;
    let models = settings::load_models(&config, ui)?;
    let (model, note) = models.find_or_generic(&config.settings().model);
    ui.notes(note);
    let store = Arc::new(settings::open_store(global, &config, ui));
    let typed: Vec<String> = args.counter.iter().cloned().collect();
    let counters = Choice {
        typed: &typed,
        config: &config,
        model,
        store: &store,
        now_ns: settings::now_ns(global),
    };
    let counters = counters.counters()?;
    ui.notes(counters.notes.clone());
    let [counter] = counters.list.as_slice() else {
        let count = counters.list.len();
        return Err(RequestError::ManyCounters { count }.into());
    };
    let budget = match args.budget {
        Some(Limit(budget)) => budget,
        None => Some(window_budget(&config, model, counter.precision())?),
    };
    if config.settings().pack.format == "json" {
        ui.ask_for_json();
    }
    let secrets = match args.no_redact {
        true => None,
        false => Some(Arc::new(Secrets::new(SecretOptions::default())?)),
    };
    let options = PackOptions {
        counter: counter.clone(),
        budget,
        format: args.format(&config)?,
        line_numbers: args.line_numbers,
        compress: config.settings().pack.compress,
        walk: args.walk_options(&config),
        secrets,
        changed_since: args.changed_since(),
        diff: args.diff,
        settings: config.settings().clone(),
        now_ns: settings::now_ns(global),
    };
    let mut packed = pack(&args.path, &options, &store)?;
    ui.notes(std::mem::take(&mut packed.notes));
    ui.notes(store.take_notes());
    let written = match ui.wants_json() {
        true => json::document(&packed, &options, ui)?,
        false => std::mem::take(&mut packed.content).into_bytes(),
    };
    match &args.output {
        Some(path) => write_atomic(path, &written)?,
        None => ui.raw(&written)?,
    }
    account::summary(&packed, &options, start.elapsed(), ui);
    if args.explain {
        account::explain(&packed, ui);
    }
    Ok(())
}

/// What content may take of the model's window.
fn window_budget(
    config: &Config,
    model: &Model,
    precision: loadline::Precision,
) -> Result<Tokens, CommandError> {
    let settings = &config.settings().budget;
    let mut budget = Budget::for_model(model)
        .reserve("response", settings.response_reserve)
        .reserve("system", settings.system_reserve)
        .precision(precision);
    if let Some(window) = settings.window {
        budget = budget.window(window);
    }
    if let Some(margin) = settings.margin {
        budget = budget.margin(margin);
    }
    Ok(budget.build()?.available())
}

impl PackArgs {
    /// What was typed, as settings.
    fn flags(&self) -> Vec<settings::Flag> {
        let list = |globs: &[String]| {
            let quoted = globs.iter().map(|glob| format!("{glob:?}"));
            format!("[{}]", quoted.collect::<Vec<_>>().join(", "))
        };
        let mut flags: Vec<settings::Flag> = Vec::new();
        if let Some(model) = &self.model {
            flags.push(("--model", "model", model.clone()));
        }
        if let Some(format) = &self.format {
            flags.push(("--format", "pack.format", format.clone()));
        }
        if self.compress {
            flags.push(("--compress", "pack.compress", "true".to_owned()));
        }
        for (flag, key, globs) in [
            ("--pin", "pack.pin", &self.pin),
            ("--boost", "pack.boost", &self.boost),
            ("--include", "pack.include", &self.include),
            ("--exclude", "pack.exclude", &self.exclude),
        ] {
            if !globs.is_empty() {
                flags.push((flag, key, list(globs)));
            }
        }
        flags
    }

    fn format(&self, config: &Config) -> Result<Format, CommandError> {
        match &self.template {
            Some(path) => {
                let text = std::fs::read_to_string(path);
                let text = text.map_err(|error| CommandError::at("read", path, error))?;
                let template = Template::parse(&text).map_err(PackError::from)?;
                Ok(Format::Template(template))
            }
            None => Ok(Format::named(&config.settings().pack.format).unwrap_or_default()),
        }
    }

    fn changed_since(&self) -> Option<String> {
        let head = self.diff.then(|| "HEAD".to_owned());
        self.changed.clone().or(head)
    }

    fn walk_options(&self, config: &Config) -> WalkOptions {
        let pack = &config.settings().pack;
        let mut exclude = pack.exclude.clone();
        exclude.extend(self.output_glob());
        WalkOptions {
            hidden: self.hidden,
            ignored: self.no_ignore,
            excludes_file: settings::git_excludes_file(),
            include: pack.include.clone(),
            exclude,
            max_file_size: Some(pack.max_file_size),
            named: self.named(),
        }
    }

    /// The files that were typed by their very path.
    ///
    /// A glob names nothing, and neither does a file of settings, which may
    /// come with the repository.
    fn named(&self) -> Vec<PathBuf> {
        let is_path = |name: &&String| {
            !name.contains(['*', '?', '[', '{', '\\']) && !name.starts_with(['!', '#'])
        };
        let typed = self.include.iter().chain(&self.pin).filter(is_path);
        typed
            .map(|name| PathBuf::from(name.trim_start_matches('/')))
            .collect()
    }

    /// What leaves the output of an earlier run out of the next pack.
    fn output_glob(&self) -> Option<String> {
        let output = self.output.as_ref()?.canonicalize().ok()?;
        let root = self.path.canonicalize().ok()?;
        let relative = output.strip_prefix(root).ok()?.to_str()?;
        let escape = |character: char| match character {
            _ if character.is_alphanumeric() || "/-_.".contains(character) => character.to_string(),
            special => format!("\\{special}"),
        };
        let escaped: String = relative.chars().map(escape).collect();
        (!escaped.is_empty()).then(|| format!("/{escaped}"))
    }
}
