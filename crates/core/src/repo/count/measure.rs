//! Measures one file, from the cache or by reading it.

use std::fs;

use super::CountOptions;
use super::content::Content;
use super::recall::{Recalled, cacheable};
use crate::cache::{Cache, ContentHash, FileStamp};
use crate::repo::{Decoded, decode};
use crate::tokens::{CountSource, Counter, Tokens};

/// Everything known about one file.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) bytes: u64,
    pub(super) content: Content,
    /// One per counter, not corrected; none for a binary file.
    pub(super) tokens: Vec<Tokens>,
    pub(super) source: CountSource,
    /// The hash of the content, if it was read and is worth recording.
    pub(super) hash: Option<ContentHash>,
}

/// Answers from what was recalled, or else reads the file.
///
/// The error says what is wrong with the file.
pub(super) fn measure_file(
    stamp: &FileStamp,
    mut recalled: Recalled,
    options: &CountOptions,
    store: &Cache,
) -> Result<Measured, String> {
    if let Some(measured) = finish(&recalled, stamp.size) {
        return Ok(measured);
    }
    let bytes = fs::read(&stamp.path).map_err(|error| format!("cannot read it: {error}"))?;
    let hash = store.is_enabled().then(|| ContentHash::of(&bytes));
    if let Some(hash) = &hash {
        recall_content(hash, &mut recalled, options, store);
    }
    let measured = match finish(&recalled, bytes.len() as u64) {
        Some(measured) => measured,
        None => count_rest(&bytes, &recalled.tokens, &options.counters),
    };
    Ok(Measured { hash, ..measured })
}

/// Counts bytes of which nothing is known.
pub(super) fn measure_bytes(bytes: &[u8], counters: &[Counter]) -> Measured {
    count_rest(bytes, &[], counters)
}

/// Makes a result of what was recalled, if that is all of it.
fn finish(recalled: &Recalled, bytes: u64) -> Option<Measured> {
    recalled.is_complete().then_some(Measured {
        bytes,
        content: recalled.content?,
        tokens: recalled.tokens.iter().copied().flatten().collect(),
        source: CountSource::Cache,
        hash: None,
    })
}

/// Asks what is known about a content; a checkout changes stamps, not contents.
fn recall_content(
    hash: &ContentHash,
    recalled: &mut Recalled,
    options: &CountOptions,
    store: &Cache,
) {
    for (index, counter) in cacheable(options) {
        if recalled.tokens.get(index).is_some_and(Option::is_some) {
            continue;
        }
        let counts = store.content_counts(counter.name(), &[*hash], options.now_ns);
        if let Some(count) = counts.into_iter().next().flatten() {
            recalled.add(index, &count);
        }
    }
}

/// Decodes and counts what is not known yet.
fn count_rest(bytes: &[u8], known: &[Option<Tokens>], counters: &[Counter]) -> Measured {
    let decoded = decode(bytes);
    let content = Content::of(&decoded);
    let tokens = match &decoded {
        Decoded::Binary { .. } => Vec::new(),
        Decoded::Text { text, .. } => counters
            .iter()
            .enumerate()
            .map(|(index, counter)| match known.get(index) {
                Some(Some(tokens)) => *tokens,
                _ => counter.base().count(text),
            })
            .collect(),
    };
    Measured {
        bytes: bytes.len() as u64,
        content,
        tokens,
        source: CountSource::Offline,
        hash: None,
    }
}
