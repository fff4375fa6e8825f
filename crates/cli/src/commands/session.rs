//! `loadline session`: measures, trims and converts sessions of agents.

pub(super) mod compress;
mod convert;
pub(super) mod pressure;
mod restore;
pub(super) mod score;
pub(super) mod stats;
pub(super) mod trim;
pub(super) mod undo;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loadline::budget::Model;
use loadline::session::{SessionFormat, Transcript, read_session};
use loadline::settings::Config;
use loadline::tokens::{Counter, Tokens};

use crate::error::{CommandError, Result};
use crate::settings::{self, Choice, CountingArgs};
use crate::ui::Ui;

/// Standard input, as a path.
const STDIN: &str = "-";

group! {
    /// Measure, trim and convert an agent's session.
    SessionArgs, SessionCommand {
        Stats(stats::StatsArgs) => stats::run,
        Pressure(pressure::PressureArgs) => pressure::run,
        Convert(convert::ConvertArgs) => convert::run,
        Restore(restore::RestoreArgs) => restore::run,
        Compress(compress::CompressArgs) => compress::run,
        Score(score::ScoreArgs) => score::run,
        Trim(trim::TrimArgs) => trim::run,
        Undo(undo::UndoArgs) => undo::run,
    }
}

/// Which session, and how it is counted.
#[derive(Debug, clap::Args)]
pub(super) struct SourceArgs {
    /// Session file; - means standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    count: CountArgs,
}

/// How a session is read and counted.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct CountArgs {
    /// Format of the session [default: detected from the content].
    #[arg(long, value_name = "FORMAT")]
    from: Option<SessionFormat>,
    /// Model to count for; determines the counter [default: the session's model].
    #[arg(long, short, value_name = "NAME")]
    model: Option<String>,
    /// Counter to use [default: the model's].
    #[arg(long, short, value_name = "NAME")]
    counter: Option<String>,
}

impl CountArgs {
    /// Returns what was typed of the model and the counter.
    pub(super) fn counting(&self) -> CountingArgs {
        CountingArgs { model: self.model.clone(), counter: self.counter.clone() }
    }
}

/// A session that was read, with what it takes to measure it.
pub(super) struct Session {
    pub(super) transcript: Transcript,
    pub(super) config: Config,
    model: Model,
    pub(super) counter: Counter,
}

impl Session {
    /// Keeps the session as it is, and returns the handle that recalls it.
    ///
    /// Without a home directory there is nowhere to keep it, and no handle.
    fn archive(&self) -> Result<Option<String>> {
        let Ok(archive) = settings::open_archive(None) else {
            return Ok(None);
        };
        let hash = archive.put(self.transcript.source())?;
        Ok(Some(archive.handle(&hash)?))
    }

    /// Returns the window to measure against: the one given, the configured one, the model's.
    pub(super) fn window(&self, given: Option<Tokens>) -> Tokens {
        let configured = self.config.settings().session.total;
        let configured = configured.or_else(|| self.config.window());
        given.or(configured).unwrap_or(self.model.window)
    }
}

impl SourceArgs {
    /// Names a session where the file is not a required argument.
    pub(super) fn of(file: &Path, count: &CountArgs) -> SourceArgs {
        SourceArgs { file: file.to_owned(), count: count.clone() }
    }

    /// Reads the session, and settles the model and the counter.
    pub(super) fn open(&self, ui: &mut Ui) -> Result<Session> {
        self.count.read(read_source(&self.file)?, ui)
    }
}

impl CountArgs {
    /// Nothing was typed but the format is known.
    pub(super) fn of(from: Option<SessionFormat>) -> CountArgs {
        CountArgs { from, model: None, counter: None }
    }

    /// Reads a session, and settles the model and the counter.
    pub(super) fn read(&self, bytes: Vec<u8>, ui: &mut Ui) -> Result<Session> {
        let flags = settings::typed([("--model", "model", self.model.clone())]);
        let config = settings::load_config(flags, ui)?;
        let models = settings::load_models(&config, ui)?;
        let transcript = read_session(bytes, self.from)?;
        ui.remarks(transcript.notes.iter().cloned());
        let own = transcript.model.as_deref().filter(|_| self.model.is_none());
        let model = match own.and_then(|name| models.find(name)) {
            Some(model) => model,
            None => settings::find_model(&models, &config, ui)?,
        };
        let store = Arc::new(settings::open_store(&config, ui));
        let typed: Vec<String> = self.counter.iter().cloned().collect();
        let counters = Choice {
            typed: &typed,
            config: &config,
            model,
            store: &store,
            now_ns: settings::now_ns(ui),
        };
        let counter = counters.counter(ui)?;
        Ok(Session { model: model.clone(), counter, transcript, config })
    }
}

/// Reads a file, or standard input.
pub(super) fn read_source(file: &Path) -> Result<Vec<u8>> {
    if file != Path::new(STDIN) {
        return std::fs::read(file).map_err(|error| CommandError::at("read", file, error));
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| CommandError::at("read", Path::new("standard input"), error))?;
    Ok(bytes)
}
