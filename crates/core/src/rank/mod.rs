//! In which order do things matter?

pub(crate) mod terms;
pub mod task;
