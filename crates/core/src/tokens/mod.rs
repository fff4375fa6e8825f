//! How many tokens is this text, and how sure are we?

mod amount;
mod precision;

pub use amount::{ParseTokensError, Tokens};
pub use precision::Precision;
