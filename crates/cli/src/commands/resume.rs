//! `loadline resume`: goes on with a session, trimmed where its cache is dead anyway.

mod start;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::Path;

use loadline::agents::{Agent, FoundSession, find_sessions, read_requests};
use loadline::session::{
    Keeping, TrimOptions, Trimmed, convert_session, session_stats, trim_archived,
};
use loadline::usage::CacheClock;
use serde::Serialize;

use super::session::{CountArgs, Session};
use crate::agent::{agent_homes, logged_agent};
use crate::error::{CommandError, RequestError, Result};
use crate::pins::{Undo, pinned, remember};
use crate::settings::{load_models, now, now_ns, open_archive, project_root};
use crate::ui::{STRONG, Ui, thousands};

/// Go on with the last session of a project, trimmed first if its prompt cache is cold.
///
/// As long as the provider's cache is warm, the agent is started on the session as it is.
/// Once it is cold, everything has to be written to it again; then the session is trimmed
/// to what the next turns are likely to need before the agent is started on it. The original
/// is archived: `loadline session undo` brings it back byte for byte. The log of an agent
/// that is running is never touched. [resume] in the settings has the limits.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  loadline resume --dry-run               show both prices
  loadline resume
  loadline resume codex
  loadline resume claude-code 3f2a8c1e-… -- --model opus
  loadline resume --yes --no-start        trim, and print the command")]
pub(crate) struct ResumeArgs {
    /// The agent [default: the one that worked here last].
    #[arg(value_name = "AGENT", value_parser = logged_agent())]
    agent: Option<Agent>,
    /// The session: its id or its file [default: the newest].
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// Show what it would do and what that costs, and do nothing.
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Trim without asking.
    #[arg(long, short)]
    yes: bool,
    /// Do not trim.
    #[arg(long, conflicts_with = "yes")]
    as_it_is: bool,
    /// Print the command that starts the agent instead of running it.
    #[arg(long)]
    no_start: bool,
    /// What else the agent is started with.
    #[arg(last = true, value_name = "ARG")]
    arguments: Vec<OsString>,
}

/// The document of `resume --dry-run` and `resume --no-start`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::commands) struct Document<'a> {
    agent: &'a str,
    session: String,
    directory: String,
    /// What the provider's cache holds; null where the log does not tell.
    cache: Option<CacheClock>,
    /// What sending all of it costs while it is cached, in dollars.
    warm_cost: Option<f64>,
    /// What sending all of it costs when it is not.
    cold_cost: Option<f64>,
    /// The session after a trim; null where it is not worth one.
    trimmed: Option<TrimmedJson>,
    command: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TrimmedJson {
    /// Tokens that the next turn sends then.
    sent: u64,
    /// Of those, the conversation.
    conversation: u64,
    /// What sending them costs, in dollars.
    cost: Option<f64>,
    /// Recalls the original; null in a dry run.
    handle: Option<String>,
}

/// Finds the session, decides, trims and starts the agent.
pub(crate) fn run(args: &ResumeArgs, ui: &mut Ui) -> Result<()> {
    let mut found = args.find()?;
    let bytes = found.read().map_err(|error| CommandError::at("read", &found.path, error))?;
    let requests = read_requests(&bytes, found.agent);
    let session = CountArgs::of(found.format()).read(bytes, ui)?;
    let models = load_models(&session.config, ui)?;
    let clock = CacheClock::at(&requests, &models, now(ui));
    let mut plan = Plan { clock, trimmed: None };
    if !args.as_it_is {
        plan.trimmed = worth_trimming(&session, &found, clock, now_ns(ui), ui)?;
    }
    if args.dry_run {
        return show(&found, &plan, args, ui);
    }
    let trims = plan.trimmed.is_some() && args.agrees(&found, &session, &plan, ui)?;
    if let (Some(trimmed), true) = (&plan.trimmed, trims) {
        start::refuse_running(&found)?;
        found = write(&session, found, trimmed, ui)?;
        let (was, is) = (clock.map_or(0, |it| it.sent), trimmed.sent);
        let back = match found.id {
            Some(_) => "the original session is there as well",
            None => "`loadline session undo` brings it back",
        };
        ui.say(&format!("trimmed: {} -> {} tokens; {back}", thousands(was), thousands(is)));
    } else {
        plan.trimmed = None;
    }
    if args.no_start {
        return show(&found, &plan, args, ui);
    }
    start::start(&found, &args.arguments)
}

