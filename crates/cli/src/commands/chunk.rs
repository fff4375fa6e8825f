//! `loadline chunk`: where files come apart.

mod show;

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use loadline::Remark;
use loadline::repo::{Decoded, SecretOptions, Secrets, decode, language_of};
use loadline::text::{ChunkLevel, ChunkOptions, ChunkSource, Chunked, chunk, chunk_outline};
use loadline::tokens::Counter;

use crate::args::GlobalArgs;
use crate::error::CommandError;
use crate::settings::{Counting, Flag};
use crate::ui::{Ui, plural};

/// Standard input, as a path.
const STDIN: &str = "-";

/// Show how files are cut into chunks.
///
/// Code is cut along its definitions, documents by their headings, everything
/// else by lines. Chunks are whole lines, between the least and the most tokens
/// where the text lets them be.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline chunk src/main.rs
  loadline chunk docs/*.md --max-tokens 512   smaller chunks
  loadline chunk src/main.rs --level class    whole types
  git show HEAD:a.py | loadline chunk - --path a.py
  loadline chunk src/main.rs --json --content | jq -r '.files[].chunks[].content'")]
pub(crate) struct ChunkArgs {
    /// Files to cut; - is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The most tokens of a chunk.
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<String>,
    /// Join a chunk of fewer tokens with its neighbour.
    #[arg(long, value_name = "TOKENS")]
    min_tokens: Option<String>,
    /// What a chunk of code is.
    #[arg(long, value_name = "LEVEL", default_value = "method")]
    level: Level,
    /// Cut by lines, not by structure.
    #[arg(long)]
    by_lines: bool,
    /// Lines of a chunk where there is no structure.
    #[arg(long, value_name = "N")]
    lines: Option<String>,
    /// Lines that such chunks share with the one before.
    #[arg(long, value_name = "N")]
    overlap: Option<String>,
    /// Take files to be in this language, such as rust, whatever their names say.
    #[arg(long, value_name = "NAME")]
    language: Option<String>,
    /// Call standard input by this path, whose name says the language.
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// Print the text of every chunk, too.
    #[arg(long)]
    content: bool,
    /// Leave secrets in the text.
    #[arg(long)]
    no_redact: bool,
    /// The model to count for; decides the counter.
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Count with this counter instead of the model's.
    #[arg(long, short, value_name = "NAME")]
    counter: Option<String>,
}

/// What a chunk of code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Whole types, and functions outside of types.
    Class,
    /// Heads of types, then each function of its own.
    Method,
    /// As by methods, and their blocks.
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

/// A file with its chunks.
struct Cut {
    path: String,
    language: Option<String>,
    lines: usize,
    tokens: u64,
    complete: bool,
    chunked: Chunked,
}

/// Cuts every file, and shows the pieces.
pub(crate) fn run(args: &ChunkArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let counting = Counting::open(args.flags(), args.counter.as_deref(), global, ui)?;
    let Counting {
        config,
        counter,
        store,
        ..
    } = counting;
    let cutting = Cutting {
        args,
        counter: &counter,
        options: ChunkOptions {
            level: args.level.into(),
            ..ChunkOptions::from(&config.settings().chunk)
        },
        secrets: if args.no_redact {
            None
        } else {
            Some(Secrets::new(SecretOptions::default())?)
        },
    };
    let mut cuts = Vec::with_capacity(args.files.len());
    for path in &args.files {
        cuts.extend(cutting.cut(path, ui)?);
    }
    ui.notes(store.take_notes());
    if ui.wants_json() {
        Ok(ui.json(&cutting.document(&cuts))?)
    } else {
        cutting.show(&cuts, ui)
    }
}

impl ChunkArgs {
    /// What was typed, as settings.
    fn flags(&self) -> Vec<Flag> {
        let mut flags: Vec<Flag> = Vec::new();
        for (flag, key, value) in [
            ("--model", "model", &self.model),
            ("--max-tokens", "chunk.max_tokens", &self.max_tokens),
            ("--min-tokens", "chunk.min_tokens", &self.min_tokens),
            ("--lines", "chunk.lines", &self.lines),
            ("--overlap", "chunk.overlap", &self.overlap),
        ] {
            flags.extend(value.clone().map(|value| (flag, key, value)));
        }
        if self.by_lines {
            let value = "false".to_owned();
            flags.push(("--by-lines", "chunk.prefer_structural", value));
        }
        flags
    }

    /// What a file is called, and in which language it is.
    fn name(&self, path: &Path) -> (String, Option<String>) {
        let named = if path == Path::new(STDIN) {
            self.path.as_deref().unwrap_or(path)
        } else {
            path
        };
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
    /// Cuts one file; what is no text costs a note.
    fn cut(&self, path: &Path, ui: &mut Ui) -> Result<Option<Cut>, CommandError> {
        let bytes = read(path).map_err(|error| CommandError::at("read", path, error))?;
        let (name, language) = self.args.name(path);
        let text = match decode(&bytes) {
            Decoded::Binary { kind } => {
                let message = format!("not cut: it is no text but {kind}");
                ui.notes([Remark::new(name, message)]);
                return Ok(None);
            }
            Decoded::Text { text, lossy, .. } => {
                if lossy {
                    let message = "some bytes made no sense and were replaced";
                    ui.notes([Remark::new(name.clone(), message)]);
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
        ui.notes(std::mem::take(&mut chunked.notes));
        Ok(Some(Cut {
            lines: text.lines().count(),
            tokens: count(&text).get(),
            complete: chunked.covers(&text),
            chunked,
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
            ui.notes([Remark::new(name, format!("{count} redacted"))]);
        }
        shown.into_owned()
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if path != Path::new(STDIN) {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}
