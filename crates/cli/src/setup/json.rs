//! Hooks in settings that are JSON, perhaps with comments, edited in place.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use jsonc_parser::{ParseOptions, json};
use loadline::agents::shell::{is_loadline, quote, words};
use loadline::agents::{Agent, HookCommand, SettingsPlan};

const SERVER: &str = "loadline";

/// What hooks are installed for.
const MOMENTS: [&str; 6] =
    ["pre-tool-use", "post-tool-use", "pre-compact", "session-start", "stop", "user-prompt"];

/// Edits what is there; where nothing is, nothing is left.
fn edited(
    text: Option<&str>,
    edit: impl FnOnce(&CstObject) -> Result<(), String>,
) -> Result<Option<String>, String> {
    let Some(text) = text else { return Ok(None) };
    let root = parse(text)?;
    edit(&object(&root)?)?;
    Ok(Some(root.to_string()))
}

/// Adds what is ours to a text, or makes one.
pub(super) fn add(plan: &SettingsPlan, text: Option<&str>) -> Result<Option<String>, String> {
    edited(text.or(Some("")), |object| set_plan(object, plan))
}

/// Takes what is ours out of a text.
pub(super) fn remove(plan: &SettingsPlan, text: Option<&str>) -> Result<Option<String>, String> {
    edited(text, |object| {
        unset_plan(object, plan);
        Ok(())
    })
}

fn set_plan(object: &CstObject, plan: &SettingsPlan) -> Result<(), String> {
    for hook in &plan.hooks {
        let hooks = object.object_value_or_create("hooks").ok_or("hooks is not an object")?;
        let list = hooks
            .array_value_or_create(hook.event)
            .ok_or_else(|| format!("hooks.{} is not an array", hook.event))?;
        if !groups(&list).iter().any(|it| calls(it, &hook.command)) {
            remove_ours(&list);
            list.ensure_multiline();
            list.append(entry(hook));
        }
    }
    if let Some(command) = &plan.status_line {
        set_status_line(object, command);
    }
    if let Some(program) = &plan.server {
        let arguments = vec!["mcp".to_owned()];
        let server = Server { program: program.clone(), arguments, is_typed: false };
        set_server(object, "mcpServers", &server)?;
    }
    Ok(())
}

fn unset_plan(object: &CstObject, plan: &SettingsPlan) {
    if let Some(hooks) = object.object_value("hooks").filter(|_| !plan.hooks.is_empty()) {
        for property in hooks.properties() {
            if let Some(list) = property.array_value()
                && remove_ours(&list)
                && list.elements().is_empty()
            {
                property.remove();
            }
        }
        remove_if_empty(object, "hooks");
    }
    if plan.status_line.is_some() {
        unset_status_line(object);
    }
    if plan.server.is_some() {
        unset_server(object, "mcpServers");
    }
}

fn remove_if_empty(parent: &CstObject, name: &str) {
    if let Some(property) = parent.get(name)
        && property.object_value().is_some_and(|it| it.properties().is_empty())
    {
        property.remove();
    }
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    let text = if text.trim().is_empty() { "{\n}\n" } else { text };
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())
}

fn object(root: &CstRootNode) -> Result<CstObject, String> {
    root.object_value().ok_or_else(|| "its outermost value is not an object".to_owned())
}

fn entry(hook: &HookCommand) -> CstInputValue {
    let command = hook.command.as_str();
    let hooks = vec![json!({"type": "command", "command": command, "timeout": (hook.timeout)})];
    match hook.matcher {
        Some(matcher) => json!({"matcher": matcher, "hooks": hooks}),
        None => json!({"hooks": hooks}),
    }
}

/// An MCP server as clients write it down: run without a shell, and so without quotes.
pub(super) struct Server {
    pub(super) program: String,
    pub(super) arguments: Vec<String>,
    /// Whether it says that it is spoken to on standard input and output.
    pub(super) is_typed: bool,
}

impl Server {
    fn entry(&self) -> CstInputValue {
        let (program, arguments) = (self.program.clone(), self.arguments.clone());
        if self.is_typed {
            return json!({"type": "stdio", "command": program, "args": arguments});
        }
        json!({"command": program, "args": arguments})
    }
}

/// Adds a server to a text, or makes one.
pub(super) fn add_server(
    key: &str,
    server: &Server,
    text: Option<&str>,
) -> Result<Option<String>, String> {
    edited(text.or(Some("")), |object| set_server(object, key, server))
}

/// Takes our server out of a text.
pub(super) fn remove_server(key: &str, text: Option<&str>) -> Result<Option<String>, String> {
    edited(text, |object| {
        unset_server(object, key);
        Ok(())
    })
}

/// A server of ours that names another program or root is put right; one of somebody
/// else's by our name stays.
fn set_server(object: &CstObject, key: &str, server: &Server) -> Result<(), String> {
    let servers =
        object.object_value_or_create(key).ok_or_else(|| format!("{key} is not an object"))?;
    match servers.object_value(SERVER) {
        None if servers.get(SERVER).is_none() => {
            servers.append(SERVER, server.entry());
        }
        Some(there) if is_our_server(&there) => {
            let call = (string(&there, "command"), strings(&there, "args"));
            let is_same = call == (Some(server.program.clone()), server.arguments.clone());
            if let Some(property) = servers.get(SERVER).filter(|_| !is_same) {
                property.set_value(server.entry());
            }
        }
        _ => {}
    }
    Ok(())
}

