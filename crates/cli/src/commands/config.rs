//! `loadline config`: shows, checks and imports settings.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use loadline::repo::display_path;
use loadline::settings::{Config, Layer, Source, import_config};
use loadline::tokens::Counter;
use loadline::write_atomic;
use serde::Serialize;

use crate::api;
use crate::env;
use crate::error::{CommandError, RequestError, Result};
use crate::settings::{ConfigFiles, load_config, load_models};
use crate::ui::{Table, Ui};

/// Show, check or import settings.
///
/// Later sources override earlier ones: defaults, your loadline.toml, the
/// project's loadline.toml, environment variables, flags.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Show all settings.
    Show {
        /// Show where each value comes from.
        #[arg(long)]
        sources: bool,
    },
    /// Check the current settings, or one file.
    Validate {
        /// File to check on its own.
        file: Option<PathBuf>,
    },
    /// Convert a .handover.yml, context.json, .agent/config.yml or compaction file.
    Import {
        /// File to convert.
        file: PathBuf,
        /// Write to FILE instead of standard output.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Overwrite the output file.
        #[arg(long, requires = "output")]
        force: bool,
    },
    /// Print the paths of configuration files.
    Path,
    /// List environment variables.
    Env,
    /// Print the default settings as loadline.toml.
    Default,
}

/// Runs one of the commands about settings.
pub(crate) fn run(args: &ConfigArgs, ui: &mut Ui) -> Result<()> {
    match &args.command {
        ConfigCommand::Show { sources } => show(*sources, ui),
        ConfigCommand::Validate { file } => validate(file.as_deref(), ui),
        ConfigCommand::Import { file, output, force } => {
            import(file, output.as_deref(), *force, ui)
        }
        ConfigCommand::Path => paths(ui),
        ConfigCommand::Env => variables(ui),
        ConfigCommand::Default => defaults(ui),
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct ShowJson {
    settings: Vec<SettingJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SettingJson {
    key: String,
    #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
    value: Option<toml::Value>,
    layer: &'static str,
    source: String,
}

fn show(sources: bool, ui: &mut Ui) -> Result<()> {
    let config = load_config(Vec::new(), ui)?;
    if ui.wants_json() {
        let settings = config.show().map(|shown| SettingJson {
            value: shown.value.as_deref().and_then(value),
            key: shown.key,
            layer: layer(shown.source),
            source: shown.source.to_string(),
        });
        return Ok(ui.json(&ShowJson { settings: settings.collect() })?);
    }
    if !sources {
        for shown in config.show() {
            match shown.value {
                Some(value) => writeln!(ui.out(), "{} = {value}", shown.key)?,
                None => writeln!(ui.out(), "# {} is not set", shown.key)?,
            }
        }
        return Ok(());
    }
    // The value stands last, because some are long.
    let mut table = Table::headed("lll", ["key", "source", "value"]);
    for shown in config.show() {
        let value = shown.value.unwrap_or_else(|| "-".to_owned());
        table.row([shown.key, shown.source.to_string(), value]);
    }
    Ok(table.write(ui.out())?)
}

/// Reads the text of a TOML value.
fn value(text: &str) -> Option<toml::Value> {
    format!("v = {text}").parse::<toml::Table>().ok()?.remove("v")
}

fn layer(source: &Source) -> &'static str {
    match source {
        Source::Default => "default",
        Source::User(_) => "user",
        Source::Project(_) => "project",
        Source::Environment(_) => "environment",
        Source::Flag(_) => "flag",
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct ValidateJson {
    valid: bool,
}

/// Loads, and looks up the names that loading does not know.
fn validate(file: Option<&Path>, ui: &mut Ui) -> Result<()> {
    let config = match file {
        None => load_config(Vec::new(), ui)?,
        Some(file) => {
            let text = fs::read_to_string(file)
                .map_err(|error| CommandError::unreadable_config(file, error))?;
            let config = Config::load([Layer::project(file, text)])?;
            ui.remarks(config.notes().iter().cloned());
            config
        }
    };
    let models = load_models(&config, ui)?;
    let settings = config.settings();
    ui.remarks(models.find_or_generic(&settings.model).1);
    let counters = models.iter().map(|model| &model.counter);
    let own = settings.counter.iter().filter(|name| *name != api::NAME);
    for counter in counters.chain(own) {
        counter.parse::<Counter>()?;
    }
    if ui.wants_json() {
        return Ok(ui.json(&ValidateJson { valid: true })?);
    }
    Ok(writeln!(ui.out(), "ok")?)
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct ImportJson {
    format: &'static str,
    toml: String,
    output: Option<String>,
}

fn import(file: &Path, output: Option<&Path>, force: bool, ui: &mut Ui) -> Result<()> {
    let text = fs::read_to_string(file).map_err(|error| CommandError::at("read", file, error))?;
    let imported = import_config(&display_path(file), &text)?;
    ui.remarks(imported.notes);
    if let Some(path) = output {
        if !force && path.symlink_metadata().is_ok() {
            let path = path.to_owned();
            return Err(RequestError::Exists { path }.into());
        }
        write_atomic(path, imported.toml.as_bytes())?;
    }
    if ui.wants_json() {
        return Ok(ui.json(&ImportJson {
            format: imported.format.name(),
            toml: imported.toml,
            output: output.map(display_path),
        })?);
    }
    match output {
        Some(path) => writeln!(ui.out(), "wrote {}", display_path(path))?,
        None => ui.out().write_all(imported.toml.as_bytes())?,
    }
    Ok(())
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct PathsJson {
    user: Option<String>,
    user_exists: bool,
    project: Option<String>,
}

fn paths(ui: &mut Ui) -> Result<()> {
    let files = ConfigFiles::find(ui);
    let user_exists = files.user.as_ref().is_some_and(|path| path.exists());
    let user = files.user.as_deref().map(display_path);
    let project = files.project.as_deref().map(display_path);
    if ui.wants_json() {
        return Ok(ui.json(&PathsJson { user, user_exists, project })?);
    }
    let absent = if user_exists { "" } else { " (not there)" };
    let none = || "none".to_owned();
    let mut table = Table::new("ll");
    let user = user.map_or_else(none, |user| user + absent);
    table.row(["user".to_owned(), user]);
    table.row(["project".to_owned(), project.unwrap_or_else(none)]);
    Ok(table.write(ui.out())?)
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct EnvJson {
    variables: Vec<VariableJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct VariableJson {
    name: String,
    meaning: String,
}

fn variables(ui: &mut Ui) -> Result<()> {
    let variables = env::variables().into_iter();
    if ui.wants_json() {
        let variables = variables.map(|(name, meaning)| VariableJson { name, meaning }).collect();
        return Ok(ui.json(&EnvJson { variables })?);
    }
    let mut table = Table::new("ll");
    variables.for_each(|(name, meaning)| table.row([name, meaning]));
    Ok(table.write(ui.out())?)
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct DefaultJson {
    toml: &'static str,
}

fn defaults(ui: &mut Ui) -> Result<()> {
    let toml = Config::defaults_toml();
    if ui.wants_json() {
        return Ok(ui.json(&DefaultJson { toml })?);
    }
    Ok(ui.out().write_all(toml.as_bytes())?)
}
