//! Reports progress to a caller.
//!
//! The library prints nothing; a caller that wants a bar brings its own.

use std::fmt::Debug;

/// Is told how far the work is; called from many threads, so it must be quick.
pub trait Progress: Debug + Send + Sync {
    /// `done` of `total` files are through this stage.
    ///
    /// Calls of different threads may come out of order.
    fn at(&self, stage: Stage, done: usize, total: usize);
}

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Files are read, counted and outlined.
    Read,
    /// Files are scored by imports and history.
    Score,
    /// What fits is chosen and written.
    Choose,
}
