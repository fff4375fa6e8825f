//! What Claude Code tells the model on its own: reminders, listings, hooks.
//!
//! Which kinds the model is shown was measured: with the tokens that providers
//! billed from one request to the next, listings of skills, edited files, hooks'
//! additional context and reminders are paid for, failed hooks and messages of
//! hooks to the user are not. Some are only a word that the agent makes a fixed
//! text of; those texts are not in the session and are not counted.

use serde_json::Value;

use crate::session::format::json::{Members, value};

/// What becomes of an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The model reads it.
    Shown,
    /// The model does not read it, or only a fixed text that is not in the session.
    Hidden,
    /// Not known.
    Unknown,
}

/// Attachments that the model reads, and the member that has what it reads.
const SHOWN: &[(&str, &str)] = &[
    ("critical_system_reminder", "content"),
    ("deferred_tools_delta", "addedLines"),
    ("diagnostics", "files"),
    ("directory", "content"),
    ("edited_text_file", "snippet"),
    ("file", "content"),
    ("hook_additional_context", "content"),
    ("hook_blocking_error", "blockingError"),
    ("hook_success", "content"),
    ("invoked_skills", "skills"),
    ("mcp_instructions_delta", "addedBlocks"),
    ("mcp_resource", "content"),
    ("nested_memory", "content"),
    ("plan_file_reference", "planContent"),
    ("queued_command", "prompt"),
    ("relevant_memories", "memories"),
    ("selected_lines_in_ide", "content"),
    ("skill_listing", "content"),
    ("task_reminder", "content"),
    ("task_status", "description"),
    ("todo_reminder", "content"),
];

/// Attachments that the model does not read, or of which only their kind counts.
const HIDDEN: &[&str] = &[
    "agent_mention",
    "already_read_file",
    "async_hook_response",
    "auto_mode",
    "auto_mode_exit",
    "budget_usd",
    "command_permissions",
    "compact_file_reference",
    "date_change",
    "dynamic_skill",
    "edited_image_file",
    "hook_cancelled",
    "hook_error_during_execution",
    "hook_non_blocking_error",
    "hook_permission_decision",
    "hook_stopped_continuation",
    "hook_system_message",
    "opened_file_in_ide",
    "output_style",
    "plan_mode",
    "plan_mode_exit",
    "plan_mode_reentry",
    "structured_output",
    "todo",
    "token_usage",
    "ultrathink_effort",
    "verify_plan_reminder",
];

/// Tells what becomes of an attachment of this kind.
pub(super) fn fate(kind: &str, members: &Members<'_>) -> Fate {
    if HIDDEN.contains(&kind) {
        return Fate::Hidden;
    }
    let Some((_, key)) = SHOWN.iter().find(|row| row.0 == kind) else {
        return Fate::Unknown;
    };
    // A reminder of an empty list is a fixed text.
    let is_empty =
        members.get(*key).is_none_or(|raw| matches!(raw.get(), "\"\"" | "[]" | "{}" | "null"));
    if is_empty { Fate::Hidden } else { Fate::Shown }
}

/// Returns what the model reads of an attachment.
///
/// All but what the user asked for while the model was busy is marked as a
/// reminder, as the agent does; so it is not taken for words of the user.
pub(super) fn text(raw: &str) -> Option<String> {
    let attachment = value(raw);
    let kind = attachment.get("type")?.as_str()?;
    let (_, key) = SHOWN.iter().find(|row| row.0 == kind)?;
    let mut lines = Vec::new();
    if let Some(Value::String(name)) = attachment.get("filename") {
        lines.push(name.as_str());
    }
    read(attachment.get(*key)?, &mut lines);
    let text = lines.join("\n");
    match kind {
        "queued_command" => Some(text),
        _ => Some(format!("<system-reminder>\n{text}\n</system-reminder>")),
    }
}

/// Gathers the texts of a value. Pictures and other long words without meaning are left out.
fn read<'a>(value: &'a Value, lines: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => lines.push(text),
        Value::Array(values) => values.iter().for_each(|it| read(it, lines)),
        Value::Object(members) => {
            for (key, value) in members {
                if !matches!(key.as_str(), "type" | "data" | "base64" | "uuid" | "id") {
                    read(value, lines);
                }
            }
        }
        _ => {}
    }
}
