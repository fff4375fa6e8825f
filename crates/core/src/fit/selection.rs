//! The finished choice: every item with its fate.

use super::fate::Fate;
use super::item::Item;
use crate::budget::ShareUse;
use crate::tokens::Tokens;

/// Every item with its fate, within a budget that it never exceeds.
#[derive(Clone, Debug)]
pub struct Selection<K> {
    items: Vec<Item<K>>,
    fates: Vec<Fate<K>>,
    order: Vec<usize>,
    tokens: Tokens,
    budget: Tokens,
    shares: Vec<ShareUse>,
}

impl<K: Ord> Selection<K> {
    /// Puts a finished selection together. `order` lists the items by rank.
    pub(super) fn new(
        items: Vec<Item<K>>,
        fates: Vec<Fate<K>>,
        order: Vec<usize>,
        (tokens, budget): (Tokens, Tokens),
        shares: Vec<ShareUse>,
    ) -> Selection<K> {
        Selection { items, fates, order, tokens, budget, shares }
    }

    /// Returns what the chosen renditions cost together.
    pub fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// Returns what they might have cost.
    pub fn budget(&self) -> Tokens {
        self.budget
    }

    /// Returns what each share took.
    pub fn shares(&self) -> &[ShareUse] {
        &self.shares
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
        let found = self.order.iter().find(|&&number| self.items[number].key == *key);
        found.map(|&number| &self.fates[number])
    }

    /// Returns the name of the rendition in which an item is shown, if it is shown.
    pub fn rendition(&self, key: &K) -> Option<&'static str> {
        let number = *self.order.iter().find(|&&number| self.items[number].key == *key)?;
        let rendition = self.fates[number].rendition()?;
        Some(self.items[number].renditions[rendition].name)
    }
}
