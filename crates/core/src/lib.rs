//! Loadline decides what goes into a model's context window, counts it, and
//! keeps it under the line.

mod diagnose;
mod fsio;
mod note;
mod store;
mod tokens;

pub use diagnose::Diagnose;
pub use fsio::{PathError, write_atomic};
pub use note::Note;
pub use store::{BlobError, Blobs, ContentHash};
pub use tokens::{ParseTokensError, Precision, Tokens};
