//! The documents of `context --json`.

use jiff::Timestamp;
use loadline::pack::{OmittedFile, PackSummary, SummaryFile};
use loadline::tokens::Tokens;
use serde::Serialize;

use super::{ShowArgs, by_reason, by_tokens};
use crate::commands::pack::SummaryJson;

#[derive(Serialize)]
pub(super) struct Head<'a> {
    root: &'a str,
    packed_at: Option<String>,
    tokens: u64,
    budget: Option<u64>,
    counter: &'a str,
    summary: SummaryJson,
}

#[derive(Serialize)]
pub(super) struct Shown<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    files: Vec<&'a SummaryFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<&'a [OmittedFile]>,
}

#[derive(Serialize)]
pub(super) struct Report<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    cache: CacheJson,
    selection: Vec<ReasonJson<'a>>,
    duplicates: Vec<DuplicateJson<'a>>,
}

#[derive(Serialize)]
struct CacheJson {
    hits: u64,
    misses: u64,
}

#[derive(Serialize)]
struct ReasonJson<'a> {
    reason: &'a str,
    files: usize,
    tokens: u64,
    paths: Vec<&'a str>,
}

#[derive(Serialize)]
struct DuplicateJson<'a> {
    path: &'a str,
    of: &'a str,
    tokens: Option<u64>,
}

/// The time of a pack, as people write it.
pub(super) fn packed_at(summary: &PackSummary) -> Option<String> {
    let time = Timestamp::from_nanosecond(i128::from(summary.packed_ns)).ok()?;
    let seconds = Timestamp::from_second(time.as_second()).ok()?;
    Some(seconds.to_string())
}

fn head(summary: &PackSummary) -> Head<'_> {
    Head {
        root: &summary.root,
        packed_at: packed_at(summary),
        tokens: summary.tokens,
        budget: summary.budget,
        counter: &summary.counter,
        summary: SummaryJson::new(summary),
    }
}

/// The document of `context show`.
pub(super) fn shown<'a>(summary: &'a PackSummary, args: &ShowArgs) -> Shown<'a> {
    Shown {
        head: head(summary),
        files: by_tokens(summary).into_iter().take(args.limit).collect(),
        omitted: args.excluded.then_some(summary.omitted.as_slice()),
    }
}

/// The document of `context report`.
pub(super) fn report(summary: &PackSummary) -> Report<'_> {
    let selection = by_reason(summary)
        .into_iter()
        .map(|(reason, files)| ReasonJson {
            reason,
            files: files.len(),
            tokens: files
                .iter()
                .filter_map(|file| Some(file.tokens?.get()))
                .sum(),
            paths: files.iter().map(|file| file.path.as_str()).collect(),
        });
    let duplicates = summary.duplicates().map(|(file, of)| DuplicateJson {
        path: &file.path,
        of,
        tokens: file.tokens.map(Tokens::get),
    });
    Report {
        head: head(summary),
        cache: CacheJson {
            hits: summary.cache_hits,
            misses: summary.cache_misses,
        },
        selection: selection.collect(),
        duplicates: duplicates.collect(),
    }
}
