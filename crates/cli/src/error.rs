//! Why a command failed, and the one place that says so.
//!
//! An error is a kind, which decides the exit code, a message with its causes,
//! a stable code and hints. Exit code 3 is that of a gate, such as `check`.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use loadline::archive::{ArchiveError, LedgerError};
use loadline::budget::BudgetError;
use loadline::cache::ClearError;
use loadline::notes::{NotesError, VaultError};
use loadline::pack::{PackError, SourceListError};
use loadline::prompt::{PromptError, RoundError};
use loadline::repo::{RepoError, SecretError};
use loadline::session::{RecallError, RestoreError, SessionError};
use loadline::settings::ConfigError;
use loadline::text::ChunkError;
use loadline::tokens::{Counter, CounterError};
use loadline::usage::UsageError;
use loadline::{Diagnose, PathError};

use crate::setup::SetupError;
use crate::ui::Ui;

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct CommandError {
    kind: Kind,
    code: &'static str,
    error: Box<dyn Error>,
    hint: Option<String>,
}

/// What sort of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The work failed: a disk, a lock.
    Failure,
    /// What was asked for, or configured, cannot be done.
    Usage,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// Nobody reads the output any more.
    BrokenPipe,
    /// A search found nothing, and has said so.
    NoMatch,
    /// A limit is passed, and the command has said so.
    Gate,
}

