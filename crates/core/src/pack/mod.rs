//! Packs content for a model: a repository, the lines that a task needs, or sources
//! that a caller brings.
//!
//! [`pack`] is the whole flow: find the files, learn what is in them, score
//! them, choose a tier for each within the budget, write the result and
//! account for every file. The text that is returned has been counted with the
//! counter of the budget and is never over it.

mod candidate;
mod changes;
mod choice;
mod copies;
mod earlier;
mod greedy;
mod listed;
mod map;
mod options;
mod order;
mod overview;
mod page;
mod progress;
mod rank;
pub mod ranking;
mod reason;
mod render;
mod review;
mod scored;
mod search;
mod shown;
mod source;
mod sources;
mod summary;
mod survey;
mod task;
mod tree;
mod worth;

pub use earlier::ShownTexts;
pub use map::{MapEntry, Mapped, MappedFile, map};
pub use options::PackOptions;
pub use order::{PackOrder, RankBy, Strategy};
pub use progress::{Progress, Stage};
pub use reason::Reason;
pub use render::{Format, Template, TemplateError, Tier};
pub use scored::{Scored, ScoredFile, score};
pub use search::{SearchFile, SearchHit, SearchOptions, Searched, search};
pub use shown::{ShowError, ShownFile, show_file};
pub use sources::{
    Cancel, Excluded, KindUse, PackSource, PackedSources, ReadSources, SourceChunk, SourceKind,
    SourceListError, SourceOptions, SourceStats, changed_sources, pack_sources, pinned_sources,
    preview_sources, read_sources,
};
pub use summary::{PackSummary, PackTotals, SummaryChunk, SummaryFile};
pub use task::pack_for_task;

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::fit::FitError;
use crate::pack::ranking::{Contribution, RankError};
use crate::repo::RepoError;
use crate::repo::{ChangeStatus, WalkOptions, Walked, walk};
use crate::text::ChunkError;
use crate::tokens::Tokens;
use crate::{Diagnose, Diagnosis, Fault, Remark};
use candidate::Candidate;
use choice::{Shown, choose};
use render::{Document, Part};
use survey::{Parsed, State, Surveyed, survey};

/// A pack: the text, and what became of every file.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The text for the model.
    pub content: String,
    /// What it costs.
    pub tokens: Tokens,
    /// The files in it, by path.
    pub files: Vec<PackedFile>,
    /// The files not in it, by path.
    pub omitted: Vec<OmittedFile>,
    /// Remarks about files and the work.
    pub notes: Vec<Remark>,
}

/// A file in a pack.
#[derive(Clone, Debug)]
pub struct PackedFile {
    /// The path from the root.
    pub path: String,
    /// How much of it is shown.
    pub tier: Tier,
    /// Its score.
    pub score: u32,
    /// Where the score comes from, in a pack for a task.
    pub task: Option<crate::pack::ranking::FileSignals>,
    /// The parts that add up to the score; in a pack for a task to the score as
    /// it is before it becomes a percentage of the best.
    pub parts: Vec<Contribution>,
    /// The passages shown, in a pack for a task, by line.
    pub passages: Vec<PackedPassage>,
    /// What its block costs.
    pub tokens: Tokens,
    /// The lines shown, first and last; none for signatures.
    pub ranges: Vec<(u32, u32)>,
    /// What is shown of it.
    pub text: String,
    /// Why it is not shown in full.
    pub because: Option<Reason>,
    /// What happened to it, in a review.
    pub change: Option<ChangeStatus>,
}

impl PackedFile {
    /// The signals that its score comes from, by name.
    pub fn named_signals(&self) -> Vec<(&'static str, f64)> {
        match &self.task {
            Some(signals) => task::named(signals).to_vec(),
            None => self.parts.iter().map(|part| (part.signal, part.value)).collect(),
        }
    }
}

/// Lines of a file that are shown for a task, with why.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackedPassage {
    /// The lines shown of it, first and last.
    pub lines: (u32, u32),
    /// Its score.
    pub score: f64,
    /// Whether the score is learned.
    pub learned: bool,
    /// The parts that add up to the score, or to the log odds of a learned one before
    /// preferences are added.
    pub parts: Vec<Contribution>,
}

