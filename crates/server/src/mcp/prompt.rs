//! The prompt `handoff`: a summary of a session for the next one.

use loadline::session::session_handoff;
use loadline::tokens::Tokens;
use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

use super::answer::ToolError;
use super::arguments::Arguments;
use super::job::Job;

const NAME: &str = "handoff";
/// What it costs unless the request says otherwise.
const TOKENS: u64 = 4_000;
const ABOUT: &str =
    "Summary of a session for the next one: task, state, changed files, last messages";

/// Lists the prompts.
pub(super) fn list() -> Vec<Prompt> {
    let argument = |name: &str, meaning: &str| {
        PromptArgument::new(name).with_description(meaning).with_required(false)
    };
    let arguments = vec![
        argument("session", "log file [default: newest of this project]"),
        argument("max_tokens", "default 4000"),
    ];
    vec![Prompt::new(NAME, Some(ABOUT), Some(arguments))]
}

/// Tells whether there is such a prompt.
pub(super) fn exists(name: &str) -> bool {
    name == NAME
}

/// Writes the prompt.
pub(super) fn get(job: &Job, arguments: &Arguments) -> Result<GetPromptResult, ToolError> {
    let max = match arguments.tokens("max_tokens")? {
        Some(_) => arguments.max_tokens()?,
        None => Tokens::new(TOKENS),
    };
    let named = arguments.text("session")?;
    let session = job.state.session(named.as_deref())?;
    let session = session.ok_or_else(|| {
        ToolError::new("no session found for this project; pass the path of a log as session")
    })?;
    let text = session_handoff(&session.transcript, &session.counter, max);
    let message = PromptMessage::new_text(Role::User, job.redacted(text));
    Ok(GetPromptResult::new(vec![message]).with_description(ABOUT))
}
