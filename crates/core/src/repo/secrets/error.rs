//! Why the rules for secrets cannot be used.
//!
//! Only what a user wrote can be wrong; a test keeps the built-in table right.
//! No message repeats a pattern: one that is meant to allow a certain secret
//! holds that secret.

use crate::{Diagnose, Fault};

/// Why the rules for secrets cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The table that is compiled in cannot be read.
    #[error("the built-in rules for secrets cannot be read: {message}")]
    Table {
        /// What is wrong with it.
        message: String,
    },
    /// The name of a rule would not survive in a text.
    #[error("invalid rule name {id:?}")]
    Id {
        /// The name as it was given.
        id: String,
    },
    /// The pattern of a rule cannot be used.
    #[error("the pattern of rule {id:?} cannot be used: {reason}")]
    Pattern {
        /// The rule's name.
        id: String,
        /// What is wrong with it, without the pattern.
        reason: String,
    },
    /// An allow pattern cannot be used.
    #[error("allow pattern {number} cannot be used: {reason}")]
    Allow {
        /// Its place in the list, from 1.
        number: usize,
        /// What is wrong with it, without the pattern.
        reason: String,
    },
    /// A rule to leave out does not exist.
    #[error("unknown rule {id:?} in the list of disabled rules")]
    Unknown {
        /// The name as it was given.
        id: String,
    },
}

impl Diagnose for SecretError {
    fn fault(&self) -> Fault {
        Fault::Usage
    }

    fn code(&self) -> &'static str {
        "LL-CFG-003"
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            SecretError::Table { .. } => return None,
            SecretError::Id { .. } => "use lower-case letters, digits and hyphens, at most 64",
            SecretError::Pattern { .. } | SecretError::Allow { .. } => {
                "write patterns as for ripgrep, without look-around and back-references"
            }
            SecretError::Unknown { .. } => "check the spelling of the rule's name",
        };
        Some(hint.to_owned())
    }
}

/// Says what is wrong with a pattern without repeating it.
pub(super) fn reason(error: &regex::Error) -> String {
    match error {
        // The message shows the pattern, marks the place, and ends with the reason.
        regex::Error::Syntax(message) => {
            let last = message.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_owned()
        }
        regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
        _ => "it is not a regular expression".to_owned(),
    }
}
