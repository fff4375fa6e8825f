//! `loadline bill tools`: what tools and the system prompt cost in every request.

mod ask;

use std::collections::BTreeMap;
use std::io::Write;

use loadline::agents::{McpServer, find_servers, read_log, server_of_tool};
use loadline::session::{read_session, session_stats};
use loadline::tokens::Counter;
use serde::Serialize;

use super::super::usage::LogArgs;
use super::super::usage::show::dollars;
use crate::agent::agent_homes;
use crate::error::Result;
use crate::settings::{load_config, load_models, project_root};
use crate::ui::{Table, Ui, plural, thousands};

/// Show what tool definitions and system prompts cost, and which servers nobody calls.
///
/// Every request sends the system prompt and the definitions of all tools along. Logs do
/// not hold them, but the bill of the first request tells how large they are. The MCP
/// servers are those that your agents are set up with here; with --ask they are started,
/// and their definitions are counted.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline bill tools
  loadline bill tools --ask --sessions 100
  loadline bill tools --agent claude-code --json")]
pub(crate) struct ToolsArgs {
    /// How many sessions are looked at, newest first.
    #[arg(long, value_name = "N", default_value_t = 20)]
    sessions: usize,
    /// Start the servers that the settings name, and count the definitions of their tools.
    #[arg(long)]
    ask: bool,
    #[command(flatten)]
    logs: LogArgs,
}

/// The document of `bill tools`.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document {
    /// Sessions that were looked at.
    sessions: usize,
    /// Their requests.
    requests: u64,
    /// What system prompt and tools take of a request, in tokens: the median session.
    unseen: u64,
    /// The same over all requests.
    unseen_sum: u64,
    /// What that cost read from a cache, in dollars, as far as prices are known.
    unseen_cost: f64,
    servers: Vec<ServerJson>,
    tools: Vec<ToolJson>,
}

#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ServerJson {
    name: String,
    /// The agents that are set up with it.
    agents: Vec<String>,
    /// How often its tools were called.
    calls: usize,
    /// How many tools it has; null where it was not asked.
    tools: Option<usize>,
    /// Tokens of their definitions in each request.
    tokens: Option<u64>,
    /// The same over all requests of these sessions.
    sum: Option<u64>,
    /// Why it could not be asked.
    error: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ToolJson {
    name: String,
    server: Option<String>,
    calls: usize,
}

/// Reads sessions and settings, asks servers, and shows.
pub(crate) fn run(args: &ToolsArgs, ui: &mut Ui) -> Result<()> {
    let servers = find_servers(&agent_homes()?, &project_root(None));
    let mut found = args.measure(ui)?;
    let names: Vec<&str> = servers.iter().map(|it| it.name.as_str()).collect();
    let mut rows: BTreeMap<String, ServerJson> = BTreeMap::new();
    for server in &servers {
        let row = rows.entry(server.name.clone()).or_default();
        row.agents.push(server.agent.name().to_owned());
    }
    for tool in &mut found.tools {
        if let Some((server, _)) = server_of_tool(&tool.name, &names) {
            rows.entry(server.to_owned()).or_default().calls += tool.calls;
            tool.server = Some(server.to_owned());
        }
    }
    for (name, row) in &mut rows {
        row.name.clone_from(name);
        let server = servers.iter().find(|it| it.name == *name);
        if let Some(server) = server.filter(|_| args.ask) {
            row.ask(server, found.requests)?;
        }
    }
    found.servers = rows.into_values().collect();
    found.servers.sort_by_key(|it| (std::cmp::Reverse(it.tokens), it.calls));
    if ui.wants_json() {
        return Ok(ui.json(&found)?);
    }
    show(&found, args.ask, ui)
}

