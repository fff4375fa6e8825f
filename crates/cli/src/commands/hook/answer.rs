//! Answers the events that agents send to hooks.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use loadline::agents::{
    FoundSession, HookEvent, HookMoment, find_sessions, read_log, read_log_end, read_requests,
};
use loadline::archive::{Cut, CutKind, CutLedger};
use loadline::cache::ContentHash;
use loadline::session::{
    IngestOptions, IngestRule, Role, ToolUse, TrimOptions, Turn, ingest_result, read_session,
    session_handoff, tool_kind_name, trim_excerpt,
};
use loadline::settings::HookSettings;
use loadline::tokens::{Counter, Tokens};
use loadline::usage::CacheClock;
use regex::Regex;
use serde_json::Value;

use super::notes;
use crate::agent::agent_homes;
use crate::error::{CommandError, RequestError, Result};
use crate::pins::{Undo, pinned, remember};
use crate::settings::{
    archive_directory, load_config, load_models, now, now_ns, open_archive, project_root,
};
use crate::ui::{Ui, thousands};

/// Bytes at the end of a log that are searched for the user's last words.
const TAIL: u64 = 128 << 10;

/// The most tokens of a handoff within a session.
const HANDOFF: Tokens = Tokens::new(800);
/// The most tokens of a summary that takes the place of an agent's own.
const SUMMARY: Tokens = Tokens::new(8_000);
/// After an hour, in nanoseconds, the provider's cache is cold.
const LONG_PAUSE: i64 = 3_600_000_000_000;

/// Answers an event, or says nothing.
pub(super) fn answer(event: &HookEvent, ui: &mut Ui) -> Result<Option<Value>> {
    match event.moment {
        HookMoment::PostTool => post_tool(event, ui),
        HookMoment::PreCompact => pre_compact(event, ui),
        HookMoment::Stop => stop(event, ui),
        HookMoment::UserPrompt => cold(event, ui),
        HookMoment::SessionStart if event.source == "compact" => {
            note_compaction(event, ui)?;
            Ok(None)
        }
        HookMoment::PreTool => {
            let warned = notes::answer(event, ui)?;
            Ok(warned.and_then(|it| event.warn(&it.message, &it.context)))
        }
        HookMoment::SessionStart if event.source == "resume" => after_pause(event, ui),
        HookMoment::SessionStart => {
            let brief = notes::start(event, ui)?;
            Ok(brief.and_then(|it| event.tell(&it)))
        }
        HookMoment::Other => Ok(None),
    }
}

fn post_tool(event: &HookEvent, ui: &mut Ui) -> Result<Option<Value>> {
    let config = load_config(Vec::new(), ui)?;
    let settings = &config.settings().hook;
    if !settings.enabled {
        return Ok(None);
    }
    let work =
        Work { event, options: options(settings)?, repeats: settings.repeats, now: now_ns(ui) };
    let mut failure = None;
    let answer = event.shorten(|text| {
        let least = usize::try_from(work.options.least.get()).unwrap_or(usize::MAX);
        // No token is shorter than a byte.
        if text.len() <= least || failure.is_some() {
            return None;
        }
        work.shorten(text).unwrap_or_else(|error| {
            failure = Some(error);
            None
        })
    });
    failure.map_or(Ok(answer), Err)
}

/// Reads the rules; what hooks count in is what every agent is close to.
fn options(settings: &HookSettings) -> Result<IngestOptions> {
    let counter: Counter = "o200k".parse()?;
    let rule = |most: Tokens| {
        if most.is_zero() { IngestRule::Whole } else { IngestRule::AtMost(most) }
    };
    let pattern = |text: &str| {
        Regex::new(text).map_err(|error| RequestError::Pattern {
            pattern: text.to_owned(),
            reason: error.to_string(),
        })
    };
    let tools = settings.tools.iter();
    let tools = tools.map(|(name, most)| Ok((pattern(&format!("^(?:{name})$"))?, rule(*most))));
    let preserve = settings.preserve.iter().map(|text| Ok(pattern(text)?));
    Ok(IngestOptions {
        least: settings.least,
        command: rule(settings.command),
        search: rule(settings.search),
        change: rule(settings.change),
        read: rule(settings.read),
        other: rule(settings.other),
        tools: tools.collect::<Result<_, CommandError>>()?,
        preserve: preserve.collect::<Result<_, CommandError>>()?,
        ..IngestOptions::new(counter)
    })
}

