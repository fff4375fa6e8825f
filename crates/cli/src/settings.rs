//! Turns arguments, configuration and environment into library values.
//!
//! Builds the values that the library takes from what was typed, configured and set
//! in the environment. Nothing is kept: a command asks for what it needs.

mod counters;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use jiff::Timestamp;
use loadline::Remark;
use loadline::archive::Archive;
use loadline::budget::{Model, Models};
use loadline::cache::{Cache, CacheOptions};
use loadline::settings::{ArchiveSettings, Config, Layer, Source};

use crate::env;
use crate::error::{CommandError, RequestError, Result};
use crate::ui::Ui;

pub(crate) use counters::{Choice, Counters, Counting, CountingArgs};

/// The name of a configuration file.
const FILE_NAME: &str = "loadline.toml";

/// The name of our directories.
const DIRECTORY_NAME: &str = "loadline";

/// A flag that sets a key: as typed, the key, the value.
pub(crate) type Flag = (&'static str, &'static str, String);

/// Returns the flags that were typed, of those that set a key.
pub(crate) fn typed(
    flags: impl IntoIterator<Item = (&'static str, &'static str, Option<String>)>,
) -> Vec<Flag> {
    let flags = flags.into_iter();
    flags.filter_map(|(flag, key, value)| Some((flag, key, value?))).collect()
}

/// Where the configuration files are, or would be.
#[derive(Debug)]
pub(crate) struct ConfigFiles {
    /// The user's; `None` where there is no home directory.
    pub(crate) user: Option<PathBuf>,
    /// Whether the user's file was asked for by name, so that it has to exist.
    pub(crate) user_is_named: bool,
    /// The project's, if there is one.
    pub(crate) project: Option<PathBuf>,
}

impl ConfigFiles {
    /// Finds the files for the working directory.
    pub(crate) fn find(ui: &Ui) -> ConfigFiles {
        let strategy = etcetera::choose_base_strategy().ok();
        let named = ui.global().config.clone().or(env::get(env::CONFIG).map(PathBuf::from));
        let usual = strategy
            .as_ref()
            .map(|strategy| strategy.config_dir().join(DIRECTORY_NAME).join(FILE_NAME));
        let user_is_named = named.is_some();
        let user = named.or(usual);
        let home = strategy.map(|strategy| strategy.home_dir().to_owned());
        let project = std::env::current_dir()
            .ok()
            .and_then(|directory| find_project_file(&directory, home.as_deref()))
            .filter(|project| Some(project) != user.as_ref());
        ConfigFiles { user, user_is_named, project }
    }

    /// Reads the files that exist.
    fn layers(&self) -> Result<Vec<Layer>> {
        let mut layers = Vec::new();
        if let Some(path) = &self.user {
            match fs::read_to_string(path) {
                Ok(text) => layers.push(Layer::user(path, text)),
                Err(error) if error.kind() == ErrorKind::NotFound && !self.user_is_named => {}
                Err(error) => return Err(CommandError::unreadable_config(path, error)),
            }
        }
        if let Some(path) = &self.project {
            let text = fs::read_to_string(path)
                .map_err(|error| CommandError::unreadable_config(path, error))?;
            layers.push(Layer::project(path, text));
        }
        Ok(layers)
    }
}

/// Looks for a project's file from `directory` upwards.
///
/// The search ends with the directory that holds `.git`, or at home: what lies
/// above belongs to something else.
fn find_project_file(directory: &Path, home: Option<&Path>) -> Option<PathBuf> {
    for directory in directory.ancestors() {
        let file = directory.join(FILE_NAME);
        if file.is_file() {
            return Some(file);
        }
        if directory.join(".git").exists() || Some(directory) == home {
            return None;
        }
    }
    None
}

/// Loads the configuration of all layers and says what is odd in it.
pub(crate) fn load_config(flags: Vec<Flag>, ui: &mut Ui) -> Result<Config> {
    load_layers(&ConfigFiles::find(ui), flags, ui)
}

fn load_layers(files: &ConfigFiles, flags: Vec<Flag>, ui: &mut Ui) -> Result<Config> {
    let mut layers = files.layers()?;
    layers.push(Layer::environment(env::own()));
    layers.push(Layer::flags(flags));
    let config = Config::load(layers)?;
    ui.remarks(config.notes().iter().cloned());
    Ok(config)
}

/// Returns the models, with the user's own.
pub(crate) fn load_models(config: &Config, ui: &mut Ui) -> Result<Models> {
    let (models, notes) = Models::configured(&config.settings().models)?;
    ui.remarks(notes);
    Ok(models)
}

/// Finds the model that is set; one that was typed has to be known.
pub(crate) fn find_model<'a>(
    models: &'a Models,
    config: &Config,
    ui: &mut Ui,
) -> Result<&'a Model> {
    let name = &config.settings().model;
    let is_typed = matches!(config.source("model"), Some(Source::Flag(_)));
    if is_typed && models.find(name).is_none() {
        let nearest = models.suggest(name).into_iter().map(str::to_owned).collect();
        return Err(RequestError::UnknownModel { name: name.clone(), nearest }.into());
    }
    let (model, note) = models.find_or_generic(name);
    ui.remarks(note);
    Ok(model)
}

