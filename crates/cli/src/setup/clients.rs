//! Where MCP clients keep their servers: one row per client.
//!
//! The places and names are those that each client documents.

use std::path::PathBuf;

use super::json::Server;
use super::{FileEdit, SetupError, edit, json};

/// A program that starts MCP servers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Client {
    /// What it is called on the command line.
    pub(crate) name: &'static str,
    /// Its settings of all projects.
    user: Place,
    /// Its settings of one project, below its directory; none where it has none.
    project: Option<&'static str>,
    /// The object that holds the servers.
    key: &'static str,
    /// Whether an entry says that it is spoken to on standard input and output.
    is_typed: bool,
    /// What the server is to serve.
    root: Root,
    /// What is left for the user to do.
    pub(crate) next_step: &'static str,
}

/// A file of the user's.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// Below the home directory.
    Home(&'static str),
    /// Below the directory for the data of applications, which has another name on each system.
    Application(&'static str),
    /// Below `~/.config`, or for Windows as an application's.
    Config { unix: &'static str, windows: &'static str },
}

/// What an entry tells the server to serve.
#[derive(Debug, PartialEq, Eq)]
enum Root {
    /// The client starts it in the project.
    Started,
    /// The client replaces a variable by the project.
    Variable(&'static str),
    /// The client knows no projects, so it is the working directory of the installation.
    Here,
}

pub(crate) static CLIENTS: [Client; 6] = [
    Client {
        name: "claude-code",
        user: Place::Home(".claude.json"),
        project: Some(".mcp.json"),
        key: "mcpServers",
        is_typed: true,
        root: Root::Started,
        next_step: "`/mcp` in Claude Code shows it",
    },
    Client {
        name: "claude-desktop",
        user: Place::Application("Claude/claude_desktop_config.json"),
        project: None,
        key: "mcpServers",
        is_typed: false,
        root: Root::Here,
        next_step: "restart Claude Desktop",
    },
    Client {
        name: "cursor",
        user: Place::Home(".cursor/mcp.json"),
        project: Some(".cursor/mcp.json"),
        key: "mcpServers",
        is_typed: false,
        root: Root::Variable("${workspaceFolder}"),
        next_step: "turn it on in Cursor's settings, under MCP",
    },
    Client {
        name: "vscode",
        user: Place::Application("Code/User/mcp.json"),
        project: Some(".vscode/mcp.json"),
        key: "servers",
        is_typed: true,
        root: Root::Variable("${workspaceFolder}"),
        next_step: "start it with the command `MCP: List Servers` of VS Code",
    },
    Client {
        name: "windsurf",
        user: Place::Home(".codeium/windsurf/mcp_config.json"),
        project: None,
        key: "mcpServers",
        is_typed: false,
        root: Root::Here,
        next_step: "refresh the servers in Windsurf's Cascade panel",
    },
    Client {
        name: "zed",
        user: Place::Config { unix: "zed/settings.json", windows: "Zed/settings.json" },
        project: None,
        key: "context_servers",
        is_typed: false,
        root: Root::Started,
        next_step: "Zed's agent panel shows it",
    },
];

/// The directories that settings lie in.
pub(crate) struct Bases {
    pub(crate) home: PathBuf,
    /// `~/.config`, or what it is on Windows.
    pub(crate) config: PathBuf,
}

impl Client {
    /// Returns the settings, with ours in them or without; none where it has none for
    /// projects. `program` is started without a shell, and so as it is.
    pub(crate) fn edit(
        &self,
        bases: Option<&Bases>,
        program: &str,
        with_ours: bool,
    ) -> Option<Result<FileEdit, SetupError>> {
        let path = match bases {
            Some(bases) => self.user.path(bases),
            None => PathBuf::from(self.project?),
        };
        Some(edit(path, self.name, |text| {
            if !with_ours {
                return json::remove_server(self.key, text);
            }
            let arguments = match self.root {
                Root::Started => vec!["mcp".to_owned()],
                Root::Variable(name) => vec!["mcp".to_owned(), name.to_owned()],
                Root::Here => vec!["mcp".to_owned(), here()],
            };
            let server = Server { program: program.to_owned(), arguments, is_typed: self.is_typed };
            json::add_server(self.key, &server, text)
        }))
    }
}

fn here() -> String {
    std::env::current_dir().unwrap_or_default().display().to_string()
}

impl Place {
    fn path(&self, bases: &Bases) -> PathBuf {
        match self {
            Place::Home(path) => bases.home.join(path),
            Place::Application(path) if cfg!(target_os = "macos") => {
                bases.home.join("Library/Application Support").join(path)
            }
            Place::Application(path) => bases.config.join(path),
            Place::Config { windows, .. } if cfg!(windows) => bases.config.join(windows),
            Place::Config { unix, .. } => bases.config.join(unix),
        }
    }
}
