//! What every error of this crate can say about itself beside its message.
//!
//! A message names the thing and the value. The code is stable across versions
//! and can be searched for; the hint is the next thing to type or to change.

/// An error with a stable code and, where one is known, a next step.
pub trait Diagnose: std::error::Error {
    /// Returns the stable code, such as `LL-BUD-005`.
    fn code(&self) -> &'static str;

    /// Returns the next step to take, as one sentence without a full stop.
    fn hint(&self) -> Option<String> {
        None
    }
}
