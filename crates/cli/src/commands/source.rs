//! Which files are looked at, and how they are counted and scored: what `pack`,
//! `score`, `map` and `search` have in common.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use loadline::budget::Model;
use loadline::cache::Cache;
use loadline::pack::{PackOptions, Progress};
use loadline::repo::{Comparison, TypedGlob, WalkOptions};
use loadline::settings::Config;
use loadline::tokens::Tokens;

use super::paths::{Located, PathArgs, globs};
use crate::error::Result;
use crate::settings::{self, Counting, CountingArgs, Flag, typed};
use crate::ui::{Bar, Ui};

/// Which files, and how they are scored.
#[derive(Debug, clap::Args)]
pub(super) struct SourceArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Include files that match GLOB first and in full, or, for a task, their most
    /// relevant lines if they are too large; may be repeated, or a list with commas.
    #[arg(long, value_name = "GLOB")]
    pin: Vec<String>,
    /// Raise the score of files that match GLOB; may be repeated, or a list with commas.
    #[arg(long, value_name = "GLOB")]
    boost: Vec<String>,
    #[command(flatten)]
    review: ReviewArgs,
}

/// What is compared, for a review.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct ReviewArgs {
    /// Use what changed since the branch left BASE (their merge base), uncommitted and
    /// untracked files included; A...B compares two branches [default: HEAD].
    #[arg(long, value_name = "BASE", num_args = 0..=1, default_missing_value = "HEAD")]
    changed: Option<String>,
    /// Use what changed since the very revision REV.
    #[arg(long, value_name = "REV", conflicts_with = "changed")]
    since: Option<String>,
    /// Use what is staged for the next commit.
    #[arg(long, conflicts_with_all = ["changed", "since"])]
    staged: bool,
}

impl ReviewArgs {
    fn comparison(&self) -> Option<Comparison> {
        if self.staged {
            return Some(Comparison::Staged);
        }
        let since = self.since.clone().map(Comparison::Since);
        since.or(self.changed.clone().map(Comparison::Changed))
    }
}

/// Which files, and how they are counted.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct FileArgs {
    /// Model to count for; determines the counter and the window.
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Counter to use [default: the model's].
    #[arg(long, short, value_name = "NAME")]
    counter: Option<String>,
    /// Use only files that match GLOB; may be repeated, or a list with commas. A path
    /// without wildcards also includes a file that is hidden, ignored or may hold
    /// credentials.
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// Skip files and directories that match GLOB; may be repeated, or a list with commas.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Include hidden files.
    #[arg(long)]
    hidden: bool,
    /// Include files that ignore files exclude.
    #[arg(long)]
    no_ignore: bool,
}

/// A budget as typed: a number of tokens, or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit(pub(super) Option<Tokens>);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Limit, String> {
        if text == "none" {
            return Ok(Limit(None));
        }
        let tokens: Result<Tokens, _> = text.parse();
        tokens.map(|tokens| Limit(Some(tokens))).map_err(|error| format!("{error}, or none"))
    }
}

/// Everything that the library is called with.
pub(super) struct Prepared {
    /// The root of what is looked at.
    pub(super) root: PathBuf,
    pub(super) config: Config,
    pub(super) model: Model,
    pub(super) store: Arc<Cache>,
    /// Without a budget; commands differ in what they take.
    pub(super) options: PackOptions,
    bar: Option<Arc<Bar>>,
}

impl Prepared {
    /// Leaves the file that is written out of what is read.
    pub(super) fn leave_out(&mut self, output: Option<&Path>) {
        let glob = output.and_then(|output| output_glob(&self.root, output));
        self.options.walk.exclude.extend(glob);
    }

    /// Takes the progress bar away, and says what the store has to say.
    pub(super) fn done(&self, ui: &mut Ui) {
        if let Some(bar) = &self.bar {
            bar.clear();
        }
        ui.remarks(self.store.take_notes());
    }
}

/// What leaves the output of an earlier run out of the next one.
fn output_glob(root: &Path, output: &Path) -> Option<String> {
    let output = output.canonicalize().ok()?;
    let root = root.canonicalize().ok()?;
    let relative = output.strip_prefix(root).ok()?.to_str()?;
    let escape = |character: char| match character {
        _ if character.is_alphanumeric() || "/-_.".contains(character) => character.to_string(),
        special => format!("\\{special}"),
    };
    let escaped: String = relative.chars().map(escape).collect();
    (!escaped.is_empty()).then(|| format!("/{escaped}"))
}

