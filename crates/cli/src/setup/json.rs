//! Hooks in settings that are JSON, perhaps with comments, edited in place.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use loadline::agents::{HookCommand, SettingsPlan};

const SERVER: &str = "loadline";

/// Adds what is ours to a text, or makes one.
pub(super) fn add(plan: &SettingsPlan, text: Option<&str>) -> Result<String, String> {
    let root = parse(text.unwrap_or_default())?;
    let object = object(&root)?;
    let hooks = object.object_value_or_create("hooks").ok_or("hooks is not an object")?;
    for hook in &plan.hooks {
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
        set_status_line(&object, command);
    }
    if let Some(program) = &plan.server {
        let servers =
            object.object_value_or_create("mcpServers").ok_or("mcpServers is not an object")?;
        if servers.get(SERVER).is_none() {
            servers.append(SERVER, server(program));
        }
    }
    Ok(root.to_string())
}

/// Takes what is ours out of a text.
pub(super) fn remove(plan: &SettingsPlan, text: Option<&str>) -> Result<Option<String>, String> {
    let Some(text) = text else { return Ok(None) };
    let root = parse(text)?;
    let object = object(&root)?;
    if let Some(hooks) = object.object_value("hooks") {
        for property in hooks.properties() {
            if let Some(list) = property.array_value()
                && remove_ours(&list)
                && list.elements().is_empty()
            {
                property.remove();
            }
        }
        remove_if_empty(&object, "hooks");
    }
    if plan.status_line.is_some() {
        unset_status_line(&object);
    }
    if plan.server.is_some()
        && let Some(servers) = object.object_value("mcpServers")
    {
        if let Some(server) = servers.get(SERVER) {
            server.remove();
        }
        remove_if_empty(&object, "mcpServers");
    }
    Ok(Some(root.to_string()))
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
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let call = CstInputValue::Object(vec![
        ("type".to_owned(), text("command")),
        ("command".to_owned(), text(&hook.command)),
        ("timeout".to_owned(), CstInputValue::Number(hook.timeout.to_string())),
    ]);
    let hooks = ("hooks".to_owned(), CstInputValue::Array(vec![call]));
    let matcher = hook.matcher.map(|it| ("matcher".to_owned(), text(it)));
    CstInputValue::Object(matcher.into_iter().chain([hooks]).collect())
}

fn server(program: &str) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    CstInputValue::Object(vec![
        // Run without a shell, so without its quotes.
        ("command".to_owned(), text(program.trim_matches('"'))),
        ("args".to_owned(), CstInputValue::Array(vec![text("mcp")])),
    ])
}

/// The groups of hooks of one event.
fn groups(list: &CstArray) -> Vec<CstObject> {
    let elements = list.elements().into_iter();
    elements.filter_map(|it| it.as_object()).collect()
}

/// The calls of a group with their commands.
fn commands(group: &CstObject) -> Vec<(CstNode, String)> {
    let Some(calls) = group.array_value("hooks") else {
        return Vec::new();
    };
    let command = |node: CstNode| {
        let property = node.as_object()?.get("command")?;
        let command = property.value()?.as_string_lit()?.decoded_value().ok()?;
        Some((node, command))
    };
    calls.elements().into_iter().filter_map(command).collect()
}

fn calls(group: &CstObject, command: &str) -> bool {
    commands(group).iter().any(|it| it.1 == command)
}

/// Takes our calls out of an event; tells whether there were any.
fn remove_ours(list: &CstArray) -> bool {
    let mut found = false;
    for group in groups(list) {
        let all = commands(&group);
        let ours = all.iter().filter(|it| is_ours(&it.1)).count();
        found |= ours > 0;
        if ours > 0 && ours == all.len() {
            group.remove();
            continue;
        }
        let ours = all.into_iter().filter(|it| is_ours(&it.1));
        ours.for_each(|(node, _)| node.remove());
    }
    found
}

/// Tells whether a command is a hook of ours.
fn is_ours(command: &str) -> bool {
    let program = command.split(" hook ").next().unwrap_or_default();
    command.contains(" hook ") && program.trim_matches(['"', '\'']).ends_with("loadline")
}

const STATUS_LINE: &str = "statusLine";
const CHAIN: &str = " statusline --chain ";

fn set_status_line(object: &CstObject, command: &str) {
    let line = |command: String| {
        CstInputValue::Object(vec![
            ("type".to_owned(), CstInputValue::String("command".to_owned())),
            ("command".to_owned(), CstInputValue::String(command)),
            // Seconds; without it the clock of the cache stands still between turns.
            ("refreshInterval".to_owned(), CstInputValue::Number("10".to_owned())),
        ])
    };
    match status_command(object) {
        Some(there) if is_status_line(&there) => {}
        Some(there) => {
            let quoted = format!("'{}'", there.replace('\'', "'\\''"));
            if let Some(property) =
                object.object_value(STATUS_LINE).and_then(|it| it.get("command"))
            {
                property.set_value(CstInputValue::String(format!("{command} --chain {quoted}")));
            }
        }
        None if object.get(STATUS_LINE).is_none() => {
            object.append(STATUS_LINE, line(command.to_owned()));
        }
        None => {}
    }
}

fn unset_status_line(object: &CstObject) {
    let Some(there) = status_command(object).filter(|it| is_status_line(it)) else {
        return;
    };
    let Some(property) = object.get(STATUS_LINE) else {
        return;
    };
    match there.split_once(CHAIN) {
        None => property.remove(),
        Some((_, chained)) => {
            let quoted = chained.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
            let before = quoted.unwrap_or(chained).replace("'\\''", "'");
            if let Some(command) = property.object_value().and_then(|it| it.get("command")) {
                command.set_value(CstInputValue::String(before));
            }
        }
    }
}

fn status_command(object: &CstObject) -> Option<String> {
    let property = object.object_value(STATUS_LINE)?.get("command")?;
    property.value()?.as_string_lit()?.decoded_value().ok()
}

fn is_status_line(command: &str) -> bool {
    let program = command.split(" statusline").next().unwrap_or_default();
    command.contains(" statusline") && program.trim_matches(['"', '\'']).ends_with("loadline")
}
