//! How chunks are shown: a table, their text, or a document for programs.

use std::io::Write;

use loadline::text::{Chunk, ChunkStrategy};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::super::write_lines;
use super::{Cut, Cutting};
use crate::error::Result;
use crate::ui::{STRONG, Table, Ui, counter_words, escape_control, plural, thousands};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    counter: &'a str,
    files: Vec<FileJson<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FileJson<'a> {
    path: &'a str,
    language: Option<&'a str>,
    lines: usize,
    tokens: u64,
    /// Whether every line is in a chunk.
    complete: bool,
    chunks: Vec<ChunkJson<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ChunkJson<'a> {
    lines: (u32, u32),
    tokens: Tokens,
    strategy: ChunkStrategy,
    kind: &'static str,
    hierarchy: &'a [String],
    /// Which part of how many, of something that is too large for one chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<(u32, u32)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<&'a str>,
}

impl Cutting<'_> {
    /// The chunks as a document for programs.
    pub(super) fn document<'a>(&'a self, cuts: &'a [Cut]) -> Document<'a> {
        let file = |cut: &'a Cut| FileJson {
            path: &cut.path,
            language: cut.language.as_deref(),
            lines: cut.lines,
            tokens: cut.tokens,
            complete: cut.complete,
            chunks: cut.chunked.chunks.iter().map(|chunk| self.json(chunk)).collect(),
        };
        Document { counter: self.counter.name(), files: cuts.iter().map(file).collect() }
    }

    fn json<'a>(&self, chunk: &'a Chunk) -> ChunkJson<'a> {
        ChunkJson {
            lines: (chunk.first, chunk.last),
            tokens: chunk.tokens,
            strategy: chunk.strategy,
            kind: chunk.kind,
            hierarchy: &chunk.hierarchy,
            part: chunk.part,
            content: self.args.content.then_some(chunk.text.as_str()),
        }
    }

    /// Prints the chunks of every file as a table, or with their text.
    pub(super) fn show(&self, cuts: &[Cut], ui: &mut Ui) -> Result<()> {
        for cut in cuts {
            let path = escape_control(&cut.path);
            let language = cut.language.as_deref().unwrap_or("unknown language");
            let (tokens, count) = (thousands(cut.tokens), cut.chunked.chunks.len() as u64);
            writeln!(
                ui.out(),
                "{STRONG}{path}{STRONG:#}: {language}, {tokens} tokens in {}",
                plural(count, "chunk")
            )?;
            if self.args.content {
                contents(cut, ui)?;
            } else if !cut.chunked.chunks.is_empty() {
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

fn table(cut: &Cut) -> Table {
    let mut table = Table::headed("rrll", ["lines", "tokens", "kind", "in"]);
    for chunk in &cut.chunked.chunks {
        table.row([
            format!("{}-{}", chunk.first, chunk.last),
            thousands(chunk.tokens.get()),
            kind(chunk),
            place(chunk),
        ]);
    }
    table
}

/// The chunks with their text.
fn contents(cut: &Cut, ui: &mut Ui) -> Result<()> {
    for chunk in &cut.chunked.chunks {
        let (first, last) = (chunk.first, chunk.last);
        let tokens = plural(chunk.tokens.get(), "token");
        let place = escape_control(&place(chunk));
        let head = format!("{first}-{last}  {tokens}  {}  {place}", kind(chunk));
        writeln!(ui.out(), "\n{STRONG}{}{STRONG:#}", head.trim_end())?;
        write_lines(&chunk.text, first, ui.out())?;
    }
    Ok(())
}

fn kind(chunk: &Chunk) -> String {
    match chunk.part {
        Some((number, of)) => format!("{} ({number} of {of})", chunk.kind),
        None => chunk.kind.to_owned(),
    }
}

/// What a chunk is part of: `Class > method`.
fn place(chunk: &Chunk) -> String {
    let names = chunk.hierarchy.iter();
    let names = names.map(|name| name.split_once(':').map_or(name.as_str(), |(_, name)| name));
    names.collect::<Vec<_>>().join(" > ")
}
