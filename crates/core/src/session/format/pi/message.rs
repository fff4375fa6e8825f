//! What the entries of pi say.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Item, Kind};
use crate::session::format::SessionFormat;
use crate::session::format::json::{
    Members, Source, members, number, string, take_string, take_text, value,
};
use crate::session::format::parts::{content_blocks, result_text};
use crate::session::format::pictures::image;
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
    let members = members(message.get());
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
    turn.id = item.id.clone();
    turn.time = item.time.as_deref().and_then(|it| it.parse().ok());
    Some(turn)
}

fn summary(line: Source<'_>, members: &Members<'_>) -> Option<Turn> {
    let raw = members.get("summary")?;
    let text = string(Some(raw)).filter(|text| !text.is_empty())?;
    let block = Block::new(Content::Text(text), line.place(raw.get()));
    Some(Turn::new(Role::User, vec![block]))
}

fn read_message(item: &Item<'_>, raw: &RawValue) -> Option<Turn> {
    let members = members(raw.get());
    let whole = |content| Block::new(content, item.line.place(raw.get()));
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
fn blocks(line: Source<'_>, content: &RawValue) -> Vec<Block> {
    content_blocks(line, content.get(), read_block)
}

fn read_block(raw: &str) -> Content {
    let mut value = value(raw);
    let kind = take_text(&mut value, "type");
    match kind.as_str() {
        "text" => Content::Text(take_text(&mut value, "text")),
        "thinking" => {
            let text = take_string(&mut value, "thinking");
            // Older files have it where texts have theirs.
            let text = text.or_else(|| take_string(&mut value, "text"));
            Content::Thinking(text.unwrap_or_default())
        }
        "toolCall" => Content::Call(Call {
            id: take_text(&mut value, "id"),
            name: take_text(&mut value, "name"),
            arguments: value.get_mut("arguments").map(Value::take).unwrap_or_default(),
        }),
        "toolResult" => read_result(raw).map_or(Content::Other(kind), Content::Result),
        "image" => image(&value, SessionFormat::Pi),
        _ => Content::Other(kind),
    }
}

/// Reads a result: a message, or in older files a block.
fn read_result(raw: &str) -> Option<CallResult> {
    let mut value = value(raw);
    let call = ["toolCallId", "id"].into_iter().find_map(|key| take_string(&mut value, key));
    let key = result_key(&value);
    let (text, images) = result_text(value.get_mut(key).map(Value::take), SessionFormat::Pi);
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
    let value = value(raw);
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
