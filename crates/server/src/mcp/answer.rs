//! What a tool says: a text that was counted, or why there is none.

use loadline::Diagnose;
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

/// Why a tool has no answer, in words for the model that asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct ToolError(pub(super) String);

impl ToolError {
    /// Says so in words.
    pub(super) fn new(message: impl Into<String>) -> ToolError {
        ToolError(message.into())
    }

    /// Says what the library said, with its code and what to do next.
    pub(super) fn of(error: &(impl Diagnose + std::fmt::Display)) -> ToolError {
        let code = error.code();
        match error.hint() {
            Some(hint) => ToolError(format!("{error} [{code}]; {hint}")),
            None => ToolError(format!("{error} [{code}]")),
        }
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
