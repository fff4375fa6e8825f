//! What fills a session: by kind, tool and file, and its largest blocks.

use loadline::session::{BlockKind, FileUse, LargeBlock, SessionStats};
use maud::{Markup, html};

use super::chart::meter;
use super::layout::{more, table};
use super::text::{clipped, clipped_path, percent, thousands};
use super::treemap::Field;

/// How many files and blocks are listed.
const LISTED: usize = 12;
/// How many files of one tool have a field of their own.
const FILES: usize = 12;

/// What is drawn as areas: kinds of text, and tools with the files that they read.
pub(super) fn fields(stats: &SessionStats) -> Vec<Field> {
    let kinds = stats
        .kinds
        .iter()
        .filter(|(kind, _)| !matches!(kind, BlockKind::ToolCall | BlockKind::ToolResult));
    let mut fields: Vec<Field> = kinds
        .map(|(kind, amounts)| Field {
            name: kind.name().to_owned(),
            tokens: amounts.tokens.get(),
            parts: Vec::new(),
        })
        .collect();
    for tool in &stats.tools {
        let files = stats.files.iter().filter(|it| it.tool == tool.name).take(FILES);
        let name = if tool.name.is_empty() { "unknown tool" } else { &tool.name };
        let mut room = tool.result_tokens.get();
        let parts = files.map_while(|file| {
            let tokens = file.tokens.get();
            // A file that another tool read too may be more than this one's results.
            room = room.checked_sub(tokens)?;
            Some(Field { name: file.path.clone(), tokens, parts: Vec::new() })
        });
        fields.push(Field {
            parts: parts.collect(),
            name: name.to_owned(),
            tokens: tool.call_tokens.saturating_add(tool.result_tokens).get(),
        });
    }
    fields.retain(|it| it.tokens > 0);
    fields.sort_by(|a, b| (b.tokens, &a.name).cmp(&(a.tokens, &b.name)));
    fields
}

/// Lists kinds and tools.
pub(super) fn kinds(stats: &SessionStats) -> Markup {
    let total = stats.tokens.get() as f64;
    let row = |it: Field| {
        let calls = stats.tools.iter().find(|tool| tool.name == it.name);
        vec![
            html! { (it.name) },
            html! { @if let Some(tool) = calls { (thousands(tool.calls as u64)) } },
            html! { @if let Some(tool) = calls { (thousands(tool.errors as u64)) } },
            html! { (thousands(it.tokens)) },
            html! { (percent(it.tokens as f64, total)) },
            meter(it.tokens as f64, total),
        ]
    };
    let rows = fields(stats).into_iter().take(LISTED).map(row);
    let columns = ["kind or tool", "calls|n wide", "errors|n wide", "tokens|n", "share|n", "|wide"];
    table("What fills the session, by kind and tool", &columns, rows)
}

/// Lists the files that were read, and what of them was read again.
pub(super) fn files(stats: &SessionStats) -> Markup {
    if stats.files.is_empty() {
        return html! { p.faint { "No file was read." } };
    }
    let row = |it: &FileUse| {
        vec![
            html! { span title=(it.path) { (clipped_path(&it.path, 60)) } },
            html! { (thousands(it.reads as u64)) },
            html! { (thousands(it.tokens.get())) },
            html! { (thousands(it.repeated.get())) },
        ]
    };
    let columns = ["file", "reads|n", "tokens|n", "read again|n"];
    html! {
        p { (thousands(stats.repeated().get())) " tokens are lines that had been read before." }
        (table("Files that were read", &columns, stats.files.iter().take(LISTED).map(row)))
        (more(stats.files.len(), LISTED, "file", None))
    }
}

/// Lists the largest blocks.
pub(super) fn largest(stats: &SessionStats) -> Markup {
    let row = |it: &LargeBlock| {
        vec![
            html! { (it.turn) },
            html! { (it.kind.name()) @if let Some(tool) = &it.tool { ", " (tool) } },
            html! { (clipped(&it.about, 120)) },
            html! { (thousands(it.tokens.get())) },
        ]
    };
    let columns = ["turn|n", "kind", "about", "tokens|n"];
    table("Largest blocks", &columns, stats.largest.iter().take(LISTED).map(row))
}