/// What can be wrong with a request beyond what the library finds.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    /// The name means no model.
    #[error("there is no model {name:?}")]
    UnknownModel {
        /// The name that was asked for.
        name: String,
        /// Names it may have been meant to be.
        nearest: Vec<String>,
    },
    /// A file would be overwritten.
    #[error("{} exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The server was left out of this build.
    #[cfg(not(feature = "server"))]
    #[error("this build has no server")]
    NoServer,
    /// There is no home directory to put a cache in.
    #[error("there is no directory for the cache")]
    NoCacheDirectory,
    /// There is no home directory to put the archive in.
    #[error("there is no directory for the archive")]
    NoDataDirectory,
    /// The cache is there but cannot be opened.
    #[error("the cache in {} cannot be read", path.display())]
    CacheUnreadable {
        /// The directory.
        path: PathBuf,
    },
    /// The counting service only knows Claude.
    #[error("the counter api counts for Claude, not for {model}")]
    NotClaude {
        /// The model that was asked for.
        model: String,
    },
    /// A budget is counted in one way.
    #[error("{count} counters are named; a budget is counted by one")]
    ManyCounters {
        /// How many were named.
        count: usize,
    },
    /// The clipboard is reached through a terminal.
    #[error("there is no terminal to copy through")]
    NoTerminal,
    /// Nothing is known of a last pack.
    #[error("no pack of {} is remembered", path.display())]
    NoPack {
        /// The directory.
        path: PathBuf,
    },
    /// No feature is named, and none is worked on.
    #[error("no feature is named, and .claude/active-focus.md names none")]
    NoActiveFeature,
    /// A directory cannot be watched.
    #[error("{} cannot be watched: {reason}", path.display())]
    NoWatch {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A project must not have notes of another place rewritten.
    #[error("{place} sets `memory.root` to {root:?}, which leads out of the project")]
    ProjectLeadsOut {
        /// The project's file.
        place: String,
        /// The directory.
        root: String,
    },
    /// A session cannot be replaced where its original cannot be kept.
    #[error("--in-place needs an archive to keep the original in")]
    NoArchive,
    /// Standard input cannot be replaced.
    #[error("--in-place needs a file, and the session is standard input")]
    NotInPlace,
    /// A task ranks a repository, and sources are no repository.
    #[error("--task ranks the files of a repository, --source brings texts instead of them")]
    TaskAndSources,
    /// A flag for sources without any.
    #[error("{flag} is for sources, and none is given")]
    NoSources {
        /// The flag.
        flag: &'static str,
    },
    /// A flag for repositories with sources.
    #[error("{flag} is for packs of a repository, not of sources")]
    NotForSources {
        /// The flag.
        flag: &'static str,
    },
    /// Settings had to be adjusted, which was forbidden.
    #[error("{note}")]
    Strict {
        /// What was adjusted.
        note: String,
    },
    /// A project must not choose who summarises.
    #[error("{place} sets `{key}`, but a project may neither run commands nor have sessions sent")]
    ProjectSetsSummarizer {
        /// The project's file.
        place: String,
        /// The key.
        key: &'static str,
    },
    /// An address alone does not say which model summarises.
    #[error("session.summarizer_url is set, but not session.summarizer_model")]
    NoSummarizerModel,
    /// A setting is no regular expression.
    #[error("{pattern:?} is no regular expression: {reason}")]
    Pattern {
        /// What was set.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Neither the command nor the state names a phase.
    #[error("the state names no phase")]
    NoPhase {
        /// The phases there are.
        known: Vec<String>,
    },
    /// The messages of a window do not fit it.
    #[error("the first and the newest message need {needed} tokens; the budget has {available}")]
    MessagesOverBudget {
        /// What they need.
        needed: u64,
        /// What there is.
        available: u64,
    },
    /// A file holds something else than messages.
    #[error("these are no messages: {reason}")]
    NotMessages {
        /// What is wrong, with its place.
        reason: String,
    },
    /// Logs are looked for from the home directory.
    #[error("there is no home directory to look for logs in")]
    NoHome,
    /// A project must not send files, or a key, anywhere by itself.
    #[error("{place} sets `{key}`, but a project may not have files sent anywhere")]
    ProjectSetsApi {
        /// The project's file.
        place: String,
        /// The key.
        key: &'static str,
    },
}

impl Diagnose for RequestError {
    fn code(&self) -> &'static str {
        match self {
            RequestError::UnknownModel { .. } => "LL-CLI-001",
            RequestError::Exists { .. } => "LL-CLI-002",
            RequestError::NoCacheDirectory => "LL-CLI-003",
            RequestError::NoDataDirectory => "LL-CLI-003",
            RequestError::CacheUnreadable { .. } => "LL-CLI-004",
            RequestError::NotClaude { .. } => "LL-CLI-005",
            RequestError::ProjectSetsApi { .. } => "LL-CLI-006",
            RequestError::ManyCounters { .. } => "LL-CLI-007",
            RequestError::NoTerminal => "LL-CLI-008",
            RequestError::NoPack { .. } => "LL-CLI-009",
            RequestError::TaskAndSources => "LL-CLI-013",
            RequestError::NoSources { .. } => "LL-CLI-014",
            RequestError::NotForSources { .. } => "LL-CLI-015",
            RequestError::Strict { .. } => "LL-CLI-016",
            RequestError::ProjectSetsSummarizer { .. } => "LL-CLI-018",
            RequestError::NoSummarizerModel => "LL-CLI-019",
            RequestError::NoArchive => "LL-CLI-020",
            RequestError::NotInPlace => "LL-CLI-021",
            RequestError::Pattern { .. } => "LL-CLI-028",
            RequestError::NoPhase { .. } => "LL-CLI-022",
            RequestError::NoHome => "LL-CLI-023",
            RequestError::NotMessages { .. } => "LL-CLI-024",
            RequestError::MessagesOverBudget { .. } => "LL-CTX-003",
            #[cfg(not(feature = "server"))]
            RequestError::NoServer => "LL-CLI-029",
            RequestError::NoActiveFeature => "LL-CLI-025",
            RequestError::NoWatch { .. } => "LL-CLI-026",
            RequestError::ProjectLeadsOut { .. } => "LL-CLI-027",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            RequestError::UnknownModel { nearest, .. } if nearest.is_empty() => {
                "`loadline models` lists them".to_owned()
            }
            RequestError::UnknownModel { nearest, .. } => {
                format!("did you mean {}?", nearest.join(", "))
            }
            RequestError::Exists { .. } => "add --force to overwrite it".to_owned(),
            #[cfg(not(feature = "server"))]
            RequestError::NoServer => "build with --features server".to_owned(),
            RequestError::NoCacheDirectory => "set LOADLINE_CACHE_DIR or HOME".to_owned(),
            RequestError::NoDataDirectory => "set LOADLINE_DATA_DIR or HOME".to_owned(),
            RequestError::CacheUnreadable { .. } => {
                "check its permissions, or set LOADLINE_CACHE_DIR".to_owned()
            }
            RequestError::NotClaude { .. } => {
                "name a Claude model, such as --model claude-opus-4-8".to_owned()
            }
            RequestError::ManyCounters { .. } => {
                "name one, such as --counter o200k; `loadline count` compares several".to_owned()
            }
            RequestError::NoTerminal => {
                "run it in a terminal, or write a file with -o FILE".to_owned()
            }
            RequestError::NoPack { .. } => {
                "run `loadline pack` there first, with the cache on".to_owned()
            }
            RequestError::NoArchive => {
                "leave out --no-cache, or write another file with -o FILE".to_owned()
            }
            RequestError::NotInPlace => "name the file of the session".to_owned(),
            RequestError::Pattern { .. } => {
                "`loadline config show --sources` says who set it".to_owned()
            }
            RequestError::NoPhase { known } => {
                format!("add --phase NAME, one of {}", known.join(", "))
            }
            RequestError::NoHome => "set HOME, or name directories with --logs DIR".to_owned(),
            RequestError::NotMessages { .. } => {
                "`loadline session trim --strategy window` takes the logs of agents".to_owned()
            }
            RequestError::MessagesOverBudget { needed, .. } => {
                format!("raise --budget to {needed} or more")
            }
            RequestError::NoActiveFeature => {
                "name one; `loadline context status` lists them".to_owned()
            }
            RequestError::NoWatch { .. } => "leave out --watch".to_owned(),
            RequestError::ProjectLeadsOut { .. } => {
                "name the directory with --root, or set memory.root in your own file".to_owned()
            }
            RequestError::TaskAndSources => {
                "say with --query what the sources are to answer, or leave out --source".to_owned()
            }
            RequestError::NoSources { .. } => {
                "add --source FILE or --open FILE, or say with --task what to look for".to_owned()
            }
            RequestError::NotForSources { flag } => {
                format!("leave out {flag}, or leave out --source and --open")
            }
            RequestError::Strict { .. } => {
                "put the settings right, or leave out --strict".to_owned()
            }
            RequestError::NoSummarizerModel => {
                "name the model in session.summarizer_model".to_owned()
            }
            RequestError::ProjectSetsSummarizer { key, .. }
            | RequestError::ProjectSetsApi { key, .. } => {
                format!("set `{key}` in your own file, in the environment or by a flag")
            }
        })
    }
}