impl ToolsArgs {
    /// Looks at the newest sessions.
    fn measure(&self, ui: &mut Ui) -> Result<Document> {
        let config = load_config(Vec::new(), ui)?;
        let models = load_models(&config, ui)?;
        let mut logs = self.logs.find_all()?;
        logs.sort_by(|a, b| b.changed.cmp(&a.changed).then(a.path.cmp(&b.path)));
        let counter: Counter = "o200k".parse()?;
        let (mut found, mut calls, mut sizes) = (Document::default(), BTreeMap::new(), Vec::new());
        for log in logs {
            if found.sessions == self.sessions {
                break;
            }
            let session = read_log(&log.path).ok().and_then(|it| read_session(it, None).ok());
            let Some(session) = session else { continue };
            let stats = session_stats(&session, &counter);
            for tool in &stats.tools {
                *calls.entry(tool.name.clone()).or_default() += tool.calls;
            }
            let Some(billed) = &stats.billed else { continue };
            found.sessions += 1;
            let (requests, unseen) = (billed.requests as u64, billed.unseen.get());
            let sum = unseen.saturating_mul(requests);
            found.requests += requests;
            found.unseen_sum = found.unseen_sum.saturating_add(sum);
            sizes.push(unseen);
            let prices = session.model.as_deref().and_then(|it| models.find(it)?.prices);
            let read = prices.map(|it| it.cache_read.unwrap_or(it.input / 10.0));
            found.unseen_cost += read.unwrap_or(0.0) * sum as f64 / 1e6;
        }
        sizes.sort_unstable();
        found.unseen = sizes.get(sizes.len() / 2).copied().unwrap_or(0);
        let tool = |(name, calls)| ToolJson { name, server: None, calls };
        found.tools = calls.into_iter().map(tool).collect();
        found.tools.sort_by(|a, b| b.calls.cmp(&a.calls).then(a.name.cmp(&b.name)));
        Ok(found)
    }
}

impl ServerJson {
    fn ask(&mut self, server: &McpServer, requests: u64) -> Result<()> {
        let counter: Counter = "o200k".parse()?;
        match ask::definitions(server) {
            Err(error) => self.error = Some(error),
            Ok(definitions) => {
                let counts = definitions.iter().map(|it| counter.count(&it.to_string()).get());
                let tokens: u64 = counts.sum();
                self.tools = Some(definitions.len());
                self.tokens = Some(tokens);
                self.sum = Some(tokens.saturating_mul(requests));
            }
        }
        Ok(())
    }
}

fn show(found: &Document, asked: bool, ui: &mut Ui) -> Result<()> {
    let sessions = plural(found.sessions as u64, "session");
    let requests = plural(found.requests, "request");
    if found.sessions > 0 {
        writeln!(
            ui.out(),
            "System prompt and tools take about {} tokens of each request: {} tokens in {requests} \
             of the newest {sessions}, {} if all of it was read from a cache.",
            thousands(found.unseen),
            thousands(found.unseen_sum),
            dollars(found.unseen_cost)
        )?;
    }
    if found.servers.is_empty() {
        return Ok(writeln!(ui.out(), "No agent is set up with an MCP server here.")?);
    }
    writeln!(ui.out())?;
    let mut table = Table::headed(
        "lrrrrl",
        ["server", "calls", "tools", "tokens per request", "in sum", "set up in"],
    );
    let number = |it: Option<u64>| it.map_or_else(|| "?".to_owned(), thousands);
    for server in &found.servers {
        let place = server.error.clone().unwrap_or_else(|| server.agents.join(", "));
        table.row([
            server.name.clone(),
            thousands(server.calls as u64),
            number(server.tools.map(|it| it as u64)),
            number(server.tokens),
            number(server.sum),
            place,
        ]);
    }
    table.write(ui.out())?;
    let unused = found.servers.iter().filter(|it| it.calls == 0);
    let unused: Vec<&str> = unused.map(|it| it.name.as_str()).collect();
    if !unused.is_empty() && found.sessions > 0 {
        writeln!(ui.out(), "\nNever called in these sessions: {}.", unused.join(", "))?;
    }
    if !asked {
        ui.say("--ask starts the servers and counts the definitions of their tools");
    }
    Ok(())
}
