//! What stands around a pack: a header before it, recent commits and instructions after.
//!
//! It is written in the style of the pack, and paid for before anything is packed, so
//! that the whole stays within the budget.

use std::path::Path;

use jiff::Timestamp;
use loadline::cache::Cache;
use loadline::pack::{Format, PackOptions};
use loadline::repo::{GitHistory, HistoryOptions};
use loadline::tokens::Tokens;

use crate::error::{CommandError, RequestError, Result};

/// What may stand around a pack.
#[derive(Debug, clap::Args)]
pub(super) struct AroundArgs {
    /// Put TEXT before everything else.
    #[arg(long, value_name = "TEXT")]
    header: Option<String>,
    /// Put the contents of FILE after everything else.
    #[arg(long, value_name = "FILE")]
    instructions: Option<std::path::PathBuf>,
    /// List the last N commits after the files: date and subject.
    #[arg(long, value_name = "N")]
    log: Option<usize>,
}

/// Texts around a pack.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// Each by its name.
    pub(super) parts: Vec<(&'static str, String)>,
}

/// The one part that comes before the pack.
const HEADER: &str = "header";

/// What joining texts may cost, at most.
const SEAMS: Tokens = Tokens::new(8);

impl AroundArgs {
    /// Reads what was asked for.
    pub(super) fn read(&self, root: &Path, options: &PackOptions, store: &Cache) -> Result<Around> {
        let safe = |text: &str| match &options.secrets {
            Some(secrets) => secrets.redact(text).0.into_owned(),
            None => text.to_owned(),
        };
        let mut parts = Vec::new();
        if let Some(header) = &self.header {
            parts.push((HEADER, header.clone()));
        }
        if let Some(count) = self.log {
            parts.push(("log", safe(&log(root, count, options.now_ns, store))));
        }
        if let Some(path) = &self.instructions {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|error| CommandError::at("read", path, error))?;
            parts.push(("instructions", text));
        }
        Ok(Around { parts })
    }
}

impl Around {
    /// The options of the pack inside: with what is left of the budget.
    pub(super) fn inside(&self, options: &PackOptions) -> Result<PackOptions> {
        let mut options = options.clone();
        let texts = self.written(&options.format).map(|text| options.counter.count(&text));
        if let Some(budget) = options.budget.filter(|_| texts != [Tokens::ZERO; 2]) {
            let needed = Tokens::saturating_sum(texts).saturating_add(SEAMS);
            let left = budget.checked_sub(needed);
            let over =
                RequestError::AroundOverBudget { needed: needed.get(), budget: budget.get() };
            options.budget = Some(left.ok_or(over)?);
        }
        Ok(options)
    }

    /// Puts a pack between the texts, and counts the whole.
    pub(super) fn put(&self, content: &mut String, tokens: &mut Tokens, options: &PackOptions) {
        let [before, after] = self.written(&options.format);
        if !before.is_empty() || !after.is_empty() {
            *content = format!("{before}{content}{after}");
            *tokens = options.counter.count(content);
        }
    }

    /// What comes before the pack and after it; a template puts it where it likes.
    fn written(&self, format: &Format) -> [String; 2] {
        if matches!(format, Format::Template(_)) {
            return Default::default();
        }
        let [mut before, mut after] = <[String; 2]>::default();
        for (name, text) in &self.parts {
            let side = if *name == HEADER { &mut before } else { &mut after };
            side.push_str(&written(name, text.trim_end(), format));
        }
        [before, after]
    }
}

/// A text in the style of the pack that it stands beside.
fn written(name: &str, text: &str, format: &Format) -> String {
    let title = if name == "log" { "Recent commits" } else { "Instructions" };
    match format {
        Format::Xml => format!("<{name}>\n{text}\n</{name}>\n"),
        _ if name == HEADER => format!("{text}\n\n"),
        Format::Plain => format!("\n======== {title}\n{text}\n"),
        _ => format!("\n## {title}\n\n{text}\n"),
    }
}

/// The dates and subjects of the latest commits.
fn log(root: &Path, count: usize, now_ns: i64, store: &Cache) -> String {
    let asked = HistoryOptions { messages: count, ..HistoryOptions::new(now_ns) };
    let history = GitHistory::read(root, &asked, store);
    let lines = history.commits.iter().take(count).map(|commit| {
        let day = Timestamp::from_second(commit.time).map(|time| time.strftime("%F").to_string());
        let subject = commit.message.lines().next().unwrap_or_default();
        format!("{} {subject}\n", day.unwrap_or_default())
    });
    lines.collect()
}
