//! Answers of tools: a text that was counted, or an error.

use loadline::{Diagnose, Fault};
use rmcp::model::{CallToolResult, ContentBlock, Resource};

use crate::roots::Refusal;

/// What a tool found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// What the model reads.
    pub(super) text: String,
    /// Where more of it is.
    pub(super) link: Option<Resource>,
}

impl From<String> for Answer {
    fn from(text: String) -> Answer {
        Answer { text, link: None }
    }
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> CallToolResult {
        let mut content = vec![ContentBlock::text(answer.text)];
        content.extend(answer.link.map(ContentBlock::ResourceLink));
        CallToolResult::success(content)
    }
}

/// Why a tool failed, in words for the model that asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct ToolError(pub(super) String);

impl ToolError {
    /// Makes an error from its message.
    pub(super) fn new(message: impl Into<String>) -> ToolError {
        ToolError(message.into())
    }
}

impl<E: Diagnose> From<E> for ToolError {
    /// Repeats what the library says, with its code and the next step.
    fn from(error: E) -> ToolError {
        if error.diagnosis().fault == Fault::Cancelled {
            return ToolError::new("cancelled");
        }
        let hint = error.hint().map(|hint| format!("; {hint}"));
        ToolError(format!("{error} [{}]{}", error.code(), hint.unwrap_or_default()))
    }
}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> ToolError {
        ToolError(refusal.to_string())
    }
}

impl From<ToolError> for CallToolResult {
    fn from(error: ToolError) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(error.0)])
    }
}
