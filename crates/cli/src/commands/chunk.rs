//! `loadline chunk`: shows how files are split into chunks.

pub(super) mod show;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use loadline::Remark;
use loadline::repo::{Decoded, Secrets, decode, language_of};
use loadline::text::{ChunkLevel, ChunkOptions, ChunkSource, chunk, chunk_outline};
use loadline::tokens::Counter;

use super::session::read_source;
use crate::error::Result;
use crate::settings::{Counting, CountingArgs, Flag, typed};
use crate::ui::{Ui, plural};
use show::{CutFile, Document};

/// Standard input, as a path.
const STDIN: &str = "-";

/// Show how files are split into chunks.
///
/// Code is split at definitions, documents at headings, everything else by lines.
/// Chunks are whole lines and, where the text allows, between --min-tokens and
/// --max-tokens.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline chunk src/main.rs
  loadline chunk docs/*.md --max-tokens 512   smaller chunks
  loadline chunk src/main.rs --level class    whole types
  git show HEAD:a.py | loadline chunk - --path a.py
  loadline chunk src/main.rs --json --content | jq -r '.files[].chunks[].content'")]
pub(crate) struct ChunkArgs {
    /// Files to split; - means standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Maximum tokens of a chunk.
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<String>,
    /// Merge chunks with fewer tokens into a neighbor.
    #[arg(long, value_name = "TOKENS")]
    min_tokens: Option<String>,
    /// Granularity of code chunks.
    #[arg(long, value_name = "LEVEL", default_value = "method")]
    level: Level,
    /// Split by lines instead of structure.
    #[arg(long)]
    by_lines: bool,
    /// Lines of a chunk when splitting by lines.
    #[arg(long, value_name = "N")]
    lines: Option<String>,
    /// Lines that such a chunk shares with the previous one.
    #[arg(long, value_name = "N")]
    overlap: Option<String>,
    /// Language of the files, such as rust [default: by file name].
    #[arg(long, value_name = "NAME")]
    language: Option<String>,
    /// Path to assume for standard input; its name determines the language.
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// Print the text of each chunk.
    #[arg(long)]
    content: bool,
    /// Do not redact secrets.
    #[arg(long)]
    no_redact: bool,
    #[command(flatten)]
    counting: CountingArgs,
}

/// Granularity of code chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Whole types, and functions outside types.
    Class,
    /// Type headers, and each function separately.
    #[value(alias = "function")]
    Method,
    /// Like method, and the blocks in functions.
    Block,
}

impl From<Level> for ChunkLevel {
    fn from(level: Level) -> ChunkLevel {
        match level {
            Level::Class => ChunkLevel::Class,
            Level::Method => ChunkLevel::Method,
            Level::Block => ChunkLevel::Block,
        }
    }
}

/// Cuts every file, and shows the pieces.
pub(crate) fn run(args: &ChunkArgs, ui: &mut Ui) -> Result<()> {
    let counting = args.counting.open_with(args.flags(), ui)?;
    let Counting { config, counter, store, .. } = counting;
    let cutting = Cutting {
        args,
        counter: &counter,
        options: ChunkOptions {
            level: args.level.into(),
            ..ChunkOptions::from(&config.settings().chunk)
        },
        secrets: (!args.no_redact).then(Secrets::builtin),
    };
    let mut files = Vec::with_capacity(args.files.len());
    for path in &args.files {
        files.extend(cutting.cut(path, ui)?);
    }
    ui.remarks(store.take_notes());
    if ui.wants_json() {
        return Ok(ui.json(&Document { counter: counter.name(), files })?);
    }
    cutting.show(&files, ui)
}

impl ChunkArgs {
    /// What was typed, as settings.
    fn flags(&self) -> Vec<Flag> {
        let by_lines = self.by_lines.then(|| "false".to_owned());
        typed([
            ("--max-tokens", "chunk.max_tokens", self.max_tokens.clone()),
            ("--min-tokens", "chunk.min_tokens", self.min_tokens.clone()),
            ("--lines", "chunk.lines", self.lines.clone()),
            ("--overlap", "chunk.overlap", self.overlap.clone()),
            ("--by-lines", "chunk.prefer_structural", by_lines),
        ])
    }

    /// What a file is called, and in which language it is.
    fn name(&self, path: &Path) -> (String, Option<String>) {
        let named =
            if path == Path::new(STDIN) { self.path.as_deref().unwrap_or(path) } else { path };
        let known = || language_of(named).map(str::to_owned);
        let language = self.language.clone().or_else(known);
        (named.display().to_string(), language)
    }
}

/// How all files are cut.
struct Cutting<'a> {
    args: &'a ChunkArgs,
    counter: &'a Counter,
    options: ChunkOptions,
    secrets: Option<Secrets>,
}

impl Cutting<'_> {
    /// Cuts one file; a binary one costs a remark.
    fn cut(&self, path: &Path, ui: &mut Ui) -> Result<Option<CutFile>> {
        let bytes = read_source(path)?;
        let (name, language) = self.args.name(path);
        let text = match decode(&bytes) {
            Decoded::Binary(kind) => {
                let message = format!("not split: binary ({kind})");
                ui.remarks([Remark::new(name, message)]);
                return Ok(None);
            }
            Decoded::Text { text, lossy, .. } => {
                if lossy {
                    let message = "malformed text, some characters replaced";
                    ui.remarks([Remark::new(name.clone(), message)]);
                }
                text
            }
        };
        let text = self.redacted(&name, &text, ui);
        let outline = chunk_outline(language.as_deref(), &text);
        let source = ChunkSource {
            path: &name,
            language: language.as_deref(),
            outline: outline.as_ref().map(Result::as_ref),
        };
        let count = |text: &str| self.counter.count(text);
        let mut chunked = chunk(&text, &source, &self.options, count)?;
        ui.remarks(std::mem::take(&mut chunked.notes));
        let complete = chunked.covers(&text);
        let chunks = chunked.chunks.into_iter();
        Ok(Some(CutFile {
            lines: text.lines().count(),
            tokens: count(&text).get(),
            complete,
            chunks: chunks.map(|chunk| self.shown(chunk)).collect(),
            path: name,
            language,
        }))
    }

    fn redacted(&self, name: &str, text: &str, ui: &mut Ui) -> String {
        let Some(secrets) = &self.secrets else {
            return text.to_owned();
        };
        let (shown, findings) = secrets.redact(text);
        if !findings.is_empty() {
            let count = plural(findings.len() as u64, "secret");
            ui.remarks([Remark::new(name, format!("{count} redacted"))]);
        }
        shown.into_owned()
    }
}
