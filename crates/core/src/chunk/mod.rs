//! Where does a text come apart without being torn?

mod line;
mod passage;

pub use passage::{Passage, PassageOptions, passages};
pub(crate) use passage::passages_and_names;
