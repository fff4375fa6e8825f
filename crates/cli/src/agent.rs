//! Agents on the command line: their names, and where they keep their files.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use loadline::agents::{Agent, AgentHomes};

use crate::env;
use crate::error::Result;
use crate::settings::{data_directory, home_directory};

/// Reads the name of an agent.
pub(crate) fn any_agent() -> impl TypedValueParser<Value = Agent> {
    parser(Agent::ALL.to_vec())
}

/// Reads the name of an agent whose logs can be read.
pub(crate) fn logged_agent() -> impl TypedValueParser<Value = Agent> {
    parser(logged_agents())
}

/// Returns the agents whose logs can be read.
pub(crate) fn logged_agents() -> Vec<Agent> {
    let agents = Agent::ALL.into_iter();
    agents.filter(|agent| agent.format().is_some()).collect()
}

fn parser(agents: Vec<Agent>) -> impl TypedValueParser<Value = Agent> {
    let value = |agent: Agent| PossibleValue::new(agent.name()).help(agent.title());
    let values: Vec<PossibleValue> = agents.into_iter().map(value).collect();
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Agent>())
}

/// Returns where agents keep their files: where their variables say, or in the home directory.
pub(crate) fn agent_homes() -> Result<AgentHomes> {
    let set = |variable: &str| env::get(variable).map(PathBuf::from);
    let usual = AgentHomes::new(home_directory()?);
    Ok(AgentHomes {
        data: data_directory().unwrap_or_else(|| usual.data.clone()),
        claude_code: set(env::CLAUDE_CONFIG_DIR),
        codex: set(env::CODEX_HOME),
        pi: set(env::PI_AGENT_DIR),
        ..usual
    })
}
