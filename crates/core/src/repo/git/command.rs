//! Runs git so that it answers the same everywhere and changes nothing.
//!
//! No pager, no prompt, no locks, no colours, no translation, no network. What
//! a repository's own settings could make git run (hooks, monitors, filters,
//! signature checks, diff drivers, transports) is switched off. Variables that would point git at
//! another repository are dropped: they are set whenever a hook runs us.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Variables that change which repository, index or objects git looks at.
const LOCAL_VARIABLES: [&str; 13] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
];

const ENVIRONMENT: [(&str, &str); 8] = [
    ("LC_ALL", "C"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // Older versions of git do not know the one above; no protocol has this name.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_PAGER", "cat"),
];

const SETTINGS: [&str; 8] = [
    "core.quotepath=off",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "log.showSignature=false",
    "log.showRoot=true",
    "log.mailmap=false",
    "color.ui=false",
];

/// Makes a command that runs git in a directory.
pub(super) fn git(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("--no-pager").arg("-C").arg(directory);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.args(arguments);
    for name in LOCAL_VARIABLES {
        command.env_remove(name);
    }
    command.envs(ENVIRONMENT).stdin(Stdio::null());
    command
}

/// Runs git to its end and returns what it wrote, or why it did not.
pub(super) fn run(directory: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    finish(git(directory, arguments))
}

/// Runs a command to its end and returns what it wrote, or why it did not.
pub(super) fn finish(mut command: Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(explain)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or("git failed without a word");
    let line = line.trim_start_matches("fatal: ");
    Err(line.trim_start_matches("error: ").to_owned())
}

/// Makes a command that compares files of the work tree, with no filter in between.
pub(super) fn comparing(directory: &Path, arguments: &[&str]) -> Result<Command, String> {
    let settings = without_filters(directory)?;
    let settings = settings.iter().map(String::as_str);
    let all: Vec<&str> = settings.chain(arguments.iter().copied()).collect();
    Ok(git(directory, &all))
}

/// Returns arguments that switch off the filters that are configured.
///
/// To tell whether a file differs git passes it through the filter that the
/// repository names for it, which is any command. Setting its commands to
/// nothing leaves the file as it is.
fn without_filters(directory: &Path) -> Result<Vec<String>, String> {
    let asked = ["config", "--name-only", "-z", "--get-regexp", "^filter[.]"];
    // Git fails where no setting matches.
    let names = run(directory, &asked).unwrap_or_default();
    let mut arguments = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|it| !it.is_empty()) {
        let name = String::from_utf8_lossy(name);
        let Some((driver, _)) = name.rsplit_once('.') else {
            continue;
        };
        if driver.contains(['=', '\u{fffd}']) {
            return Err(
                "not compared, since a filter in its settings cannot be switched off".into()
            );
        }
        for setting in ["clean=", "process=", "smudge=", "required=false"] {
            arguments.extend(["-c".to_owned(), format!("{driver}.{setting}")]);
        }
    }
    Ok(arguments)
}

/// Says why git could not be started.
pub(super) fn explain(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "git is not installed".to_owned(),
        _ => format!("git cannot be run: {error}"),
    }
}
