//! Remarks: what the program says about its work without stopping it.
//!
//! Bad input is not an error here: a binary file, a damaged cache or an unknown key
//! yields a result plus remarks. Callers decide where remarks go.

use std::fmt;

use serde::Serialize;

/// One remark about one thing: what it is about, and what happened to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remark {
    /// What the remark is about: a path, a key, a component.
    pub subject: String,
    /// What happened, in lower case, without a full stop.
    pub message: String,
}

impl Remark {
    /// Makes a remark about `subject`.
    pub fn new(subject: impl Into<String>, message: impl Into<String>) -> Remark {
        Remark { subject: subject.into(), message: message.into() }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.message)
    }
}
