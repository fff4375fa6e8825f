//! `status`: how full the window of a session is, and what fills it.

use std::fmt::Write;

use loadline::budget::{Ladder, Pressure};
use loadline::session::{SessionStats, session_stats};

use super::super::answer::{Answer, ToolError};
use super::super::arguments::Arguments;
use super::super::job::Job;
use super::super::page::Block;
use super::super::sessions::Session;
use super::notes;

/// Rows of a list.
const LISTED: usize = 5;
/// Characters of what a block is about.
const WIDEST: usize = 80;

pub(super) fn call(job: &Job, arguments: &Arguments) -> Result<Answer, ToolError> {
    let max = arguments.max_tokens()?;
    let named = arguments.text("session")?;
    let mut text = match job.state.session(named.as_deref())? {
        Some(session) => about(job, &session)?,
        None => "No agent session found for this project; \
                 pass the path of a log as session.\n"
            .to_owned(),
    };
    text.push_str(&served(job));
    let block = Block::plain(job.redacted(text));
    job.page(vec![block], notes("status", arguments), None, max)
}

/// What a session holds, in a few lines.
fn about(job: &Job, session: &Session) -> Result<String, ToolError> {
    let stats = session_stats(&session.transcript, &session.counter);
    let pressure = stats.pressure(session.window)?;
    let mut text = String::new();
    let (format, model) = (session.transcript.format.name(), &session.model);
    let turns = session.transcript.turns.len();
    // Writing to a text cannot fail.
    let _ = writeln!(
        text,
        "{} {}% of context: ~{} of {} tokens",
        pressure.bar(),
        pressure.percent(),
        pressure.tokens(),
        pressure.window()
    );
    let _ = writeln!(
        text,
        "{format}, {model}, {turns} turns, {} of the user; log {}",
        stats.user_turns,
        session.path.display()
    );
    text.push_str(&due(job, &pressure));
    text.push_str(&largest(job, &stats));
    let repeated = stats.repeated();
    if !repeated.is_zero() {
        let _ = writeln!(text, "read again unchanged: {repeated} tokens");
    }
    Ok(text)
}

/// What the pressure calls for.
fn due(job: &Job, pressure: &Pressure) -> String {
    let memory = &job.state.options.settings.memory;
    let levels = [memory.compact, memory.summarize, memory.handoff];
    let severity =
        Ladder::from_percents(&levels).ok().and_then(|levels| pressure.severity(&levels));
    severity.map_or_else(String::new, |it| format!("{}\n", it.message(pressure)))
}

fn largest(job: &Job, stats: &SessionStats) -> String {
    let mut text = String::new();
    for block in stats.largest.iter().take(LISTED) {
        let tool = block.tool.as_deref().unwrap_or_default();
        // Redacted before it is cut: half a credential looks like none.
        let about: String = job.redacted(block.about.clone()).chars().take(WIDEST).collect();
        let what = format!("{} {tool} {about}", block.kind.name());
        let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "- turn {}: {what} ({})", block.turn, block.tokens);
    }
    if text.is_empty() { text } else { format!("largest:\n{text}") }
}

/// What this server serves.
fn served(job: &Job) -> String {
    let options = &job.state.options;
    let roots = job.state.roots.real();
    let roots: Vec<String> = roots.map(|root| root.display().to_string()).collect();
    let kept = match (&options.archive, options.store.is_enabled()) {
        (Some(_), true) => "on",
        _ => "off",
    };
    format!(
        "serving {}; counted by {}; cache {kept}\n",
        roots.join(", "),
        options.pack.counter.name()
    )
}
