//! Packs what a caller brings: search results, open files, changes, references and outputs
//! of tools.
//!
//! [`pack_sources`] is the whole flow: validate, cut into chunks, rank, remove
//! duplicates, choose within the budget and its shares, write. The text that
//! is returned has been counted with the counter of the budget and is never
//! over it. A source that fails costs a note.

mod admit;
mod cancel;
mod changed;
mod group;
mod options;
mod plan;
mod read;
mod references;
mod source;
mod times;
mod write;

pub use cancel::Cancel;
pub use changed::{changed_sources, pinned_sources};
pub use options::SourceOptions;
pub use read::{ReadSources, SourceListError, read_sources};
pub(in crate::pack) use references::names_in;
pub use source::{PackSource, SourceKind};

use serde::Serialize;

use crate::Remark;
use crate::budget::Allocation;
use crate::pack::earlier::ShownTexts;
use crate::pack::ranking::{Contribution, WeightedScore};
use crate::pack::{PackError, Reason};
use crate::tokens::Tokens;
use plan::Plan;
use write::Written;

/// A chunk that is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The parts that add up to the score; a document has them on request.
    #[serde(rename = "explain", skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Contribution>,
}

/// A chunk, or a whole source, that is not shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Excluded {
    /// What sort of source it is.
    pub kind: SourceKind,
    /// The path from the root, or what else names the source.
    pub path: String,
    /// First and last line, where they are known.
    pub lines: Option<(u32, u32)>,
    /// Why it is not shown.
    #[serde(serialize_with = "in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub reason: Reason,
    /// Its score, where it got one.
    pub score: Option<f64>,
    /// What it would have cost, where that is known.
    pub tokens: Option<Tokens>,
}

/// Writes a reason as it is said to a person.
fn in_words<S: serde::Serializer>(reason: &Reason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(reason)
}

/// The numbers of a pack of sources.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    pub saved_tokens: Tokens,
    /// Chunks that are shown.
    pub shown: usize,
    /// What each kind of source took; kinds of which nothing is shown are left out.
    pub kinds: Vec<KindUse>,
}

/// What one kind of source took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KindUse {
    /// The kind.
    pub kind: SourceKind,
    /// Its chunks that are shown.
    pub chunks: usize,
    /// What they cost, without frames.
    pub tokens: Tokens,
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
    /// What is shown of each source, or was by an earlier pack.
    pub texts: ShownTexts,
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
/// Options that contradict one another, and [`PackError::Cancelled`] once
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
) -> Result<PackedSources, PackError> {
    cancel.check()?;
    let mut admitted = admit::admit(sources, options, cancel)?;
    if admitted.texts.is_empty() {
        let note = Remark::new("sources", "there is no content to pack");
        admitted.notes.push(note);
    }
    cancel.check()?;
    let mut plan = plan::plan(admitted, options, cancel)?;
    cancel.check()?;
    let written = write::write(&mut plan, budget, options, cancel)?;
    Ok(account(plan, written))
}

/// Says what would be packed, without the text.
///
/// # Errors
///
/// As [`pack_sources`].
pub fn preview_sources(
    sources: Vec<PackSource>,
    budget: &Allocation,
    options: &SourceOptions,
    cancel: &Cancel,
) -> Result<PackedSources, PackError> {
    let packed = pack_sources(sources, budget, options, cancel)?;
    Ok(PackedSources { content: String::new(), ..packed })
}

fn account(mut plan: Plan, written: Written) -> PackedSources {
    let (chunks, excluded) = plan.account();
    let of = |kind: SourceKind| chunks.iter().filter(move |chunk| chunk.kind == kind);
    let kinds = SourceKind::ALL.into_iter().map(|kind| KindUse {
        kind,
        chunks: of(kind).count(),
        tokens: Tokens::saturating_sum(of(kind).map(|chunk| chunk.tokens)),
    });
    plan.stats.kinds = kinds.filter(|used| used.chunks > 0).collect();
    let mut notes: Vec<Remark> = Vec::with_capacity(plan.notes.len());
    for note in plan.notes {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    PackedSources {
        content: written.text,
        tokens: written.tokens,
        chunks,
        excluded,
        notes,
        stats: plan.stats,
        texts: written.texts,
    }
}

#[cfg(test)]
mod tests;
