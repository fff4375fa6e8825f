//! Where are the originals of what was cut?
//!
//! A store is one directory with blobs by content hash. Blobs are originals,
//! so [`Blobs`] reports its errors.

mod blobs;
mod hash;

pub use blobs::{BlobError, Blobs};
pub use hash::ContentHash;
