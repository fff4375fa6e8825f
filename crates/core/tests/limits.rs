//! The work that has limits of time and memory, on the inputs of the bench
//! `limits`: is it right, and is the amount of it bounded? The bench has the
//! times.

#![cfg(feature = "langs-default")]
#![allow(clippy::unwrap_used)]

#[path = "../benches/limits/inputs.rs"]
mod inputs;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use inputs::{LANGUAGES, QUERY, cut, mixed_sources, pieces, text};
use loadline::budget::Allocation;
use loadline::fit::{Item, Policy, select};
use loadline::pack::ranking::{
    FileIndex, Past, TaskCandidate, TaskQuery, TaskWeights, WeightedChunk, WeightedOptions,
    rank_for_task, rank_weighted,
};
use loadline::pack::{Cancel, SourceKind, SourceOptions, pack_sources};
use loadline::settings::Config;
use loadline::syntax::{ParseLimits, outline_within};
use loadline::text::{ChunkStrategy, DedupOptions, Piece, dedup};
use loadline::tokens::{CountTokens, Counter, Precision, Tokens};

/// Counts as another counter does, and how many bytes it was asked about.
struct Watched {
    inner: Counter,
    bytes: Arc<AtomicU64>,
}

impl CountTokens for Watched {
    fn name(&self) -> &str {
        "watched"
    }

    fn precision(&self) -> Precision {
        Precision::Exact
    }

    fn count(&self, text: &str) -> Tokens {
        self.bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
        self.inner.count(text)
    }
}

fn o200k() -> Counter {
    "o200k".parse().unwrap()
}

#[test]
fn f253_a_hundred_mixed_sources_are_packed_and_each_byte_is_counted_a_few_times() {
    let sources = mixed_sources();
    let given: usize = sources.iter().map(|source| source.content.as_ref().unwrap().len()).sum();
    let bytes = Arc::new(AtomicU64::new(0));
    let counter = Counter::custom(Watched { inner: o200k(), bytes: Arc::clone(&bytes) });
    let settings = Config::load([]).unwrap().settings().clone();
    let mut options = SourceOptions::new(counter, &settings, 1 << 60);
    options.query = QUERY.to_owned();
    let budget = Allocation::of(Tokens::new(32_000));
    let run = || pack_sources(sources.clone(), &budget, &options, &Cancel::new()).unwrap();
    let packed = run();
    let counted = bytes.load(Ordering::Relaxed) as usize;
    assert!(counted < 8 * given, "{counted} bytes counted, {given} given");
    assert_eq!((packed.stats.sources, packed.stats.admitted), (100, 100));
    assert!(packed.stats.duplicates >= 10, "{:?}", packed.stats);
    assert!(packed.tokens <= budget.total());
    assert!(packed.tokens > Tokens::new(30_000));
    assert_eq!(o200k().count(&packed.content), packed.tokens);
    let kinds: BTreeSet<SourceKind> = packed.chunks.iter().map(|chunk| chunk.kind).collect();
    assert!(kinds.len() > 1, "{kinds:?}");
    assert_eq!(run().content, packed.content);
}

#[test]
fn f254_ten_thousand_tokens_are_counted_as_by_the_reference() {
    for (language, _, writer) in LANGUAGES {
        let text = text(writer, 45_000, 3);
        let reference = tiktoken_rs::o200k_base_singleton().encode_ordinary(&text);
        assert!(reference.len() > 8_000, "{language}");
        let tokens = Tokens::new(reference.len() as u64);
        assert_eq!(o200k().count(&text), tokens, "{language}");
    }
}

#[test]
fn f255_ten_thousand_chunks_are_ranked_once_each() {
    let chunk = |number: u32| WeightedChunk {
        path: format!("src/file{}.py", number % 500),
        first: number + 1,
        last: number + 20,
        text: text(LANGUAGES[1].2, 200, u64::from(number)),
        changed_ns: Some(i64::from(number)),
        ..WeightedChunk::default()
    };
    let chunks: Vec<WeightedChunk> = (0..10_000).map(chunk).collect();
    let options = WeightedOptions::new(1 << 60);
    let ranked = rank_weighted(&chunks, QUERY, &options).unwrap();
    let places: BTreeSet<usize> = ranked.scores.iter().map(|score| score.chunk).collect();
    assert_eq!((ranked.scores.len(), places.len()), (10_000, 10_000));
    assert!(ranked.scores.is_sorted_by(|left, right| left.score >= right.score));
    assert_eq!(rank_weighted(&chunks, QUERY, &options).unwrap(), ranked);
}

