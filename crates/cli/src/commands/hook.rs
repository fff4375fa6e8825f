//! `loadline hook`: what an agent calls by itself.
//!
//! A hook must never be in the way: it answers in a moment or not at all, and
//! what goes wrong is nobody's business but that of who sets it up.

mod claude_code;

use crate::args::GlobalArgs;
use crate::error::{CommandError, RequestError};
use crate::ui::Ui;

/// Answer an agent that calls this before it does something.
///
/// `hook claude-code pre-tool-use` reads what Claude Code says of a tool on standard input. Where
/// the notes of the active feature (.claude/active-focus.md) are too full it answers with a
/// warning, once per session and level; from 90 % on it takes a checkpoint, and with memory.auto
/// it compacts. In every other case it is silent. The exit code is always 0.
#[derive(Debug, clap::Args)]
pub(crate) struct HookArgs {
    /// The agent: claude-code.
    #[arg(value_name = "AGENT")]
    agent: String,
    /// What is about to happen: pre-tool-use.
    #[arg(value_name = "EVENT")]
    event: String,
}

/// Answers an event.
pub(crate) fn run(args: &HookArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    match (args.agent.as_str(), args.event.as_str()) {
        ("claude-code", "pre-tool-use") => Ok(claude_code::pre_tool_use(global, ui)?),
        (agent, event) => Err(RequestError::UnknownHook {
            agent: agent.to_owned(),
            event: event.to_owned(),
        }
        .into()),
    }
}
