//! `loadline session trim`: as much of a session as a budget holds.

use std::path::{Path, PathBuf};

use loadline::Remark;
use loadline::session::{
    Keeping, Role, SessionFormat, Summarize, Transcript, TrimDueOptions, TrimOptions, TrimStrategy,
    Trimmed, TurnFate, conversion_losses, convert_session, trim_archived, trim_due,
    trim_summarized, turns_tokens,
};
use loadline::tokens::Tokens;
use regex::Regex;
use serde::Serialize;

use super::{STDIN, Session, SourceArgs};
use crate::error::{RequestError, Result};
use crate::output;
use crate::pins::{Undo, pinned, remember};
use crate::settings::{now_ns, open_archive, project_root};
use crate::summarizer::Summarizer;
use crate::ui::{Ui, plural, thousands};

/// Trim a session to a budget, keeping what the next turns are likely to need.
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
  loadline session trim session.jsonl --in-place          when it is due
  loadline session trim - --budget 8k --to openai-chat < messages.json
  loadline session trim session.jsonl --budget 32k --preserve 'TODO|FIXME' --explain
  loadline session restore trimmed.jsonl -o original.jsonl")]
pub(crate) struct TrimArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Maximum tokens to keep, such as 8000 or 8k. Without it, the session is trimmed only
    /// when that is due: above the shares of session.allocations for recent turns and
    /// their summary, or above session.max_lines lines.
    #[arg(long, short, value_name = "TOKENS")]
    budget: Option<Tokens>,
    /// How to choose what to keep: coverage (lines that the next turns are likely to
    /// refer to), priority (turns by score) or window (the first message and the
    /// newest).
    #[arg(long, value_name = "NAME", default_value = "coverage")]
    strategy: TrimStrategy,
    /// Output format [default: the session's].
    #[arg(long, value_name = "FORMAT")]
    to: Option<SessionFormat>,
    /// Number of last turns to keep unchanged, if they fit.
    #[arg(long, value_name = "N")]
    keep_last: Option<usize>,
    /// Keep lines that match REGEX, if they fit; may be repeated.
    #[arg(long, value_name = "REGEX")]
    preserve: Vec<Regex>,
    /// Command that reads the turns to cut and prints a summary; for --strategy priority.
    #[arg(long, value_name = "CMD")]
    summarizer: Option<String>,
    /// Write to FILE instead of standard output.
    #[arg(long, short, value_name = "FILE", conflicts_with = "in_place")]
    output: Option<PathBuf>,
    /// Replace the session file; the original is archived first.
    #[arg(long, conflicts_with = "to")]
    in_place: bool,
    /// Explain what happened to each turn.
    #[arg(long)]
    explain: bool,
}

/// The document of `session trim`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    strategy: &'a str,
    counter: &'a str,
    budget: Tokens,
    before: Tokens,
    after: Tokens,
    handle: Option<&'a str>,
    turns: Vec<TurnJson>,
    content: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TurnJson {
    turn: usize,
    role: Role,
    fate: TurnFate,
}

/// Trims, archives the original, and writes what is left.
pub(crate) fn run(args: &TrimArgs, ui: &mut Ui) -> Result<()> {
    let target = args.target()?;
    let session = args.source.open(ui)?;
    let transcript = &session.transcript;
    let archive = open_archive(None).ok();
    if args.in_place && archive.is_none() {
        return Err(RequestError::NoArchive.into());
    }
    let keeping = archive.as_ref().map(|archive| Keeping { archive, now: now_ns(ui) });
    let keep_last = args.keep_last.or(session.config.settings().session.keep_last);
    let due = args.budget.is_none().then(|| session.due());
    if let Some(Due { reason: Some(reason), .. }) = &due {
        ui.say(&format!("{reason}. Trimming..."));
    }
    let due_budget = due.as_ref().map(|due| due.budget);
    let budget = args.budget.or(due_budget).unwrap_or(Tokens::MAX);
    let pinned = pinned(None, &session.config.settings().compact, ui);
    let options = TrimOptions {
        strategy: args.strategy,
        keep_last,
        pinned,
        preserve: args.preserve.clone(),
        ..TrimOptions::new(session.counter.clone(), budget)
    };
    let mut trimmed = args.trim(&session, &options, keeping, ui)?;
    ui.remarks(std::mem::take(&mut trimmed.remarks));
    let format = args.to.unwrap_or(transcript.format);
    let bytes = convert_session(transcript, &trimmed.draft, format)?;
    if format != transcript.format {
        ui.remarks(conversion_losses(transcript, &trimmed.draft, &bytes, format));
    }
    if args.explain {
        explain(&trimmed, transcript, ui);
    }
    match target {
        Some(path) => {
            if let Some(handle) = trimmed.handle.clone().filter(|_| args.in_place) {
                let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
                remember(&Undo { path, handle, directory: project_root(None) })?;
            }
            output::write(path, &bytes)?;
        }
        None if ui.wants_json() => {
            return Ok(ui.json(&document(&options, &session, &trimmed, &bytes))?);
        }
        None => ui.raw(&bytes)?,
    }
    let (before, after) = (trimmed.before.get(), trimmed.after.get());
    let recall = match &trimmed.handle {
        Some(handle) if before > after => format!("; the original is {handle}"),
        _ => String::new(),
    };
    let (was, is) = (thousands(before), thousands(after));
    match due {
        None => ui.say(&format!("{is} of {was} tokens left by {}{recall}", session.counter.name())),
        Some(Due { reason: None, budget }) => {
            ui.say(&format!("nothing to trim: {was} of {} tokens", thousands(budget.get())))
        }
        Some(_) => {
            let percent = (trimmed.compression_ratio() * 100.0).round();
            ui.say(&format!("Trimmed: {was} -> {is} tokens ({percent}% compression){recall}"));
        }
    }
    Ok(())
}

