//! The plan of an installation: which files, and what belongs in them.
//!
//! A plan writes nothing. Settings are the user's, so a plan says what must be in them,
//! and the command edits their text in place.

use std::path::PathBuf;

use super::{Agent, AgentHomes, Shell};

/// The scope an agent is set up for.
#[derive(Clone, Debug)]
pub struct InstallScope {
    /// This program's name or path, as it is: commands quote it for their shell.
    pub program: String,
    target: Target,
    is_status_line: bool,
}

#[derive(Clone, Debug)]
enum Target {
    User(AgentHomes),
    Project(PathBuf),
}

/// A file that an agent reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// Where it is.
    pub path: PathBuf,
    /// What belongs in it.
    pub content: PlannedContent,
}

/// What belongs in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedContent {
    /// The file is ours as a whole.
    Whole(String),
    /// The file is the user's, and ours is a part of it.
    Settings(SettingsPlan),
}

/// What belongs in an agent's settings, which are JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsPlan {
    /// Commands in `hooks`.
    pub hooks: Vec<HookCommand>,
    /// The command in `statusLine`; one that is there already is shown before it.
    pub status_line: Option<String>,
    /// The program in `mcpServers`.
    pub server: Option<String>,
}

/// A command that an event runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCommand {
    /// The agent's name of the event.
    pub event: &'static str,
    /// The tools that it is run for.
    pub matcher: Option<&'static str>,
    /// The command.
    pub command: String,
    /// How long it may take, in the agent's unit.
    pub timeout: u32,
}

impl InstallScope {
    /// Sets an agent up for the user.
    pub fn user(program: impl Into<String>, homes: AgentHomes) -> InstallScope {
        let target = Target::User(homes);
        InstallScope { program: program.into(), target, is_status_line: false }
    }

    /// Sets an agent up for one project.
    pub fn project(program: impl Into<String>, directory: impl Into<PathBuf>) -> InstallScope {
        let target = Target::Project(directory.into());
        InstallScope { program: program.into(), target, is_status_line: false }
    }

    /// Sets up the status line alone, for those whose plugin brings the rest.
    #[must_use]
    pub fn for_status_line(self, is_status_line: bool) -> InstallScope {
        InstallScope { is_status_line, ..self }
    }

    /// Leaves of the files of an agent what is in the scope.
    pub(super) fn narrow(&self, files: Vec<PlannedFile>) -> Vec<PlannedFile> {
        if !self.is_status_line {
            return files;
        }
        let line = |file: PlannedFile| match file.content {
            PlannedContent::Settings(SettingsPlan { status_line: Some(line), .. }) => {
                let plan = SettingsPlan { status_line: Some(line), ..SettingsPlan::default() };
                Some(PlannedFile { content: PlannedContent::Settings(plan), ..file })
            }
            _ => None,
        };
        files.into_iter().filter_map(line).collect()
    }

    /// Returns the shell that an agent runs commands with.
    pub fn shell(&self, agent: Agent) -> Shell {
        if cfg!(windows) { agent.profile().facts().shell_of_windows } else { Shell::Sh }
    }

    /// Returns a command that an agent runs.
    pub fn command(&self, agent: Agent, rest: &str) -> String {
        self.shell(agent).call(&self.program, rest)
    }

    /// Names a file of the user's, or one below the project.
    pub(super) fn path(
        &self,
        for_user: impl FnOnce(&AgentHomes) -> PathBuf,
        for_project: &str,
    ) -> PathBuf {
        match &self.target {
            Target::User(homes) => for_user(homes),
            Target::Project(directory) => directory.join(for_project),
        }
    }

    /// Returns a command that answers an event.
    pub(super) fn hook(&self, agent: Agent, event: &'static str, ours: &str) -> HookCommand {
        HookCommand {
            event,
            matcher: None,
            command: self.command(agent, &format!("hook {agent} {ours}")),
            timeout: 10,
        }
    }
}

impl HookCommand {
    pub(super) fn for_every_tool(self) -> HookCommand {
        HookCommand { matcher: Some("*"), ..self }
    }
}

impl PlannedFile {
    pub(super) fn whole(path: PathBuf, text: String) -> Vec<PlannedFile> {
        let content = PlannedContent::Whole(text);
        vec![PlannedFile { path, content }]
    }

    pub(super) fn settings(path: PathBuf, plan: SettingsPlan) -> Vec<PlannedFile> {
        let content = PlannedContent::Settings(plan);
        vec![PlannedFile { path, content }]
    }
}

/// Puts the command of an agent's hooks into a script that runs it.
pub(super) fn script(template: &str, scope: &InstallScope, agent: Agent) -> String {
    let command = scope.command(agent, &format!("hook {agent} "));
    template.replace("\"COMMAND\"", &serde_json::Value::from(command).to_string())
}
