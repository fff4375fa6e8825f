//! Remembers the numbers of the last pack of a directory.
//!
//! Paths, numbers and reasons are cached, no text of any file. A cached summary
//! may be gone at any time.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::earlier::ShownTexts;
use super::{OmittedFile, PackOptions, Packed, PackedSources, Reason, SourceKind, Tier};
use crate::cache::{Cache, CacheStats, ContentHash};
use crate::repo::display_path;

/// Raised whenever the form below changes.
const KIND: &str = "pack-summary/4";
/// What the last pack is called beside its id.
const LAST: &str = "last";
/// Paths repeat themselves, so even little effort pays.
const LEVEL: i32 = 1;

/// A pack without its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackSummary {
    /// The directory that was packed, as it is shown.
    pub root: String,
    /// When, in nanoseconds since 1970.
    pub packed_ns: i64,
    /// What the pack costs.
    pub tokens: u64,
    /// What it might have cost.
    pub budget: Option<u64>,
    /// The counter of both.
    pub counter: String,
    /// Files that the store knew, so that they were not read.
    pub cache_hits: u64,
    /// Files that had to be read.
    pub cache_misses: u64,
    /// The files in it, by path.
    pub files: Vec<SummaryFile>,
    /// The files not in it, by path.
    pub omitted: Vec<OmittedFile>,
    /// The chunks in it, best first, in a pack of sources.
    pub chunks: Vec<SummaryChunk>,
    /// Names the pack among those of its directory.
    pub id: String,
    /// What it showed, or a pack before it that it goes with.
    pub texts: ShownTexts,
}

/// A chunk in a pack of sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryChunk {
    /// What sort of source it comes from.
    pub kind: SourceKind,
    /// The path from the root, or what else names the source.
    pub path: String,
    /// First and last line.
    pub lines: (u32, u32),
    /// What it cost, without a frame.
    pub tokens: u64,
}

/// A file in a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SummaryFile {
    /// The path from the root.
    pub path: String,
    /// How much of it was shown.
    pub tier: String,
    /// Its score.
    pub score: u32,
    /// What it cost.
    pub tokens: u64,
    /// The lines shown; none for signatures.
    pub ranges: Vec<(u32, u32)>,
    /// Why it was not shown in full.
    #[serde(flatten)]
    pub because: Option<Reason>,
}

/// The numbers of a pack; none of them depends on how long it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackTotals {
    /// Files that were found.
    pub total_files: usize,
    /// Files that are shown in full.
    pub full_files: usize,
    /// Files of which chosen lines are shown.
    pub section_files: usize,
    /// Files of which signatures are shown.
    pub signature_files: usize,
    /// Files that were left out.
    pub skipped_files: usize,
    /// What the pack costs.
    pub used_tokens: u64,
    /// What it might have cost; 0 without a budget.
    pub budget_tokens: u64,
    /// How much of the budget is used.
    pub utilization_percent: u64,
    /// Files that were left out because another one has the same text.
    pub duplicate_files: usize,
    /// The tokens of those.
    pub duplicate_tokens: u64,
}

impl PackSummary {
    /// Returns the numbers.
    pub fn totals(&self) -> PackTotals {
        let in_tier = |tier| self.in_tier(tier).0;
        PackTotals {
            total_files: self.files.len() + self.omitted.len(),
            full_files: in_tier(Tier::Full),
            section_files: in_tier(Tier::Sections) + in_tier(Tier::Chunks),
            signature_files: in_tier(Tier::Signatures),
            skipped_files: self.omitted.len(),
            used_tokens: self.tokens,
            budget_tokens: self.budget.unwrap_or(0),
            utilization_percent: self.utilization_percent(),
            duplicate_files: self.duplicates().count(),
            duplicate_tokens: self
                .duplicates()
                .filter_map(|(file, _)| Some(file.tokens?.get()))
                .sum(),
        }
    }

    /// Sums up a pack; `cache` is what the store knew while it was made.
    pub fn new(
        root: &Path,
        packed: &Packed,
        options: &PackOptions,
        cache: CacheStats,
    ) -> PackSummary {
        let files = packed.files.iter().map(|file| SummaryFile {
            path: file.path.clone(),
            tier: file.tier.name().to_owned(),
            score: file.score,
            tokens: file.tokens.get(),
            ranges: file.ranges.clone(),
            because: file.because.clone(),
        });
        let canonical = root.canonicalize();
        PackSummary {
            root: display_path(canonical.as_deref().unwrap_or(root)),
            packed_ns: options.now_ns,
            tokens: packed.tokens.get(),
            budget: options.budget.map(crate::tokens::Tokens::get),
            counter: options.counter.name().to_owned(),
            cache_hits: cache.hits,
            cache_misses: cache.misses,
            files: files.collect(),
            omitted: packed.omitted.clone(),
            chunks: Vec::new(),
            id: id_of(&packed.content),
            texts: ShownTexts::of(
                packed.files.iter().map(|file| (file.path.as_str(), file.text.as_str())),
            ),
        }
    }

