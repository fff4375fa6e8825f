//! The compaction configuration: thresholds, ages, patterns.
//!
//! Its settings come flat or in groups (`pruning.maxAge`), so a row matches
//! the end of a key. Times are milliseconds, except an age, which may be days.

use super::Row;
use super::Target::{Key, Nothing};
use super::convert::{age, fraction_to_percent, millis, patterns, same};

#[rustfmt::skip] // A table reads better with one row per line.
pub(super) const ROWS: &[Row] = &[
    ("thresholds.warning", Key("memory.compact", fraction_to_percent)),
    ("thresholds.critical", Key("memory.summarize", fraction_to_percent)),
    ("thresholds.emergency", Key("memory.handoff", fraction_to_percent)),
    ("thresholds.compact", Key("memory.compact", fraction_to_percent)),
    ("thresholds.summarize", Key("memory.summarize", fraction_to_percent)),
    ("thresholds.handoff", Key("memory.handoff", fraction_to_percent)),
    ("cacheTTL", Key("cache.api_ttl", millis)),
    ("cacheMaxSize", Key("cache.max_entries", same)),
    ("adjustmentFactor", Nothing("counters are exact or calibrated, so no factor is applied")),
    ("maxTokens", Key("memory.max_tokens", same)),
    ("maxAge", Key("memory.max_age", age)),
    ("maxLines", Key("memory.max_lines", same)),
    ("preservePatterns", Key("memory.preserve", patterns)),
    ("removePatterns", Key("memory.remove", patterns)),
    ("rollbackWindow", Key("memory.rollback_window", millis)),
];
