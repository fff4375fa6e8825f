//! Reports why a command failed, in one place.
//!
//! An error is a fault, which decides the exit code, a message with its causes, a
//! stable code and a hint. The library's errors bring all of that themselves
//! ([`Diagnose`]); this file adds what only the command can find wrong.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use loadline::{Diagnose, Diagnosis, Fault, PathError};

use crate::ui::{self, Ui};

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct CommandError {
    exit: Exit,
    code: &'static str,
    error: Box<dyn Error>,
    hint: Option<String>,
}

/// What a command returns.
pub(crate) type Result<T, E = CommandError> = std::result::Result<T, E>;

/// How a command ends that did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// With a message; the fault decides the exit code.
    Fault(Fault),
    /// A search found nothing, and the command has said so.
    NoMatch,
    /// A limit is exceeded, and the command has said so.
    Gate,
}

/// What can be wrong with a request beyond what the library finds.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    #[error("unknown model {name:?}")]
    UnknownModel { name: String, nearest: Vec<String> },
    #[error("{} already exists", path.display())]
    Exists { path: PathBuf },
    #[cfg(not(feature = "server"))]
    #[error("this build has no server")]
    NoServer,
    #[error("no directory for the cache")]
    NoCacheDirectory,
    #[error("no directory for the archive")]
    NoDataDirectory,
    #[error("cannot read the cache in {}", path.display())]
    CacheUnreadable { path: PathBuf },
    #[error("the counter api counts for Claude models, not for {model}")]
    NotClaude { model: String },
    #[error("{count} counters given, but a budget is counted by one")]
    ManyCounters { count: usize },
    #[error("no terminal and no program to copy with")]
    NoTerminal,
    #[error("no recorded pack of {}", path.display())]
    NoPack { path: PathBuf },
    #[error("no feature given, and .claude/active-focus.md names none")]
    NoActiveFeature,
    #[error("cannot watch {}: {reason}", path.display())]
    NoWatch { path: PathBuf, reason: String },
    /// A project must not have notes elsewhere rewritten.
    #[error("{place} sets `memory.root` to {root:?}, which is outside the project")]
    ProjectLeadsOut { place: String, root: String },
    #[error("--in-place needs an archive to keep the original in")]
    NoArchive,
    #[error("not pinned: {text:?}")]
    NoPin { text: String },
    #[error("no session{what} in {directory}")]
    NoSession { what: String, directory: String },
    #[error("{program} (process {process}) is running in {directory}")]
    Running { program: &'static str, process: u32, directory: String },
    #[error("{program} failed: {reason}")]
    NotStarted { program: String, reason: String },
    #[error("no session of this project was trimmed in place or compacted")]
    NothingToUndo,
    #[error("unknown unit {name:?}; the state has {known}")]
    NoUnit { name: String, known: String },
    #[error("--in-place needs a file, but the session is read from standard input")]
    NotInPlace,
    #[error("{flag} needs sources, but none are given")]
    NoSources { flag: &'static str },
    #[error("{flag} works on repositories, not on sources")]
    NotForSources { flag: &'static str },
    #[error("{remark}")]
    Strict { remark: String },
    /// A project must not choose who summarises.
    #[error("{place} sets `{key}`, but a project may neither run commands nor send sessions")]
    ProjectSetsSummarizer { place: String, key: &'static str },
    #[error("session.summarizer_url is set, but session.summarizer_model is not")]
    NoSummarizerModel,
    #[error("invalid regular expression {pattern:?}: {reason}")]
    Pattern { pattern: String, reason: String },
    #[error("no phase given, and the state names none")]
    NoPhase { known: Vec<String> },
    #[error("the first and the newest message need {needed} tokens, but the budget is {available}")]
    MessagesOverBudget { needed: u64, available: u64 },
    #[error("invalid messages: {reason}")]
    NotMessages { reason: String },
    #[error("no home directory to search for logs")]
    NoHome,
    #[error("{client} has no settings of one project")]
    NoProjectSettings { client: &'static str },
    #[error("{agent} has no status line for a command to print")]
    NoStatusLine { agent: &'static str },
    #[error("--open {:?}: no such file", path.display().to_string())]
    NoOpenFile { path: PathBuf, nearest: Option<PathBuf> },
    #[error("no such file or directory: {:?}", path.display().to_string())]
    NotHere { path: PathBuf },
    #[error("--files-from {}: none of the files listed exists", list.display())]
    NothingListed { list: PathBuf },
    #[error("cannot fetch {url}: {reason}")]
    NoRemote { url: String, reason: String },
    #[error("--since-pack {id}: no such pack of this directory is remembered")]
    NoEarlierPack { id: String },
    #[error("--pick needs a terminal")]
    NoPicker,
    #[error("--split needs a file to write to, in markdown")]
    NotSplit,
    #[error("--split {most}: a part needs at least {smallest} tokens")]
    SplitTooSmall { most: u64, smallest: u64 },
    #[error(
        "the header, the log and the instructions need {needed} tokens; the budget is {budget}"
    )]
    AroundOverBudget { needed: u64, budget: u64 },
    /// A project must not send files, or a key, anywhere by itself.
    #[error("{place} sets `{key}`, but a project may not send files")]
    ProjectSetsApi { place: String, key: &'static str },
}

impl Diagnose for RequestError {
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis { code: self.own_code(), fault: self.own_fault(), hint: self.next_step() }
    }
}

impl RequestError {
    fn own_code(&self) -> &'static str {
        use RequestError as E;
        match self {
            E::UnknownModel { .. } => "LL-CLI-001",
            E::Exists { .. } => "LL-CLI-002",
            E::NoCacheDirectory | E::NoDataDirectory => "LL-CLI-003",
            E::CacheUnreadable { .. } => "LL-CLI-004",
            E::NotClaude { .. } => "LL-CLI-005",
            E::ProjectSetsApi { .. } => "LL-CLI-006",
            E::ManyCounters { .. } => "LL-CLI-007",
            E::NoTerminal => "LL-CLI-008",
            E::NoPack { .. } => "LL-CLI-009",
            E::NoSources { .. } => "LL-CLI-014",
            E::NotForSources { .. } => "LL-CLI-015",
            E::Strict { .. } => "LL-CLI-016",
            E::ProjectSetsSummarizer { .. } => "LL-CLI-018",
            E::NoSummarizerModel => "LL-CLI-019",
            E::NoArchive => "LL-CLI-020",
            E::NotInPlace => "LL-CLI-021",
            E::NoPhase { .. } => "LL-CLI-022",
            E::NoHome => "LL-CLI-023",
            E::NotMessages { .. } => "LL-CLI-024",
            E::NoActiveFeature => "LL-CLI-025",
            E::NoWatch { .. } => "LL-CLI-026",
            E::ProjectLeadsOut { .. } => "LL-CLI-027",
            E::Pattern { .. } => "LL-CLI-028",
            #[cfg(not(feature = "server"))]
            E::NoServer => "LL-CLI-029",
            E::NoPin { .. } => "LL-CLI-031",
            E::NothingToUndo => "LL-CLI-032",
            E::NoUnit { .. } => "LL-CLI-033",
            E::NoOpenFile { .. } => "LL-CLI-034",
            E::NoRemote { .. } => "LL-CLI-035",
            E::NoPicker => "LL-CLI-036",
            E::NotSplit => "LL-CLI-037",
            E::NothingListed { .. } => "LL-CLI-038",
            E::SplitTooSmall { .. } => "LL-CLI-039",
            E::NoEarlierPack { .. } => "LL-CLI-040",
            E::NoProjectSettings { .. } => "LL-CLI-041",
            E::NoStatusLine { .. } => "LL-CLI-042",
            E::NoSession { .. } => "LL-CLI-043",
            E::Running { .. } => "LL-CLI-044",
            E::NotStarted { .. } => "LL-CLI-045",
            E::MessagesOverBudget { .. } | E::AroundOverBudget { .. } => "LL-CTX-003",
            E::NotHere { .. } => "LL-CTX-004",
        }
    }

    fn own_fault(&self) -> Fault {
        use Fault::Operation;
        use RequestError as E;
        match self {
            E::NoCacheDirectory | E::NoDataDirectory | E::CacheUnreadable { .. } => Operation,
            E::NoTerminal | E::NoPack { .. } | E::NotStarted { .. } | E::NoHome => Operation,
            E::NotMessages { .. } | E::NoWatch { .. } | E::MessagesOverBudget { .. } => Operation,
            E::NoRemote { .. } | E::NotHere { .. } => Operation,
            _ => Fault::Usage,
        }
    }

    fn next_step(&self) -> Option<String> {
        use RequestError as E;
        let hint = match self {
            E::UnknownModel { nearest, .. } if !nearest.is_empty() => {
                return Some(format!("did you mean {}?", nearest.join(", ")));
            }
            E::UnknownModel { .. } => "`loadline models` lists all models",
            E::Exists { .. } => "add --force to overwrite it",
            E::NoCacheDirectory => "set LOADLINE_CACHE_DIR or HOME",
            E::NoDataDirectory => "set LOADLINE_DATA_DIR or HOME",
            E::CacheUnreadable { .. } => "check its permissions, or set LOADLINE_CACHE_DIR",
            E::NotClaude { .. } => "choose a Claude model, such as --model claude-opus-4-8",
            E::ManyCounters { .. } => {
                "give one, such as --counter o200k; `loadline count` compares several"
            }
            E::NoTerminal => "run it in a terminal, or write a file with -o FILE",
            E::NoPack { .. } => "run `loadline pack` there first, with the cache on",
            E::NoSources { .. } => {
                "add --source FILE or --open FILE, or describe the work with --task"
            }
            E::NotForSources { flag } => {
                return Some(format!("remove {flag}, or remove --source and --open"));
            }
            E::Strict { .. } => "correct them, or remove --strict",
            E::ProjectSetsApi { key, .. } | E::ProjectSetsSummarizer { key, .. } => {
                let own = "in your own file, in the environment or with a flag";
                return Some(format!("set `{key}` {own}"));
            }
            E::NoSummarizerModel => "set session.summarizer_model",
            E::NoArchive => "write another file with -o FILE",
            E::NotInPlace => "give the path of the session",
            E::NoPhase { known } => {
                return Some(format!("add --phase NAME, one of {}", known.join(", ")));
            }
            E::NoHome => "set HOME, or name directories with --logs",
            E::NotMessages { .. } => {
                "for the log of an agent, use `loadline session trim --strategy window`"
            }
            E::NoActiveFeature => "give its name; `loadline context status` lists all features",
            E::NoWatch { .. } => "remove --watch",
            E::ProjectLeadsOut { .. } => {
                "give the directory with --root, or set memory.root in your own file"
            }
            E::Pattern { .. } => "`loadline config show --sources` shows where it is set",
            #[cfg(not(feature = "server"))]
            E::NoServer => "build with --features server",
            E::NoPin { .. } => "`loadline pin` lists what is pinned",
            E::NothingToUndo => "name the session, or use `loadline session restore`",
            E::NoUnit { .. } => "name one of them with --back-to",
            E::NoOpenFile { nearest: Some(nearest), .. } => {
                return Some(format!("did you mean {}?", nearest.display()));
            }
            E::NoOpenFile { .. } => "check the spelling; paths start at the current directory",
            E::NoRemote { .. } => "check the address, the name after @ and your access to it",
            E::NoPicker => "run it in a terminal, or choose with --include GLOB",
            E::NotSplit => "add -o FILE, and leave out --json, --format and --template",
            E::NothingListed { .. } => "list one path per line, from the current directory",
            E::SplitTooSmall { smallest, .. } => {
                return Some(format!("use --split {smallest} or more"));
            }
            E::NoEarlierPack { .. } => {
                "use the id that `loadline pack` printed at its end, or last"
            }
            E::NoProjectSettings { .. } => "leave out --project",
            E::NoStatusLine { .. } => "leave out --status-line",
            E::NoSession { .. } => "run it where the agent worked",
            E::Running { .. } => "leave it first, or use --as-it-is",
            E::NotStarted { .. } => "is it installed, and in PATH?",
            E::MessagesOverBudget { needed, .. } => {
                return Some(format!("raise --budget to {needed} or more"));
            }
            E::AroundOverBudget { needed, .. } => {
                return Some(format!("raise --budget above {needed}"));
            }
            E::NotHere { .. } => "check the spelling; for a repository on GitHub add --remote",
        };
        Some(hint.to_owned())
    }
}

impl fmt::Display for CommandError {
    /// Writes the message with its causes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut message = match self.error.downcast_ref::<io::Error>() {
            // Errors of reading carry a path, so this one comes from writing.
            Some(error) => format!("cannot write the output: {error}"),
            None => self.error.to_string(),
        };
        let mut cause = self.error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            // Many messages already end in their cause.
            if !message.contains(&text) {
                message = format!("{message}: {text}");
            }
            cause = error.source();
        }
        f.write_str(&message)
    }
}