/// A file that is not in a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OmittedFile {
    /// The path from the root.
    pub path: String,
    /// Why not.
    #[serde(flatten)]
    pub reason: Reason,
    /// Its score, where it got one.
    pub score: Option<u32>,
    /// The tokens of its text, where it is one.
    pub tokens: Option<Tokens>,
}

/// Why nothing can be packed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The files cannot be found.
    #[error(transparent)]
    Repo(#[from] RepoError),
    /// The template cannot be used.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The caller stopped the work.
    #[error("packing was cancelled")]
    Cancelled,
    /// The budget or its shares cannot be kept.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// Sources cannot be cut as asked.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// Sources cannot be ranked as asked.
    #[error(transparent)]
    Rank(#[from] RankError),
}

impl Diagnose for PackError {
    fn diagnosis(&self) -> Diagnosis {
        let usage = |error: &dyn Diagnose| Diagnosis { fault: Fault::Usage, ..error.diagnosis() };
        match self {
            PackError::Repo(error) => error.diagnosis(),
            PackError::Template(error) => error.diagnosis(),
            PackError::Fit(error) => usage(error),
            PackError::Chunk(error) => usage(error),
            PackError::Rank(error) => usage(error),
            PackError::Cancelled => {
                Diagnosis { fault: Fault::Cancelled, ..Diagnosis::operation("LL-CTX-001") }
            }
        }
    }
}

/// The part of the budget that the tree may take: one in so many.
const TREE: u64 = 20;

const CHOOSING: &str = "Files are shown in full, in part, or as signatures with their lines; \
                        the rest is left out.";

/// Packs a repository, or what changed in it.
///
/// The store keeps what was learnt about files, so that the next pack of an
/// unchanged repository reads only what it shows; [`Cache::disabled`] keeps
/// nothing.
///
/// ```
/// use loadline::pack::{PackOptions, pack};
/// use loadline::settings::Config;
/// use loadline::cache::Cache;
/// use loadline::tokens::Tokens;
/// # let root = tempfile::tempdir()?;
/// # std::fs::write(root.path().join("main.py"), "def main():\n    print(1)\n")?;
/// let config = Config::load([])?;
/// let mut options = PackOptions::new("o200k".parse()?, config.settings());
/// options.budget = Some(Tokens::new(2_000));
/// let packed = pack(root.path(), &options, &Cache::disabled())?;
/// assert!(packed.content.contains("## File: main.py (lines 1-2)"));
/// assert!(packed.tokens <= Tokens::new(2_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack(root: &Path, options: &PackOptions, store: &Cache) -> Result<Packed, PackError> {
    if let Some(comparison) = &options.changed {
        return review::review(root, comparison, options, store);
    }
    let Gathered { mut candidates, mut omitted, mut notes } = gather(root, options, store)?;
    copies::find_copies(&mut candidates);
    omitted.extend(copies::follow_readme(root, &mut candidates));
    options.report(Stage::Choose, 0, candidates.len());
    let document = header(root, &candidates, options);
    let (shown, remarks) = choose(&candidates, document, options)?;
    notes.extend(remarks);
    Ok(account(candidates, shown, omitted, notes, options))
}

/// The files of a repository before anything is chosen.
struct Gathered {
    /// The texts with their scores, by path.
    candidates: Vec<Candidate>,
    omitted: Vec<OmittedFile>,
    notes: Vec<Remark>,
}

/// Finds files, learns what is in them, and scores them.
fn gather(root: &Path, options: &PackOptions, store: &Cache) -> Result<Gathered, PackError> {
    // What is too large is to be accounted for, so it must be found.
    let unlimited = WalkOptions { max_file_size: None, ..options.walk.clone() };
    let Walked { files, mut notes } = walk(root, &unlimited)?;
    let worths = match options.strategy {
        Strategy::Overview => Some(worth::worths(root, &files, options, store, &mut notes)?),
        Strategy::Greedy => None,
    };
    let chosen = match (&worths, options.budget) {
        _ if !options.is_chosen_from() => None,
        (Some(worths), Some(budget)) if !options.compress => {
            Some(overview::worth_parsing(&files, worths, budget))
        }
        _ => None,
    };
    let parsed = match &chosen {
        _ if !options.is_chosen_from() => Parsed::None,
        Some(chosen) => Parsed::These(chosen),
        None => Parsed::Written,
    };
    let surveyed = survey(files, &parsed, options, store);
    options.check_cancelled()?;
    notes.extend(surveyed.iter().filter_map(survey::remark));
    let (texts, omitted) = part(surveyed);
    options.report(Stage::Score, 0, texts.len());
    let candidates = match worths {
        Some(worths) => worth::candidates(texts, worths),
        None => rank::rank(root, texts, options, store, &mut notes)?,
    };
    options.check_cancelled()?;
    Ok(Gathered { candidates, omitted, notes })
}