/// All that shortening an output needs.
struct Work<'a> {
    event: &'a HookEvent,
    options: IngestOptions,
    repeats: bool,
    now: i64,
}

impl Work<'_> {
    /// Shortens one text, keeps the original, and writes both down.
    fn shorten(&self, text: &str) -> Result<Option<String>> {
        let counter = &self.options.counter;
        if counter.count_up_to(text, self.options.least).is_some() {
            return Ok(None);
        }
        let archive = open_archive(self.event.directory.as_deref())?;
        let ledger = CutLedger::open(archive.directory())?;
        let hash = ContentHash::of(text.as_bytes());
        // The name is known before anything is written: what stays whole costs no disk.
        let handle = archive.handle(&hash)?;
        let short = if self.asked_to_see() {
            None
        } else {
            self.shorter(text, &handle, &ledger.shown(&self.event.session, &hash)?)
        };
        let Some((rule, before, short)) = short else {
            let tokens = counter.count(text).get();
            ledger.add(&self.row(CutKind::Shown, "", (tokens, tokens), "", hash))?;
            return Ok(None);
        };
        archive.put(text.as_bytes())?;
        let sizes = (before, counter.count(&short).get());
        ledger.add(&self.row(CutKind::Hook, rule, sizes, &handle, hash))?;
        Ok(Some(short))
    }

    /// Returns a pointer to what was seen before, or a shorter text: the rule, the tokens
    /// before, and what stands there instead.
    fn shorter(
        &self,
        text: &str,
        handle: &str,
        first: &Option<Cut>,
    ) -> Option<(&'static str, u64, String)> {
        if let Some(first) = first
            && self.repeats
            && !self.event.session.is_empty()
        {
            return Some(("repeat", first.before, pointer(first, text, handle)));
        }
        let tool =
            ToolUse { name: &self.event.tool, arguments: &self.event.arguments, is_error: false };
        let short = ingest_result(&tool, text, &self.options, Some(handle))?;
        let rule = tool_kind_name(tool.name, tool.arguments);
        Some((rule, short.before.get(), short.text))
    }

    fn row(
        &self,
        what: CutKind,
        rule: &str,
        (before, after): (u64, u64),
        handle: &str,
        hash: ContentHash,
    ) -> Cut {
        Cut {
            at: self.now,
            what,
            agent: self.event.agent.name().to_owned(),
            session: self.event.session.clone(),
            tool: self.event.tool.clone(),
            rule: rule.to_owned(),
            before,
            after,
            handle: handle.to_owned(),
            hash: Some(hash),
        }
    }

    /// Tells whether the user's last words ask for all of an output.
    fn asked_to_see(&self) -> bool {
        last_words(self.event).is_some_and(|words| asks_to_see(&words))
    }
}

/// Says that an output was seen before.
fn pointer(first: &Cut, text: &str, handle: &str) -> String {
    let lines = text.lines().count();
    let whole = match first.what {
        CutKind::Shown => "shown above",
        _ => "shortened above",
    };
    format!("[loadline: the same {lines} lines as an earlier output, {whole}; recall {handle}]")
}

fn asks_to_see(words: &str) -> bool {
    const ASKS: [&str; 8] = [
        "show me",
        "full output",
        "whole output",
        "entire output",
        "complete output",
        "all of the output",
        "verbatim",
        "do not shorten",
    ];
    let words = words.to_lowercase();
    ASKS.iter().any(|it| words.contains(it))
}

