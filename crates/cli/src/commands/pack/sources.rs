//! `loadline pack --source`, `--open`: packs sources instead of a repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use loadline::Remark;
use loadline::budget::{Allocation, Amount, Budget, Leftover, Share};
use loadline::pack::{
    Excluded, PackOptions, PackSource, PackedSources, SearchOptions, SourceChunk, SourceKind,
    SourceOptions, SourceStats, changed_sources, pack_sources, pinned_sources, read_sources,
    search,
};
use loadline::settings::Config;
use loadline::text::nearest;
use loadline::tokens::Tokens;
use serde::Serialize;

use super::around::Around;
use crate::commands::session::read_source;
use crate::commands::source::Prepared;
use crate::error::{RequestError, Result};
use crate::interrupt;
use crate::ui::{self, Ui, plural, thousands};

/// What to pack instead of the repository.
#[derive(Debug, clap::Args)]
pub(super) struct SourcesArgs {
    /// Pack the sources listed in FILE instead of the repository: JSON, the output of
    /// `loadline search --json` or `rg --json`, or lines of path, path:line or
    /// path:line:text; - means standard input; may be repeated. With --task, the
    /// passages that the task needs are added.
    #[arg(long = "source", value_name = "FILE")]
    lists: Vec<PathBuf>,
    /// Pack FILE as open in an editor; with --task, prefer it; may be repeated.
    #[arg(long, value_name = "FILE")]
    open: Vec<PathBuf>,
    /// Reserve a share of the budget for one kind of source: tool_results,
    /// open_files, search_results, changes, references or other. Other kinds share the rest;
    /// what a kind does not use goes to the others.
    #[arg(long = "share", value_name = "NAME=PERCENT")]
    shares: Vec<KindShare>,
    /// Query that the sources should answer.
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
}

/// Passages that a task adds to sources.
const TASK_PASSAGES: usize = 40;

/// A share as typed: `tool_results=40%`.
#[derive(Clone, Debug)]
struct KindShare(Share);

impl FromStr for KindShare {
    type Err = String;

    fn from_str(text: &str) -> Result<KindShare, String> {
        let (name, percent) =
            text.split_once('=').ok_or("write NAME=PERCENT, such as tool_results=40%")?;
        let kind = SourceKind::named(name.trim()).ok_or_else(|| {
            let names = SourceKind::ALL.map(SourceKind::share).join(", ");
            format!("unknown share {name:?}; shares are {names}")
        })?;
        let number = percent.trim().trim_end_matches('%').trim_end();
        let number: f64 =
            number.parse().map_err(|_| format!("{percent:?} is not a percentage such as 40%"))?;
        Ok(KindShare(Share::percent(kind.share(), number)))
    }
}

impl SourcesArgs {
    /// Whether sources are to be packed.
    pub(super) fn are_given(&self) -> bool {
        !self.lists.is_empty() || !self.open.is_empty()
    }

    /// Whether lists of sources are given.
    pub(super) fn has_lists(&self) -> bool {
        !self.lists.is_empty()
    }

    /// The files that are open in an editor; each has to exist.
    pub(super) fn open_files(&self) -> Result<Vec<PathBuf>> {
        let Some(path) = self.open.iter().find(|path| !path.exists()) else {
            return Ok(self.open.clone());
        };
        let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
        let beside = std::fs::read_dir(directory.unwrap_or(Path::new("."))).into_iter().flatten();
        let names: Vec<String> = beside
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let nearest = nearest(&name, names.iter().map(String::as_str));
        let nearest = nearest.map(|name| path.with_file_name(name));
        Err(RequestError::NoOpenFile { path: path.clone(), nearest }.into())
    }

