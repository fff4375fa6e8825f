//! Counts kept in memory, for callers without a store.
//!
//! Counting is far slower than hashing, and an agent counts the same texts
//! again and again. This is a plain bounded map that forgets what was unused
//! the longest; an ordered map of last uses beside it keeps that exact without
//! a dependency or a linked list.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::facts::kind_id;
use super::{CacheStats, ContentHash};
use crate::tokens::Tokens;

/// A bounded cache of counts by content and counter, shared by threads.
///
/// ```
/// use loadline::cache::CountCache;
/// use loadline::tokens::Tokens;
/// let cache = CountCache::default();
/// let first = cache.get_or_count("o200k", "some text", || Tokens::new(2));
/// let again = cache.get_or_count("o200k", "some text", || unreachable!());
/// assert_eq!(first, again);
/// assert_eq!(cache.stats().hit_rate(), Some(0.5));
/// ```
#[derive(Debug)]
pub struct CountCache {
    capacity: usize,
    entries: Mutex<Entries>,
}

/// A counter's number and a content.
type Key = (i64, ContentHash);

#[derive(Debug, Default)]
struct Entries {
    /// Each count with the moment of its last use.
    counts: HashMap<Key, (Tokens, u64)>,
    /// The same moments in order; never two alike.
    uses: BTreeMap<u64, Key>,
    moment: u64,
    stats: CacheStats,
}

impl Default for CountCache {
    /// Makes a cache of 10,000 counts, about two megabytes when full.
    fn default() -> CountCache {
        CountCache::new(10_000)
    }
}

impl CountCache {
    /// Makes a cache that holds at most `capacity` counts.
    pub fn new(capacity: usize) -> CountCache {
        CountCache { capacity, entries: Mutex::default() }
    }

    /// Returns the count of `text`, calling `count` only if it is not known.
    ///
    /// `count` runs outside the lock: two threads may count the same new text
    /// at once, and neither waits for the other.
    pub fn get_or_count(
        &self,
        counter: &str,
        text: &str,
        count: impl FnOnce() -> Tokens,
    ) -> Tokens {
        self.get_or_count_hash(counter, ContentHash::of(text.as_bytes()), count)
    }

    /// Returns the count of the content with this hash, as above.
    pub fn get_or_count_hash(
        &self,
        counter: &str,
        hash: ContentHash,
        count: impl FnOnce() -> Tokens,
    ) -> Tokens {
        let key = (kind_id(counter), hash);
        if let Some(tokens) = self.entries().get(&key) {
            return tokens;
        }
        let tokens = count();
        self.entries().insert(key, tokens, self.capacity);
        tokens
    }

    /// Returns how many counts are held.
    pub fn len(&self) -> usize {
        self.entries().counts.len()
    }

    /// Tells whether no count is held.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how often a count was known.
    pub fn stats(&self) -> CacheStats {
        self.entries().stats
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // No caller's code runs under the lock, so the maps agree at all times.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn get(&mut self, key: &Key) -> Option<Tokens> {
        let tokens = self.counts.get(key).map(|(tokens, _)| *tokens);
        self.stats.count(tokens.is_some());
        if let Some(tokens) = tokens {
            self.put(*key, tokens);
        }
        tokens
    }

    fn insert(&mut self, key: Key, tokens: Tokens, capacity: usize) {
        self.put(key, tokens);
        while self.counts.len() > capacity {
            let Some((_, oldest)) = self.uses.pop_first() else {
                return;
            };
            self.counts.remove(&oldest);
        }
    }

    /// Stores a count as the one used last.
    fn put(&mut self, key: Key, tokens: Tokens) {
        self.moment += 1;
        if let Some((_, before)) = self.counts.insert(key, (tokens, self.moment)) {
            self.uses.remove(&before);
        }
        self.uses.insert(self.moment, key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(cache: &CountCache, text: &str) -> bool {
        let mut counted = false;
        cache.get_or_count("o200k", text, || {
            counted = true;
            Tokens::new(1)
        });
        counted
    }

    #[test]
    fn f009_the_longest_unused_count_goes_first() {
        let cache = CountCache::new(2);
        assert!(count(&cache, "a"));
        assert!(count(&cache, "b"));
        assert!(!count(&cache, "a"));
        assert!(count(&cache, "c"));
        assert!(!count(&cache, "a"));
        assert!(count(&cache, "b"));
        assert_eq!(cache.len(), 2);
    }

    #[test]
    fn f009_ten_thousand_counts_and_a_hit_rate() {
        let cache = CountCache::default();
        assert_eq!(cache.stats().hit_rate(), None);
        for round in 0..5 {
            for number in 0..10_000 {
                assert_eq!(count(&cache, &number.to_string()), round == 0);
            }
        }
        assert_eq!(cache.stats().hit_rate(), Some(0.8));
        assert!(count(&cache, "one more"));
        assert_eq!(cache.len(), 10_000);
    }

    #[test]
    fn counters_do_not_share_counts() {
        let cache = CountCache::default();
        cache.get_or_count("o200k", "text", || Tokens::new(1));
        let other = cache.get_or_count("cl100k", "text", || Tokens::new(2));
        assert_eq!(other, Tokens::new(2));
    }

    #[test]
    fn a_cache_without_room_still_counts() {
        let cache = CountCache::new(0);
        assert!(count(&cache, "a"));
        assert!(count(&cache, "a"));
        assert!(cache.is_empty());
    }
}