/// Finds what the user said last near the end of the session's log.
fn last_words(event: &HookEvent) -> Option<String> {
    let log = read_log_end(event.transcript.as_deref()?, TAIL).ok()?;
    let session = read_session(log, event.agent.format()).ok()?;
    let is_user = |turn: &Turn| turn.role == Role::User;
    let is_said = |turn: &Turn| is_user(turn) && turn.texts().next().is_some();
    let last = session.turns.iter().rposition(is_said)?;
    // Reminders of the agent may follow the user's own words.
    let before = session.turns[..last].iter().rposition(|it| !is_user(it));
    let words = &session.turns[before.map_or(0, |at| at + 1)..=last];
    let texts: Vec<&str> = words.iter().flat_map(Turn::texts).collect();
    Some(texts.join("\n"))
}

/// Keeps the whole session before it is compacted, says where it is, and what the user
/// wants to stay. An agent that takes one gets the summary itself.
fn pre_compact(event: &HookEvent, ui: &mut Ui) -> Result<Option<Value>> {
    note_compaction(event, ui)?;
    let Some((path, bytes)) = session_of(event) else {
        return Ok(None);
    };
    let directory = event.directory.as_deref();
    let archive = open_archive(directory)?;
    let handle = archive.handle(&archive.put(&bytes)?)?;
    if let Some(path) = path {
        remember(&Undo { path, handle: handle.clone(), directory: project_root(directory) })?;
    }
    let config = load_config(Vec::new(), ui)?;
    let settings = &config.settings().compact;
    let pinned = pinned(directory, settings, ui);
    if event.agent.takes_summary() {
        let session = read_session(bytes, event.agent.format())?;
        let options = TrimOptions {
            pinned,
            handle: Some(handle),
            ..TrimOptions::new("o200k".parse()?, SUMMARY)
        };
        let summary = trim_excerpt(&session, event.first_kept.as_deref(), &options)?;
        return Ok(Some(serde_json::json!({ "summary": summary })));
    }
    let mut text = format!(
        "The session before this compaction is kept: `loadline recall {handle}` prints it, \
         `loadline recall {handle}:N` its turn N. Say so in the summary, and keep what \
         follows.\n\n"
    );
    text.extend(settings.instructions.iter().map(|it| format!("{it}\n\n")));
    text.push_str(&handoff(bytes, &pinned)?.unwrap_or_default());
    Ok(event.tell(&text))
}

/// The session of an event, and its file if it is one.
fn session_of(event: &HookEvent) -> Option<(Option<PathBuf>, Vec<u8>)> {
    if let Some(path) = &event.transcript {
        let path = path.canonicalize().unwrap_or_else(|_| path.clone());
        return Some((Some(path.clone()), read_log(&path).ok()?));
    }
    let sessions = find_sessions(&agent_homes().ok()?, event.directory.as_deref()?);
    let is_it = |it: &&FoundSession| it.agent == event.agent && it.is_named(&event.session);
    Some((None, sessions.iter().find(is_it)?.read().ok()?))
}

/// Says what a message after a long pause costs, and what would cost less. Once it is
/// sent the cache is warm again, so it is said once.
fn cold(event: &HookEvent, ui: &mut Ui) -> Result<Option<Value>> {
    let Some(path) = event.transcript.as_deref() else {
        return Ok(None);
    };
    let config = load_config(Vec::new(), ui)?;
    let models = load_models(&config, ui)?;
    let resume = &config.settings().resume;
    let now = now(ui);
    let clock = |log: std::io::Result<Vec<u8>>| {
        CacheClock::at(&read_requests(&log.ok()?, event.agent), &models, now)
    };
    // Nearly every message finds a warm cache, and the end of the log tells.
    if clock(read_log_end(path, TAIL)).is_some_and(|it| !it.is_cold()) {
        return Ok(None);
    }
    let clock = clock(read_log(path));
    let Some(clock) = clock.filter(|it| it.is_cold() && it.sent >= resume.least.get()) else {
        return Ok(None);
    };
    let smaller = clock.base.saturating_add(resume.target.get()).min(clock.sent);
    let price = |cost: Option<f64>| cost.map_or(String::new(), |it| format!(" for ${it:.2}"));
    let text = format!(
        "The cache is cold: {} tokens are written again{}. After leaving, `loadline resume` \
         goes on with about {}{}.",
        thousands(clock.sent),
        price(clock.cold_cost()),
        thousands(smaller),
        price(clock.written_cost(smaller))
    );
    Ok(event.tell(&text))
}