/// What is known of a session, and what would become of it.
struct Plan {
    clock: Option<CacheClock>,
    trimmed: Option<Smaller>,
}

/// A trimmed session.
struct Smaller {
    trimmed: Trimmed,
    /// Tokens that the next turn sends.
    sent: u64,
}

impl ResumeArgs {
    fn find(&self) -> Result<FoundSession> {
        let directory = project_root(None);
        let found = find_sessions(&agent_homes()?, &directory);
        let is_agent = |it: &FoundSession| self.agent.is_none_or(|agent| it.agent == agent);
        let is_named =
            |it: &FoundSession| self.session.as_deref().is_none_or(|it_is| it.is_named(it_is));
        let session = found
            .into_iter()
            .find(|it| it.agent.format().is_some() && is_agent(it) && is_named(it));
        session.ok_or_else(|| {
            let agent = self.agent.map(|it| format!(" of {it}")).unwrap_or_default();
            let name = self.session.as_ref().map(|it| format!(" named {it:?}")).unwrap_or_default();
            let directory = directory.display().to_string();
            RequestError::NoSession { what: format!("{agent}{name}"), directory }.into()
        })
    }

    /// Whether the user wants it trimmed.
    fn agrees(
        &self,
        found: &FoundSession,
        session: &Session,
        plan: &Plan,
        ui: &mut Ui,
    ) -> Result<bool> {
        if self.yes || session.config.settings().resume.auto {
            return Ok(true);
        }
        if !std::io::stdin().is_terminal() || ui.wants_json() {
            ui.say("the session stays as it is; --yes or resume.auto = true trims it");
            return Ok(false);
        }
        describe(found, plan, ui)?;
        Ok(matches!(ui.ask("trim it first? [Y/n]")?.as_str(), "" | "y" | "Y" | "yes"))
    }
}

/// Trims a session whose cache is cold, if that is worth it.
fn worth_trimming(
    session: &Session,
    found: &FoundSession,
    clock: Option<CacheClock>,
    now: i64,
    ui: &mut Ui,
) -> Result<Option<Smaller>> {
    let settings = session.config.settings();
    let Some(clock) = clock else {
        return Ok(None);
    };
    if !clock.is_cold() || clock.sent < settings.resume.least.get() {
        return Ok(None);
    }
    let pinned = pinned(Some(&found.directory), &settings.compact, ui);
    let options = TrimOptions {
        pinned,
        keep_last: settings.session.keep_last,
        ..TrimOptions::new(session.counter.clone(), settings.resume.target)
    };
    let archive = open_archive(Some(&found.directory))?;
    let keeping = Keeping { archive: &archive, now };
    let trimmed = trim_archived(&session.transcript, &options, None, keeping)?;
    // Tools and system prompt, which stay; the rest of what the log does not show, such as
    // thoughts, goes with the turns that are cut.
    let stats = session_stats(&session.transcript, &session.counter);
    let unseen = match stats.billed {
        Some(billed) => billed.unseen.get().min(clock.sent),
        None => clock.sent.saturating_sub(trimmed.before.get()),
    };
    let sent = unseen.saturating_add(trimmed.after.get());
    Ok((sent < clock.sent).then_some(Smaller { trimmed, sent }))
}

