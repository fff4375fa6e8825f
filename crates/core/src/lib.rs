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
pub use store::{
    API_COUNT_TTL, BlobError, Blobs, CacheStats, ClearError, Cleared, ContentCount, ContentHash,
    CountCache, CountedFile, FileStamp, KnownCount, KnownFile, RecordedFile, Store, StoreInfo,
    StoreOptions,
};
pub use tokens::{ParseTokensError, Precision, Tokens};
