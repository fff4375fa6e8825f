//! Looks a task up in many files, by cached indexes.
//!
//! A file that has not changed is not opened: its index comes from the cache,
//! and only what the task's words touch is kept of it. Files are handled in
//! batches, so memory is bounded by what was found, not by what there is.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::index::VERSION;
use super::{Candidate, FileIndex, Query};
use crate::cache::{Cache, ContentHash, FileStamp, KnownFile, RecordedFile};

/// Files whose indexes are in memory at once.
const BATCH: usize = 1_000;

/// A file to look into.
#[derive(Clone, Debug)]
pub struct TaskSource {
    /// The path from the root, with `/` between its parts.
    pub path: String,
    /// The language, where it is known.
    pub language: Option<&'static str>,
    /// What the file system says about it.
    pub stamp: FileStamp,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A text, as it would be shown.
    Text(String),
    /// Something else, which stays so while the file is unchanged.
    NotText,
    /// It cannot be read now.
    Unreadable,
}

/// What looking into files gave.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The texts, in the order of their files.
    pub candidates: Vec<Candidate>,
    /// How many files had to be read.
    pub read: usize,
}

/// Looks the words of a task up in files.
///
/// `form` names how texts are prepared, such as `redacted`: indexes of one form
/// are not used for another. Texts come from `read`, which is called on all
/// cores, and only for files that the store does not know.
pub fn gather(
    files: &[TaskSource],
    query: &Query,
    form: &str,
    store: &Cache,
    now_ns: i64,
    read: impl Fn(&FileStamp) -> Content + Sync,
) -> Gathered {
    let kind = format!("task-index/{VERSION}/{form}");
    let mut gathered = Gathered::default();
    let reads = AtomicUsize::new(0);
    for batch in files.chunks(BATCH) {
        let stamps: Vec<FileStamp> = batch.iter().map(|file| file.stamp.clone()).collect();
        let known = store.lookup_files(&kind, &stamps, now_ns);
        let found: Vec<(Option<Candidate>, Option<RecordedFile>)> = batch
            .par_iter()
            .zip(known)
            .map(|(file, known)| {
                if let Some(candidate) = known.and_then(|known| recall(file, known, query)) {
                    return (candidate, None);
                }
                reads.fetch_add(1, Ordering::Relaxed);
                learn(file, read(&file.stamp), query)
            })
            .collect();
        let (candidates, records): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        gathered.candidates.extend(candidates.into_iter().flatten());
        let records: Vec<RecordedFile> = records.into_iter().flatten().collect();
        if store.is_enabled() && !records.is_empty() {
            store.record_files(&kind, &records, now_ns);
        }
    }
    gathered.read = reads.into_inner();
    gathered
}

/// Asks a kept index; nothing where it is damaged, no candidate for no text.
fn recall(file: &TaskSource, kept: KnownFile, query: &Query) -> Option<Option<Candidate>> {
    if kept.value.is_empty() {
        return Some(None);
    }
    let index = FileIndex::from_bytes(kept.value)?;
    let candidate = Candidate::new(&file.path, &index, query)?;
    Some(Some(Candidate { hash: Some(kept.hash), ..candidate }))
}

/// Indexes a content, and says what to record of it.
fn learn(
    file: &TaskSource,
    content: Content,
    query: &Query,
) -> (Option<Candidate>, Option<RecordedFile>) {
    // The language decides where passages end, so it is part of the key.
    let key = |text: &str| {
        let language = file.language.unwrap_or_default();
        ContentHash::of(format!("{language}\0{text}").as_bytes())
    };
    let record =
        |hash: ContentHash, value: Vec<u8>| RecordedFile { stamp: file.stamp.clone(), hash, value };
    match content {
        Content::Unreadable => (None, None),
        Content::NotText => (None, Some(record(ContentHash::of(b"not text"), Vec::new()))),
        Content::Text(text) => {
            let index = FileIndex::build(&text, file.language);
            let hash = key(&text);
            let candidate = Candidate::new(&file.path, &index, query)
                .map(|found| Candidate { hash: Some(hash), ..found });
            (candidate, Some(record(hash, index.into_bytes())))
        }
    }
}
