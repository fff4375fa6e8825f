//! `loadline hook`: answers an agent's hook, and never fails the agent.
//!
//! Whatever goes wrong, nothing is printed and the exit code is 0; a line in
//! `hook.log` beside the cache says what it was.

mod answer;
mod notes;

use std::fs::OpenOptions;
use std::io::{Read, Write};

use loadline::agents::Agent;
use serde_json::Value;

use crate::args::GlobalArgs;
use crate::error::Result;
use crate::settings::cache_directory;
use crate::ui::Ui;

/// The most bytes of an event that are read.
const MOST: u64 = 256 << 20;
/// The log begins anew above this.
const LONGEST_LOG: u64 = 1 << 20;

/// Answer a hook of an agent: reads its event on standard input.
///
/// Long outputs of tools are shortened before the model sees them, with a handle
/// for `loadline recall`; what was seen before becomes a pointer. `[hook]` in the
/// configuration has the rules. Never fails the agent: on any error nothing is
/// printed. `loadline install AGENT` sets it up.
#[derive(Debug, clap::Args)]
pub(crate) struct HookArgs {
    // Not checked by clap: its exit code 2 would have an agent refuse its tool.
    /// Whose hook it is: claude-code, codex, gemini, copilot, opencode or pi.
    #[arg(value_name = "AGENT", default_value = "", hide_default_value = true)]
    agent: String,
    /// The event, such as post-tool-use, pre-tool-use, session-start or pre-compact.
    #[arg(value_name = "EVENT", default_value = "", hide_default_value = true)]
    event: String,
}

/// Reads the event and prints the answer.
pub(crate) fn run(args: &HookArgs, ui: &mut Ui) -> Result<()> {
    let mut input = Vec::new();
    let read = std::io::stdin().take(MOST).read_to_end(&mut input);
    let answer = match read {
        Ok(_) => answer(args, &input, ui),
        Err(error) => Err(error.to_string()),
    };
    match answer {
        Ok(Some(Value::String(text))) => ui.raw(text.as_bytes())?,
        Ok(Some(answer)) => ui.raw(answer.to_string().as_bytes())?,
        Ok(None) => {}
        Err(message) => log(args, &message),
    }
    Ok(())
}

fn answer(args: &HookArgs, input: &[u8], ui: &Ui) -> Result<Option<Value>, String> {
    let agent: Agent = args.agent.parse().map_err(|error| format!("{error}"))?;
    let body: Value = serde_json::from_slice(input)
        .map_err(|error| format!("event of {} bytes is not JSON: {error}", input.len()))?;
    let event = agent.event(&args.event, body);
    // Notes are for somebody who runs a command, not for an agent.
    let mut silent = Ui::new(&GlobalArgs { quiet: true, ..ui.global().clone() });
    answer::answer(&event, &mut silent).map_err(|error| error.to_string())
}

/// Keeps what went wrong; where even that fails, nobody can be told.
fn log(args: &HookArgs, message: &str) {
    let Ok(directory) = cache_directory() else {
        return;
    };
    let path = directory.join("hook.log");
    if std::fs::metadata(&path).is_ok_and(|it| it.len() > LONGEST_LOG) {
        let _ = std::fs::rename(&path, directory.join("hook.log.old"));
    }
    let _ = std::fs::create_dir_all(&directory);
    let file = OpenOptions::new().create(true).append(true).open(&path);
    if let Ok(mut file) = file {
        let now = jiff::Timestamp::now();
        let line = format!("{now} {} {}: {message}\n", args.agent, args.event);
        let _ = file.write_all(line.as_bytes());
    }
}
