//! `context.json`: how the window of a session is divided, and when to say so.

use super::Row;
use super::Target::{Key, Nothing};
use super::convert::{fraction_to_percent, percent, same};

#[rustfmt::skip] // A table reads better with one row per line.
pub(super) const ROWS: &[Row] = &[
    ("totalTokens", Key("session.total", same)),
    ("allocations.systemPrompt", Key("session.allocations.system_prompt", percent)),
    ("allocations.skills", Key("session.allocations.skills", percent)),
    ("allocations.knowledgeBase", Key("session.allocations.knowledge_base", percent)),
    ("allocations.crossIssue", Key("session.allocations.cross_issue", percent)),
    ("allocations.sessionSummary", Key("session.allocations.session_summary", percent)),
    ("allocations.sessionRecent", Key("session.allocations.session_recent", percent)),
    ("allocations.currentPrompt", Key("session.allocations.current_prompt", percent)),
    ("allocations.reservedForResponse", Key("session.allocations.reserved_for_response", percent)),
    ("compressionThreshold", Key("session.compression_threshold", same)),
    ("showPressureAbove", Key("pressure.show_above", fraction_to_percent)),
    ("useLLMSummarization", Nothing("summaries are made by rule unless `session.summarizer` names a command")),
];
