//! `loadline man`: manual pages, made from the help texts.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;
use loadline::repo::display_path;
use serde::Serialize;

use crate::args::Args;
use crate::error::{CommandError, Result};
use crate::ui::Ui;

/// Print the manual page, or write all pages to a directory.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: loadline man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write one page per command to DIR, which is created if missing.
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Json {
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    files: Vec<String>,
}

/// Prints or writes the pages.
pub(crate) fn run(args: &ManArgs, ui: &mut Ui) -> Result<()> {
    let Some(directory) = &args.directory else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Args::command()).render(&mut page)?;
        if ui.wants_json() {
            let page = Some(String::from_utf8_lossy(&page).into_owned());
            return Ok(ui.json(&Json { page, files: Vec::new() })?);
        }
        return Ok(ui.out().write_all(&page)?);
    };
    fs::create_dir_all(directory).map_err(|error| CommandError::at("create", directory, error))?;
    let mut command = Args::command();
    command.build();
    let mut files = Vec::new();
    write_pages(&command, directory, &mut files)?;
    files.sort();
    let files: Vec<String> = files.iter().map(|path| display_path(path)).collect();
    if ui.wants_json() {
        return Ok(ui.json(&Json { page: None, files })?);
    }
    for file in files {
        writeln!(ui.out(), "{file}")?;
    }
    Ok(())
}

/// Writes the page of a command and those of the commands in it.
fn write_pages(
    command: &clap::Command,
    directory: &std::path::Path,
    files: &mut Vec<PathBuf>,
) -> Result<()> {
    let man = clap_mangen::Man::new(command.clone());
    let path = directory.join(man.get_filename());
    let mut page = Vec::new();
    man.render(&mut page)?;
    loadline::write_atomic(&path, &page)?;
    files.push(path);
    let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
    for inner in shown.filter(|inner| inner.get_name() != "help") {
        write_pages(inner, directory, files)?;
    }
    Ok(())
}
