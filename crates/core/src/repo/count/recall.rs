//! Looks files up in the cache, and records what was measured.
//!
//! Only counts of [base](Counter::base) counters are kept: a calibration is
//! applied on the way out, so it may change without a file being read.

use super::CountOptions;
use super::content::Content;
use super::measure::Measured;
use crate::cache::{Cache, ContentCount, CountedFile, FileStamp};
use crate::tokens::{Counter, Tokens};

/// What is known about one file before it is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Recalled {
    pub(super) content: Option<Content>,
    /// One per counter, not corrected; nothing where it is not known.
    pub(super) tokens: Vec<Option<Tokens>>,
}

impl Recalled {
    /// Adds a count of the counter at `index`, if its payload can be read.
    pub(super) fn add(&mut self, index: usize, count: &ContentCount) {
        let Some(content) = Content::from_detail(&count.detail) else {
            return;
        };
        self.content = Some(content);
        if let Some(tokens) = self.tokens.get_mut(index) {
            *tokens = Some(count.tokens);
        }
    }

    /// Tells whether there is nothing left to find out.
    pub(super) fn is_complete(&self) -> bool {
        match self.content {
            None => false,
            Some(Content::Binary { .. }) => true,
            Some(Content::Text { .. }) => self.tokens.iter().all(Option::is_some),
        }
    }
}

/// Looks up all files, one question per counter.
pub(super) fn recall(stamps: &[FileStamp], options: &CountOptions, store: &Cache) -> Vec<Recalled> {
    let nothing = Recalled { content: None, tokens: vec![None; options.counters.len()] };
    let mut recalled = vec![nothing; stamps.len()];
    if !store.is_enabled() {
        return recalled;
    }
    for (index, counter) in cacheable(options) {
        let known = store.lookup_counts(counter.name(), stamps, options.now_ns);
        for (recalled, known) in recalled.iter_mut().zip(known) {
            if let Some(known) = known {
                recalled.add(index, &known.count);
            }
        }
    }
    recalled
}

/// Records all files that were read, in one transaction per counter.
pub(super) fn remember(
    stamps: &[FileStamp],
    measured: &[Result<Measured, String>],
    options: &CountOptions,
    store: &Cache,
) {
    for (index, counter) in cacheable(options) {
        let files: Vec<CountedFile> = stamps
            .iter()
            .zip(measured)
            .filter_map(|(stamp, measured)| {
                let measured = measured.as_ref().ok()?;
                // A file that changed since the walk does not have this stamp.
                let hash = measured.hash.filter(|_| measured.bytes == stamp.size)?;
                Some(CountedFile {
                    stamp: stamp.clone(),
                    hash,
                    count: ContentCount {
                        tokens: measured.tokens.get(index).copied().unwrap_or_default(),
                        detail: measured.content.to_detail(),
                    },
                })
            })
            .collect();
        if !files.is_empty() {
            store.record_counts(counter.name(), &files, options.now_ns);
        }
    }
}

/// Returns the counters whose counts are kept, with their place in the options.
pub(super) fn cacheable(options: &CountOptions) -> impl Iterator<Item = (usize, &Counter)> {
    let counters = options.counters.iter().enumerate();
    counters
        .filter(|(_, counter)| counter.is_cacheable())
        .map(|(index, counter)| (index, counter.base()))
}
