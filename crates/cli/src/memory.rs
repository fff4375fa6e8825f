//! Finds the features of a project, for all commands about notes.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use etcetera::BaseStrategy;
use jiff::Timestamp;
use loadline::Remark;
use loadline::cache::Cache;
use loadline::notes::{self, Feature, Features, NotesOptions, WriteOptions};
use loadline::settings::{Config, Source};
use loadline::tokens::Tokens;
use serde_json::Value;

use crate::error::{RequestError, Result};
use crate::settings::{Counting, CountingArgs, Flag, now, typed};
use crate::ui::Ui;

/// The directory of an agent's own files in a project.
const AGENT_DIRECTORY: &str = ".claude";
/// Where projects keep notes of agents that have no features.
const USUAL: [&str; 6] =
    ["memory-bank", ".planning", "docs/plans", "claude-progress.txt", "PROGRESS.md", "progress.md"];

/// How notes are counted, and against which budget.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct MemoryArgs {
    /// Directory that holds the features [default: memory.root].
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) counting: CountingArgs,
    /// Budget of one feature [default: memory.max_tokens].
    #[arg(long, value_name = "TOKENS")]
    pub(crate) max_tokens: Option<Tokens>,
    /// Act earlier: levels start at 75, 88 and 93 percent.
    #[arg(long)]
    pub(crate) proactive: bool,
}

impl MemoryArgs {
    fn flags(&self) -> Vec<Flag> {
        let is_proactive = self.proactive.then(|| "true".to_owned());
        typed([
            ("--max-tokens", "memory.max_tokens", self.max_tokens.map(|it| it.to_string())),
            ("--proactive", "memory.proactive", is_proactive),
        ])
    }
}

/// The features of a project, with what it takes to measure them.
pub(crate) struct Memory {
    /// The directory of the project.
    pub(crate) project: PathBuf,
    pub(crate) features: Features,
    pub(crate) options: NotesOptions,
    pub(crate) write: WriteOptions,
    pub(crate) config: Config,
    pub(crate) store: Arc<Cache>,
}

impl Memory {
    /// Finds the features of the working directory's project.
    pub(crate) fn open(args: &MemoryArgs, ui: &mut Ui) -> Result<Memory> {
        let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        Memory::of(&here, args, ui)
    }

    /// Finds the features of the project that a directory belongs to.
    pub(crate) fn of(here: &Path, args: &MemoryArgs, ui: &mut Ui) -> Result<Memory> {
        let counting = args.counting.open_with(args.flags(), ui)?;
        let Counting { config, model, counter, store } = counting;
        let window = config.window().unwrap_or(model.window);
        let settings = &config.settings().memory;
        let now = now(ui);
        let options = NotesOptions::new(settings, counter, window, now)?;
        let project = project_directory(here, Path::new(&settings.root));
        let features = match &args.root {
            Some(root) => Features::new(root),
            None => {
                refuse_outside(&config)?;
                Features::in_project(&project, Path::new(&settings.root))
            }
        };
        Ok(Memory {
            features,
            write: WriteOptions::new(settings, now),
            project,
            options,
            store,
            config,
        })
    }

    /// Finds the notes that were named, or are worked on; returns their name as well.
    pub(crate) fn of_notes(
        args: &MemoryArgs,
        name: Option<&str>,
        ui: &mut Ui,
    ) -> Result<(Memory, String, Feature)> {
        let memory = Memory::open(args, ui)?;
        let name = memory.name_or_active(name)?;
        let feature = memory.find(&name)?;
        Ok((memory, name, feature))
    }

    /// Finds a feature by its name, or notes by their path.
    pub(crate) fn find(&self, name: &str) -> Result<Feature> {
        let found = self.features.feature(name);
        let path = Path::new(name);
        match found {
            Err(_) if !name.is_empty() && path.exists() => Ok(Feature::at(path)?),
            found => Ok(found?),
        }
    }

    /// Finds a feature, and finishes or takes back what was interrupted there.
    pub(crate) fn feature(&self, name: &str, ui: &mut Ui) -> Result<Feature> {
        let feature = self.find(name)?;
        ui.remarks(notes::recover(&feature, &self.write)?);
        Ok(feature)
    }

    /// Finishes or takes back what was interrupted anywhere; what cannot be costs a note.
    pub(crate) fn recover_all(&self, ui: &mut Ui) {
        for name in self.features.list().unwrap_or_default() {
            let feature = self.features.feature(&name);
            match feature.and_then(|feature| notes::recover(&feature, &self.write)) {
                Ok(notes) => ui.remarks(notes),
                Err(error) => ui.remarks([Remark::new(name, error.to_string())]),
            }
        }
    }

    /// Tells whether the project says that this feature is worked on.
    pub(crate) fn is_active(&self, name: &str) -> bool {
        Features::active(&self.project).as_deref() == Some(name)
    }

    /// Returns the name that was typed, the feature that is worked on, or the notes that the
    /// project keeps where others do.
    pub(crate) fn name_or_active(&self, name: Option<&str>) -> Result<String> {
        let typed = name.map(str::to_owned);
        let name = typed.or_else(|| Features::active(&self.project)).or_else(|| self.usual());
        Ok(name.ok_or(RequestError::NoActiveFeature)?)
    }

    /// The first of the usual places of notes that the project has.
    fn usual(&self) -> Option<String> {
        let mut places = USUAL.iter().map(|place| self.project.join(place));
        let found = places.find(|place| place.exists() && !place.is_symlink())?;
        let here = std::env::current_dir().ok()?;
        let short = found.strip_prefix(&here).unwrap_or(&found);
        Some(short.display().to_string())
    }

    /// Adds what git knows: changed files, the last commits, how old each line is.
    pub(crate) fn ask_git(&mut self, feature: &Feature) {
        self.options.ask_git(feature, &self.store);
    }

    /// Takes the present anew, unless it was given.
    pub(crate) fn refresh(&mut self, ui: &Ui) {
        self.options.now = now(ui);
        self.write.now = self.options.now;
    }
}

/// Someone else's project must not have notes of another place rewritten.
fn refuse_outside(config: &Config) -> Result<(), RequestError> {
    let root = &config.settings().memory.root;
    let inside = Path::new(root)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    match config.source("memory.root") {
        Some(Source::Project(path)) if !inside => Err(RequestError::ProjectLeadsOut {
            place: path.display().to_string(),
            root: root.clone(),
        }),
        _ => Ok(()),
    }
}

/// Finds the project: the nearest directory upwards that holds features, or the repository.
///
/// The search ends below home, where agents keep what belongs to no project.
fn project_directory(here: &Path, root: &Path) -> PathBuf {
    let home = etcetera::choose_base_strategy().ok();
    let home = home.map(|strategy| strategy.home_dir().to_owned());
    for directory in here.ancestors() {
        if Some(directory) == home.as_deref() && directory != here {
            break;
        }
        let agent = directory.join(AGENT_DIRECTORY).is_dir();
        if directory.join(root).is_dir() || agent || directory.join(".git").exists() {
            return directory.to_owned();
        }
    }
    here.to_owned()
}

/// Writes a time as people read it, in UTC: `2024-01-25 14:30:00`.
pub(crate) fn clock(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Renames the keys of a file's JSON for a document: `savedTokens` to `saved_tokens`.
pub(crate) fn snake_keys(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let renamed = |(key, value): (String, Value)| (snake_case(&key), snake_keys(value));
            Value::Object(members.into_iter().map(renamed).collect())
        }
        Value::Array(items) => items.into_iter().map(snake_keys).collect(),
        other => other,
    }
}

fn snake_case(key: &str) -> String {
    let mut name = String::new();
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
