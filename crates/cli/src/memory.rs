//! Which features there are and how they are measured: for all commands about notes.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use etcetera::BaseStrategy;
use jiff::Timestamp;
use loadline::{Config, Features, MemoryOptions, Source, Store, Tokens};

use crate::args::GlobalArgs;
use crate::error::{CommandError, RequestError};
use crate::settings::{self, Choice, Flag};
use crate::ui::Ui;

/// The directory of an agent's own files in a project.
const AGENT_DIRECTORY: &str = ".claude";

/// How notes are counted, and against which budget.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct MemoryArgs {
    /// The directory of the features instead of memory.root.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// The model to count for; decides the counter.
    #[arg(long, short, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Count with this counter instead of the model's.
    #[arg(long, short, value_name = "NAME")]
    pub(crate) counter: Option<String>,
    /// The budget of one feature instead of memory.max_tokens.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) max_tokens: Option<Tokens>,
    /// Act earlier: levels begin at 75, 88 and 93 percent.
    #[arg(long)]
    pub(crate) proactive: bool,
}

impl MemoryArgs {
    fn flags(&self) -> Vec<Flag> {
        let mut flags: Vec<Flag> = Vec::new();
        if let Some(model) = &self.model {
            flags.push(("--model", "model", model.clone()));
        }
        if let Some(tokens) = self.max_tokens {
            flags.push(("--max-tokens", "memory.max_tokens", tokens.to_string()));
        }
        if self.proactive {
            flags.push(("--proactive", "memory.proactive", "true".to_owned()));
        }
        flags
    }
}

/// The features of a project, with what it takes to measure them.
pub(crate) struct Memory {
    /// The directory of the project.
    pub(crate) project: PathBuf,
    pub(crate) features: Features,
    pub(crate) options: MemoryOptions,
    pub(crate) store: Arc<Store>,
}

impl Memory {
    /// Finds the features of the working directory's project.
    pub(crate) fn open(
        args: &MemoryArgs,
        global: &GlobalArgs,
        ui: &mut Ui,
    ) -> Result<Memory, CommandError> {
        let config = settings::load_config(global, args.flags(), ui)?;
        let models = settings::load_models(&config, ui)?;
        let (model, note) = models.find_or_generic(&config.settings().model);
        ui.notes(note);
        let store = Arc::new(settings::open_store(global, &config, ui));
        let typed: Vec<String> = args.counter.iter().cloned().collect();
        let choice = Choice {
            typed: &typed,
            config: &config,
            model,
            store: &store,
            now_ns: settings::now_ns(global),
        };
        let counters = choice.counters()?;
        ui.notes(counters.notes.clone());
        let [counter] = counters.list.as_slice() else {
            let count = counters.list.len();
            return Err(RequestError::ManyCounters { count }.into());
        };
        let window = config.settings().budget.window.unwrap_or(model.window);
        let settings = &config.settings().memory;
        let now = global.now.unwrap_or_else(Timestamp::now);
        let options = MemoryOptions::new(settings, counter.clone(), window, now)?;
        let project = project_directory(Path::new(&settings.root));
        let root = match &args.root {
            Some(root) => root.clone(),
            None => {
                refuse_outside(&config)?;
                project.join(&settings.root)
            }
        };
        Ok(Memory {
            features: Features::new(root),
            project,
            options,
            store,
        })
    }

    /// Takes the present anew, unless it was given.
    pub(crate) fn refresh(&mut self, global: &GlobalArgs) {
        self.options.now = global.now.unwrap_or_else(Timestamp::now);
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
fn project_directory(root: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
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
    here
}

/// Writes a time as people read it, in UTC: `2024-01-25 14:30:00`.
pub(crate) fn clock(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}
