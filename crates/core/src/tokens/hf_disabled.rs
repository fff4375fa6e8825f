//! Stands in for `hf` where the feature is off.

use super::{Counter, CounterError};

pub(super) fn open(file: &str) -> Result<Counter, CounterError> {
    Err(CounterError::Vocabulary {
        file: file.to_owned(),
        reason: "this build has no support for it; build with --features hf".to_owned(),
    })
}
