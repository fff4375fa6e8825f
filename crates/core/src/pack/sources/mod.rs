//! Which parts of what a caller brings does a model see?
//!
//! [`pack_sources`] packs search results, open files, references and outputs of
//! tools rather than a repository: validate, cut into chunks, rank, remove what
//! is said twice, choose within the budget and its shares, write. The text that
//! is returned has been counted with the counter of the budget and is never
//! over it. A source that fails costs a note.

mod admit;
mod cancel;
mod group;
mod options;
mod plan;
mod read;
mod source;
mod times;
mod write;

pub use cancel::Cancel;
pub use options::SourceOptions;
pub use read::{ReadSources, SourceListError, read_sources};
pub use source::{PackSource, SourceKind};

use super::render::TemplateError;
use crate::budget::Allocation;
use crate::fit::{FitError, Reason};
use crate::pack::ranking::{Contribution, RankError, WeightedScore};
use crate::text::ChunkError;
use crate::tokens::Tokens;
use crate::{Diagnose, Remark};
use plan::Plan;

/// A chunk that is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceChunk {
    /// What sort of source it comes from.
    pub kind: SourceKind,
    /// The path from the root, or what else names the source.
    pub path: String,
    /// First and last line, 1-based and inclusive.
    pub lines: (u32, u32),
    /// Whether its end was cut off to make it fit.
    pub is_cut: bool,
    /// What the whole chunk costs, without a frame.
    pub tokens: Tokens,
    /// Its score, from 0 to 1.
    pub score: f64,
    /// Where the score comes from.
    pub signals: WeightedScore,
    /// The parts that add up to the score.
    pub parts: Vec<Contribution>,
}

/// A chunk, or a whole source, that is not shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Excluded {
    /// What sort of source it is.
    pub kind: SourceKind,
    /// The path from the root, or what else names the source.
    pub path: String,
    /// First and last line, where they are known.
    pub lines: Option<(u32, u32)>,
    /// Why it is not shown.
    pub reason: Reason<String>,
    /// Its score, where it got one.
    pub score: Option<f64>,
    /// What it would have cost, where that is known.
    pub tokens: Option<Tokens>,
}

/// The numbers of a pack of sources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceStats {
    /// Sources that were given.
    pub sources: usize,
    /// Sources whose text could be packed.
    pub admitted: usize,
    /// Chunks that they were cut into.
    pub chunks: usize,
    /// Chunks that another one equals.
    pub duplicates: usize,
    /// Chunks that share too many lines with a better one.
    pub overlaps: usize,
    /// Chunks that became a part of another one.
    pub merged: usize,
    /// What removing duplicates saved.
    pub saved: Tokens,
    /// Chunks that are shown.
    pub selected: usize,
    /// What each kind of source took; kinds of which nothing is shown are left out.
    pub kinds: Vec<KindUse>,
}

/// What one kind of source took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindUse {
    /// The kind.
    pub kind: SourceKind,
    /// Its chunks that are shown.
    pub chunks: usize,
    /// What they cost, without frames.
    pub tokens: Tokens,
}

/// What would be packed.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct SourcesPreview {
    /// What the chunks cost, without frames.
    pub tokens: Tokens,
    /// The chunks, best first.
    pub chunks: Vec<SourceChunk>,
    /// What is not shown, by path and line.
    pub excluded: Vec<Excluded>,
    /// Remarks about sources and the work.
    pub notes: Vec<Remark>,
    /// The numbers.
    pub stats: SourceStats,
}

/// A pack of sources.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedSources {
    /// The text for the model; empty where nothing fits.
    pub content: String,
    /// What it costs.
    pub tokens: Tokens,
    /// The chunks in it, best first.
    pub chunks: Vec<SourceChunk>,
    /// What is not in it, by path and line.
    pub excluded: Vec<Excluded>,
    /// Remarks about sources and the work.
    pub notes: Vec<Remark>,
    /// The numbers.
    pub stats: SourceStats,
}

