//! What every error of this crate says besides its message.
//!
//! A message names the thing and the value. The code is stable across versions and
//! can be searched for, the hint is the next thing to type or to change, and the
//! fault is what a command turns into an exit code.

use std::io;

use crate::PathError;

/// An error with a stable code and, where one is known, a next step.
pub trait Diagnose: std::error::Error {
    /// Returns the stable code, such as `LL-BUD-005`.
    fn code(&self) -> &'static str;

    /// Returns what is at fault.
    fn fault(&self) -> Fault {
        Fault::Operation
    }

    /// Returns the next step to take, as one sentence without a full stop.
    fn hint(&self) -> Option<String> {
        None
    }
}

/// What an error is due to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// What was asked for, or configured, cannot be done.
    Usage,
    /// The work failed: a disk, a lock, an input.
    Operation,
    /// The caller cancelled the work.
    Cancelled,
}

impl Diagnose for PathError {
    fn code(&self) -> &'static str {
        "LL-CLI-010"
    }
}

impl Diagnose for io::Error {
    fn code(&self) -> &'static str {
        "LL-CLI-011"
    }
}
