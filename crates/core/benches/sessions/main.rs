//! Does a trimmed session hold what the next turns refer to?
//!
//! Cuts real sessions before a turn of the agent, trims what is before, and looks
//! for what the next six turns refer to, as `crr.py` does: paths, names, numbers,
//! quotations, and lines under edit that stand in the history and are not shown
//! again first. Only lines that stand verbatim in the history count.
//!
//! ```sh
//! cargo bench -p loadline --bench sessions -- DIR [--strategy NAME] [--cap N] [--budgets 8000,16000]
//! ```
//!
//! `DIR` holds `manifest.jsonl` and the sessions that it names.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "../../src/session/mentions.rs"]
mod mentions;
mod metric;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use loadline::session::{
    Role, Transcript, TrimOptions, TrimStrategy, Turn, check_session, convert_session,
    read_session, trim, turns_tokens,
};
use loadline::tokens::{Counter, Tokens};
use rayon::prelude::*;
use serde::Deserialize;

use metric::{References, instruction_lines, kept_part};

const CUTS: [f64; 2] = [0.6, 0.8];
const NEXT_TURNS: usize = 6;

#[derive(Deserialize)]
struct Entry {
    repo: String,
    format: String,
    neutral: String,
    main_segment_tokens_o200k: u64,
    main_segment_turns: u64,
}

#[derive(Default)]
struct Row {
    repo: String,
    format: String,
    file: String,
    budget: u64,
    recall: f64,
    instructions: Option<f64>,
    by: BTreeMap<&'static str, (f64, f64)>,
    problem: Option<String>,
}

/// What a row belongs to.
type Name = fn(&Row) -> &str;

struct Arguments {
    directory: PathBuf,
    strategy: TrimStrategy,
    cap: usize,
    budgets: Vec<u64>,
    misses: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments()?;
    let entries = entries(&arguments)?;
    let rows: Vec<Row> =
        entries.par_iter().flat_map_iter(|entry| session(entry, &arguments).unwrap()).collect();
    report(&rows);
    Ok(())
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut list = std::env::args().skip(1).filter(|it| it != "--bench");
    let mut arguments = Arguments {
        directory: PathBuf::new(),
        strategy: TrimStrategy::default(),
        cap: usize::MAX,
        budgets: vec![8_000, 16_000, 32_000],
        misses: false,
    };
    while let Some(word) = list.next() {
        let mut value = || list.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--strategy" => arguments.strategy = value()?.parse()?,
            "--cap" => arguments.cap = value()?.parse()?,
            "--misses" => arguments.misses = true,
            "--budgets" => {
                let list: Result<_, _> = value()?.split(',').map(str::parse).collect();
                arguments.budgets = list?;
            }
            _ => arguments.directory = word.into(),
        }
    }
    if arguments.directory.as_os_str().is_empty() {
        return Err("which directory holds manifest.jsonl?".into());
    }
    Ok(arguments)
}

fn entries(arguments: &Arguments) -> Result<Vec<Entry>, Box<dyn Error>> {
    let manifest = BufReader::new(File::open(arguments.directory.join("manifest.jsonl"))?);
    let mut entries = Vec::new();
    let mut per_repo: BTreeMap<String, usize> = BTreeMap::new();
    for line in manifest.lines() {
        let entry: Entry = serde_json::from_str(&line?)?;
        let tokens = entry.main_segment_tokens_o200k;
        if !(12_000..=350_000).contains(&tokens) || entry.main_segment_turns < 16 {
            continue;
        }
        let count = per_repo.entry(entry.repo.clone()).or_default();
        *count += 1;
        if *count <= arguments.cap {
            entries.push(entry);
        }
    }
    Ok(entries)
}

fn read(path: &Path) -> Result<Transcript, Box<dyn Error>> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(File::open(path)?).read_to_end(&mut bytes)?;
    Ok(read_session(bytes, Some("anthropic".parse()?))?)
}

/// Writes the first turns of a session as a session of its own.
fn history(transcript: &Transcript, turns: usize) -> Result<Transcript, Box<dyn Error>> {
    let mut draft = loadline::session::Draft::whole(transcript);
    draft.turns.truncate(turns);
    let bytes = convert_session(transcript, &draft, transcript.format)?;
    Ok(read_session(bytes, Some(transcript.format))?)
}