#[test]
fn f255_all_passages_of_many_files_are_ranked_for_a_task() {
    let weights = TaskWeights::default();
    let query = TaskQuery::new(QUERY, &weights);
    let mut files = Vec::new();
    for number in 0..100 {
        let (language, ending, writer) = LANGUAGES[number % LANGUAGES.len()];
        let index = FileIndex::build(&text(writer, 10_000, number as u64), Some(language));
        let path = format!("src/file{number}.{ending}");
        files.push(TaskCandidate::new(&path, &index, &query).unwrap());
    }
    let ranked = rank_for_task(&files, &[], &Past::default(), &query, &weights, None);
    assert_eq!(ranked.len(), 100);
    for file in &ranked {
        let passages = &file.passages;
        assert!(passages.is_sorted_by(|left, right| left.score >= right.score));
        let lines: u32 = passages.iter().map(|one| one.last + 1 - one.first).sum();
        let last = passages.iter().map(|one| one.last).max();
        assert_eq!(Some(lines), last, "{}", file.path);
    }
}

#[test]
fn f256_duplicates_and_choice_look_at_each_chunk_once() {
    let pieces = pieces(&mixed_sources(), &o200k()).unwrap();
    let (reads, counts) = (Cell::new(0), Cell::new(0));
    let read = |_: &str, _: (u32, u32)| {
        reads.set(reads.get() + 1);
        None
    };
    let count = |text: &str| {
        counts.set(counts.get() + 1);
        o200k().count(text)
    };
    let deduped = dedup(pieces.clone(), &DedupOptions::default(), read, count);
    assert!(reads.get() <= pieces.len() && counts.get() <= pieces.len());
    assert!(!deduped.removed.is_empty());
    assert_eq!(deduped.kept.len() + deduped.removed.len(), pieces.len());
    let texts: BTreeSet<&str> = deduped.kept.iter().map(|piece| &*piece.text).collect();
    assert_eq!(texts.len(), deduped.kept.len(), "a text is kept twice");

    let item = |(number, piece): (usize, &Piece)| {
        Item::new(number, piece.score).rendition("chunk", piece.tokens)
    };
    let items: Vec<Item<usize>> = deduped.kept.iter().enumerate().map(item).collect();
    let budget = Allocation::of(Tokens::new(32_000));
    let selection = select(items, &budget, &Policy::default()).unwrap();
    assert_eq!(selection.fates().len(), deduped.kept.len());
    let shown = selection.fates().iter().zip(&deduped.kept);
    let shown = shown.filter(|(fate, _)| fate.rendition().is_some());
    let cost: u64 = shown.map(|(_, piece)| piece.tokens.get()).sum();
    assert!(cost <= 32_000 && cost > 31_000, "{cost}");
}

#[test]
fn f257_a_megabyte_is_cut_whole_in_steps_that_grow_with_its_size() {
    for (language, _, writer) in LANGUAGES {
        for bytes in [10_000, 100_000, 1_000_000] {
            let text = text(writer, bytes, 7);
            let chunked = cut(language, &text, &o200k()).unwrap();
            assert!(chunked.covers(&text), "{language} {bytes}");
            let structural = |strategy| strategy == ChunkStrategy::Structural;
            let mut chunks = chunked.chunks.iter();
            assert!(chunks.all(|chunk| structural(chunk.strategy)), "{language}");
            let limits =
                ParseLimits { steps: bytes as u64 * STEPS_PER_BYTE, ..ParseLimits::default() };
            assert!(outline_within(language, &text, &limits).is_ok(), "{language} {bytes}");
        }
    }
}

/// What parsing a byte of code may take, at most.
const STEPS_PER_BYTE: u64 = 8;

#[test]
fn f258_chunks_hold_no_more_than_their_text() {
    for (language, _, writer) in LANGUAGES {
        let text = text(writer, 100_000, 7);
        for language in [language, "nothing"] {
            let chunked = cut(language, &text, &o200k()).unwrap();
            let held: usize = chunked.chunks.iter().map(|chunk| chunk.text.len()).sum();
            let most = if language == "nothing" { 2 * text.len() } else { text.len() };
            assert!(held <= most, "{language}: {held} of {}", text.len());
            assert!(chunked.covers(&text));
        }
    }
}