fn unset_server(object: &CstObject, key: &str) {
    let Some(servers) = object.object_value(key) else {
        return;
    };
    if servers.object_value(SERVER).is_some_and(|it| is_our_server(&it))
        && let Some(server) = servers.get(SERVER)
    {
        server.remove();
        remove_if_empty(object, key);
    }
}

/// Tells whether an entry calls `loadline mcp`, with one directory at most.
fn is_our_server(entry: &CstObject) -> bool {
    let arguments = strings(entry, "args");
    string(entry, "command").is_some_and(|it| is_loadline(&it))
        && arguments.first().is_some_and(|it| it == "mcp")
        && arguments.len() <= 2
}

fn string(object: &CstObject, name: &str) -> Option<String> {
    object.get(name)?.value()?.as_string_lit()?.decoded_value().ok()
}

fn strings(object: &CstObject, name: &str) -> Vec<String> {
    let list = object.array_value(name);
    let elements = list.into_iter().flat_map(|it| it.elements());
    elements.filter_map(|it| it.as_string_lit()?.decoded_value().ok()).collect()
}

/// The groups of hooks of one event.
fn groups(list: &CstArray) -> Vec<CstObject> {
    let elements = list.elements().into_iter();
    elements.filter_map(|it| it.as_object()).collect()
}

/// The calls of a group with their commands.
fn commands(group: &CstObject) -> Vec<(String, CstNode)> {
    let Some(calls) = group.array_value("hooks") else {
        return Vec::new();
    };
    let command = |node: CstNode| Some((string(&node.as_object()?, "command")?, node));
    calls.elements().into_iter().filter_map(command).collect()
}

fn calls(group: &CstObject, command: &str) -> bool {
    commands(group).iter().any(|it| it.0 == command)
}

/// Takes our calls out of an event; tells whether there were any.
fn remove_ours(list: &CstArray) -> bool {
    let mut found = false;
    for group in groups(list) {
        let all = commands(&group);
        let ours = all.iter().filter(|it| is_ours(&it.0)).count();
        found |= ours > 0;
        if ours > 0 && ours == all.len() {
            group.remove();
            continue;
        }
        let ours = all.into_iter().filter(|it| is_ours(&it.0));
        ours.for_each(|(_, node)| node.remove());
    }
    found
}

/// Tells whether a command is a hook of ours: a call of this program, as an installation
/// writes it, and no more. A command that only mentions it, or does more than call it, is
/// the user's.
fn is_ours(command: &str) -> bool {
    let words: Option<[String; 4]> = words(command).and_then(|it| it.try_into().ok());
    let Some([program, hook, agent, moment]) = words else {
        return false;
    };
    is_loadline(&program)
        && hook == "hook"
        && agent.parse::<Agent>().is_ok()
        && MOMENTS.contains(&moment.as_str())
}

/// Returns the programs that our hooks and our status line call.
pub(super) fn programs(text: &str) -> Vec<String> {
    let Some(object) = parse(text).ok().and_then(|root| object(&root).ok()) else {
        return Vec::new();
    };
    let hooks = object.object_value("hooks");
    let events = hooks.into_iter().flat_map(|it| it.properties());
    let groups = events.filter_map(|it| it.array_value()).flat_map(|list| groups(&list));
    let calls = groups.flat_map(|group| commands(&group)).map(|it| it.0);
    let calls = calls.filter(|command| is_ours(command)).filter_map(|it| words(&it));
    let status = status_command(&object).and_then(|it| status_line(&it));
    let mut programs: Vec<String> =
        calls.chain(status).filter_map(|words| words.into_iter().next()).collect();
    programs.sort();
    programs.dedup();
    programs
}

const STATUS_LINE: &str = "statusLine";

fn set_status_line(object: &CstObject, command: &str) {
    match status_command(object) {
        Some(there) => {
            let chained = match status_line(&there) {
                Some(words) => words.into_iter().nth(3),
                None => Some(there.clone()),
            };
            let chain = chained.map(|it| format!(" --chain {}", quote(&it)));
            let wanted = format!("{command}{}", chain.unwrap_or_default());
            let property = object.object_value(STATUS_LINE).and_then(|it| it.get("command"));
            if let Some(property) = property.filter(|_| wanted != there) {
                property.set_value(wanted.into());
            }
        }
        None if object.get(STATUS_LINE).is_none() => {
            // Seconds; without it the clock of the cache stands still between turns.
            let line = json!({"type": "command", "command": command, "refreshInterval": 10});
            object.append(STATUS_LINE, line);
        }
        None => {}
    }
}

fn unset_status_line(object: &CstObject) {
    let Some(words) = status_command(object).and_then(|it| status_line(&it)) else {
        return;
    };
    let Some(property) = object.get(STATUS_LINE) else {
        return;
    };
    match words.into_iter().nth(3) {
        None => property.remove(),
        Some(chained) => {
            if let Some(command) = property.object_value().and_then(|it| it.get("command")) {
                command.set_value(chained.into());
            }
        }
    }
}

fn status_command(object: &CstObject) -> Option<String> {
    string(&object.object_value(STATUS_LINE)?, "command")
}

/// Returns the words of a status line of ours; the fourth is the command before it.
fn status_line(command: &str) -> Option<Vec<String>> {
    let words = words(command)?;
    let rest: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    let is_ours = matches!(rest[..], ["statusline"] | ["statusline", "--chain", _]);
    (is_ours && is_loadline(&words[0])).then_some(words)
}
