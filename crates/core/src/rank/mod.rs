//! In which order do things matter?
//!
//! `task` finds the lines that a task needs, by an index of words that is kept
//! in the store. `weighted` ranks chunks of any origin by four plain factors.
//! Scores of both come apart into the parts of `contribution`.

pub(crate) mod contribution;
pub(crate) mod task;
pub(crate) mod terms;
pub(crate) mod weighted;