impl FileArgs {
    fn counting(&self) -> CountingArgs {
        CountingArgs { model: self.model.clone(), counter: self.counter.clone() }
    }

    /// Loads settings and opens the store, for a command that scores in its own way.
    pub(super) fn prepare(&self, paths: Option<&PathArgs>, ui: &mut Ui) -> Result<Prepared> {
        let source = SourceArgs {
            files: self.clone(),
            pin: Vec::new(),
            boost: Vec::new(),
            review: ReviewArgs::default(),
        };
        source.prepare(paths, Vec::new(), ui)
    }
}

impl SourceArgs {
    /// Loads settings and opens the store; `flags` are those of the command itself.
    /// Without paths the roots are the caller's business.
    pub(super) fn prepare(
        &self,
        paths: Option<&PathArgs>,
        mut flags: Vec<Flag>,
        ui: &mut Ui,
    ) -> Result<Prepared> {
        let located = paths.map(|paths| paths.locate(ui)).transpose()?.unwrap_or_default();
        flags.extend(self.flags(&located));
        let counting = self.files.counting().open_with(flags, ui)?;
        let Counting { config, model, counter, store } = counting;
        let bar = ui.bar();
        let options = PackOptions {
            walk: self.walk_options(&config, &located),
            changed: self.review.comparison(),
            now_ns: settings::now_ns(ui),
            progress: bar.clone().map(|bar| bar as Arc<dyn Progress>),
            ..PackOptions::new(counter, config.settings())
        };
        Ok(Prepared { root: located.root, model, config, store, options, bar })
    }

    /// The first flag that means nothing where sources are packed, if any was typed.
    pub(super) fn about_files(&self) -> Option<&'static str> {
        let typed = [
            ("--boost", !self.boost.is_empty()),
            ("--hidden", self.files.hidden),
            ("--no-ignore", self.files.no_ignore),
        ];
        typed.into_iter().find(|(_, is)| *is).map(|(flag, _)| flag)
    }

    /// What was typed, as settings.
    fn flags(&self, located: &Located) -> Vec<Flag> {
        // A list in JSON is one in TOML, too.
        let list = |typed: &[String]| {
            let globs = globs(typed);
            let all: Vec<String> = globs.iter().flat_map(|it| located.meanings(it)).collect();
            serde_json::Value::from(all).to_string()
        };
        let globs = self.globs().map(|(flag, key, globs)| {
            let given = (!globs.is_empty()).then(|| list(globs));
            (flag, key, given)
        });
        typed(globs)
    }

    /// The globs that were typed: the flag, the key that it sets, the globs.
    fn globs(&self) -> [(&'static str, &'static str, &Vec<String>); 4] {
        [
            ("--pin", "pack.pin", &self.pin),
            ("--boost", "pack.boost", &self.boost),
            ("--include", "pack.include", &self.files.include),
            ("--exclude", "pack.exclude", &self.files.exclude),
        ]
    }

    fn walk_options(&self, config: &Config, located: &Located) -> WalkOptions {
        let pack = &config.settings().pack;
        let typed = self.globs().into_iter().flat_map(|(flag, _, typed)| {
            let typed = globs(typed).into_iter();
            typed.map(move |glob| (flag, glob))
        });
        let typed =
            typed.map(|(flag, glob)| TypedGlob { flag, patterns: located.meanings(&glob), glob });
        let mut walk = WalkOptions {
            hidden: self.files.hidden,
            ignored: self.files.no_ignore,
            excludes_file: settings::git_excludes_file(),
            include: pack.include.clone(),
            exclude: pack.exclude.clone(),
            max_file_size: Some(pack.max_file_size),
            named: self.named(),
            within: Vec::new(),
            typed: typed.collect(),
        };
        located.restrict(&mut walk);
        walk
    }

    /// The files that were typed as paths, without wildcards.
    ///
    /// A glob names nothing, and neither does a file of settings, which may
    /// come with the repository.
    fn named(&self) -> Vec<PathBuf> {
        let is_path = |name: &&String| {
            !name.contains(['*', '?', '[', '{', '\\']) && !name.starts_with(['!', '#'])
        };
        let typed = globs(&[self.files.include.clone(), self.pin.clone()].concat());
        let paths = typed.iter().filter(is_path);
        paths.map(|name| PathBuf::from(name.trim_start_matches('/'))).collect()
    }
}
