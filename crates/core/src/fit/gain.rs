//! What a choice is worth, given what was chosen before.

/// The worth of renditions when it depends on one another: the third chunk of
/// one file, a line whose names are shown already.
///
/// Items and renditions are named by their number in what `select` was given.
/// A gain must not grow as more is chosen; it is asked again before a choice,
/// and only then.
pub trait Gain {
    /// Returns what it is worth now to show an item in this rendition.
    fn gain(&self, item: usize, rendition: usize) -> f64;

    /// Hears that a rendition was chosen. A second call for an item replaces the first.
    fn chosen(&mut self, item: usize, rendition: usize);
}