impl<E: Diagnose + 'static> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        let Diagnosis { code, fault, hint } = error.diagnosis();
        CommandError { exit: Exit::Fault(fault), code, hint, error: Box::new(error) }
    }
}

impl CommandError {
    /// Makes the error for a file that was asked for and cannot be read or written.
    pub(crate) fn at(action: &'static str, path: &Path, source: io::Error) -> CommandError {
        PathError::new(action, path, source).into()
    }

    /// Makes the error of a search that found nothing; it only sets the exit code.
    pub(crate) fn no_match() -> CommandError {
        CommandError::silent(Exit::NoMatch, "LL-CLI-012", "nothing found")
    }

    /// Makes the error of a limit that is exceeded; it only sets the exit code.
    pub(crate) fn gate() -> CommandError {
        CommandError::silent(Exit::Gate, "LL-CLI-017", "limit exceeded")
    }

    fn silent(exit: Exit, code: &'static str, message: &str) -> CommandError {
        CommandError { exit, code, hint: None, error: message.into() }
    }

    /// Makes the error for a configuration file that cannot be read.
    pub(crate) fn unreadable_config(path: &Path, source: io::Error) -> CommandError {
        CommandError {
            exit: Exit::Fault(Fault::Usage),
            hint: Some("`loadline config path` prints where settings are read from".to_owned()),
            ..CommandError::at("read", path, source)
        }
    }

    /// Reports what went wrong and returns the exit code.
    pub(crate) fn report(&self, ui: &mut Ui) -> ExitCode {
        let output = self.error.downcast_ref::<io::Error>();
        if output.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        let exit = match self.exit {
            Exit::NoMatch => return ExitCode::from(1),
            Exit::Gate => return ExitCode::from(3),
            Exit::Fault(Fault::Usage) => 2,
            // What a shell reports of a program that Ctrl-C ended.
            Exit::Fault(Fault::Cancelled) => 130,
            Exit::Fault(_) => 1,
        };
        ui.error(self.code, &self.to_string(), self.hint.as_deref());
        ExitCode::from(exit)
    }
}

/// Reports what was typed wrong, or prints the help that was asked for.
pub(crate) fn report_usage(error: &clap::Error) -> ExitCode {
    let exit = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if wants_json && error.use_stderr() {
        let text = error.render().to_string();
        let message = text.split("\n\n").next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let hint = Some("`loadline --help` lists all commands and options");
        ui::print_json_error("LL-CLI-030", message, hint, Vec::new());
    } else {
        // Where not even this can be written, nobody is listening.
        let _ = error.print();
    }
    exit
}
