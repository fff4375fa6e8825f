//! The documents of `context show --json` and `context report --json`.

use jiff::Timestamp;
use loadline::pack::{OmittedFile, PackSummary, PackTotals, SummaryChunk, SummaryFile};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::{ShowArgs, by_reason, by_tokens};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Head<'a> {
    root: &'a str,
    packed_at: Option<Timestamp>,
    tokens: u64,
    budget: Option<u64>,
    counter: &'a str,
    summary: PackTotals,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Shown<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    files: Vec<&'a SummaryFile>,
    /// The chunks, best first, where sources were packed.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    chunks: &'a [SummaryChunk],
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<&'a [OmittedFile]>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Report<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    cache: CacheJson,
    selection: Vec<ReasonJson<'a>>,
    duplicates: Vec<DuplicateJson<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CacheJson {
    hits: u64,
    misses: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ReasonJson<'a> {
    reason: &'a str,
    files: usize,
    tokens: u64,
    paths: Vec<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DuplicateJson<'a> {
    path: &'a str,
    of: &'a str,
    tokens: Option<u64>,
}

/// The time of a pack, to the second.
pub(super) fn packed_at(summary: &PackSummary) -> Option<Timestamp> {
    let time = Timestamp::from_nanosecond(i128::from(summary.packed_ns)).ok()?;
    Timestamp::from_second(time.as_second()).ok()
}

fn head(summary: &PackSummary) -> Head<'_> {
    Head {
        root: &summary.root,
        packed_at: packed_at(summary),
        tokens: summary.tokens,
        budget: summary.budget,
        counter: &summary.counter,
        summary: summary.totals(),
    }
}

/// The document of `context show`.
pub(super) fn shown<'a>(summary: &'a PackSummary, args: &ShowArgs) -> Shown<'a> {
    Shown {
        head: head(summary),
        files: by_tokens(summary).into_iter().take(args.limit).collect(),
        chunks: &summary.chunks,
        omitted: args.excluded.then_some(summary.omitted.as_slice()),
    }
}

/// The document of `context report`.
pub(super) fn report(summary: &PackSummary) -> Report<'_> {
    let selection = by_reason(summary).into_iter().map(|(reason, files)| ReasonJson {
        reason,
        files: files.len(),
        tokens: files.iter().filter_map(|file| Some(file.tokens?.get())).sum(),
        paths: files.iter().map(|file| file.path.as_str()).collect(),
    });
    let duplicates = summary.duplicates().map(|(file, of)| DuplicateJson {
        path: &file.path,
        of,
        tokens: file.tokens.map(Tokens::get),
    });
    Report {
        head: head(summary),
        cache: CacheJson { hits: summary.cache_hits, misses: summary.cache_misses },
        selection: selection.collect(),
        duplicates: duplicates.collect(),
    }
}
