//! Fills one prompt from a repository, a session and notes, under one budget.
//!
//! ```sh
//! cargo run --release -p loadline --example window -- REPOSITORY SESSION NOTES [BUDGET] > prompt.md
//! ```
//!
//! Each source has a share of the budget; what one does not need goes to the others.
//! A report of what each source used goes to stderr.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::path::Path;

use loadline::budget::{Amount, Budget};
use loadline::cache::Cache;
use loadline::pack::{PackOptions, pack_for_task};
use loadline::prompt::{PromptSource, SourceItem, fill_sources};
use loadline::session::{Transcript, TrimOptions, read_session, trim};
use loadline::settings::{Config, Settings};
use loadline::tokens::{Counter, Tokens};

type Failure = Box<dyn Error + Send + Sync>;

/// What the prompt is for; the lines of the repository are chosen by it.
const TASK: &str = "Warn when a window is nearly full, and say how many tokens are left.";

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [repository, session, notes, rest @ ..] = arguments.as_slice() else {
        return Err("usage: window REPOSITORY SESSION NOTES [BUDGET]".into());
    };
    let budget: Tokens = rest.first().map_or("16k", String::as_str).parse()?;
    let counter: Counter = "o200k".parse()?;
    let settings = Config::load([])?.settings().clone();
    let transcript = read_session(std::fs::read(session)?, None)?;

    // A source of variable size writes its text once its share is known: a pack of
    // a repository, a trimmed session.
    let root = Path::new(repository);
    let repository = |most: Tokens| repository_text(root, most, &counter, &settings);
    let session = |most: Tokens| session_text(&transcript, most, &counter);

    // Other sources are lists of items, taken by score while they fit. The task is
    // required: without it the prompt makes no sense.
    let task = vec![SourceItem::new("task", TASK).required()];
    let notes = std::fs::read_to_string(notes)?;
    let notes = notes.split("\n\n").enumerate();
    let notes = notes.map(|(number, note)| {
        // Earlier notes score higher here; a real program would know more.
        SourceItem::new(format!("note {}", number + 1), note).score(-(number as f64))
    });

    let sources = [
        PromptSource::new("task", Amount::Tokens(Tokens::new(200)), task).titled("Task"),
        PromptSource::made("repository", Amount::PercentOfAvailable(55.0), repository)
            .titled("Repository"),
        PromptSource::made("session", Amount::PercentOfAvailable(30.0), session)
            .titled("What was done so far"),
        PromptSource::new("notes", Amount::Rest, notes.collect()).titled("Notes"),
    ];

    // One call: shares, choice, text, and the count of what was really written.
    let filled = fill_sources(&sources, Budget::of(budget), &counter)?;
    print!("{}", filled.text);
    for remark in &filled.remarks {
        eprintln!("remark: {remark}");
    }
    for source in &filled.sources {
        let shown = source.items.iter().filter(|item| item.form.is_some());
        eprintln!(
            "{:<12} share {:>6}  used {:>6}  {} of {} items",
            source.name,
            source.share,
            source.tokens,
            shown.count(),
            source.items.len()
        );
    }
    eprintln!("{} of {} tokens", filled.tokens, filled.budget);
    Ok(())
}

/// The lines of a repository that the task needs.
fn repository_text(
    root: &Path,
    most: Tokens,
    counter: &Counter,
    settings: &Settings,
) -> Result<String, Failure> {
    let mut options = PackOptions::new(counter.clone(), settings);
    options.budget = Some(most);
    let packed = pack_for_task(root, TASK, &options, &Cache::disabled())?;
    Ok(packed.content)
}

/// What the next turns still need of a session, as text.
fn session_text(
    transcript: &Transcript,
    most: Tokens,
    counter: &Counter,
) -> Result<String, Failure> {
    let options = TrimOptions::new(counter.clone(), most);
    let trimmed = trim(transcript, &options)?;
    let mut text = String::new();
    for turn in trimmed.draft.turns(transcript) {
        for said in turn.texts().chain(turn.results().map(|it| it.text.as_str())) {
            text.push_str(&format!("{}: {said}\n\n", turn.role.name()));
        }
    }
    // Roles and blank lines cost a little; what is over goes from the oldest end.
    while counter.count(&text) > most {
        let end = text.find("\n\n").map_or(text.len(), |end| end + 2);
        text.drain(..end);
    }
    Ok(text)
}
