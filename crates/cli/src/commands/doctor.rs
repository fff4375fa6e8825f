//! `loadline doctor`: does an agent really use us?

use std::io::Write;
use std::process::{Command, Stdio};

use loadline::agents::Agent;
use serde::Serialize;
use serde_json::Value;

use super::install::scope;
use crate::agent::any_agent;
use crate::error::CommandError;
use crate::setup::files;
use crate::ui::Ui;

/// Check that an agent is set up, and try one hook.
///
/// Looks for the agent and its version, for our hooks in its settings, for other
/// programs that rewrite outputs, and sends one long output through the hook as the
/// agent would. Exits with 1 where something is wrong.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// The agent.
    #[arg(value_name = "AGENT", value_parser = any_agent())]
    agent: Agent,
    /// Look at the project in this directory only.
    #[arg(long)]
    project: bool,
}

/// What was looked at, and what came of it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Check {
    name: &'static str,
    state: State,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Warning,
    Failed,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document {
    agent: &'static str,
    checks: Vec<Check>,
}

/// Looks at everything and says what it found.
pub(crate) fn run(args: &DoctorArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let scope = scope(args.project)?;
    let edits = files(args.agent, &scope, true)?;
    let text: String = edits.iter().filter_map(|it| it.before.as_deref()).collect();
    let mut checks = vec![version(args.agent)];
    checks.push(if edits.iter().any(|edit| edit.is_change()) {
        failed(
            "settings",
            format!("our hooks are missing; run `loadline install {}`", args.agent.name()),
        )
    } else {
        ok("settings", format!("{} has our hooks", edits[0].path.display()))
    });
    checks.extend(others(&text));
    if let Some(step) = args.agent.trust() {
        checks.push(warning("trust", step.to_owned()));
    }
    let command = format!("{} hook {} post-tool-use", scope.program, args.agent);
    checks.push(trial(args.agent, &command));
    let is_well = checks.iter().all(|check| check.state != State::Failed);
    if ui.wants_json() {
        ui.json(&Document { agent: args.agent.name(), checks })?;
    } else {
        for check in checks {
            let sign = match check.state {
                State::Ok => "ok     ",
                State::Warning => "warning",
                State::Failed => "failed ",
            };
            writeln!(ui.out(), "{sign}  {}: {}", check.name, check.message)?;
        }
    }
    if is_well { Ok(()) } else { Err(CommandError::no_match()) }
}

fn ok(name: &'static str, message: String) -> Check {
    Check { name, state: State::Ok, message }
}

fn warning(name: &'static str, message: String) -> Check {
    Check { state: State::Warning, ..ok(name, message) }
}

fn failed(name: &'static str, message: String) -> Check {
    Check { state: State::Failed, ..ok(name, message) }
}

/// Asks the agent for its version.
fn version(agent: Agent) -> Check {
    let program = agent.program();
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            ok("agent", text.lines().next().unwrap_or_default().trim().to_owned())
        }
        Ok(output) => warning("agent", format!("{program} --version: {}", output.status)),
        Err(error) => warning("agent", format!("{program} is not found: {error}")),
    }
}

/// Finds other programs that rewrite what tools say.
fn others(settings: &str) -> Vec<Check> {
    const KNOWN: [(&str, &str); 4] = [
        ("rtk hook", "rtk"),
        ("rtk rewrite", "rtk"),
        ("context-mode", "context-mode"),
        ("headroom", "headroom"),
    ];
    let mut found: Vec<&str> =
        KNOWN.iter().filter(|(sign, _)| settings.contains(sign)).map(|(_, name)| *name).collect();
    found.dedup();
    let message = |name: &str| {
        format!("{name} rewrites outputs too; what it cuts cannot be recalled from here")
    };
    found.into_iter().map(|name| warning("others", message(name))).collect()
}

/// Sends a long output through the hook as the agent would.
fn trial(agent: Agent, command: &str) -> Check {
    let lines: String = (1..=5_000).map(|it| format!("line {it} of a trial\n")).collect();
    let event = agent.sample_event(&lines);
    match answer(command, &event) {
        Ok(text) if text.contains("[loadline: kept ") => {
            ok("trial", format!("{} bytes became {}", event.to_string().len(), text.len()))
        }
        Ok(text) if text.trim().is_empty() => failed(
            "trial",
            "the hook said nothing; hook.enabled may be false, or see hook.log beside the cache"
                .to_owned(),
        ),
        Ok(_) => failed("trial", "the hook did not shorten a long output".to_owned()),
        Err(error) => failed("trial", format!("{command}: {error}")),
    }
}

fn answer(command: &str, event: &Value) -> std::io::Result<String> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(event.to_string().as_bytes())?;
    }
    let output = child.wait_with_output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
