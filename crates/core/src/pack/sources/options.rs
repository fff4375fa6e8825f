//! Options for packing sources.

use std::path::PathBuf;
use std::sync::Arc;

use crate::cache::Cache;
use crate::pack::ranking::{RankWeights, WeightedOptions};
use crate::pack::{Format, PackOptions, PackOrder};
use crate::repo::Secrets;
use crate::settings::{PrioritySettings, Settings};
use crate::text::{ChunkOptions, DedupOptions};
use crate::tokens::Counter;

/// The most sources that are looked at, unless another number is set.
const MOST_SOURCES: usize = 500;

/// How sources are packed.
#[derive(Clone, Debug)]
pub struct SourceOptions {
    /// Counts what is packed.
    pub counter: Counter,
    /// The directory that files lie below; without one nothing is read.
    pub root: Option<PathBuf>,
    /// What the pack is called at its head.
    pub name: String,
    /// What the sources are to answer; may be empty.
    pub query: String,
    /// Priority of each kind of source.
    pub priority: PrioritySettings,
    /// How chunks are ranked.
    pub rank: WeightedOptions,
    /// How texts are cut.
    pub chunk: ChunkOptions,
    /// How duplicates are found; none leaves them.
    pub dedup: Option<DedupOptions>,
    /// As many chunks are shown if there are any, cut short if they must be.
    pub min_chunks: usize,
    /// The most sources that are looked at.
    pub max_sources: usize,
    /// The most bytes of a file that is read.
    pub max_file_size: u64,
    /// Finds secrets to redact; none leaves texts as they are.
    pub secrets: Option<Arc<Secrets>>,
    /// Which files definitions are looked for in that the sources name; none looks for none.
    pub repository: Option<Box<PackOptions>>,
    /// Keeps what git says of files between runs; none asks git each time.
    pub store: Option<Arc<Cache>>,
    /// In which order files are written; by rank, that of the best chunk comes first.
    pub order: PackOrder,
    /// How the result is written.
    pub format: Format,
    /// Whether lines have their numbers before them.
    pub line_numbers: bool,
}

impl SourceOptions {
    /// Takes everything from settings; the time is in nanoseconds since 1970.
    pub fn new(counter: Counter, settings: &Settings, now_ns: i64) -> SourceOptions {
        let chunk = ChunkOptions::from(&settings.chunk);
        SourceOptions {
            counter,
            root: None,
            name: "Sources".to_owned(),
            query: String::new(),
            priority: settings.rank.priority.clone(),
            rank: rank_options(settings, now_ns),
            dedup: settings.dedup.enabled.then_some(DedupOptions {
                overlap: settings.dedup.overlap,
                max_tokens: chunk.max_tokens,
            }),
            chunk,
            min_chunks: settings.rank.min_chunks,
            max_sources: MOST_SOURCES,
            max_file_size: settings.pack.max_file_size,
            secrets: Some(Arc::new(Secrets::builtin())),
            repository: None,
            store: None,
            order: PackOrder::named(&settings.pack.order).unwrap_or_default(),
            format: Format::named(&settings.pack.format).unwrap_or_default(),
            line_numbers: false,
        }
    }
}

fn rank_options(settings: &Settings, now_ns: i64) -> WeightedOptions {
    let rank = &settings.rank;
    WeightedOptions {
        weights: RankWeights {
            relevance: rank.relevance,
            recency: rank.recency,
            source: rank.source,
            position: rank.position,
        },
        half_life: rank.half_life,
        min_score: rank.min_score,
        ..WeightedOptions::new(now_ns)
    }
}
