//! `loadline session trim`: as much of a session as a budget holds.

use std::path::{Path, PathBuf};

use loadline::Remark;
use loadline::archive::{Cut, CutKind, CutLedger};
use loadline::session::{
    SessionFormat, Transcript, TrimOptions, TrimStrategy, Trimmed, TurnFate, convert_session, trim,
    trim_summarized,
};
use loadline::tokens::Tokens;
use regex::Regex;
use serde::Serialize;

use super::{STDIN, Session, SourceArgs};
use crate::args::GlobalArgs;
use crate::error::{CommandError, RequestError};
use crate::output;
use crate::settings::{archive_directory, now_ns};
use crate::summarizer::Summarizer;
use crate::ui::{Ui, plural, thousands};

/// Fit a session into a budget, so that the next turns still find what they need.
///
/// What is written is a session of the same format that can be gone on with. For the
/// logs of Claude Code, Codex, Gemini and pi that is the log with a compaction at its
/// end, as the agent itself writes one. The session that was given is kept whole under
/// the handle that is printed: `loadline recall` shows any turn of it, `loadline session
/// restore` writes it back.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline session trim session.jsonl --budget 32k -o trimmed.jsonl
  loadline session trim session.jsonl --budget 32k --in-place
  loadline session trim - --budget 8k --to openai-chat < messages.json
  loadline session trim session.jsonl --budget 32k --preserve 'TODO|FIXME' --explain
  loadline session restore trimmed.jsonl -o original.jsonl")]
pub(crate) struct TrimArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// The most tokens to leave, such as 8000 or 8k.
    #[arg(long, short, value_name = "TOKENS")]
    budget: Tokens,
    /// How what stays is chosen: coverage (line by line, by what the next turns are
    /// likely to refer to), priority (turn by turn, by score) or window (the first
    /// message and the newest).
    #[arg(long, value_name = "NAME", default_value = "coverage")]
    strategy: TrimStrategy,
    /// Write this format instead of the session's own.
    #[arg(long, value_name = "FORMAT")]
    to: Option<SessionFormat>,
    /// Turns at the end that stay as they are, as far as they fit.
    #[arg(long, value_name = "N")]
    keep_last: Option<usize>,
    /// Keep lines that match this pattern, as far as they fit.
    #[arg(long, value_name = "REGEX")]
    preserve: Vec<Regex>,
    /// A command that reads the turns that go and prints their summary; for --strategy priority.
    #[arg(long, value_name = "CMD")]
    summarizer: Option<String>,
    /// Write to this file instead of standard output.
    #[arg(long, short, value_name = "FILE", conflicts_with = "in_place")]
    output: Option<PathBuf>,
    /// Replace the session itself; the original is archived first.
    #[arg(long, conflicts_with = "to")]
    in_place: bool,
    /// Say what became of every turn.
    #[arg(long)]
    explain: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    strategy: &'a str,
    counter: &'a str,
    budget: u64,
    before: u64,
    after: u64,
    handle: Option<&'a str>,
    turns: Vec<TurnJson>,
    content: String,
}

#[derive(Serialize)]
struct TurnJson {
    turn: usize,
    role: &'static str,
    fate: &'static str,
}

/// Trims, archives the original, and writes what is left.
pub(crate) fn run(args: &TrimArgs, global: &GlobalArgs, ui: &mut Ui) -> Result<(), CommandError> {
    let target = args.target()?;
    let session = args.source.open(global, ui)?;
    let transcript = &session.transcript;
    let handle = session.archive()?;
    if args.in_place && handle.is_none() {
        return Err(RequestError::NoArchive.into());
    }
    let options = TrimOptions {
        strategy: args.strategy,
        keep_last: args.keep_last,
        preserve: args.preserve.clone(),
        handle,
        ..TrimOptions::new(session.counter.clone(), args.budget)
    };
    let mut trimmed = args.trim(&session, &options, ui)?;
    ui.notes(std::mem::take(&mut trimmed.remarks));
    let format = args.to.unwrap_or(transcript.format);
    let bytes = convert_session(transcript, &trimmed.draft, format);
    if args.explain {
        explain(&trimmed, transcript, ui);
    }
    match target {
        Some(path) => output::write(path, &bytes)?,
        None if ui.wants_json() => {
            return Ok(ui.json(&document(args, &session, &trimmed, &options, &bytes))?);
        }
        None => ui.raw(&bytes)?,
    }
    let (before, after) = (trimmed.before.get(), trimmed.after.get());
    let recall = match options.handle {
        Some(handle) if before > after => {
            record(&handle, args.strategy, (before, after), global);
            format!("; the original is {handle}")
        }
        _ => String::new(),
    };
    ui.say(&format!(
        "{} of {} tokens left by {}{recall}",
        thousands(after),
        thousands(before),
        session.counter.name()
    ));
    Ok(())
}

