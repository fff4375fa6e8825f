//! `.agent/config.yml`: budget, ranking, chunking and duplicates of a chunk packer.
//!
//! Its documents disagree about several names; all spellings are accepted.

use super::Row;
use super::Target::{Key, Nothing};
use super::convert::{counter, hours, percent_to_share, same};

const CLEANED: &str = "duplicates are found by rule; see `dedup`";

#[rustfmt::skip] // A table reads better with one row per line.
pub(super) const ROWS: &[Row] = &[
    ("context.budget.total", Key("budget.window", same)),
    ("context.budget.total_tokens", Key("budget.window", same)),
    ("context.budget.response_reserve", Key("budget.response_reserve", same)),
    ("context.budget.system_reserve", Key("budget.system_reserve", same)),
    ("context.budget.system_prompt_reserve", Key("budget.system_reserve", same)),
    ("context.budget.categories.*", Key("budget.shares.*", percent_to_share)),
    ("context.source_priority.tool_results", Key("rank.priority.tool_results", same)),
    ("context.source_priority.open_files", Key("rank.priority.open_files", same)),
    ("context.source_priority.search_results", Key("rank.priority.search_results", same)),
    ("context.source_priority.references", Key("rank.priority.references", same)),
    ("context.ranking.source_priority.tool_result", Key("rank.priority.tool_results", same)),
    ("context.ranking.source_priority.open_file", Key("rank.priority.open_files", same)),
    ("context.ranking.source_priority.search_result", Key("rank.priority.search_results", same)),
    ("context.ranking.source_priority.reference", Key("rank.priority.references", same)),
    ("context.ranking.relevance_weight", Key("rank.relevance", same)),
    ("context.ranking.recency_weight", Key("rank.recency", same)),
    ("context.ranking.source_weight", Key("rank.source", same)),
    ("context.ranking.position_weight", Key("rank.position", same)),
    ("context.ranking.weights.relevance", Key("rank.relevance", same)),
    ("context.ranking.weights.recency", Key("rank.recency", same)),
    ("context.ranking.weights.source", Key("rank.source", same)),
    ("context.ranking.weights.position", Key("rank.position", same)),
    ("context.ranking.recency_decay_hours", Key("rank.half_life", hours)),
    ("context.ranking.min_score", Key("rank.min_score", same)),
    ("context.ranking.boosts", Nothing("`pack.boost` adds points instead of multiplying")),
    ("context.ranking.penalties", Nothing("`score.test_penalty` takes points instead of multiplying")),
    ("context.chunking.max_chunk_tokens", Key("chunk.max_tokens", same)),
    ("context.chunking.max_tokens", Key("chunk.max_tokens", same)),
    ("context.chunking.min_chunk_tokens", Key("chunk.min_tokens", same)),
    ("context.chunking.min_tokens", Key("chunk.min_tokens", same)),
    ("context.chunking.prefer_structural", Key("chunk.prefer_structural", same)),
    ("context.chunking.line_based.lines_per_chunk", Key("chunk.lines", same)),
    ("context.chunking.line_based.overlap_lines", Key("chunk.overlap", same)),
    ("context.chunking.languages.*", Nothing("each language has one way of being cut")),
    ("context.dedup.enabled", Key("dedup.enabled", same)),
    ("context.dedup.overlap_threshold", Key("dedup.overlap", same)),
    ("context.dedup.merge_overlapping", Nothing("overlapping chunks are merged where the result is small enough")),
    ("context.deduplication.content_hash_enabled", Key("dedup.enabled", same)),
    ("context.deduplication.overlap_threshold", Key("dedup.overlap", same)),
    ("context.deduplication.*", Nothing(CLEANED)),
    ("context.tokenizer", Key("counter", counter)),
    ("context.tokenizer.encoding", Key("counter", counter)),
    ("context.tokenizer.model", Key("model", same)),
    ("context.tokenizer.type", Nothing("the model says how it is counted; see `counter`")),
    ("context.tokenizer.cache_enabled", Key("cache.enabled", same)),
    ("context.tokenizer.*", Nothing("the model says how it is counted; see `counter`")),
    ("context.max_sources", Nothing("the budget limits what is packed")),
    ("logging.*", Nothing("logging is a matter of flags")),
];