/// Says when it is time to compact, by the last bill of the session.
fn stop(event: &HookEvent, ui: &mut Ui) -> Result<Option<Value>> {
    let config = load_config(Vec::new(), ui)?;
    let at = config.settings().compact.at;
    let path = event.transcript.as_deref().filter(|_| at > 0.0);
    let log = path.and_then(|path| read_log_end(path, TAIL).ok());
    let Some(session) = log.and_then(|log| read_session(log, event.agent.format()).ok()) else {
        return Ok(None);
    };
    let usage = session.turns.iter().rev().find_map(|turn| turn.usage);
    let models = load_models(&config, ui)?;
    let model = session.model.as_deref().and_then(|name| models.find(name));
    let (Some(usage), Some(model)) = (usage, model) else {
        return Ok(None);
    };
    let window = config.window().unwrap_or(model.window).get().max(1);
    let percent = (usage.sent() + usage.output) as f64 * 100.0 / window as f64;
    if percent < at {
        return Ok(None);
    }
    let path = path.unwrap_or(Path::new("FILE")).display();
    let text = format!(
        "Context at {percent:.0}% (compact.at = {at}). Leave the session, run `loadline \
         session trim --in-place {path}`, and resume it; `loadline session undo` goes back."
    );
    Ok(event.tell(&text))
}

/// Tells where the work stood, when it continues after a long pause.
fn after_pause(event: &HookEvent, ui: &mut Ui) -> Result<Option<Value>> {
    let path = event.transcript.as_deref();
    let modified = path.and_then(|it| std::fs::metadata(it).and_then(|it| it.modified()).ok());
    let (Some(path), Some(modified)) = (path, modified) else {
        return Ok(None);
    };
    let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    let since = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
    if now_ns(ui).saturating_sub(since) < LONG_PAUSE {
        return Ok(None);
    }
    let bytes = read_log(path).unwrap_or_default();
    let config = load_config(Vec::new(), ui)?;
    let pinned = pinned(event.directory.as_deref(), &config.settings().compact, ui);
    let text = handoff(bytes, &pinned)?;
    Ok(text.and_then(|text| event.tell(&text)))
}

/// Summary for whoever continues a session; none if the log cannot be read.
fn handoff(bytes: Vec<u8>, pinned: &str) -> Result<Option<String>> {
    let counter: Counter = "o200k".parse()?;
    let session = read_session(bytes, None).ok();
    let text = session.map(|session| session_handoff(&session, &counter, HANDOFF));
    Ok(text.map(|text| match pinned {
        "" => text,
        pinned => format!("{text}\n## Pinned by the user\n\n{pinned}\n"),
    }))
}

fn note_compaction(event: &HookEvent, ui: &Ui) -> Result<()> {
    let ledger = CutLedger::open(&archive_directory()?)?;
    ledger.add(&Cut {
        agent: event.agent.name().to_owned(),
        session: event.session.clone(),
        ..Cut::new(now_ns(ui), CutKind::Compacted)
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use loadline::agents::Agent;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_words_of_the_user_are_found() {
        let lines = [
            r#"half a line"}]}}"#,
            r#"{"type":"user","uuid":"a","parentUuid":"x","message":{"role":"user","content":"show me the log"}}"#,
            r#"{"type":"attachment","uuid":"b","parentUuid":"a","attachment":{"type":"skill_listing","content":"- pdf"}}"#,
            r#"{"type":"assistant","uuid":"c","parentUuid":"b","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#,
            r#"{"type":"user","uuid":"d","parentUuid":"c","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}}"#,
            "half a li",
        ];
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.jsonl");
        std::fs::write(&path, lines.join("\n")).unwrap();
        let body = json!({"transcript_path": path});
        let words = last_words(&Agent::ClaudeCode.event("PostToolUse", body)).unwrap();
        assert!(asks_to_see(&words), "{words}");
        assert!(asks_to_see("Please SHOW ME everything"));
        assert!(!asks_to_see("fix the build"));
    }
}