    /// The first flag that means nothing without sources, if any was typed.
    pub(super) fn about_sources(&self) -> Option<&'static str> {
        match (self.shares.is_empty(), &self.query) {
            (false, _) => Some("--share"),
            (true, Some(_)) => Some("--query"),
            (true, None) => None,
        }
    }

    /// Packs the sources, with what a task needs where there is one; files lie below `root`.
    pub(super) fn pack(
        &self,
        root: &Path,
        task: Option<String>,
        prepared: &Prepared,
        around: &Around,
        strict: bool,
        ui: &mut Ui,
    ) -> Result<PackedSources> {
        let options = &around.inside(&prepared.options)?;
        let mut sources = self.sources(ui)?;
        sources.extend(pinned_sources(root, options)?);
        if let Some(comparison) = &options.changed {
            let (changed, notes) = changed_sources(root, comparison, options)?;
            ui.remarks(notes);
            sources.extend(changed);
        }
        if let Some(task) = &task {
            let pack = PackOptions { budget: None, ..options.clone() };
            let asked = SearchOptions { limit: TASK_PASSAGES, ..SearchOptions::new(pack) };
            let searched = search(root, task, &asked, &prepared.store)?;
            ui.remarks(searched.notes);
            sources.extend(searched.hits.into_iter().map(PackSource::from));
        }
        let budget = self.allocation(options, &prepared.config)?;
        let mut defaults =
            SourceOptions::new(options.counter.clone(), prepared.config.settings(), options.now_ns);
        defaults.rank.strict = strict;
        let options = SourceOptions {
            store: Some(Arc::clone(&prepared.store)),
            root: Some(root.to_owned()),
            query: self.query.clone().or(task).unwrap_or_default(),
            repository: Some(Box::new(options.clone())),
            secrets: options.secrets.clone(),
            format: options.format.clone(),
            line_numbers: options.line_numbers,
            ..defaults
        };
        let packed =
            interrupt::cancelling(|cancel| pack_sources(sources, &budget, &options, cancel));
        Ok(packed?)
    }

    /// The files below `root` that the sources name.
    pub(super) fn files(&self, root: &Path, ui: &mut Ui) -> Result<Vec<PathBuf>> {
        let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let mut files = BTreeSet::new();
        for source in self.sources(ui)? {
            let found = real.join(&source.path).canonicalize();
            let found = found.ok().filter(|path| source.kind.is_file() && path.is_file());
            match found.as_deref().and_then(|path| path.strip_prefix(&real).ok()) {
                Some(file) => drop(files.insert(file.to_owned())),
                None => {
                    let message = "left out: not a file of the repository";
                    ui.remarks([Remark::new(source.path, message)]);
                }
            }
        }
        if files.is_empty() {
            return Err(RequestError::NoSources { flag: "--compress" }.into());
        }
        Ok(files.into_iter().collect())
    }

    fn sources(&self, ui: &mut Ui) -> Result<Vec<PackSource>> {
        let mut sources: Vec<PackSource> =
            self.open_files()?.iter().map(|path| open_file(path)).collect();
        for path in &self.lists {
            let bytes = read_source(path)?;
            let text = String::from_utf8_lossy(&bytes);
            let read = read_sources(&path.display().to_string(), &text)?;
            ui.remarks(read.notes);
            sources.extend(read.sources);
        }
        Ok(sources)
    }

    /// The budget with its shares: those typed, or else those of the settings that
    /// name kinds of sources.
    fn allocation(&self, options: &PackOptions, config: &Config) -> Result<Allocation> {
        let total = options.budget.unwrap_or(Tokens::MAX);
        let mut shares: Vec<Share> = self.shares.iter().map(|share| share.0.clone()).collect();
        if shares.is_empty() {
            shares = configured(config);
        }
        if shares.is_empty() || total.is_zero() {
            return Ok(Allocation::of(total));
        }
        let is_named = |kind: &SourceKind| shares.iter().any(|share| share.name == kind.share());
        if !SourceKind::ALL.iter().all(is_named) && !fill(&shares) {
            shares.push(Share::new(SourceKind::REST, Amount::Rest));
        }
        let budget = Budget::of(total).shares(shares, Leftover::Redistribute);
        Ok(budget.build()?.allocate())
    }
}

