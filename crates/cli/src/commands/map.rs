//! `loadline map`: what a repository defines, best files first.

use std::path::PathBuf;
use std::time::Instant;

use loadline::pack::{MapEntry, Mapped, PackOptions, map};
use serde::Serialize;

use super::source::{Limit, SourceArgs};
use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::output;
use crate::settings::Flag;
use crate::ui::{Ui, thousands};

/// Map a repository: its best files with what they define, and on which line.
///
/// For a first look: open what is of interest by its path and line. Every file
/// shows a little before any shows all, and what is printed never exceeds the
/// budget.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline map                           this directory in 4,000 tokens
  loadline map --budget 16k --format xml
  loadline map --include 'src/**'        only a part
  loadline map --json | jq -r '.files[] | .path'")]
pub(crate) struct MapArgs {
    /// The directory to map.
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// The most tokens to print, such as 4000, 16k or none.
    #[arg(long, short, value_name = "TOKENS", default_value = "4k")]
    budget: Limit,
    #[command(flatten)]
    source: SourceArgs,
    /// How the map is written: markdown, xml, plain or json.
    #[arg(long, short, value_name = "FORMAT")]
    format: Option<String>,
    /// Leave secrets in the text.
    #[arg(long)]
    no_redact: bool,
    /// Write to this file instead of standard output; it is not mapped itself.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Document<'a> {
    tokens: u64,
    budget: Option<u64>,
    counter: &'a str,
    files: Vec<FileJson<'a>>,
    omitted: usize,
    content: &'a str,
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: &'a str,
    score: u32,
    lines: u32,
    definitions: Vec<EntryJson<'a>>,
    left_out: usize,
}

#[derive(Serialize)]
struct EntryJson<'a> {
    line: Option<u32>,
    kind: &'static str,
    depth: usize,
    text: &'a str,
}

/// Maps, and prints.
pub(crate) fn run(args: &MapArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let start = Instant::now();
    let format = args.format.iter();
    let flags: Vec<Flag> = format
        .map(|format| ("--format", "pack.format", format.clone()))
        .collect();
    let mut prepared = args.source.prepare(flags, global, ui)?;
    if prepared.config.settings().pack.format == "json" {
        ui.ask_for_json();
    }
    prepared.leave_out(&args.path, args.output.as_deref());
    prepared.options.budget = args.budget.0;
    if args.no_redact {
        prepared.options.secrets = None;
    }
    let mut mapped = map(&args.path, &prepared.options, &prepared.store)?;
    ui.notes(std::mem::take(&mut mapped.notes));
    prepared.done(ui);
    let written = if ui.wants_json() {
        ui.document(&document(&mapped, &prepared.options))?
    } else {
        mapped.content.clone().into_bytes()
    };
    match &args.output {
        Some(path) => output::write(path, &written)?,
        None => ui.raw(&written)?,
    }
    let (shown, all) = (mapped.files.len(), mapped.files.len() + mapped.omitted);
    let tokens = thousands(mapped.tokens.get());
    let of = match prepared.options.budget {
        Some(budget) => format!(" of {}", thousands(budget.get())),
        None => String::new(),
    };
    ui.say(&format!(
        "{} of {} files; {tokens}{of} tokens by {}; {:.1} s",
        thousands(shown as u64),
        thousands(all as u64),
        prepared.options.counter.name(),
        start.elapsed().as_secs_f64(),
    ));
    Ok(())
}

fn document<'a>(mapped: &'a Mapped, options: &'a PackOptions) -> Document<'a> {
    let files = mapped.files.iter().map(|file| FileJson {
        path: &file.path,
        score: file.score,
        lines: file.lines,
        definitions: file.entries.iter().map(entry).collect(),
        left_out: file.left_out,
    });
    Document {
        tokens: mapped.tokens.get(),
        budget: options.budget.map(loadline::tokens::Tokens::get),
        counter: options.counter.name(),
        files: files.collect(),
        omitted: mapped.omitted,
        content: &mapped.content,
    }
}

fn entry(entry: &MapEntry) -> EntryJson<'_> {
    EntryJson {
        line: entry.line,
        kind: entry.kind.as_str(),
        depth: entry.depth,
        text: &entry.text,
    }
}
