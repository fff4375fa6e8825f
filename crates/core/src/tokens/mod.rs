//! How many tokens is this text, and how sure are we?

mod amount;

pub use amount::{ParseTokensError, Tokens};
