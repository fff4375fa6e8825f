//! What the entries of pi say.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Item, Kind};
use crate::session::format::anthropic::result_text;
use crate::session::format::json::{Members, number, place, string, take_string};
use crate::session::transcript::{Block, Call, CallResult, Content, Role, Turn, Usage};

/// Who speaks in a message of pi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Assistant,
    Result,
    /// The user ran a command.
    Command,
    /// A summary that stands as a message.
    Summary,
}

/// Returns who speaks in a message.
pub(super) fn role(message: &RawValue) -> Option<Speaker> {
    let members: Members<'_> = serde_json::from_str(message.get()).ok()?;
    Some(match string(members.get("role"))?.as_str() {
        "user" | "custom" | "hookMessage" => Speaker::User,
        "assistant" => Speaker::Assistant,
        "toolResult" => Speaker::Result,
        "bashExecution" => Speaker::Command,
        "compactionSummary" | "branchSummary" => Speaker::Summary,
        _ => return None,
    })
}

/// Returns the model that an entry changes to.
pub(super) fn model(item: &Item<'_>) -> Option<String> {
    match item.kind {
        Kind::Model => string(item.members().get("modelId")),
        _ => None,
    }
}

/// Reads what the model is shown of an entry.
pub(super) fn turn(item: &Item<'_>) -> Option<Turn> {
    let members = item.members();
    let mut turn = match item.kind {
        Kind::Message => read_message(item, members.get("message")?)?,
        Kind::Custom => Turn::new(Role::User, blocks(item.line, members.get("content")?)),
        Kind::Compaction | Kind::Branch => summary(item.line, &members)?,
        _ => return None,
    };
    if turn.blocks.is_empty() {
        return None;
    }
    for block in &mut turn.blocks {
        block.raw.start += item.start;
        block.raw.end += item.start;
    }
    turn.id = item.id.clone();
    turn.time = item.time.as_deref().and_then(|it| it.parse().ok());
    Some(turn)
}

fn summary(line: &str, members: &Members<'_>) -> Option<Turn> {
    let raw = members.get("summary")?;
    let text = string(Some(raw)).filter(|text| !text.is_empty())?;
    let block = Block::new(Content::Text(text), place(line, raw.get()));
    Some(Turn::new(Role::User, vec![block]))
}

fn read_message(item: &Item<'_>, raw: &RawValue) -> Option<Turn> {
    let members: Members<'_> = serde_json::from_str(raw.get()).ok()?;
    let whole = |content| Block::new(content, place(item.line, raw.get()));
    Some(match role(raw)? {
        Speaker::User => Turn::new(Role::User, blocks(item.line, members.get("content")?)),
        Speaker::Summary => summary(item.line, &members)?,
        Speaker::Command => {
            let text = command(raw.get())?;
            Turn::new(Role::User, vec![whole(Content::Text(text))])
        }
        Speaker::Result => {
            let result = read_result(raw.get())?;
            Turn::new(Role::Tool, vec![whole(Content::Result(result))])
        }
        Speaker::Assistant => {
            // Answers that broke off are not sent again.
            let reason = string(members.get("stopReason")).unwrap_or_default();
            if matches!(reason.as_str(), "error" | "aborted") {
                return None;
            }
            let blocks = blocks(item.line, members.get("content")?);
            let mut turn = Turn::new(Role::Assistant, blocks);
            turn.model = string(members.get("model"));
            turn.usage = members.get("usage").and_then(|it| usage(it.get()));
            turn
        }
    })
}

/// Reads what was counted. Nothing sent means that nothing was counted.
fn usage(raw: &str) -> Option<Usage> {
    let value: Value = serde_json::from_str(raw).ok()?;
    let usage = Usage {
        input: number(&value, "input"),
        output: number(&value, "output"),
        cache_read: number(&value, "cacheRead"),
        cache_write: number(&value, "cacheWrite"),
    };
    (usage.sent() > 0).then_some(usage)
}

/// Reads the content of a message: a text, or a list of blocks.
fn blocks(line: &str, content: &RawValue) -> Vec<Block> {
    if let Some(text) = string(Some(&content)) {
        return vec![Block::new(Content::Text(text), place(line, content.get()))];
    }
    let parts: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    let block = |part: &&RawValue| Block::new(read_block(part.get()), place(line, part.get()));
    parts.iter().map(block).collect()
}

fn read_block(raw: &str) -> Content {
    let Ok(mut value) = serde_json::from_str::<Value>(raw) else {
        return Content::Other("malformed".to_owned());
    };
    let kind = take_string(value.get_mut("type")).unwrap_or_default();
    match kind.as_str() {
        "text" => Content::Text(take_string(value.get_mut("text")).unwrap_or_default()),
        "thinking" => {
            let text = take_string(value.get_mut("thinking"));
            // Older files have it where texts have theirs.
            let text = text.or_else(|| take_string(value.get_mut("text")));
            Content::Thinking(text.unwrap_or_default())
        }
        "toolCall" => Content::Call(Call {
            id: take_string(value.get_mut("id")).unwrap_or_default(),
            name: take_string(value.get_mut("name")).unwrap_or_default(),
            arguments: value
                .get_mut("arguments")
                .map(Value::take)
                .unwrap_or_default(),
        }),
        "toolResult" => read_result(raw).map_or(Content::Other(kind), Content::Result),
        "image" => Content::Image,
        _ => Content::Other(kind),
    }
}

/// Reads a result: a message, or in older files a block.
fn read_result(raw: &str) -> Option<CallResult> {
    let mut value: Value = serde_json::from_str(raw).ok()?;
    let call = ["toolCallId", "id"]
        .into_iter()
        .find_map(|key| take_string(value.get_mut(key)));
    let key = result_key(&value);
    let (text, images) = result_text(value.get_mut(key));
    Some(CallResult {
        call: call.unwrap_or_default(),
        text,
        is_error: value.get("isError") == Some(&Value::Bool(true)),
        images,
    })
}

/// Returns the member that has the words of a result.
pub(super) fn result_key(result: &Value) -> &'static str {
    let has = |key: &&str| result.get(key).is_some();
    let keys = ["content", "text", "result", "output"];
    keys.into_iter().find(has).unwrap_or("content")
}

/// Returns what pi tells the model of a command; `None` if the user kept it to herself.
fn command(raw: &str) -> Option<String> {
    let value: Value = serde_json::from_str(raw).ok()?;
    let is_true = |key| value.get(key) == Some(&Value::Bool(true));
    if is_true("excludeFromContext") {
        return None;
    }
    let text_of = |key| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut text = format!("Ran `{}`\n", text_of("command"));
    match text_of("output") {
        "" => text.push_str("(no output)"),
        output => text.push_str(&format!("```\n{output}\n```")),
    }
    match value.get("exitCode").and_then(Value::as_i64) {
        _ if is_true("cancelled") => text.push_str("\n\n(command cancelled)"),
        Some(code) if code != 0 => text.push_str(&format!("\n\nCommand exited with code {code}")),
        _ => {}
    }
    let path = text_of("fullOutputPath");
    if is_true("truncated") && !path.is_empty() {
        text.push_str(&format!("\n\n[Output truncated. Full output: {path}]"));
    }
    Some(text)
}
