//! `loadline install` and `uninstall`: hooks and a status line in an agent's settings, or
//! the server in those of an MCP client.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use loadline::agents::{Agent, InstallScope};
use loadline::{PathError, write_atomic};
use serde::Serialize;
use similar::TextDiff;

use crate::agent::{agent_homes, any_agent};
use crate::env;
use crate::error::{CommandError, RequestError, Result};
use crate::settings::{config_directory, home_directory, open_archive};
use crate::setup::{Bases, CLIENTS, Client, FileEdit, Record, files, restore};
use crate::ui::{ADDED, FAINT, REMOVED, Ui, escape_line};

// Two commands have these; what each does is said where they are named.
#[derive(Debug, clap::Args)]
pub(crate) struct InstallArgs {
    /// The agent.
    #[arg(value_name = "AGENT", value_parser = any_agent(), required_unless_present = "mcp")]
    agent: Option<Agent>,
    /// Only the MCP server, in the settings of this client.
    #[arg(long, value_name = "CLIENT", value_parser = any_client(), conflicts_with = "agent")]
    mcp: Option<&'static Client>,
    /// Only the status line, where a plugin brings the hooks.
    #[arg(long, conflicts_with = "mcp")]
    status_line: bool,
    /// Only for the project in this directory.
    #[arg(long)]
    project: bool,
    /// Write without asking.
    #[arg(long, short)]
    yes: bool,
    /// Show what would change, and write nothing.
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

/// Reads the name of an MCP client.
fn any_client() -> impl TypedValueParser<Value = &'static Client> {
    let names = PossibleValuesParser::new(CLIENTS.iter().map(|client| client.name));
    names.try_map(|name| CLIENTS.iter().find(|client| client.name == name).ok_or("unknown client"))
}