/// Why sources cannot be packed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SourcesError {
    /// The caller stopped the work.
    #[error("packing was cancelled")]
    Cancelled,
    /// Texts cannot be cut as asked.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// Chunks cannot be ranked as asked.
    #[error(transparent)]
    Rank(#[from] RankError),
    /// The shares cannot be kept.
    #[error(transparent)]
    Select(#[from] FitError),
    /// The template cannot be used.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

impl Diagnose for SourcesError {
    fn code(&self) -> &'static str {
        match self {
            SourcesError::Cancelled => "LL-CTX-001",
            SourcesError::Chunk(error) => error.code(),
            SourcesError::Rank(error) => error.code(),
            SourcesError::Select(error) => error.code(),
            SourcesError::Template(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            SourcesError::Cancelled => None,
            SourcesError::Chunk(error) => error.hint(),
            SourcesError::Rank(error) => error.hint(),
            SourcesError::Select(error) => error.hint(),
            SourcesError::Template(error) => error.hint(),
        }
    }
}

/// Packs sources.
///
/// A budget in which nothing fits gives an empty text and a note. Shares are
/// named after kinds: see [`SourceKind::share`]; kinds without a share of their
/// own have [`SourceKind::REST`] together, or compete for all of the budget where
/// there is no such share. Work can be cancelled between any two steps.
///
/// # Errors
///
/// Options that contradict one another, and [`SourcesError::Cancelled`] once
/// `cancel` was used.
///
/// ```
/// use loadline::budget::Allocation;
/// use loadline::pack::{Cancel, PackSource, SourceKind, SourceOptions};
/// use loadline::settings::Config;
/// use loadline::tokens::Tokens;
/// use loadline::pack::pack_sources;
/// let settings = Config::load([])?.settings().clone();
/// let options = SourceOptions::new("o200k".parse()?, &settings, 0);
/// let found = PackSource::new(SourceKind::SearchResult, "src/a.rs")
///     .content("fn a() {}\n")
///     .lines(3, 3);
/// let budget = Allocation::of(Tokens::new(500));
/// let packed = pack_sources(vec![found], &budget, &options, &Cancel::new())?;
/// assert!(packed.content.contains("## File: src/a.rs (lines 3-3)\n```rust\nfn a() {}\n```"));
/// assert!(packed.tokens <= budget.total());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack_sources(
    sources: Vec<PackSource>,
    budget: &Allocation,
    options: &SourceOptions,
    cancel: &Cancel,
) -> Result<PackedSources, SourcesError> {
    let mut plan = planned(sources, budget, options, cancel)?;
    let written = write::write(&mut plan, budget, options, cancel)?;
    let preview = account(plan);
    Ok(PackedSources {
        content: written.text,
        tokens: written.tokens,
        chunks: preview.chunks,
        excluded: preview.excluded,
        notes: preview.notes,
        stats: preview.stats,
    })
}

/// Says what would be packed, without writing it.
///
/// Frames are estimated, so a pack may show a little more or less.
///
/// # Errors
///
/// As [`pack_sources`].
pub fn preview_sources(
    sources: Vec<PackSource>,
    budget: &Allocation,
    options: &SourceOptions,
    cancel: &Cancel,
) -> Result<SourcesPreview, SourcesError> {
    Ok(account(planned(sources, budget, options, cancel)?))
}

fn planned(
    sources: Vec<PackSource>,
    budget: &Allocation,
    options: &SourceOptions,
    cancel: &Cancel,
) -> Result<Plan, SourcesError> {
    cancel.check()?;
    let mut admitted = admit::admit(sources, options, cancel)?;
    if admitted.texts.is_empty() {
        let note = Remark::new("sources", "there is no content to pack");
        admitted.notes.push(note);
    }
    cancel.check()?;
    plan::plan(admitted, budget, options, cancel)
}

fn account(mut plan: Plan) -> SourcesPreview {
    let (chunks, excluded) = plan.account();
    let of = |kind: SourceKind| chunks.iter().filter(move |chunk| chunk.kind == kind);
    let sum = |sum: Tokens, chunk: &SourceChunk| sum.saturating_add(chunk.tokens);
    let kinds = SourceKind::ALL.into_iter().map(|kind| KindUse {
        kind,
        chunks: of(kind).count(),
        tokens: of(kind).fold(Tokens::ZERO, sum),
    });
    plan.stats.kinds = kinds.filter(|used| used.chunks > 0).collect();
    let mut notes: Vec<Remark> = Vec::with_capacity(plan.notes.len());
    for note in plan.notes {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    SourcesPreview {
        tokens: chunks.iter().fold(Tokens::ZERO, sum),
        chunks,
        excluded,
        notes,
        stats: plan.stats,
    }
}

#[cfg(test)]
mod tests;
