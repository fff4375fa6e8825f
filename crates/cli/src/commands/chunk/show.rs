//! How chunks are shown: a table, their text, or a document for programs.

use std::io::Write;

use loadline::text::{Chunk, ChunkStrategy};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::super::write_lines;
use super::Cutting;
use crate::error::Result;
use crate::ui::{STRONG, Table, Ui, counter_words, escape_control, plural, thousands};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    pub(super) counter: &'a str,
    pub(super) files: Vec<CutFile>,
}

/// A file with its chunks.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct CutFile {
    pub(super) path: String,
    pub(super) language: Option<String>,
    pub(super) lines: usize,
    pub(super) tokens: u64,
    /// Whether every line is in a chunk.
    pub(super) complete: bool,
    pub(super) chunks: Vec<ShownChunk>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ShownChunk {
    lines: (u32, u32),
    tokens: Tokens,
    strategy: ChunkStrategy,
    kind: &'static str,
    hierarchy: Vec<String>,
    /// Which part of how many, of something that is too large for one chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

impl Cutting<'_> {
    /// What is shown of a chunk: its text only where that was asked for.
    pub(super) fn shown(&self, chunk: Chunk) -> ShownChunk {
        ShownChunk {
            lines: (chunk.first, chunk.last),
            tokens: chunk.tokens,
            strategy: chunk.strategy,
            kind: chunk.kind,
            hierarchy: chunk.hierarchy,
            part: chunk.part,
            content: self.args.content.then_some(chunk.text),
        }
    }

    /// Prints the chunks of every file as a table, or with their text.
    pub(super) fn show(&self, cuts: &[CutFile], ui: &mut Ui) -> Result<()> {
        for cut in cuts {
            let path = escape_control(&cut.path);
            let language = cut.language.as_deref().unwrap_or("unknown language");
            let (tokens, count) = (thousands(cut.tokens), cut.chunks.len() as u64);
            writeln!(
                ui.out(),
                "{STRONG}{path}{STRONG:#}: {language}, {tokens} tokens in {}",
                plural(count, "chunk")
            )?;
            if self.args.content {
                contents(cut, ui)?;
            } else if !cut.chunks.is_empty() {
                table(cut).write(ui.out())?;
            }
            writeln!(ui.out())?;
        }
        if !cuts.is_empty() {
            let counter = counter_words(self.counter.name(), self.counter.precision());
            let all =
                if cuts.iter().all(|cut| cut.complete) { "every line is in a chunk; " } else { "" };
            writeln!(ui.out(), "{all}counted by {counter}")?;
        }
        Ok(())
    }
}

fn table(cut: &CutFile) -> Table {
    let mut table = Table::headed("rrll", ["lines", "tokens", "kind", "in"]);
    for chunk in &cut.chunks {
        table.row([
            format!("{}-{}", chunk.lines.0, chunk.lines.1),
            thousands(chunk.tokens.get()),
            kind(chunk),
            place(chunk),
        ]);
    }
    table
}

/// The chunks with their text.
fn contents(cut: &CutFile, ui: &mut Ui) -> Result<()> {
    for chunk in &cut.chunks {
        let (first, last) = chunk.lines;
        let tokens = plural(chunk.tokens.get(), "token");
        let place = escape_control(&place(chunk));
        let head = format!("{first}-{last}  {tokens}  {}  {place}", kind(chunk));
        writeln!(ui.out(), "\n{STRONG}{}{STRONG:#}", head.trim_end())?;
        write_lines(chunk.content.as_deref().unwrap_or_default(), first, ui.out())?;
    }
    Ok(())
}

fn kind(chunk: &ShownChunk) -> String {
    match chunk.part {
        Some((number, of)) => format!("{} ({number} of {of})", chunk.kind),
        None => chunk.kind.to_owned(),
    }
}

/// What a chunk is part of: `Class > method`.
fn place(chunk: &ShownChunk) -> String {
    let names = chunk.hierarchy.iter();
    let names = names.map(|name| name.split_once(':').map_or(name.as_str(), |(_, name)| name));
    names.collect::<Vec<_>>().join(" > ")
}