impl InstallArgs {
    fn name(&self) -> &'static str {
        let agent = self.agent.map(|agent| agent.name());
        agent.or(self.mcp.map(|client| client.name)).unwrap_or_default()
    }

    /// Returns the files as they are to be, with ours in them or without.
    fn files(&self, with_ours: bool) -> Result<Vec<FileEdit>> {
        let Some(client) = self.mcp else {
            let agent = self.agent.into_iter();
            let scope = scope(self.project)?.for_status_line(self.status_line);
            let edits = agent.map(|agent| files(agent, &scope, with_ours));
            let edits = edits.collect::<Result<Vec<_>, _>>()?.concat();
            if edits.is_empty() {
                return Err(RequestError::NoStatusLine { agent: self.name() }.into());
            }
            return Ok(edits);
        };
        let (bases, program) = if self.project {
            // Others read this file too, on other machines.
            (None, program())
        } else {
            let bases = Bases { home: home_directory()?, config: config_directory()? };
            // A window starts without the directories that a shell looks in.
            (Some(bases), own_path())
        };
        match client.edit(bases.as_ref(), &program, with_ours) {
            Some(edit) => Ok(vec![edit?]),
            None => Err(RequestError::NoProjectSettings { client: client.name }.into()),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document {
    agent: &'static str,
    written: bool,
    files: Vec<FileJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FileJson {
    path: PathBuf,
    changed: bool,
    diff: String,
}

/// Adds what is ours.
pub(crate) fn install(args: &InstallArgs, ui: &mut Ui) -> Result<()> {
    let edits = args.files(true)?;
    let name = args.name();
    let written =
        carry_out(args, &edits, ui, |edit, directory| Record::keep(directory, edit).map(|_| ()))?;
    if written && !ui.wants_json() {
        let (done, steps) = match (args.agent, args.mcp) {
            (Some(agent), _) => (
                format!("`loadline doctor {name}` tries it, `loadline uninstall {name}` undoes it"),
                vec![agent.trust(), agent.next_step()],
            ),
            (None, client) => (
                format!("`loadline uninstall --mcp {name}` undoes it"),
                vec![client.map(|client| client.next_step)],
            ),
        };
        ui.say(&format!("done; {done}"));
        steps.into_iter().flatten().for_each(|step| ui.say(step));
    }
    Ok(())
}

/// Puts back what was there.
pub(crate) fn uninstall(args: &InstallArgs, ui: &mut Ui) -> Result<()> {
    let directory = open_archive(None)?.directory().to_owned();
    let edits = args.files(false)?.into_iter();
    let edits: Vec<FileEdit> = edits.map(|edit| restore(&directory, edit)).collect();
    carry_out(args, &edits, ui, |edit, directory| {
        Record::forget(directory, &edit.path);
        Ok(())
    })?;
    Ok(())
}

/// Says which scope the agent is set up for, and how this program is called.
pub(super) fn scope(is_project: bool) -> Result<InstallScope> {
    Ok(if is_project {
        InstallScope::project(program(), ".")
    } else {
        InstallScope::user(program(), agent_homes()?)
    })
}

/// The name of this program where the shell finds it by that, else its path.
fn program() -> String {
    let Ok(path) = std::env::current_exe() else {
        return "loadline".to_owned();
    };
    let is_this = |directory: PathBuf| {
        let found = directory.join(format!("loadline{}", std::env::consts::EXE_SUFFIX));
        found.canonicalize().is_ok_and(|it| Some(it) == path.canonicalize().ok())
    };
    if env::path_directories().into_iter().any(is_this) {
        return "loadline".to_owned();
    }
    path.display().to_string()
}

/// The path of this program.
fn own_path() -> String {
    std::env::current_exe().map_or_else(|_| program(), |path| path.display().to_string())
}

/// Shows the changes, asks, and writes; tells whether anything was written.
fn carry_out(
    args: &InstallArgs,
    edits: &[FileEdit],
    ui: &mut Ui,
    before_writing: impl Fn(&FileEdit, &Path) -> Result<(), PathError>,
) -> Result<bool> {
    let changes: Vec<&FileEdit> = edits.iter().filter(|edit| edit.is_change()).collect();
    let is_json = ui.wants_json();
    if !is_json {
        for edit in &changes {
            show(edit, ui)?;
        }
        if changes.is_empty() {
            ui.say("nothing to change");
        }
    }
    let writes = !changes.is_empty() && !args.dry_run && (args.yes || confirmed(ui)?);
    if writes {
        let directory = open_archive(None)?.directory().to_owned();
        for edit in &changes {
            before_writing(edit, &directory)?;
            apply(edit)?;
        }
    }
    if is_json {
        let files = edits.iter().map(|edit| FileJson {
            path: edit.path.clone(),
            changed: edit.is_change(),
            diff: diff(edit),
        });
        ui.json(&Document { agent: args.name(), written: writes, files: files.collect() })?;
    }
    Ok(writes)
}

fn apply(edit: &FileEdit) -> Result<()> {
    match &edit.after {
        Some(text) => Ok(write_atomic(&edit.path, text.as_bytes())?),
        // What a link leads to goes, the link stays.
        None => {
            let path = std::fs::canonicalize(&edit.path).unwrap_or_else(|_| edit.path.clone());
            std::fs::remove_file(&path).map_err(|error| CommandError::at("remove", &path, error))
        }
    }
}

/// Asks, where somebody can answer.
fn confirmed(ui: &mut Ui) -> Result<bool> {
    if !std::io::stdin().is_terminal() || ui.wants_json() {
        ui.say("nothing is written; --yes writes it");
        return Ok(false);
    }
    Ok(matches!(ui.ask("write this? [y/N]")?.as_str(), "y" | "Y" | "yes"))
}

fn diff(edit: &FileEdit) -> String {
    let (before, after) = (edit.before.as_deref(), edit.after.as_deref());
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    let name = edit.path.display().to_string();
    let side = |text: Option<&str>| text.map_or("/dev/null".to_owned(), |_| name.clone());
    let (old, new) = (side(before), side(after));
    diff.unified_diff().context_radius(2).header(&old, &new).to_string()
}

fn show(edit: &FileEdit, ui: &mut Ui) -> Result<()> {
    for line in diff(edit).lines() {
        let style = match line.chars().next() {
            Some('+') => ADDED,
            Some('-') => REMOVED,
            Some('@') => FAINT,
            _ => anstyle::Style::new(),
        };
        writeln!(ui.out(), "{style}{}{style:#}", escape_line(line))?;
    }
    Ok(())
}
