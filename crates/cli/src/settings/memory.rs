//! Where the features of a project are, and what their commands need.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use etcetera::BaseStrategy;
use jiff::Timestamp;
use loadline::{
    ChangedFiles, Config, Feature, Features, MemoryOptions, Note, Store, WriteOptions,
    display_path, recover_feature,
};

use super::{Choice, load_config, load_models, now_ns, open_store};
use crate::args::GlobalArgs;
use crate::error::{CommandError, RequestError};
use crate::ui::Ui;

/// The directory of an agent's own files in a project.
const AGENT_DIRECTORY: &str = ".claude";

/// The features of a project, with all that is configured for them.
pub(crate) struct Memory {
    pub(crate) project: PathBuf,
    pub(crate) features: Features,
    pub(crate) options: MemoryOptions,
    pub(crate) write: WriteOptions,
    pub(crate) config: Config,
    pub(crate) store: Arc<Store>,
}

impl Memory {
    /// Finds the project of the working directory, and what is configured.
    pub(crate) fn open(global: &GlobalArgs, ui: &mut Ui) -> Result<Memory, CommandError> {
        let directory = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        Memory::of(&directory, global, ui)
    }

    /// The same for the project of another directory.
    pub(crate) fn of(
        directory: &Path,
        global: &GlobalArgs,
        ui: &mut Ui,
    ) -> Result<Memory, CommandError> {
        let config = load_config(global, Vec::new(), ui)?;
        let models = load_models(&config, ui)?;
        let (model, note) = models.find_or_generic(&config.settings().model);
        ui.notes(note);
        let store = Arc::new(open_store(global, &config, ui));
        let counters = Choice {
            typed: &[],
            config: &config,
            model,
            store: &store,
            now_ns: now_ns(global),
        };
        let counters = counters.counters()?;
        ui.notes(counters.notes.clone());
        let [counter] = counters.list.as_slice() else {
            let count = counters.list.len();
            return Err(RequestError::ManyCounters { count }.into());
        };
        let settings = &config.settings().memory;
        let now = global.now.unwrap_or_else(Timestamp::now);
        let project = project_root(directory, Path::new(&settings.root));
        Ok(Memory {
            features: Features::new(project.join(&settings.root)),
            options: MemoryOptions::new(settings, counter.clone(), model.window, now)?,
            write: WriteOptions::new(settings, now),
            project,
            store,
            config,
        })
    }

    /// Tells whether the project says that this feature is worked on.
    pub(crate) fn is_active(&self, name: &str) -> bool {
        Features::active(&self.project).as_deref() == Some(name)
    }

    /// Finds a feature, and finishes or takes back what was interrupted there.
    pub(crate) fn feature(&self, name: &str, ui: &mut Ui) -> Result<Feature, CommandError> {
        let feature = self.features.feature(name)?;
        ui.notes(recover_feature(&feature, &self.write)?);
        Ok(feature)
    }

    /// Adds what git knows to be changed; a handoff names it.
    pub(crate) fn ask_git(&mut self) {
        let root = self.features.root();
        let notes = root.strip_prefix(&self.project).unwrap_or(root).to_owned();
        let changed = ChangedFiles::since(&self.project, "HEAD").files;
        let changed = changed.iter().filter(|path| !path.starts_with(&notes));
        self.options.changed_files = changed.map(|path| display_path(path)).collect();
    }

    /// Says what is odd about the cache.
    pub(crate) fn finish(&self, ui: &mut Ui) {
        let notes: Vec<Note> = self.store.take_notes();
        ui.notes(notes);
    }
}

/// Finds the project that a directory belongs to: from there upwards, what holds features.
///
/// The search ends with the directory that holds `.git`, and below home, where
/// agents keep what belongs to no project.
fn project_root(directory: &Path, features: &Path) -> PathBuf {
    let home = etcetera::choose_base_strategy().ok();
    let home = home.map(|strategy| strategy.home_dir().to_owned());
    for ancestor in directory.ancestors() {
        if Some(ancestor) == home.as_deref() && ancestor != directory {
            break;
        }
        if ancestor.join(features).is_dir() || ancestor.join(AGENT_DIRECTORY).is_dir() {
            return ancestor.to_owned();
        }
        if ancestor.join(".git").exists() {
            return ancestor.to_owned();
        }
    }
    directory.to_owned()
}
