//! Summaries by someone else: a command of the user's, or a model behind an address.
//!
//! Nobody is asked unless the user names them. What fails in passing is tried
//! again after a while, what is too long for them is given to them in halves,
//! and what fails for good is told to the library, which then summarises by rule.

mod command;
mod service;

use std::thread;
use std::time::Duration;

use loadline::session::{Summarize, SummaryTurn};
use loadline::settings::{Config, Source};

use crate::error::RequestError;
use command::Command;
use service::Service;

/// The longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// How often an input is halved before it is given up.
const MOST_HALVINGS: u32 = 8;

/// What a model is told to do.
const TASK: &str = "Summarize this part of a coding session for the agent that goes on with it. \
    Keep decisions and their reasons, names of files and functions, errors, and what is still to \
    be done. Write plain sentences, at most 300 words, and nothing else.";

/// Keys of the configuration that decide who is asked.
const KEYS: [&str; 3] = ["session.summarizer", "session.summarizer_url", "session.summarizer_api"];

/// Why there is no summary.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    /// Worth another try: a time-out, too many requests.
    Passing(String),
    /// It was too much to read.
    TooLong(String),
    /// It would be the same again.
    Lasting(String),
}

/// Someone who summarises.
enum Means {
    Command(Command),
    Service(Service),
}

/// Someone who summarises, and how patient we are with them.
pub(crate) struct Summarizer {
    means: Means,
    retries: usize,
    backoff: Duration,
}

impl Summarizer {
    /// Finds the summarizer: the command that was typed, else the configured
    /// command, else the configured address; `None` where there is none.
    ///
    /// A project may not choose: someone else's repository must neither run
    /// commands nor have sessions sent anywhere.
    pub(crate) fn find(
        typed: Option<&str>,
        config: &Config,
    ) -> Result<Option<Summarizer>, RequestError> {
        let settings = &config.settings().session;
        let asked = settings.summarizer.is_some() || settings.summarizer_url.is_some();
        if typed.is_none() && asked {
            KEYS.iter().try_for_each(|key| refuse_project(config, key))?;
        }
        let command = typed.or(settings.summarizer.as_deref());
        let means = match (command, &settings.summarizer_url) {
            (Some(command), _) => {
                let timeout = settings.summarizer_timeout;
                Means::Command(Command::new(command, timeout))
            }
            (None, Some(url)) => {
                let model = settings.summarizer_model.as_deref();
                let model = model.ok_or(RequestError::NoSummarizerModel)?;
                Means::Service(Service::new(url, model, settings))
            }
            (None, None) => return Ok(None),
        };
        Ok(Some(Summarizer {
            means,
            retries: settings.summarizer_retries,
            backoff: settings.summarizer_backoff,
        }))
    }

    /// Asks, and asks again where that may help.
    fn ask(&self, text: &str) -> Result<String, Failure> {
        let mut wait = self.backoff.min(LONGEST_WAIT);
        for _ in 0..self.retries {
            match self.ask_once(text) {
                Err(Failure::Passing(_)) => thread::sleep(wait),
                answer => return answer,
            }
            wait = wait.saturating_mul(2).min(LONGEST_WAIT);
        }
        self.ask_once(text)
    }

    fn ask_once(&self, text: &str) -> Result<String, Failure> {
        match &self.means {
            Means::Command(command) => command.ask(text),
            Means::Service(service) => service.ask(TASK, text),
        }
    }

    /// Asks for turns, in halves where they are too long together.
    fn ask_for(&self, turns: &[SummaryTurn], halvings: u32) -> Result<String, Failure> {
        let text = written(turns, halvings_of_one(turns, halvings));
        match self.ask(&text) {
            Err(Failure::TooLong(_)) if halvings < MOST_HALVINGS => match turns {
                [_] | [] => self.ask_for(turns, halvings + 1),
                _ => {
                    let (first, second) = turns.split_at(turns.len() / 2);
                    let first = self.ask_for(first, halvings + 1)?;
                    let second = self.ask_for(second, halvings + 1)?;
                    Ok(format!("{}\n{}", first.trim(), second.trim()))
                }
            },
            answer => answer,
        }
    }
}

impl Summarize for Summarizer {
    fn summarize(&self, turns: &[SummaryTurn]) -> Result<String, String> {
        self.ask_for(turns, 0).map_err(|failure| match failure {
            Failure::Passing(reason) | Failure::TooLong(reason) | Failure::Lasting(reason) => {
                reason
            }
        })
    }
}

fn refuse_project(config: &Config, key: &'static str) -> Result<(), RequestError> {
    match config.source(key) {
        Some(Source::Project(path)) => {
            Err(RequestError::ProjectSetsSummarizer { place: path.display().to_string(), key })
        }
        _ => Ok(()),
    }
}

/// One turn cannot be split, so what is halved is its text.
fn halvings_of_one(turns: &[SummaryTurn], halvings: u32) -> u32 {
    if turns.len() == 1 { halvings } else { 0 }
}

/// Writes turns as text; of each the beginning, halved as often as told.
fn written(turns: &[SummaryTurn], halvings: u32) -> String {
    let mut text = String::new();
    for turn in turns {
        let length = turn.text.len() >> halvings;
        let end = turn.text.floor_char_boundary(length);
        let (role, number) = (turn.role.name(), turn.turn + 1);
        text.push_str(&format!("[turn {number} {role}]\n{}\n\n", &turn.text[..end]));
    }
    text
}

/// Tells whether a message says that the input was too long.
fn says_too_long(message: &str) -> bool {
    let message = message.to_lowercase();
    [
        "prompt is too long",
        "input is too long",
        "context_length_exceeded",
        "maximum context length",
        "context window",
        "too many tokens",
        "llm_context_too_long",
    ]
    .iter()
    .any(|words| message.contains(words))
}