/// Puts the trimmed session where the agent finds it; returns the session to go on with.
fn write(
    session: &Session,
    found: FoundSession,
    smaller: &Smaller,
    ui: &mut Ui,
) -> Result<FoundSession> {
    let format = session.transcript.format;
    let bytes = convert_session(&session.transcript, &smaller.trimmed.draft, format)?;
    ui.remarks(smaller.trimmed.remarks.iter().cloned());
    if found.id.is_some() {
        // Its database is the agent's own: the trimmed session is another one beside it.
        return start::import(found, &bytes);
    }
    let path = found.path.canonicalize().unwrap_or_else(|_| found.path.clone());
    if let Some(handle) = smaller.trimmed.handle.clone() {
        remember(&Undo { path, handle, directory: project_root(Some(&found.directory)) })?;
    }
    crate::output::write(&found.path, &bytes)?;
    Ok(found)
}

fn show(found: &FoundSession, plan: &Plan, args: &ResumeArgs, ui: &mut Ui) -> Result<()> {
    let command = start::command(found, &args.arguments)?;
    if !ui.wants_json() {
        if args.dry_run {
            describe(found, plan, ui)?;
        }
        let trims = plan.trimmed.is_some();
        let doing = match (args.dry_run, trims) {
            (false, _) => "",
            (true, true) => "would trim it, then run: ",
            (true, false) => "would run: ",
        };
        return Ok(writeln!(ui.out(), "{doing}{}", command.join(" "))?);
    }
    let handle = |it: &Smaller| it.trimmed.handle.clone().filter(|_| !args.dry_run);
    let trimmed = plan.trimmed.as_ref().map(|it| TrimmedJson {
        sent: it.sent,
        conversation: it.trimmed.after.get(),
        cost: plan.clock.and_then(|clock| clock.written_cost(it.sent)),
        handle: handle(it),
    });
    Ok(ui.json(&Document {
        agent: found.agent.name(),
        session: name(found),
        directory: found.directory.display().to_string(),
        cache: plan.clock,
        warm_cost: plan.clock.and_then(|it| it.warm_cost()),
        cold_cost: plan.clock.and_then(|it| it.cold_cost()),
        trimmed,
        command,
    })?)
}

/// Says what the session costs as it is, and trimmed.
fn describe(found: &FoundSession, plan: &Plan, ui: &mut Ui) -> Result<()> {
    let (agent, name) = (found.agent.name(), name(found));
    writeln!(ui.out(), "{STRONG}{agent}{STRONG:#} {name} in {}", found.directory.display())?;
    let Some(clock) = plan.clock else {
        return Ok(writeln!(ui.out(), "  its log does not tell when it was last used")?);
    };
    let state = cache_state(&clock);
    let price = if clock.is_cold() { clock.cold_cost() } else { clock.warm_cost() };
    let row = |name: &str, sent: u64, price: Option<f64>| {
        let price = price.map_or("(price unknown)".to_owned(), |it| format!("${it:.2}"));
        format!("  {name:<9} {:>9} tokens for {price}", thousands(sent))
    };
    writeln!(ui.out(), "  its cache is {state}; the next turn sends at least")?;
    writeln!(ui.out(), "{}", row("as it is", clock.sent, price))?;
    if let Some(smaller) = &plan.trimmed {
        writeln!(ui.out(), "{}", row("trimmed", smaller.sent, clock.written_cost(smaller.sent)))?;
    }
    Ok(())
}

/// `warm for 3:10`, or `cold`.
pub(super) fn cache_state(clock: &CacheClock) -> String {
    if clock.is_cold() {
        return "cold".to_owned();
    }
    let seconds = clock.seconds_left as u64;
    format!("warm for {}:{:02}", seconds / 60, seconds % 60)
}

fn name(found: &FoundSession) -> String {
    let stem = || found.path.file_stem().unwrap_or(Path::new("").as_os_str());
    found.id.clone().unwrap_or_else(|| stem().to_string_lossy().into_owned())
}
