//! What `loadline search --json` prints: one passage or file per line.

use serde::Deserialize;

use super::ReadSources;
use crate::pack::sources::{PackSource, SourceKind};

#[derive(Deserialize)]
struct Hit {
    path: String,
    lines: Option<(u32, u32)>,
    score: f64,
    text: Option<String>,
}

/// Reads lines of hits; `None` where a line is something else.
pub(super) fn read(text: &str) -> Option<ReadSources> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let hits: Result<Vec<Hit>, _> = lines.map(serde_json::from_str).collect();
    let hits = hits.ok()?;
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
    let sources = hits.into_iter().map(|hit| PackSource {
        lines: hit.lines,
        content: hit.text.map(String::into_bytes),
        relevance: (best > 0.0).then(|| (hit.score / best).clamp(0.0, 1.0)),
        ..PackSource::new(SourceKind::SearchResult, hit.path)
    });
    Some(ReadSources { sources: sources.collect(), ..ReadSources::default() })
}
