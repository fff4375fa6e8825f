//! Why a text has no outline.
//!
//! None of these is a failure of the run: the caller shows the reason and falls
//! back to the first lines of the file or to chunks of lines.

use thiserror::Error;

use crate::{Diagnose, Diagnosis};

/// The reason why a text was not outlined.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SyntaxError {
    /// No grammar of this build knows the language.
    #[error("no grammar for language {0:?}")]
    UnknownLanguage(String),
    /// The text is longer than the limit.
    #[error("{bytes} bytes are more than the {limit} that are parsed")]
    TooLarge {
        /// Length of the text.
        bytes: usize,
        /// Longest text that is parsed.
        limit: usize,
    },
    /// The lines are so long that nobody wrote them.
    #[error("lines of {average} bytes on average look minified (limit {limit})")]
    Minified {
        /// Mean length of a line.
        average: usize,
        /// Longest mean length that is parsed.
        limit: usize,
    },
    /// Syntax is nested beyond the limit.
    #[error("syntax is nested more than {0} levels deep")]
    TooDeep(u32),
    /// Parsing took more work than the limit allows.
    #[error("parsing was given up after {0} steps")]
    TooSlow(u64),
    /// The queries of a language do not fit its grammar; a defect of Loadline.
    #[error("queries of {language} do not fit its grammar: {message}")]
    Query {
        /// The language.
        language: &'static str,
        /// What the query compiler said.
        message: String,
    },
}

impl Diagnose for SyntaxError {
    fn diagnosis(&self) -> Diagnosis {
        let diagnosis = Diagnosis::operation("LL-SYN-001");
        match self {
            SyntaxError::UnknownLanguage(_) => {
                diagnosis.hint("build with the feature of its grammar, such as `langs-all`")
            }
            _ => diagnosis,
        }
    }
}
