//! `loadline doctor`: checks that an agent really uses this program, and that what the
//! hooks need is there.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use loadline::agents::{Agent, InstallScope, Shell};
use loadline::archive::CutLedger;
use loadline::write_atomic;
use serde::Serialize;
use serde_json::Value;

use super::install::scope;
use crate::agent::any_agent;
use crate::error::{CommandError, Result};
use crate::settings::archive_directory;
use crate::setup::{files, programs};
use crate::ui::Ui;

/// Check that an agent is set up, and try one hook.
///
/// Looks for the agent and its version, for our hooks in its settings and the program that
/// they call, for other programs that rewrite outputs, and for the archive; and sends one
/// long output through the hook as the agent would. Exits with 1 where something is wrong.
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
pub(crate) fn run(args: &DoctorArgs, ui: &mut Ui) -> Result<()> {
    let scope = scope(args.project)?;
    let edits = files(args.agent, &scope, true)?;
    let text: String = edits.iter().filter_map(|it| it.before.as_deref()).collect();
    let mut checks = vec![version(args.agent)];
    let called = programs(args.agent, &scope);
    checks.push(if edits.iter().any(|edit| edit.is_change()) {
        let what = if called.is_empty() { "are missing" } else { "are not those of this program" };
        let name = args.agent.name();
        failed("settings", format!("our hooks {what}; run `loadline install {name}`"))
    } else {
        ok("settings", format!("{} has our hooks", edits[0].path.display()))
    });
    checks.extend(called.iter().map(|program| called_program(program)));
    checks.push(store());
    checks.extend(others(&text));
    if let Some(step) = args.agent.trust() {
        checks.push(warning("trust", step.to_owned()));
    }
    checks.push(trial(args.agent, &scope));
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

/// Asks a program for its version; `absent` is what its absence is called.
fn ask_version(program: &str, absent: &str) -> Result<String, String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Ok(output) => Err(format!("{program} --version: {}", output.status)),
        Err(error) => Err(format!("{absent}: {error}")),
    }
}

/// Asks the agent for its version.
fn version(agent: Agent) -> Check {
    let program = agent.program();
    match ask_version(program, &format!("{program} is not found")) {
        Ok(text) => ok("agent", text.lines().next().unwrap_or_default().trim().to_owned()),
        Err(reason) => warning("agent", reason),
    }
}

/// Looks at a program that hooks call: is it there, and is it this version?
fn called_program(program: &str) -> Check {
    let here = env!("CARGO_PKG_VERSION");
    let text = match ask_version(program, &format!("the hooks call {program}")) {
        Ok(text) => text,
        Err(reason) => return failed("program", reason),
    };
    let version = text.split_whitespace().last().unwrap_or_default();
    if version == here {
        return ok("program", format!("{program} is version {version}"));
    }
    warning("program", format!("the hooks call {program} {version}, and this is {here}"))
}

/// Tries to write to the archive and to read from it.
fn store() -> Check {
    let tried = archive_directory()
        .map_err(|error| error.to_string())
        .and_then(|directory| try_store(&directory).map(|()| directory));
    match tried {
        Ok(directory) => ok("archive", format!("{} can be written", directory.display())),
        Err(reason) => failed("archive", reason),
    }
}

fn try_store(directory: &Path) -> Result<(), String> {
    let path = directory.join(format!("doctor-{}", std::process::id()));
    write_atomic(&path, b"ok").map_err(|error| error.to_string())?;
    let read = std::fs::read(&path);
    // What is left of a trial does no harm.
    let _ = std::fs::remove_file(&path);
    read.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let ledger = CutLedger::open(directory).map_err(|error| error.to_string())?;
    ledger.rows(0, 1).map(|_| ()).map_err(|error| error.to_string())
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

/// Has a shell run a command.
fn call(shell: Shell, command: &str) -> Command {
    let (program, arguments): (_, &[&str]) = match shell {
        Shell::Sh => ("sh", &["-c"]),
        Shell::Cmd => ("cmd", &["/d", "/c"]),
        Shell::PowerShell => ("powershell", &["-NoProfile", "-Command"]),
    };
    let mut call = Command::new(program);
    call.args(arguments);
    // This shell does not know the quotes that the standard library would write.
    #[cfg(windows)]
    if shell == Shell::Cmd {
        use std::os::windows::process::CommandExt;
        call.raw_arg(command);
        return call;
    }
    call.arg(command);
    call
}

/// Sends a long output through the hook as the agent would.
fn trial(agent: Agent, scope: &InstallScope) -> Check {
    let command = scope.command(agent, &format!("hook {agent} post-tool-use"));
    let lines: String = (1..=5_000).map(|it| format!("line {it} of a trial\n")).collect();
    let event = agent.sample_event(&lines);
    match answer(scope.shell(agent), &command, &event) {
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

fn answer(shell: Shell, command: &str, event: &Value) -> std::io::Result<String> {
    let mut child = call(shell, command)
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
