//! Starts agents on sessions.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anstream::adapter::strip_str;
use loadline::agents::{FoundSession, rename_opencode_session};

use crate::error::{CommandError, RequestError, Result};

/// Returns the command that continues a session, as it is typed.
pub(super) fn command(found: &FoundSession, more: &[OsString]) -> Result<Vec<String>> {
    let (program, arguments) = resume_command(found)?;
    let arguments = arguments.iter().chain(more);
    let typed = arguments.map(|it| quoted(&it.to_string_lossy()));
    Ok([program.to_owned()].into_iter().chain(typed).collect())
}

fn resume_command(found: &FoundSession) -> Result<(&'static str, Vec<OsString>)> {
    found.resume_command().ok_or_else(|| {
        let program = found.agent.program().to_owned();
        RequestError::NotStarted { program, reason: "the log has no id".to_owned() }.into()
    })
}

fn quoted(argument: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./:=@,".contains(it);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

/// Starts the agent where it worked, in the place of this process where that is possible.
pub(super) fn start(found: &FoundSession, more: &[OsString]) -> Result<()> {
    let (program, arguments) = resume_command(found)?;
    let mut command = Command::new(program);
    command.args(arguments).args(more).current_dir(&found.directory);
    let not_started = |error: std::io::Error| {
        let (program, reason) = (program.to_owned(), error.to_string());
        CommandError::from(RequestError::NotStarted { program, reason })
    };
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        Err(not_started(command.exec()))
    }
    #[cfg(not(unix))]
    {
        let status = command.status().map_err(not_started)?;
        std::process::exit(status.code().unwrap_or(1));
    }
}

/// Refuses to change the log of an agent that is running in the session's directory.
///
/// Only Linux tells; elsewhere a cold cache means that nothing was written for minutes.
pub(super) fn refuse_running(found: &FoundSession) -> Result<()> {
    let program = found.agent.program();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let running = processes.filter_map(|entry| {
        let process: u32 = entry.file_name().to_str()?.parse().ok()?;
        let place = fs::read_link(entry.path().join("cwd")).ok()?;
        (place == found.directory && runs(program, &entry.path())).then_some(process)
    });
    match running.min() {
        None => Ok(()),
        Some(process) => {
            let directory = found.directory.display().to_string();
            Err(RequestError::Running { program, process, directory }.into())
        }
    }
}

/// Tells whether a process is a program, or an interpreter that runs it.
fn runs(program: &str, process: &Path) -> bool {
    let line = fs::read(process.join("cmdline")).unwrap_or_default();
    let words = line.split(|byte| *byte == 0).take(2);
    let mut names = words.map(|word| PathBuf::from(String::from_utf8_lossy(word).as_ref()));
    names.any(|name| name.file_stem().is_some_and(|it| it == program))
}

/// Imports a trimmed session of opencode beside the original.
pub(super) fn import(found: FoundSession, bytes: &[u8]) -> Result<FoundSession> {
    let program = found.agent.program();
    let failed = |reason: String| {
        CommandError::from(RequestError::NotStarted {
            program: format!("{program} import"),
            reason,
        })
    };
    let renamed = rename_opencode_session(bytes);
    let (id, document) = renamed.ok_or_else(|| failed("the session has no messages".into()))?;
    let file = std::env::temp_dir().join(format!("{id}.json"));
    crate::output::write(&file, &document)?;
    let ran = Command::new(program).arg("import").arg(&file).current_dir(&found.directory).output();
    // It was only there to be read.
    let _ = fs::remove_file(&file);
    let ran = ran.map_err(|error| failed(error.to_string()))?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        return Err(failed(strip_str(said.trim()).to_string()));
    }
    Ok(FoundSession { id: Some(id), ..found })
}