/// Whether a session is to be trimmed, and to what.
struct Due {
    /// Why it is to be trimmed; `None` where it is not.
    reason: Option<String>,
    budget: Tokens,
}

impl Session {
    /// Compares the session with what its window leaves for it, and its lines with
    /// `session.max_lines`.
    fn due(&self) -> Due {
        let window = self.window(None);
        let budget = self.config.session_budget(window);
        let tokens = turns_tokens(&self.counter, &self.transcript.turns);
        if tokens > budget {
            let (tokens, most) = (thousands(tokens.get()), thousands(budget.get()));
            let reason = Some(format!("Session exceeds budget ({tokens} > {most})"));
            return Due { reason, budget };
        }
        let options = TrimDueOptions {
            max_lines: self.config.settings().session.max_lines,
            ..TrimDueOptions::default()
        };
        let Some(due) = trim_due(&self.transcript, &options) else {
            return Due { reason: None, budget };
        };
        let (lines, most) = (due.lines as u64, options.max_lines as u64);
        let (lines, most) = (thousands(lines), thousands(most));
        let kept = turns_tokens(&self.counter, &self.transcript.turns[due.keep_from..]);
        // Room for the turns that stay and half of what is older.
        let older = Tokens::new(tokens.saturating_sub(kept).get() / 2);
        Due {
            reason: Some(format!("Session exceeds {most} lines ({lines} > {most})")),
            budget: kept.saturating_add(older),
        }
    }
}

impl TrimArgs {
    /// The file to write, if it is one.
    fn target(&self) -> Result<Option<&Path>> {
        if !self.in_place {
            Ok(self.output.as_deref())
        } else if self.source.file == Path::new(STDIN) {
            Err(RequestError::NotInPlace.into())
        } else {
            Ok(Some(&self.source.file))
        }
    }

    fn trim(
        &self,
        session: &Session,
        options: &TrimOptions,
        keeping: Option<Keeping<'_>>,
        ui: &mut Ui,
    ) -> Result<Trimmed> {
        let named = self.summarizer.as_deref();
        let summarizer = match self.strategy {
            TrimStrategy::Priority => Summarizer::find(named, &session.config)?,
            _ => None,
        };
        if summarizer.is_none() && named.is_some() {
            let message = "not asked: only --strategy priority summarises";
            ui.remarks([Remark::new("summarizer", message)]);
        }
        let summarizer = summarizer.as_ref().map(|it| it as &dyn Summarize);
        let transcript = &session.transcript;
        Ok(match keeping {
            Some(keeping) => trim_archived(transcript, options, summarizer, keeping)?,
            None => trim_summarized(transcript, options, summarizer)?,
        })
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
    options: &TrimOptions,
    session: &'a Session,
    trimmed: &'a Trimmed,
    bytes: &[u8],
) -> Document<'a> {
    let fates = trimmed.fates(&session.transcript).into_iter();
    let turns = fates.zip(&session.transcript.turns).enumerate();
    Document {
        strategy: options.strategy.name(),
        counter: session.counter.name(),
        budget: options.budget,
        before: trimmed.before,
        after: trimmed.after,
        handle: trimmed.handle.as_deref(),
        turns: turns
            .map(|(number, (fate, turn))| TurnJson { turn: number + 1, role: turn.role, fate })
            .collect(),
        content: String::from_utf8_lossy(bytes).into_owned(),
    }
}
