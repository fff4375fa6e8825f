//! Finds the MCP servers that agents are set up with.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Agent, AgentHomes};
use crate::read_plain_file;

/// Bytes of the largest file of settings that is read.
const LARGEST: u64 = 16 << 20;

/// A server that an agent starts or calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    /// Its name, which the names of its tools begin with.
    pub name: String,
    /// Whose settings name it.
    pub agent: Agent,
    /// The file of settings.
    pub place: PathBuf,
    /// What starts it; none where it is called over the network.
    pub command: Option<Vec<String>>,
    /// Variables that it is started with.
    pub variables: Vec<(String, String)>,
}

/// Lists the servers of agents in a project, by agent and name.
///
/// What cannot be read is left out: an agent complains about its own settings.
pub fn find_servers(homes: &AgentHomes, project: &Path) -> Vec<McpServer> {
    let mut servers = Vec::new();
    for agent in Agent::ALL {
        for (place, path) in agent.profile().server_settings(homes, project) {
            let settings = read_settings(&place).unwrap_or_default();
            let table = path.iter().try_fold(&settings, |value, key| value.get(key));
            let rows = table.and_then(Value::as_object).into_iter().flatten();
            servers.extend(rows.map(|(name, row)| server(agent, &place, name, row)));
        }
    }
    servers.sort_by(|a, b| (a.agent, &a.name, &a.place).cmp(&(b.agent, &b.name, &b.place)));
    servers.dedup_by(|a, b| (a.agent, &a.name) == (b.agent, &b.name));
    servers
}

fn read_settings(place: &Path) -> Option<Value> {
    let bytes = read_plain_file(place, LARGEST).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    if place.extension().is_some_and(|it| it == "toml") {
        return toml::from_str(&text).ok();
    }
    serde_json::from_str(&text).ok()
}

fn server(agent: Agent, place: &Path, name: &str, row: &Value) -> McpServer {
    let texts = |value: &Value| -> Vec<String> {
        match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(list) => list.iter().filter_map(|it| Some(it.as_str()?.into())).collect(),
            _ => Vec::new(),
        }
    };
    let mut command = texts(&row["command"]);
    command.extend(texts(&row["args"]));
    let variables = row["env"].as_object().or(row["environment"].as_object());
    let variables = variables.into_iter().flatten();
    McpServer {
        name: name.to_owned(),
        agent,
        place: place.to_owned(),
        command: (!command.is_empty()).then_some(command),
        variables: variables
            .filter_map(|(name, it)| Some((name.clone(), it.as_str()?.into())))
            .collect(),
    }
}

/// Returns the server that a tool belongs to, and the tool's own name there.
///
/// Agents put the server's name before the tool's: `mcp__server__tool`, `mcp_server_tool`,
/// `server_tool`.
pub fn server_of_tool<'a>(tool: &'a str, servers: &[&'a str]) -> Option<(&'a str, &'a str)> {
    if let Some(rest) = tool.strip_prefix("mcp__") {
        return rest.split_once("__");
    }
    let rest = tool.strip_prefix("mcp_").unwrap_or(tool);
    let named = servers.iter().filter_map(|server| {
        let own = rest.strip_prefix(server)?.trim_start_matches('_');
        (own.len() < rest.len() - server.len()).then_some((*server, own))
    });
    named.max_by_key(|(server, _)| server.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_named_after_its_server() {
        let servers = ["git", "git_hub"];
        for (tool, expected) in [
            ("mcp__any__list__all", Some(("any", "list__all"))),
            ("mcp_git_log", Some(("git", "log"))),
            ("git_hub_issues", Some(("git_hub", "issues"))),
            ("gitlog", None),
            ("Bash", None),
        ] {
            assert_eq!(server_of_tool(tool, &servers), expected, "{tool}");
        }
    }
}