impl fmt::Display for CommandError {
    /// The message with its causes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut message = self.error.to_string();
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

impl CommandError {
    fn new(kind: Kind, error: impl Diagnose + 'static) -> CommandError {
        CommandError {
            kind,
            code: error.code(),
            hint: error.hint(),
            error: Box::new(error),
        }
    }

    /// Makes the error for a file that was asked for and cannot be read or written.
    pub(crate) fn at(action: &'static str, path: &Path, source: io::Error) -> CommandError {
        PathError::new(action, path, source).into()
    }

    /// Makes the error of a search that found nothing; it only sets the exit code.
    pub(crate) fn no_match() -> CommandError {
        CommandError {
            kind: Kind::NoMatch,
            code: "LL-CLI-012",
            hint: None,
            error: "nothing found".into(),
        }
    }

    /// Makes the error of a limit that is passed; it only sets the exit code.
    pub(crate) fn gate() -> CommandError {
        CommandError {
            kind: Kind::Gate,
            code: "LL-CLI-017",
            hint: None,
            error: "the gate is not met".into(),
        }
    }

    /// Makes the error for a configuration file that cannot be read.
    pub(crate) fn unreadable_config(path: &Path, source: io::Error) -> CommandError {
        CommandError {
            kind: Kind::Usage,
            hint: Some("`loadline config path` prints where settings are read from".to_owned()),
            ..CommandError::at("read", path, source)
        }
    }

    /// Says what went wrong and returns the exit code.
    pub(crate) fn report(&self, ui: &mut Ui) -> ExitCode {
        let exit = match self.kind {
            Kind::BrokenPipe => return ExitCode::SUCCESS,
            Kind::NoMatch => return ExitCode::from(1),
            Kind::Gate => return ExitCode::from(3),
            Kind::Failure => ExitCode::from(1),
            Kind::Usage => ExitCode::from(2),
            // What a shell reports of a program that Ctrl-C ended.
            Kind::Interrupted => ExitCode::from(130),
        };
        ui.error(self.code, &self.to_string(), self.hint.as_deref());
        exit
    }
}

/// Says what was typed wrong, or prints the help that was asked for.
pub(crate) fn report_usage(error: &clap::Error) -> ExitCode {
    // Where not even this can be written, nobody is listening.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> CommandError {
        CommandError::new(Kind::Usage, error)
    }
}

impl From<BudgetError> for CommandError {
    fn from(error: BudgetError) -> CommandError {
        CommandError::new(Kind::Usage, error)
    }
}

impl From<CounterError> for CommandError {
    fn from(error: CounterError) -> CommandError {
        let names = match error {
            // The command knows more names than the library.
            CounterError::Unknown { .. } => Some(Counter::NAMES.join(", ")),
            _ => None,
        };
        let mut error = CommandError::new(Kind::Usage, error);
        if let Some(names) = names {
            error.hint = Some(format!(
                "use one of {names}, hf:FILE or api; --counter all compares"
            ));
        }
        error
    }
}

impl From<RequestError> for CommandError {
    fn from(error: RequestError) -> CommandError {
        let kind = match error {
            RequestError::NoCacheDirectory
            | RequestError::NoDataDirectory
            | RequestError::CacheUnreadable { .. }
            | RequestError::NoTerminal
            | RequestError::MessagesOverBudget { .. }
            | RequestError::NoHome
            | RequestError::NotMessages { .. }
            | RequestError::NoWatch { .. }
            | RequestError::NoPack { .. } => Kind::Failure,
            _ => Kind::Usage,
        };
        CommandError::new(kind, error)
    }
}