/// Returns the directory of the cache.
pub(crate) fn cache_directory() -> Result<PathBuf> {
    if let Some(directory) = env::get(env::CACHE_DIR) {
        return Ok(PathBuf::from(directory));
    }
    let strategy = etcetera::choose_base_strategy().map_err(|_| RequestError::NoCacheDirectory)?;
    Ok(strategy.cache_dir().join(DIRECTORY_NAME))
}

/// Returns the user's list of files that git ignores everywhere.
pub(crate) fn git_excludes_file() -> Option<PathBuf> {
    ignore::gitignore::gitconfig_excludes_path().filter(|path| path.is_file())
}

/// Opens the cache, or a disabled one where it is switched off or has no place.
pub(crate) fn open_store(config: &Config, ui: &mut Ui) -> Cache {
    let settings = &config.settings().cache;
    if ui.global().no_cache || env::get(env::NO_CACHE).is_some() || !settings.enabled {
        return Cache::disabled();
    }
    let Ok(directory) = cache_directory() else {
        let message = "no home directory, working without it; set LOADLINE_CACHE_DIR";
        ui.remarks([Remark::new("cache", message)]);
        return Cache::disabled();
    };
    let options =
        CacheOptions { max_entries: settings.max_entries as u64, max_bytes: settings.max_size };
    Cache::open(&directory, options)
}

/// Returns the directory of the archive.
pub(crate) fn archive_directory() -> Result<PathBuf> {
    let own = env::get(env::DATA_DIR).map(PathBuf::from);
    let usual = || data_directory().map(|it| it.join(DIRECTORY_NAME));
    let data = own.or_else(usual).ok_or(RequestError::NoDataDirectory)?;
    Ok(data.join("archive"))
}

/// Opens the archive for the project that holds `directory`, or the working directory.
///
/// Takes over what an older version kept in the cache directory. Where that fails,
/// the old files stay where they are and the next command tries again.
pub(crate) fn open_archive(directory: Option<&Path>) -> Result<Archive> {
    let archive = Archive::new(&archive_directory()?, &project_root(directory));
    if let Ok(cache) = cache_directory() {
        let _ = archive.take_over(&cache);
    }
    Ok(archive)
}

/// Returns the root of the repository around `directory`, or the working directory; without a
/// repository that directory itself.
pub(crate) fn project_root(directory: Option<&Path>) -> PathBuf {
    let here = || std::env::current_dir().unwrap_or_default();
    let directory = directory.filter(|it| it.is_dir()).map_or_else(here, Path::to_owned);
    let directory = fs::canonicalize(&directory).unwrap_or(directory);
    let root = directory.ancestors().find(|it| it.join(".git").exists());
    root.unwrap_or(&directory).to_owned()
}

/// Loads what the user set about the archive; a project's file has no say in it.
pub(crate) fn archive_settings(ui: &mut Ui) -> Result<ArchiveSettings> {
    let files = ConfigFiles { project: None, ..ConfigFiles::find(ui) };
    let config = load_layers(&files, Vec::new(), ui)?;
    Ok(config.settings().archive.clone())
}

/// Returns the user's home directory.
pub(crate) fn home_directory() -> Result<PathBuf> {
    let strategy = etcetera::choose_base_strategy().map_err(|_| RequestError::NoHome)?;
    Ok(strategy.home_dir().to_owned())
}

/// Returns where programs keep the user's settings.
pub(crate) fn config_directory() -> Result<PathBuf> {
    let strategy = etcetera::choose_base_strategy().map_err(|_| RequestError::NoHome)?;
    Ok(strategy.config_dir())
}

/// Returns where programs keep the user's data.
pub(crate) fn data_directory() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.data_dir())
}

/// Returns the present, or what was given for it.
pub(crate) fn now(ui: &Ui) -> Timestamp {
    ui.global().now.unwrap_or_else(Timestamp::now)
}

/// Returns the present, or what was given for it, in nanoseconds since 1970.
pub(crate) fn now_ns(ui: &Ui) -> i64 {
    clock(ui)()
}

/// Returns what tells the present in nanoseconds since 1970, or what was given for it.
pub(crate) fn clock(ui: &Ui) -> impl Fn() -> i64 + use<> {
    let given = ui.global().now;
    move || {
        let now = given.unwrap_or_else(Timestamp::now).as_nanosecond();
        i64::try_from(now).unwrap_or(if now < 0 { i64::MIN } else { i64::MAX })
    }
}

#[cfg(test)]
mod tests {
    use loadline_testkit::Tree;

    use super::*;

    #[test]
    fn a_project_ends_at_its_repository() {
        let tree = Tree::new(
            "
            //- /loadline.toml
            //- /repo/.git/HEAD
            //- /repo/src/deep/a.rs
            //- /with/.git/HEAD
            //- /with/loadline.toml
            //- /with/src/a.rs
            //- /home/src/a.rs
            ",
        );
        let find = |path: &str| find_project_file(&tree.path(path), Some(&tree.path("home")));
        assert_eq!(find("repo/src/deep"), None);
        assert_eq!(find("home/src"), None);
        assert_eq!(find("with/src"), Some(tree.path("with/loadline.toml")));
    }
}