    /// Sums up a pack of sources.
    pub fn of_sources(
        root: &Path,
        packed: &PackedSources,
        options: &PackOptions,
        cache: CacheStats,
    ) -> PackSummary {
        let chunks = packed.chunks.iter().map(|chunk| SummaryChunk {
            kind: chunk.kind,
            path: chunk.path.clone(),
            lines: chunk.lines,
            tokens: chunk.tokens.get(),
        });
        let none = Packed {
            content: String::new(),
            tokens: packed.tokens,
            files: Vec::new(),
            omitted: Vec::new(),
            notes: Vec::new(),
        };
        PackSummary {
            chunks: chunks.collect(),
            id: id_of(&packed.content),
            texts: packed.texts.clone(),
            ..PackSummary::new(root, &none, options, cache)
        }
    }

    /// Keeps the summary as the last one of `root`, and under its own name.
    pub fn record(&self, root: &Path, store: &Cache) {
        let keys = (key(root, LAST), key(root, &self.id));
        let ((Some(last), Some(own)), Ok(json)) = (keys, serde_json::to_vec(self)) else {
            return;
        };
        if let Ok(bytes) = zstd::encode_all(json.as_slice(), LEVEL) {
            store.record_facts(KIND, &[(last, bytes.clone()), (own, bytes)], self.packed_ns);
        }
    }

    /// Returns the summary that was recorded last for `root`, if it is still there.
    pub fn last(root: &Path, store: &Cache, now_ns: i64) -> Option<PackSummary> {
        PackSummary::named(root, LAST, store, now_ns)
    }

    /// Returns the summary of the pack of `root` with this id, or of the `last`.
    pub fn named(root: &Path, id: &str, store: &Cache, now_ns: i64) -> Option<PackSummary> {
        let bytes = store.fact(KIND, &key(root, id)?, now_ns)?;
        let json = zstd::decode_all(bytes.as_slice()).ok()?;
        serde_json::from_slice(&json).ok()
    }

    /// Returns the newest summaries of all directories that are still there, newest first.
    pub fn newest(store: &Cache, most: usize) -> Vec<PackSummary> {
        // Each is there under its own name, and some as the last of their directory.
        let mut found: Vec<PackSummary> = Vec::new();
        for bytes in store.newest_facts(KIND, most.saturating_mul(2)) {
            let json = zstd::decode_all(bytes.as_slice()).ok();
            let summary = json.and_then(|it| serde_json::from_slice::<PackSummary>(&it).ok());
            let is_new = |it: &PackSummary| {
                !found.iter().any(|known| (&known.root, &known.id) == (&it.root, &it.id))
            };
            found.extend(summary.filter(is_new));
        }
        found.truncate(most);
        found
    }

    /// Returns the part of the budget that was used, in whole percent; 0 without a budget.
    pub fn utilization_percent(&self) -> u64 {
        match self.budget {
            Some(budget) if budget > 0 => {
                (100.0 * self.tokens as f64 / budget as f64).round() as u64
            }
            _ => 0,
        }
    }

    /// Returns how many files are shown in this tier, and what they cost.
    pub fn in_tier(&self, tier: Tier) -> (usize, u64) {
        let files = self.files.iter().filter(|file| file.tier == tier.name());
        files.fold((0, 0), |(count, tokens), file| (count + 1, tokens + file.tokens))
    }

    /// Returns the files that were left out because their content is shown elsewhere.
    pub fn duplicates(&self) -> impl Iterator<Item = (&OmittedFile, &str)> {
        let omitted = self.omitted.iter();
        omitted.filter_map(|file| match &file.reason {
            Reason::Duplicate { of } => Some((file, of.as_str())),
            _ => None,
        })
    }
}

/// The same directory has the same key, however it is named.
fn key(root: &Path, id: &str) -> Option<ContentHash> {
    let canonical = root.canonicalize().ok()?;
    let root = canonical.as_os_str().as_encoded_bytes();
    Some(ContentHash::of(&[root, b"\0", id.as_bytes()].concat()))
}

/// The name of a pack: the beginning of its content's hash.
fn id_of(content: &str) -> String {
    ContentHash::of(content.as_bytes()).to_string().chars().take(8).collect()
}
