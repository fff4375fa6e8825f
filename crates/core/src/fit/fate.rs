//! Fates and reasons: what became of each item.

use std::fmt;

/// Why an item is not shown, or not in full.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason<K> {
    /// What was left of the budget did not cover it.
    OverBudget,
    /// What was left of its share did not cover it.
    OverShare,
    /// This item has the same content, and is shown instead.
    Duplicate(K),
    /// Its score is below the least that was asked for.
    BelowThreshold,
    /// It has nothing to show.
    Empty,
}

impl<K> Reason<K> {
    /// Returns the name used in output.
    pub const fn name(&self) -> &'static str {
        match self {
            Reason::OverBudget => "over budget",
            Reason::OverShare => "over share",
            Reason::Duplicate { .. } => "duplicate",
            Reason::BelowThreshold => "below threshold",
            Reason::Empty => "empty",
        }
    }
}

impl<K: fmt::Display> fmt::Display for Reason<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Duplicate(of) => write!(f, "duplicate of {of}"),
            reason => f.write_str(reason.name()),
        }
    }
}

/// What became of one item. Renditions are numbered as they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate<K> {
    /// Shown in the most detail it has.
    Kept(usize),
    /// Shown in less detail.
    Shrunk {
        /// The rendition chosen.
        rendition: usize,
        /// Why not in more.
        because: Reason<K>,
    },
    /// Not shown, and why not.
    Dropped(Reason<K>),
}

impl<K> Fate<K> {
    /// Returns the rendition chosen, if the item is shown.
    pub const fn rendition(&self) -> Option<usize> {
        match self {
            Fate::Kept(rendition) | Fate::Shrunk { rendition, .. } => Some(*rendition),
            Fate::Dropped { .. } => None,
        }
    }

    /// Returns why the item is not shown in full, if it is not.
    pub const fn because(&self) -> Option<&Reason<K>> {
        match self {
            Fate::Kept { .. } => None,
            Fate::Shrunk { because, .. } | Fate::Dropped(because) => Some(because),
        }
    }
}