/// Parts texts from what cannot be shown.
fn part(surveyed: Vec<Surveyed>) -> (Vec<Surveyed>, Vec<OmittedFile>) {
    let mut texts = Vec::new();
    let mut omitted = Vec::new();
    for file in surveyed {
        let reason = match &file.state {
            State::Text(_) => {
                texts.push(file);
                continue;
            }
            State::Binary(kind) => Reason::Binary { kind: Some(kind.clone()) },
            State::Unreadable(_) => Reason::Unreadable,
            State::Denied(_) => Reason::Denied,
            State::Lock => Reason::LockFile,
            State::TooLarge(..) => Reason::TooLarge,
        };
        omitted.push(OmittedFile { path: file.path, reason, score: None, tokens: None });
    }
    (texts, omitted)
}

fn header(root: &Path, candidates: &[Candidate], options: &PackOptions) -> Document {
    let files = candidates.len();
    let budget = options.budget.unwrap_or(Tokens::MAX);
    let worth = |it: &Candidate| it.worth.max(f64::from(it.score));
    let paths: Vec<(&str, f64)> =
        candidates.iter().map(|it| (it.path.as_str(), worth(it))).collect();
    let share = Tokens::new((budget.get() / TREE).min(4_000));
    Document {
        name: name_of(root),
        legend: vec![format!("{files} text file{}.", if files == 1 { "" } else { "s" })],
        choosing: CHOOSING.to_owned(),
        before: Part::tree(tree::tree(&paths, &options.counter, share)).into_iter().collect(),
        after: Vec::new(),
    }
}

/// The name of a directory, for a heading.
fn name_of(root: &Path) -> String {
    let root = root.canonicalize().ok();
    let name = root.as_deref().and_then(Path::file_name);
    crate::repo::display_path(Path::new(name.unwrap_or("repository".as_ref())))
}

fn account(
    candidates: Vec<Candidate>,
    shown: Shown,
    mut omitted: Vec<OmittedFile>,
    mut notes: Vec<Remark>,
    options: &PackOptions,
) -> Packed {
    let mut files = Vec::new();
    let Shown { counted, blocks, reasons } = shown;
    let mut costs = counted.costs.into_iter();
    for (number, candidate) in candidates.into_iter().enumerate() {
        let because = reasons.get(&number).cloned();
        let is_full = blocks.get(&number).is_some_and(|block| block.tier == Tier::Full);
        if candidate.pinned && !is_full && candidate.copy_of.is_none() {
            let needed = candidate.facts.tokens.with_commas();
            let note = format!("pinned, but not packed in full: it needs {needed} tokens");
            notes.push(Remark::new(candidate.path.clone(), note));
        }
        let Some(block) = blocks.get(&number) else {
            let reason = because.unwrap_or(Reason::OverBudget);
            omitted.push(OmittedFile {
                path: candidate.path,
                reason,
                score: Some(candidate.score),
                tokens: Some(candidate.facts.tokens).filter(|tokens| !tokens.is_zero()),
            });
            continue;
        };
        notes.extend(candidate.facts.remark(&candidate.path));
        files.push(PackedFile {
            tokens: costs.next().unwrap_or_else(|| page::cost_of(block, options)),
            path: candidate.path,
            tier: block.tier,
            score: candidate.score,
            task: None,
            parts: candidate.parts,
            passages: Vec::new(),
            ranges: block.ranges.clone(),
            text: block.body.clone(),
            because: because.filter(|_| block.tier != Tier::Full),
            change: None,
        });
    }
    omitted.sort_by(|left, right| left.path.cmp(&right.path));
    notes.extend(copies::near_copies(blocks.values()));
    let mut seen = BTreeSet::new();
    notes.retain(|note| seen.insert(note.clone()));
    Packed { content: counted.text, tokens: counted.tokens, files, omitted, notes }
}

#[cfg(test)]
mod tests;
