//! What every error of this crate says besides its message.
//!
//! A message names the thing and the value. The code is stable across versions and
//! can be searched for, the hint is the next thing to type or to change, and the
//! fault is what a command turns into an exit code.

use std::io;

use crate::PathError;

/// An error with a stable code and, where one is known, a next step.
pub trait Diagnose: std::error::Error {
    /// Returns the code, what is at fault, and the next step.
    fn diagnosis(&self) -> Diagnosis;

    /// Returns the stable code, such as `LL-BUD-005`.
    fn code(&self) -> &'static str {
        self.diagnosis().code
    }

    /// Returns the next step to take.
    fn hint(&self) -> Option<String> {
        self.diagnosis().hint
    }
}

/// What an error says besides its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The stable code, such as `LL-BUD-005`.
    pub code: &'static str,
    /// What is at fault.
    pub fault: Fault,
    /// The next step to take, as one sentence without a full stop.
    pub hint: Option<String>,
}

impl Diagnosis {
    /// The work failed, without a known next step.
    pub fn operation(code: &'static str) -> Diagnosis {
        Diagnosis { code, fault: Fault::Operation, hint: None }
    }

    /// What was asked for cannot be done, without a known next step.
    pub fn usage(code: &'static str) -> Diagnosis {
        Diagnosis { fault: Fault::Usage, ..Diagnosis::operation(code) }
    }

    /// Adds the next step to take.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Diagnosis {
        Diagnosis { hint: Some(hint.into()), ..self }
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
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis::operation("LL-CLI-010")
    }
}

impl Diagnose for io::Error {
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis::operation("LL-CLI-011")
    }
}