impl TrimArgs {
    /// The file to write, if it is one.
    fn target(&self) -> Result<Option<&Path>, CommandError> {
        match self.in_place {
            true if self.source.file == Path::new(STDIN) => Err(RequestError::NotInPlace.into()),
            true => Ok(Some(&self.source.file)),
            false => Ok(self.output.as_deref()),
        }
    }

    fn trim(
        &self,
        session: &Session,
        options: &TrimOptions,
        ui: &mut Ui,
    ) -> Result<Trimmed, CommandError> {
        let named = self.summarizer.as_deref();
        let summarizer = match self.strategy {
            TrimStrategy::Priority => Summarizer::find(named, &session.config)?,
            _ => None,
        };
        if summarizer.is_none() && named.is_some() {
            let message = "not asked: only --strategy priority summarises";
            ui.notes([Remark::new("summarizer", message)]);
        }
        Ok(match &summarizer {
            Some(summarizer) => trim_summarized(&session.transcript, options, summarizer)?,
            None => trim(&session.transcript, options)?,
        })
    }
}

/// Writes down what was cut; a ledger that cannot be written stops nothing.
fn record(handle: &str, strategy: TrimStrategy, (before, after): (u64, u64), global: &GlobalArgs) {
    let row = Cut {
        rule: strategy.name().to_owned(),
        before,
        after,
        handle: handle.to_owned(),
        ..Cut::new(now_ns(global), CutKind::Trim)
    };
    if let Ok(directory) = archive_directory() {
        let _ = CutLedger::open(&directory).and_then(|ledger| ledger.add(&row));
    }
}

fn explain(trimmed: &Trimmed, transcript: &Transcript, ui: &mut Ui) {
    let fates = trimmed.fates(transcript);
    let count = |fate: TurnFate| fates.iter().filter(|it| **it == fate).count() as u64;
    for (number, (turn, fate)) in transcript.turns.iter().zip(&fates).enumerate() {
        let (number, role) = (number + 1, turn.role.name());
        ui.say(&format!("turn {number} {role}: {}", fate.name()));
    }
    let (kept, part) = (count(TurnFate::Kept), count(TurnFate::Shrunk));
    ui.say(&format!(
        "{} kept, {} shrunk, {} cut or quoted",
        plural(kept, "turn"),
        thousands(part),
        thousands(count(TurnFate::Cut))
    ));
}

fn document<'a>(
    args: &TrimArgs,
    session: &'a Session,
    trimmed: &Trimmed,
    options: &'a TrimOptions,
    bytes: &[u8],
) -> Document<'a> {
    let fates = trimmed.fates(&session.transcript).into_iter();
    let turns = fates.zip(&session.transcript.turns).enumerate();
    Document {
        strategy: args.strategy.name(),
        counter: session.counter.name(),
        budget: args.budget.get(),
        before: trimmed.before.get(),
        after: trimmed.after.get(),
        handle: options.handle.as_deref(),
        turns: turns
            .map(|(number, (fate, turn))| TurnJson {
                turn: number + 1,
                role: turn.role.name(),
                fate: fate.name(),
            })
            .collect(),
        content: String::from_utf8_lossy(bytes).into_owned(),
    }
}