fn session(entry: &Entry, arguments: &Arguments) -> Result<Vec<Row>, Box<dyn Error>> {
    let counter: Counter = "o200k".parse()?;
    let whole = read(&arguments.directory.join(&entry.neutral))?;
    let count = whole.turns.len();
    let (mut rows, mut last) = (Vec::new(), usize::MAX);
    for cut in CUTS {
        let start = (count as f64 * cut) as usize;
        let is_agent = |turn: &Turn| turn.role == Role::Assistant;
        let Some(skipped) = whole.turns[start..].iter().position(is_agent) else {
            continue;
        };
        let at = start + skipped;
        if at + 1 >= count || at == last {
            continue;
        }
        last = at;
        let Ok(before) = history(&whole, at) else {
            continue;
        };
        if !check_session(&before).is_empty() {
            continue;
        }
        let mut agents = 0;
        let next = whole.turns[at..].iter().take_while(|turn| {
            agents += usize::from(is_agent(turn));
            agents <= NEXT_TURNS
        });
        let next: Vec<&Turn> = next.collect();
        let tokens = turns_tokens(&counter, &before.turns).get();
        let references = References::of(&before.turns, &next);
        if tokens > 400_000 || references.len() < 5 {
            continue;
        }
        for &budget in &arguments.budgets {
            if tokens * 2 < budget * 3 {
                continue;
            }
            rows.push(row(entry, &before, &references, budget, arguments, &counter));
        }
    }
    Ok(rows)
}

fn row(
    entry: &Entry,
    before: &Transcript,
    references: &References,
    budget: u64,
    arguments: &Arguments,
    counter: &Counter,
) -> Row {
    let options = TrimOptions {
        strategy: arguments.strategy,
        handle: Some("k3f9c2td".to_owned()),
        ..TrimOptions::new(counter.clone(), Tokens::new(budget))
    };
    let mut row = Row {
        repo: entry.repo.clone(),
        format: entry.format.clone(),
        file: entry.neutral.clone(),
        budget,
        ..Row::default()
    };
    let trimmed = match trim(before, &options) {
        Ok(trimmed) => trimmed,
        Err(error) => {
            row.problem = Some(error.to_string());
            return row;
        }
    };
    let bytes = convert_session(before, &trimmed.draft, before.format).unwrap();
    let after = read_session(bytes, Some(before.format)).unwrap();
    let violations = check_session(&after);
    let tokens = turns_tokens(counter, &after.turns).get();
    if let Some(violation) = violations.first() {
        row.problem = Some(violation.rule.to_owned());
    } else if tokens > budget {
        row.problem = Some(format!("{tokens} tokens"));
    }
    let kept = references.kept(&before.turns, &after.turns);
    row.by = kept.by_kind;
    if row.problem.is_none() {
        row.recall = kept.recall;
    }
    if arguments.misses {
        for (kind, text, weight) in &kept.missed {
            println!("miss\t{}\t{budget}\t{kind}\t{weight:.2}\t{text}", entry.neutral);
        }
    }
    row.instructions = kept_part(&instruction_lines(&before.turns), &after.turns);
    row
}

fn report(rows: &[Row]) {
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len().max(1) as f64;
    let recalls = |is_wanted: &dyn Fn(&Row) -> bool| -> Vec<f64> {
        let rows = rows.iter().filter(|row| is_wanted(row));
        rows.map(|row| row.recall).collect()
    };
    let mut budgets: Vec<u64> = rows.iter().map(|row| row.budget).collect();
    budgets.sort_unstable();
    budgets.dedup();
    for budget in budgets {
        let list = recalls(&|row| row.budget == budget);
        let instructions = rows.iter().filter(|row| row.budget == budget);
        let instructions: Vec<f64> = instructions.filter_map(|row| row.instructions).collect();
        println!(
            "{budget:>6}: recall {:.4}, instructions {:.4}, {} cases",
            mean(&list),
            mean(&instructions),
            list.len()
        );
    }
    println!("  mean: recall {:.4}", mean(&recalls(&|_| true)));
    let groups: [(&str, Name); 2] =
        [("format", |row| &row.format), ("repository", |row| &row.repo)];
    for (name, of) in groups {
        let mut names: Vec<&str> = rows.iter().map(of).collect();
        names.sort_unstable();
        names.dedup();
        println!("by {name}:");
        for name in names {
            let list = recalls(&|row| of(row) == name);
            println!("  {name}: {:.3} ({})", mean(&list), list.len());
        }
    }
    let mut kinds: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (kind, (kept, all)) in rows.iter().flat_map(|row| &row.by) {
        let sum = kinds.entry(kind).or_default();
        // As parts of what each session refers to, so that long ones do not drown the others.
        *sum = (sum.0 + kept / all, sum.1 + 1.0);
    }
    println!("by kind:");
    for (kind, (kept, all)) in kinds {
        println!("  {kind}: {:.3}", kept / all);
    }
    for row in rows.iter().filter(|row| row.problem.is_some()) {
        let problem = row.problem.as_deref().unwrap_or_default();
        println!("problem: {} at {}: {problem}", row.file, row.budget);
    }
}
