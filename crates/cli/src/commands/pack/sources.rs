//! `loadline pack --source`, `--open`: what a caller brings, instead of a repository.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use loadline::{
    Allocation, Budget, Cancel, Leftover, PackOptions, PackSource, PackedSources, Share,
    SourceKind, SourceOptions, Tokens, pack_sources, read_sources,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::CommandError;
use crate::ui::{Ui, plural, thousands};

/// What to pack instead of the repository.
#[derive(Debug, clap::Args)]
pub(super) struct SourcesArgs {
    /// Pack the sources that this file lists instead of the repository: our JSON,
    /// what `rg --json` prints, or lines of path:line:text; - reads standard
    /// input; may be repeated.
    #[arg(long = "source", value_name = "FILE", conflicts_with_all = ["compress", "diff", "tree"])]
    lists: Vec<PathBuf>,
    /// Pack this file as one that is open in an editor; may be repeated.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compress", "diff", "tree"])]
    open: Vec<PathBuf>,
    /// Keep this part of the budget for one kind of source: tool_results,
    /// open_files, search_results, references or other; all shares add up to 100.
    #[arg(long = "share", value_name = "NAME=PERCENT")]
    shares: Vec<KindShare>,
    /// How sources are ranked: by weighted factors.
    #[arg(long, value_name = "HOW", value_parser = ["weighted"], default_value = "weighted", hide = true)]
    rank: String,
    /// What the sources are to answer.
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
}

/// A share as typed: `tool_results=40%`.
#[derive(Clone, Debug)]
struct KindShare(Share);

impl FromStr for KindShare {
    type Err = String;

    fn from_str(text: &str) -> Result<KindShare, String> {
        let (name, percent) = text
            .split_once('=')
            .ok_or("write NAME=PERCENT, such as tool_results=40%")?;
        let kind = SourceKind::named(name.trim()).ok_or_else(|| {
            let names = SourceKind::ALL.map(SourceKind::share).join(", ");
            format!("there is no share {name:?}, only {names}")
        })?;
        let number = percent.trim().trim_end_matches('%').trim_end();
        let number: f64 = number
            .parse()
            .map_err(|_| format!("{percent:?} is no percentage such as 40%"))?;
        Ok(KindShare(Share::percent(kind.share(), number)))
    }
}

impl SourcesArgs {
    /// Whether sources are to be packed.
    pub(super) fn are_given(&self) -> bool {
        !self.lists.is_empty() || !self.open.is_empty()
    }

    /// Packs the sources; files lie below `root`.
    pub(super) fn pack(
        &self,
        root: &Path,
        options: &PackOptions,
        ui: &mut Ui,
    ) -> Result<PackedSources, CommandError> {
        let sources = self.sources(ui)?;
        let budget = self.allocation(options.budget.unwrap_or(Tokens::MAX))?;
        let defaults =
            SourceOptions::new(options.counter.clone(), &options.settings, options.now_ns);
        let options = SourceOptions {
            root: Some(root.to_owned()),
            query: self.query.clone().unwrap_or_default(),
            secrets: options.secrets.clone(),
            format: options.format.clone(),
            line_numbers: options.line_numbers,
            ..defaults
        };
        Ok(pack_sources(sources, &budget, &options, &Cancel::new())?)
    }

    fn sources(&self, ui: &mut Ui) -> Result<Vec<PackSource>, CommandError> {
        let mut sources: Vec<PackSource> = self.open.iter().map(|path| open_file(path)).collect();
        for path in &self.lists {
            let bytes = match path.as_os_str() == "-" {
                true => {
                    let mut bytes = Vec::new();
                    let read = std::io::stdin().read_to_end(&mut bytes);
                    read.map(|_| bytes)
                }
                false => std::fs::read(path),
            };
            let bytes = bytes.map_err(|error| CommandError::at("read", path, error))?;
            let text = String::from_utf8_lossy(&bytes);
            let read = read_sources(&path.display().to_string(), &text)?;
            ui.notes(read.notes);
            sources.extend(read.sources);
        }
        Ok(sources)
    }

    fn allocation(&self, total: Tokens) -> Result<Allocation, CommandError> {
        if self.shares.is_empty() || total.is_zero() {
            return Ok(Allocation::of(total));
        }
        let shares = self.shares.iter().map(|share| share.0.clone()).collect();
        let budget = Budget::of(total).shares(shares, Leftover::Redistribute);
        Ok(budget.build()?.allocate())
    }
}

/// A file as typed, from here rather than from the root.
fn open_file(path: &Path) -> PackSource {
    let found = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    PackSource::new(SourceKind::OpenFile, found.to_string_lossy())
}

#[derive(Serialize)]
struct Document<'a> {
    tokens: u64,
    budget: Option<u64>,
    counter: &'a str,
    summary: Value,
    chunks: Vec<Value>,
    omitted: Vec<Value>,
    content: &'a str,
}

/// The pack as a document for programs.
pub(super) fn document(
    packed: &PackedSources,
    options: &PackOptions,
    ui: &mut Ui,
) -> Result<Vec<u8>, CommandError> {
    let stats = &packed.stats;
    let chunks = packed.chunks.iter().map(|chunk| {
        let signals = &chunk.signals;
        json!({
            "kind": chunk.kind.name(),
            "path": chunk.path,
            "lines": chunk.lines,
            "tokens": chunk.tokens.get(),
            "score": chunk.score,
            "signals": {
                "relevance": signals.relevance,
                "recency": signals.recency,
                "source": signals.source,
                "position": signals.position,
                "boost": signals.boost,
            },
        })
    });
    let omitted = packed.excluded.iter().map(|gone| {
        json!({
            "kind": gone.kind.name(),
            "path": gone.path,
            "lines": gone.lines,
            "reason": gone.reason.to_string(),
            "score": gone.score,
        })
    });
    let document = Document {
        tokens: packed.tokens.get(),
        budget: options.budget.map(Tokens::get),
        counter: options.counter.name(),
        summary: json!({
            "sources": stats.sources,
            "chunks": stats.chunks,
            "shown": stats.selected,
            "duplicates": stats.duplicates,
            "overlaps": stats.overlaps,
            "merged": stats.merged,
            "savedTokens": stats.saved.get(),
        }),
        chunks: chunks.collect(),
        omitted: omitted.collect(),
        content: &packed.content,
    };
    Ok(ui.document(&document)?)
}

/// Says how it went.
pub(super) fn talk(packed: &PackedSources, explain: bool, took: Duration, ui: &mut Ui) {
    let stats = &packed.stats;
    ui.say(&format!(
        "{} of {} from {}; {} tokens; {} tokens saved by removing duplicates; {:.2} s",
        stats.selected,
        plural(stats.chunks as u64, "chunk"),
        plural(stats.sources as u64, "source"),
        thousands(packed.tokens.get()),
        thousands(stats.saved.get()),
        took.as_secs_f64(),
    ));
    if !explain {
        return;
    }
    for chunk in &packed.chunks {
        let ((first, last), score) = (chunk.lines, chunk.score);
        ui.say(&format!(
            "{}:{first}-{last}: shown, score {score:.3}",
            chunk.path
        ));
    }
    for gone in &packed.excluded {
        let lines = gone.lines.map(|(first, last)| format!(":{first}-{last}"));
        let lines = lines.unwrap_or_default();
        ui.say(&format!("{}{lines}: {}", gone.path, gone.reason));
    }
}
