//! Measures what shortened tool outputs lose of what the next turns refer to.
//!
//! Takes every tool result of over 2,000 tokens in real sessions, and what the
//! agent's next turns refer to in it and could not know from elsewhere: nothing
//! shows it earlier, and nothing shows it again before it is used. Prints how
//! many tokens each way to shorten removes and how much of that it keeps, by what
//! the tool does.
//!
//! ```sh
//! cargo bench -p loadline --bench ingest -- DIR [--turns 6]
//! ```
//!
//! `DIR` holds `manifest.jsonl` and the sessions that it names.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

mod found;
#[allow(dead_code)]
#[path = "../../src/session/mentions.rs"]
mod mentions;
#[allow(dead_code)]
#[path = "../sessions/metric.rs"]
mod metric;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use loadline::session::{
    IngestOptions, IngestRule, ToolUse, Transcript, ingest_result, read_session,
};
use loadline::tokens::{Counter, Tokens};
use rayon::prelude::*;
use serde::Deserialize;

use found::{Found, find, greedy, head_and_tail};

/// Results of up to this many tokens are left out.
const LEAST: u64 = 2_000;

#[derive(Deserialize)]
struct Entry {
    neutral: String,
}

/// A way to shorten a result; `None` leaves it whole.
type Way<'a> = (String, Box<dyn Fn(&Found) -> Option<String> + Sync + 'a>);

/// Tokens before and after, and the weight of references before and after.
#[derive(Clone, Copy, Default)]
struct Sum {
    results: usize,
    before: u64,
    after: u64,
    wanted: f64,
    kept: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (directory, turns) = arguments()?;
    let manifest = BufReader::new(File::open(directory.join("manifest.jsonl"))?);
    let entries: Result<Vec<Entry>, Box<dyn Error>> =
        manifest.lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect();
    let counter: Counter = "o200k".parse()?;
    let found: Vec<Found> = entries?
        .par_iter()
        .flat_map_iter(|entry| {
            let session = read(&directory.join(&entry.neutral)).unwrap();
            find(&session, &counter, LEAST, turns)
        })
        .collect();
    for (name, way) in ways(&counter) {
        report(&name, &found, &counter, &way);
    }
    Ok(())
}

fn arguments() -> Result<(PathBuf, usize), Box<dyn Error>> {
    let mut list = std::env::args().skip(1).filter(|it| it != "--bench");
    let (mut directory, mut turns) = (None, 6);
    while let Some(word) = list.next() {
        match word.as_str() {
            "--turns" => turns = list.next().ok_or("--turns needs a value")?.parse()?,
            _ => directory = Some(PathBuf::from(word)),
        }
    }
    Ok((directory.ok_or("which directory holds manifest.jsonl?")?, turns))
}

fn read(path: &Path) -> Result<Transcript, Box<dyn Error>> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(File::open(path)?).read_to_end(&mut bytes)?;
    Ok(read_session(bytes, Some("anthropic".parse()?))?)
}

fn ways(counter: &Counter) -> Vec<Way<'_>> {
    let by_rules = move |options: IngestOptions| {
        move |found: &Found| -> Option<String> {
            let tool = ToolUse {
                name: &found.tool,
                arguments: &found.arguments,
                is_error: found.is_error,
            };
            let short = ingest_result(&tool, &found.text, &options, Some("k3f9c2td"));
            short.map(|short| short.text)
        }
    };
    let mut ways: Vec<Way<'_>> = vec![
        ("as it is set".to_owned(), Box::new(by_rules(IngestOptions::new(counter.clone())))),
        ("40 lines of either end".to_owned(), Box::new(|found| head_and_tail(&found.text, 40))),
        ("greedy choice of lines".to_owned(), Box::new(|found| greedy(&found.text, counter))),
    ];
    for most in [250, 500, 1_000, 2_000, 4_000, 8_000] {
        let mut options = IngestOptions::new(counter.clone());
        options.set_all(IngestRule::AtMost(Tokens::new(most)));
        ways.push((format!("at most {most}"), Box::new(by_rules(options))));
    }
    ways
}

fn report(
    name: &str,
    found: &[Found],
    counter: &Counter,
    way: &(dyn Fn(&Found) -> Option<String> + Sync),
) {
    let rows: Vec<(&str, Sum)> = found.par_iter().map(|it| row(it, counter, way)).collect();
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for (kind, row) in rows {
        for name in [kind, "~ all"] {
            let sum = sums.entry(name).or_default();
            sum.results += row.results;
            sum.before += row.before;
            sum.after += row.after;
            sum.wanted += row.wanted;
            sum.kept += row.kept;
        }
    }
    println!("\n{name}");
    println!("  does        results     tokens   removed  references     kept");
    for (kind, sum) in sums {
        let removed = 100.0 * (1.0 - sum.after as f64 / sum.before as f64);
        let kept = if sum.wanted > 0.0 {
            format!("{:.1} %", 100.0 * sum.kept / sum.wanted)
        } else {
            "-".to_owned()
        };
        println!(
            "  {kind:<10} {:>8} {:>10} {removed:>7.1} % {:>11.0} {kept:>8}",
            sum.results, sum.before, sum.wanted
        );
    }
}

fn row<'a>(
    found: &'a Found,
    counter: &Counter,
    way: &(dyn Fn(&Found) -> Option<String> + Sync),
) -> (&'a str, Sum) {
    let after = way(found);
    let sum = Sum {
        results: 1,
        before: found.tokens,
        after: after.as_deref().map_or(found.tokens, |text| counter.count(text).get()),
        wanted: found.weight(),
        kept: after.map_or(found.weight(), |text| found.kept(&text)),
    };
    (found.kind, sum)
}
