//! Token counts as facts: the kind is `count/` and the counter's name.
//!
//! Beside the tokens a count carries a small detail of the caller's own (lines,
//! text or binary), so that a row of output needs no look at the file.

use super::{Cache, ContentHash, FileStamp, RecordedFile};
use crate::tokens::Tokens;

/// How many tokens one content has, by one counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentCount {
    /// The number of tokens.
    pub tokens: Tokens,
    /// Whatever else the caller wants back with it; a few bytes.
    pub detail: Vec<u8>,
}

/// A file that has not changed since it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCount {
    /// The hash of its content.
    pub hash: ContentHash,
    /// The count of its content.
    pub count: ContentCount,
}

/// A file that was read and counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedFile {
    /// The stamp, taken before the file was read.
    pub stamp: FileStamp,
    /// The hash of the content.
    pub hash: ContentHash,
    /// The count of the content.
    pub count: ContentCount,
}

impl Cache {
    /// Returns what is known about many files, in their order.
    pub fn lookup_counts(
        &self,
        counter: &str,
        stamps: &[FileStamp],
        now_ns: i64,
    ) -> Vec<Option<KnownCount>> {
        self.lookup_files(&kind(counter), stamps, now_ns)
            .into_iter()
            .map(|file| {
                let file = file?;
                Some(KnownCount { hash: file.hash, count: decode(file.value)? })
            })
            .collect()
    }

    /// Records stamps and counts of many files in one transaction.
    ///
    /// The times are those of [`Cache::record_files`].
    pub fn record_counts(&self, counter: &str, files: &[CountedFile], now_ns: i64) {
        let files: Vec<RecordedFile> = files
            .iter()
            .map(|file| RecordedFile {
                stamp: file.stamp.clone(),
                hash: file.hash,
                value: encode(&file.count),
            })
            .collect();
        self.record_files(&kind(counter), &files, now_ns);
    }

    /// Returns the counts of many contents, in their order.
    ///
    /// This is the second question about a file whose stamp is not known: a
    /// checkout changes many stamps and few contents.
    pub fn content_counts(
        &self,
        counter: &str,
        hashes: &[ContentHash],
        now_ns: i64,
    ) -> Vec<Option<ContentCount>> {
        self.facts(&kind(counter), hashes, now_ns)
            .into_iter()
            .map(|value| value.and_then(decode))
            .collect()
    }

    /// Records counts of contents that do not come from files.
    pub fn record_content_counts(
        &self,
        counter: &str,
        counts: &[(ContentHash, ContentCount)],
        now_ns: i64,
    ) {
        let facts: Vec<(ContentHash, Vec<u8>)> =
            counts.iter().map(|(hash, count)| (*hash, encode(count))).collect();
        self.record_facts(&kind(counter), &facts, now_ns);
    }
}

fn kind(counter: &str) -> String {
    format!("count/{counter}")
}

fn encode(count: &ContentCount) -> Vec<u8> {
    let mut value = count.tokens.get().to_le_bytes().to_vec();
    value.extend_from_slice(&count.detail);
    value
}

/// Reads a value back; `None` if it is too short.
fn decode(value: Vec<u8>) -> Option<ContentCount> {
    let (tokens, detail) = value.split_first_chunk::<8>()?;
    Some(ContentCount { tokens: Tokens::new(u64::from_le_bytes(*tokens)), detail: detail.to_vec() })
}
