//! Measures what each level of compaction saves on real notes, and checks what it must keep.
//!
//! ```text
//! cargo bench -p loadline --bench notes -- DIRECTORY...
//! ```
//!
//! Every directory that holds markdown files is taken as one feature. Printed
//! are the tokens saved by level (median, quartiles) and the CPU time per MB read. What must
//! be kept is looked for in the source lines by plain patterns that share
//! nothing with the library: tasks with an empty box, `## Decision:` headings,
//! `Blocked by:` lines and files of `state.json`. Exits with 1 if any is lost.
#![allow(clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use loadline::notes::{CompactionPlan, Feature, Features, Level, NotesOptions, plan_compaction};
use loadline::settings::Config;
use loadline::tokens::{Counter, Tokens};
use regex::Regex;
use serde_json::Value;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let given = std::env::args().skip(1).filter(|it| !it.starts_with("--"));
    let mut directories = Vec::new();
    for root in given {
        find(Path::new(&root), &mut directories);
    }
    directories.sort();
    if directories.is_empty() {
        println!("no directories of notes given; nothing measured");
        return Ok(());
    }
    let counter: Counter = "o200k".parse()?;
    let config = Config::load(Vec::new())?;
    let now = jiff::Timestamp::UNIX_EPOCH;
    let window = Tokens::new(200_000);
    let options = NotesOptions::new(&config.settings().memory, counter, window, now)?;
    let mut lost = 0;
    for level in [Level::Compact, Level::Summarize, Level::Handoff] {
        lost += measure(level, &directories, &options)?;
    }
    if lost > 0 {
        return Err(format!("{lost} of what must be kept is lost").into());
    }
    Ok(())
}

/// Finds directories that hold markdown files.
fn find(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let mut notes = false;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, found);
        }
        notes |= path.extension().is_some_and(|it| it == "md");
    }
    if notes {
        found.push(directory.to_owned());
    }
}

/// Plans one level for all features, prints what it saves, returns what is lost.
fn measure(
    level: Level,
    directories: &[PathBuf],
    options: &NotesOptions,
) -> Result<usize, Failure> {
    let mut saved: Vec<f64> = Vec::new();
    let mut lost = 0;
    let (mut before, mut after, mut bytes) = (0_u64, 0_u64, 0_u64);
    let started = cpu_time();
    for directory in directories {
        let Some(feature) = feature(directory) else {
            continue;
        };
        let plan = plan_compaction(&feature, Some(level), options)?;
        if plan.tokens_before.is_zero() {
            continue;
        }
        let share = |tokens: Tokens| tokens.get() as f64 / plan.tokens_before.get() as f64;
        saved.push(100.0 * share(plan.saved()));
        before += plan.tokens_before.get();
        after += plan.tokens_after.get();
        if let Some(document) = plan.document.as_ref().filter(|_| level == Level::Handoff) {
            let tokens = options.counter.count(document);
            after += tokens.get();
            if let Some(last) = saved.last_mut() {
                *last = 100.0 - 100.0 * share(plan.tokens_after.saturating_add(tokens));
            }
        }
        bytes += plan
            .changes
            .iter()
            .filter_map(|it| Some(it.before.as_ref()?.len() as u64))
            .sum::<u64>();
        lost += lost_of(directory, &feature, &plan)?;
        if std::env::var_os("NOTES_EACH").is_some() {
            println!(
                "  {:>6.1} % of {:>7} {}",
                saved.last().unwrap_or(&0.0),
                plan.tokens_before,
                directory.display()
            );
        }
    }
    saved.sort_by(f64::total_cmp);
    let at = |part: f64| saved.get((saved.len() as f64 * part) as usize).copied().unwrap_or(0.0);
    println!(
        "{level:<10} {:>4} features  saved median {:>5.1} %  quartiles {:>5.1} / {:>5.1} %  together {:>5.1} %  {:>5.0} ms per MB",
        saved.len(),
        at(0.5),
        at(0.25),
        at(0.75),
        100.0 - 100.0 * after as f64 / before.max(1) as f64,
        cpu_time().saturating_sub(started).as_secs_f64() * 1e9 / bytes.max(1) as f64,
    );
    Ok(lost)
}

/// CPU time of all threads that are alive; nothing where the system does not tell.
fn cpu_time() -> Duration {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanoseconds = tasks.flatten().filter_map(|task| {
        let stat = fs::read_to_string(task.path().join("schedstat")).ok()?;
        stat.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

fn feature(directory: &Path) -> Option<Feature> {
    let name = directory.file_name()?.to_str()?;
    Features::new(directory.parent()?).feature(name).ok()
}

/// Counts what stands in the source lines and not in what the plan leaves.
fn lost_of(directory: &Path, feature: &Feature, plan: &CompactionPlan) -> Result<usize, Failure> {
    let left = left_by(feature, plan)?;
    let left = plain(&left);
    let mut lost = 0;
    for wanted in wanted(directory)? {
        let words = plain(&wanted);
        if !words.is_empty() && !left.contains(&words) {
            println!("  lost by {}: {}: {wanted}", plan.level, directory.display());
            lost += 1;
        }
    }
    Ok(lost)
}

/// Joins the document and the notes as the plan leaves them.
fn left_by(feature: &Feature, plan: &CompactionPlan) -> Result<String, Failure> {
    let mut left = plan.document.clone().unwrap_or_default();
    for name in feature.files()?.0 {
        let change = plan.changes.iter().find(|change| change.name == name);
        let bytes = match change {
            Some(change) => change.after.clone().unwrap_or_default(),
            None => fs::read(feature.path(&name))?,
        };
        left.push('\n');
        left.push_str(&String::from_utf8_lossy(&bytes));
    }
    Ok(left)
}

/// Finds what must be kept, by the source lines.
fn wanted(directory: &Path) -> Result<Vec<String>, Failure> {
    let task = Regex::new(r"^\s*[-*+] \[ \] (\S.*)$")?;
    let decision = Regex::new(r"(?i)^##\s*Decision:\s*(.+)$")?;
    let blocker = Regex::new(r"(?i)^(?:[-*] )?\**Block(?:er|ed by):\**\s+(\S.*)$")?;
    let mut wanted = Vec::new();
    for entry in fs::read_dir(directory)?.flatten() {
        let path = entry.path();
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
        if path.file_name().is_some_and(|it| it == "state.json") {
            let state: Value = serde_json::from_str(&text).unwrap_or_default();
            let files = state["filesModified"].as_array().cloned().unwrap_or_default();
            wanted.extend(files.iter().filter_map(|it| Some(it.as_str()?.to_owned())));
        }
        if path.extension().is_none_or(|it| it != "md") {
            continue;
        }
        let (mut fenced, mut comment) = (false, false);
        for line in text.lines() {
            let fence =
                line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
            fenced ^= fence;
            comment = (comment || line.contains("<!--")) && !line.contains("-->");
            if fenced || fence || comment || line.starts_with("    ") || line.starts_with('\t') {
                continue;
            }
            let found = [&task, &decision, &blocker].into_iter().find_map(|it| it.captures(line));
            wanted.extend(found.and_then(|it| Some(it.get(1)?.as_str().to_owned())));
        }
    }
    Ok(wanted)
}

/// Reduces a text to its letters and digits.
fn plain(text: &str) -> String {
    text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
