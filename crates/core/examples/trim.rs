//! Reads an agent's session, describes it, and trims it to a budget.
//!
//! ```sh
//! cargo run --release -p loadline --example trim -- SESSION STORE [BUDGET] > trimmed
//! ```
//!
//! Any known session format will do. The trimmed session has the same format and
//! can be continued; the description goes to stderr.
#![allow(clippy::print_stderr)]

use std::error::Error;
use std::io::Write;
use std::path::Path;

use loadline::archive::Archive;
use loadline::budget::Models;
use loadline::session::{
    Keeping, SessionStats, Transcript, TrimOptions, check_session, read_session, session_stats,
    trim_archived, write_session,
};
use loadline::tokens::{Counter, Tokens};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [session, store, rest @ ..] = arguments.as_slice() else {
        return Err("usage: trim SESSION STORE [BUDGET]".into());
    };
    let budget: u64 = rest.first().map_or(Ok(16_000), |budget| budget.parse())?;

    // The format is recognised by content. An unreadable line costs a remark, and
    // what never reaches the model (progress, snapshots, other branches) is only
    // counted.
    let transcript = read_session(std::fs::read(session)?, None)?;
    for note in &transcript.notes {
        eprintln!("note: {note}");
    }

    // A session names its model, and the model has a counter.
    let counter = counter_of(&transcript)?;

    // If the session records what was billed, counts are compared with that.
    describe(&session_stats(&transcript, &counter));

    // Before anything is cut, the original goes into the archive of this project. Its
    // handle is in the markers, by which readers recall it. Trimming only decides: a
    // draft says which turns and blocks stay, and what they say instead.
    let archive = &Archive::new(Path::new(store), Path::new("."));
    let options = TrimOptions::new(counter, Tokens::new(budget));
    let trimmed = trim_archived(&transcript, &options, None, Keeping { archive, now: 0 })?;
    eprintln!(
        "{} of {} tokens stay; the original is {}",
        trimmed.after,
        trimmed.before,
        trimmed.handle.as_deref().unwrap_or("not kept")
    );

    // Writing keeps every block that did not change byte for byte. What comes
    // out reads back as a session that a provider takes.
    let bytes = write_session(&transcript, &trimmed.draft)?;
    let again = read_session(bytes.clone(), Some(transcript.format))?;
    let broken = check_session(&again).len();
    let before = check_session(&transcript).len();
    eprintln!("rules broken: {before} before, {broken} after");
    std::io::stdout().write_all(&bytes)?;
    Ok(())
}

fn counter_of(transcript: &Transcript) -> Result<Counter, Box<dyn Error>> {
    let models = Models::builtin()?;
    let name = transcript.model.as_deref().unwrap_or("generic");
    let (model, _) = models.find_or_generic(name);
    Ok(model.counter.parse()?)
}

fn describe(stats: &SessionStats) {
    eprintln!("{} tokens, {} turns of the user", stats.tokens, stats.user_turns);
    for (kind, amounts) in &stats.kinds {
        eprintln!("  {:>8} {}", amounts.tokens.get(), kind.name());
    }
    for tool in stats.tools.iter().take(3) {
        eprintln!("  {} was called {} times", tool.name, tool.calls);
    }
    if let Some(growth) = stats.billed.as_ref().and_then(|it| it.growth) {
        let percent = growth.residual.median * 100.0;
        eprintln!("  off the bill by {percent:.1} % (median of {})", growth.compared);
    }
}
