//! The finished choice: every item with its fate.

use super::fate::Fate;
use super::item::Item;
use crate::tokens::Tokens;

/// Every item with its fate, within a budget that it never exceeds.
#[derive(Clone, Debug)]
pub struct Selection<K> {
    pub(super) items: Vec<Item<K>>,
    pub(super) fates: Vec<Fate<K>>,
    /// The items by rank.
    pub(super) order: Vec<usize>,
    pub(super) tokens: Tokens,
}

impl<K: Ord> Selection<K> {
    /// Returns what the chosen renditions cost together.
    pub fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// Returns the fate of each item, in the order in which they were given.
    pub fn fates(&self) -> &[Fate<K>] {
        &self.fates
    }

    /// Iterates over all items with their fates, best first.
    pub fn ranked(&self) -> impl Iterator<Item = (&K, f64, &Fate<K>)> {
        self.order.iter().map(|&number| {
            let item = &self.items[number];
            (&item.key, item.score, &self.fates[number])
        })
    }

    /// Returns the fate of the item with this key; of several, of the one ranked first.
    pub fn fate(&self, key: &K) -> Option<&Fate<K>> {
        Some(&self.fates[self.find(key)?])
    }

    /// Returns the name of the rendition in which an item is shown, if it is shown.
    pub fn rendition(&self, key: &K) -> Option<&'static str> {
        let number = self.find(key)?;
        let rendition = self.fates[number].rendition()?;
        Some(self.items[number].renditions[rendition].name)
    }

    fn find(&self, key: &K) -> Option<usize> {
        self.order.iter().copied().find(|&number| self.items[number].key == *key)
    }
}
