//! The composer: how a caller of `fit` prices and writes a choice.

use super::FitError;
use crate::tokens::Tokens;

/// One step that `fit` considers: to show an item in a rendition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the item in what `fit` was given.
    pub item: usize,
    /// The rendition it would be shown in.
    pub rendition: usize,
    /// The rendition it is shown in now, if it is shown.
    pub now: Option<usize>,
}

/// What a step brings and costs by the numbers of its item alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offer {
    /// The score per token.
    pub rate: f64,
    /// The tokens beyond the rendition shown now.
    pub cost: Tokens,
}

/// What has been chosen so far.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a> {
    pub(super) renditions: &'a [Option<usize>],
    pub(super) tokens: Tokens,
}

impl Chosen<'_> {
    /// Returns the rendition in which an item is shown, if it is shown.
    pub fn rendition(&self, item: usize) -> Option<usize> {
        self.renditions.get(item).copied().flatten()
    }

    /// Iterates over the items shown and their renditions, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        let shown = self.renditions.iter().enumerate();
        shown.filter_map(|(item, rendition)| Some((item, (*rendition)?)))
    }

    /// Returns what the chosen renditions cost by the items' own numbers.
    pub fn tokens(&self) -> Tokens {
        self.tokens
    }
}

/// Prices and writes a choice.
///
/// Prices are estimates that steer the choice; what counts is [`Compose::tokens`]
/// of what [`Compose::write`] returns, which `fit` holds under the budget.
pub trait Compose {
    /// What is written: a text, the draft of a session.
    type Written;
    /// Why it cannot be written.
    type Error: From<FitError>;

    /// Returns the tokens that a step would add to what is written, as an estimate,
    /// or `None` where it is not on offer.
    ///
    /// Override this where the cost depends on what is chosen already: a line next
    /// to a chosen line needs no gap mark, the first piece of a file brings its header.
    fn cost(&mut self, place: Place, plain: Offer) -> Option<Tokens> {
        let _ = place;
        Some(plain.cost)
    }

    /// Returns how much a step is worth now: the highest rate comes first, and one
    /// that is not positive is not taken. Usually the gain per token.
    ///
    /// Asked for every item under [`Order::Rate`](super::Order::Rate), so it should be
    /// cheap; never asked under [`Order::Score`](super::Order::Score).
    fn rate(&self, place: Place, plain: Offer) -> f64 {
        let _ = place;
        plain.rate
    }

    /// Hears that a step was taken.
    ///
    /// Rates may only fall as more is chosen, except for the items pushed onto
    /// `risen`, which are looked at again.
    fn take(&mut self, place: Place, risen: &mut Vec<usize>) {
        let _ = (place, risen);
    }

    /// Hears that a step was undone: the item is shown as in `place.now` again.
    /// Steps are undone in reverse order.
    fn give_back(&mut self, place: Place) {
        let _ = place;
    }

    /// Writes the choice.
    fn write(&mut self, chosen: Chosen<'_>) -> Result<Self::Written, Self::Error>;

    /// Counts what was written.
    fn tokens(&self, written: &Self::Written) -> Tokens;
}

/// Writes nothing: costs are the items' own numbers, which add up.
pub(super) struct Plain;

impl Compose for Plain {
    type Written = Tokens;
    type Error = FitError;

    fn write(&mut self, chosen: Chosen<'_>) -> Result<Tokens, FitError> {
        Ok(chosen.tokens())
    }

    fn tokens(&self, written: &Tokens) -> Tokens {
        *written
    }
}