impl From<RepoError> for CommandError {
    fn from(error: RepoError) -> CommandError {
        let kind = match error {
            RepoError::Glob { .. } => Kind::Usage,
            _ => Kind::Failure,
        };
        CommandError::new(kind, error)
    }
}

impl From<SecretError> for CommandError {
    fn from(error: SecretError) -> CommandError {
        CommandError::new(Kind::Usage, error)
    }
}

impl From<PackError> for CommandError {
    fn from(error: PackError) -> CommandError {
        match error {
            PackError::Repo(error) => error.into(),
            PackError::Cancelled => CommandError::new(Kind::Interrupted, error),
            PackError::Fit(_) | PackError::Chunk(_) | PackError::Rank(_) => {
                CommandError::new(Kind::Usage, error)
            }
            error => CommandError::new(Kind::Failure, error),
        }
    }
}

impl From<ChunkError> for CommandError {
    fn from(error: ChunkError) -> CommandError {
        CommandError::new(Kind::Usage, error)
    }
}

impl From<SessionError> for CommandError {
    fn from(error: SessionError) -> CommandError {
        let kind = match error {
            SessionError::NoFormat { .. } | SessionError::NoTurn { .. } => Kind::Usage,
            _ => Kind::Failure,
        };
        CommandError::new(kind, error)
    }
}

#[cfg(feature = "server")]
impl From<loadline_server::ServerError> for CommandError {
    fn from(error: loadline_server::ServerError) -> CommandError {
        use loadline_server::ServerError::{NoDirectory, NotLoopback, Root};
        let kind = match error {
            Root { .. } | NoDirectory { .. } | NotLoopback { .. } => Kind::Usage,
            _ => Kind::Failure,
        };
        CommandError::new(kind, error)
    }
}

impl From<RestoreError> for CommandError {
    fn from(error: RestoreError) -> CommandError {
        CommandError::new(Kind::Failure, error)
    }
}

impl From<RecallError> for CommandError {
    fn from(error: RecallError) -> CommandError {
        match error {
            RecallError::Blob(error) => error.into(),
            RecallError::Session(error) => error.into(),
            error => CommandError::new(Kind::Failure, error),
        }
    }
}

impl From<ArchiveError> for CommandError {
    fn from(error: ArchiveError) -> CommandError {
        CommandError::new(Kind::Failure, error)
    }
}

impl From<LedgerError> for CommandError {
    fn from(error: LedgerError) -> CommandError {
        CommandError::new(Kind::Failure, error)
    }
}

impl From<SetupError> for CommandError {
    fn from(error: SetupError) -> CommandError {
        CommandError::new(Kind::Failure, error)
    }
}

impl From<SourceListError> for CommandError {
    fn from(error: SourceListError) -> CommandError {
        CommandError::new(Kind::Usage, error)
    }
}

impl From<NotesError> for CommandError {
    fn from(error: NotesError) -> CommandError {
        let kind = match &error {
            NotesError::BadName { .. }
            | NotesError::NoLevel { .. }
            | NotesError::Pattern { .. }
            | NotesError::Ladder { .. }
            | NotesError::Budgets { .. }
            | NotesError::Vault(VaultError::UnknownId { .. }) => Kind::Usage,
            _ => Kind::Failure,
        };
        CommandError::new(kind, error)
    }
}

impl From<PromptError> for CommandError {
    fn from(error: PromptError) -> CommandError {
        let kind = match error {
            PromptError::UnknownPhase { .. }
            | PromptError::BadPhase { .. }
            | PromptError::Budget(_) => Kind::Usage,
            _ => Kind::Failure,
        };
        CommandError::new(kind, error)
    }
}

impl From<RoundError> for CommandError {
    fn from(error: RoundError) -> CommandError {
        CommandError::new(Kind::Failure, error)
    }
}

impl From<UsageError> for CommandError {
    fn from(error: UsageError) -> CommandError {
        CommandError::new(Kind::Failure, error)
    }
}

impl From<ClearError> for CommandError {
    fn from(error: ClearError) -> CommandError {
        CommandError::new(Kind::Failure, error)
    }
}

impl From<PathError> for CommandError {
    fn from(error: PathError) -> CommandError {
        CommandError {
            kind: Kind::Failure,
            code: "LL-CLI-010",
            hint: None,
            error: Box::new(error),
        }
    }
}

/// Plain I/O errors come from writing the output.
impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> CommandError {
        let kind = match error.kind() {
            io::ErrorKind::BrokenPipe => Kind::BrokenPipe,
            _ => Kind::Failure,
        };
        CommandError {
            kind,
            code: "LL-CLI-011",
            hint: None,
            error: Box::new(OutputError(error)),
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("cannot write the output: {0}")]
struct OutputError(#[source] io::Error);
