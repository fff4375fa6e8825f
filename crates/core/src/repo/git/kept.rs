//! Keeps logs that were read before, in the cache.
//!
//! A log follows from the commits it starts from, so those are its key. The
//! window moves with the time, so a log is kept with how far it reaches and
//! serves every question that needs no more.

use std::path::Path;

use super::command::run;
use super::log::{self, Extent, Log};
use super::{HistoryOptions, WorkTree};
use crate::cache::{Cache, ContentHash};

/// The kind under which logs are kept in the store.
const FACT: &str = "git-log/v1";
/// Logs of more bytes than this are read anew every time.
const LARGEST_CACHED: usize = 64 << 20;
/// How hard a log is compressed.
const LEVEL: i32 = 3;

/// Returns the log from the store, or reads it and keeps it there.
pub(super) fn log_of(
    directory: &Path,
    tree: &WorkTree,
    options: &HistoryOptions,
    store: &Cache,
) -> Result<Log, String> {
    let Some(start) = starting_points(directory, tree, options.all_refs) else {
        return Err("there are no commits yet".to_owned());
    };
    let key = ContentHash::of(start.as_bytes());
    let extent = options.extent();
    // A shallow clone can be deepened under the same commit.
    let keeps = !tree.shallow && store.is_enabled();
    let known = keeps.then(|| store.fact(FACT, &key, options.now_ns)).flatten();
    if let Some(log) = known.and_then(|fact| unpack(&fact, extent)) {
        return Ok(log);
    }
    let log = log::read(directory, options.all_refs, extent)?;
    if keeps && log.bytes.len() <= LARGEST_CACHED {
        let facts = pack(&log, extent).map(|fact| (key, fact));
        store.record_facts(FACT, facts.as_slice(), options.now_ns);
    }
    Ok(log)
}

/// Returns what the log follows from, or nothing where there are no commits.
fn starting_points(directory: &Path, tree: &WorkTree, all_refs: bool) -> Option<String> {
    let head = tree.head.clone();
    if !all_refs {
        return head;
    }
    let refs = run(directory, &["rev-parse", "--all"]).unwrap_or_default();
    let refs = String::from_utf8_lossy(&refs).into_owned();
    let points = format!("all {} {refs}", head.unwrap_or_default());
    (!refs.trim().is_empty()).then_some(points)
}

/// Writes a log down with how far it reaches: since when, at least how many.
pub(super) fn pack(log: &Log, extent: Extent) -> Option<Vec<u8>> {
    let since = if log.complete { i64::MIN } else { extent.since.unwrap_or(i64::MIN) };
    let least = if log.complete { usize::MAX } else { extent.least };
    let mut fact = since.to_le_bytes().to_vec();
    fact.extend((least as u64).to_le_bytes());
    fact.extend(zstd::encode_all(log.bytes.as_slice(), LEVEL).ok()?);
    Some(fact)
}

/// Reads a log back if it reaches far enough.
pub(super) fn unpack(fact: &[u8], extent: Extent) -> Option<Log> {
    let (since, rest) = fact.split_first_chunk::<8>()?;
    let (least, packed) = rest.split_first_chunk::<8>()?;
    let wanted = extent.since.unwrap_or(i64::MIN);
    let reaches =
        i64::from_le_bytes(*since) <= wanted && u64::from_le_bytes(*least) >= extent.least as u64;
    let bytes = reaches.then(|| zstd::decode_all(packed).ok())??;
    Some(Log { bytes, complete: i64::from_le_bytes(*since) == i64::MIN })
}