/// The configured shares that are named after kinds of sources.
fn configured(config: &Config) -> Vec<Share> {
    let shares = config.shares().into_iter();
    let shares = shares.filter_map(|share| {
        let kind = SourceKind::named(&share.name)?;
        Some(Share::new(kind.share(), share.amount))
    });
    shares.collect()
}

/// Whether percentages leave nothing for others.
fn fill(shares: &[Share]) -> bool {
    let percents = shares.iter().map(|share| match share.amount {
        Amount::PercentOfAvailable(percent) => percent,
        _ => 0.0,
    });
    percents.sum::<f64>() >= 100.0
}

/// A file as typed, from here rather than from the root.
fn open_file(path: &Path) -> PackSource {
    let found = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    PackSource::new(SourceKind::OpenFile, found.to_string_lossy())
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    schema: u32,
    tokens: Tokens,
    budget: Option<Tokens>,
    counter: &'a str,
    /// Names the pack, for `--since-pack`.
    id: &'a str,
    summary: SummaryJson<'a>,
    /// What is shown, best first.
    chunks: &'a [SourceChunk],
    /// What is not shown, by path and line.
    omitted: &'a [Excluded],
    /// What the program says about its work.
    notes: Vec<Remark>,
    /// The pack itself.
    content: &'a str,
}

/// The numbers of a pack of sources.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SummaryJson<'a> {
    #[serde(flatten)]
    stats: &'a SourceStats,
    /// How many were left out for each reason.
    omitted: BTreeMap<&'static str, usize>,
}

/// Writes the document of a pack of sources.
pub(super) fn document(
    packed: &mut PackedSources,
    id: &str,
    options: &PackOptions,
    explain: bool,
    ui: &mut Ui,
) -> Result<Vec<u8>> {
    if !explain {
        packed.chunks.iter_mut().for_each(|chunk| chunk.parts.clear());
    }
    let document = Document {
        schema: ui::SCHEMA,
        tokens: packed.tokens,
        budget: options.budget,
        counter: options.counter.name(),
        id,
        summary: SummaryJson { stats: &packed.stats, omitted: reasons(packed) },
        chunks: &packed.chunks,
        omitted: &packed.excluded,
        notes: ui.take_remarks(),
        content: &packed.content,
    };
    Ok(ui::to_json(&document)?)
}

fn capital(line: &str) -> String {
    let (first, rest) = line.split_at(line.len().min(1));
    format!("{}{rest}", first.to_uppercase())
}

/// How many chunks and sources are left out for each reason.
fn reasons(packed: &PackedSources) -> BTreeMap<&'static str, usize> {
    let mut reasons = BTreeMap::new();
    for gone in &packed.excluded {
        *reasons.entry(gone.reason.name()).or_default() += 1;
    }
    reasons
}

/// Says how it went.
pub(super) fn talk(packed: &PackedSources, id: &str, explain: bool, took: Duration, ui: &mut Ui) {
    let stats = &packed.stats;
    ui.say(&format!(
        "{} of {} from {}; {} tokens; {} tokens saved by removing duplicates; pack {id}; {:.2} s",
        stats.shown,
        plural(stats.chunks as u64, "chunk"),
        plural(stats.sources as u64, "source"),
        thousands(packed.tokens.get()),
        thousands(stats.saved_tokens.get()),
        took.as_secs_f64(),
    ));
    if !explain {
        return;
    }
    for chunk in &packed.chunks {
        let ((first, last), score) = (chunk.lines, chunk.score);
        ui.say(&format!("{}:{first}-{last}: shown, score {score:.3}", chunk.path));
        for part in &chunk.parts {
            ui.say(&format!("     {}", capital(&part.to_string())));
        }
    }
    for gone in &packed.excluded {
        let lines = gone.lines.map(|(first, last)| format!(":{first}-{last}"));
        let lines = lines.unwrap_or_default();
        ui.say(&format!("{}{lines}: {}", gone.path, gone.reason));
    }
    for (reason, count) in reasons(packed) {
        ui.say(&format!("omitted, {reason}: {count}"));
    }
}
