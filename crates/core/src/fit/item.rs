//! Items and their renditions: what competes for a budget.

use super::fate::Reason;
use crate::tokens::Tokens;

/// One way to show an item, with its real cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rendition {
    /// What the rendition is called: `full`, `outline`, `gist`.
    pub(super) name: &'static str,
    /// What it costs.
    pub(super) tokens: Tokens,
}

/// Something that competes for a place: a file, a chunk, a turn, a note.
///
/// `K` names the item and breaks ties: of two items with the same score the
/// smaller key comes first, so a key usually is (source priority, path, line).
/// Renditions are given from most to least detail.
///
/// ```
/// use loadline::fit::Item;
/// use loadline::tokens::Tokens;
/// let item = Item::new("src/main.rs", 85.0)
///     .rendition("full", Tokens::new(1_200))
///     .rendition("outline", Tokens::new(90));
/// ```
#[derive(Clone, Debug)]
pub struct Item<K> {
    pub(super) key: K,
    pub(super) score: f64,
    pub(super) renditions: Vec<Rendition>,
    pub(super) required: bool,
    pub(super) share: Option<String>,
    pub(super) excluded: Option<Reason<K>>,
}

impl<K> Item<K> {
    /// Makes an item without renditions; it cannot be chosen until it has one.
    ///
    /// A score that is not a number counts as the lowest.
    pub fn new(key: K, score: f64) -> Item<K> {
        Item {
            key,
            score: if score.is_nan() { f64::NEG_INFINITY } else { score },
            renditions: Vec::new(),
            required: false,
            share: None,
            excluded: None,
        }
    }

    /// Adds a rendition with less detail than those before it.
    #[must_use]
    pub fn rendition(mut self, name: &'static str, tokens: Tokens) -> Item<K> {
        self.renditions.push(Rendition { name, tokens });
        self
    }

    /// Says that the selection fails unless this item is in it.
    #[must_use]
    pub fn required(mut self) -> Item<K> {
        self.required = true;
        self
    }

    /// Says which share of the budget pays for this item.
    #[must_use]
    pub fn in_share(mut self, name: impl Into<String>) -> Item<K> {
        self.share = Some(name.into());
        self
    }

    /// Says that this item must not be chosen, and why; it only gets its fate.
    #[must_use]
    pub fn excluded(mut self, reason: Reason<K>) -> Item<K> {
        self.excluded = Some(reason);
        self
    }

    /// Returns the numbers of the renditions worth considering, most detail first.
    ///
    /// One that costs nothing shows nothing, and one that costs no less than a
    /// more detailed one is never the better choice.
    pub(super) fn useful_renditions(&self) -> Vec<usize> {
        let mut cheapest = Tokens::MAX;
        let mut useful = Vec::new();
        for (number, rendition) in self.renditions.iter().enumerate() {
            if !rendition.tokens.is_zero() && (useful.is_empty() || rendition.tokens < cheapest) {
                cheapest = rendition.tokens;
                useful.push(number);
            }
        }
        useful
    }
}
