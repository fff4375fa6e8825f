//! Finds the lines of a repository that a task needs, and says how long each
//! step took. The second run on an unchanged repository opens no file but
//! those it shows. In the end the lines are packed as sources, which is how lines
//! that come from anywhere else are packed, too.
//!
//! ```sh
//! cargo run --release -p loadline --example task -- REPOSITORY STORE "the task" [BUDGET]
//! ```
#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use loadline::budget::Allocation;
use loadline::pack::ranking::{
    Message, TaskContent, TaskQuery, TaskSource, TaskWeights, choose_lines, look_up, rank_for_task,
};
use loadline::pack::{Cancel, PackSource, SourceKind, SourceOptions, pack_sources};
use loadline::repo::{
    Decoded, GitHistory, HistoryOptions, WalkOptions, decode, display_path, language_of, walk,
};
use loadline::settings::Config;
use loadline::store::{FileStamp, Store, StoreOptions};
use loadline::tokens::{Counter, Tokens};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, store, task, rest @ ..] = arguments.as_slice() else {
        println!("give a repository, a directory for the store and a task");
        return Ok(());
    };
    let budget: u64 = rest.first().map_or(Ok(8_000), |budget| budget.parse())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let now_ns = i64::try_from(now.as_nanos())?;
    let mut step = Step(Instant::now());

    let store = Store::open(Path::new(store), StoreOptions::default());
    let sources: Vec<TaskSource> = walk(Path::new(root), &WalkOptions::default())?
        .files
        .into_iter()
        .map(|file| TaskSource {
            path: display_path(&file.relative),
            language: language_of(&file.relative),
            stamp: file.stamp,
        })
        .collect();
    step.done("walk");

    let history = GitHistory::read(Path::new(root), &HistoryOptions::new(now_ns), &store);
    let messages: Vec<Message<'_>> = history.commits.iter().map(Message::from).collect();
    step.done("history");

    let weights = TaskWeights::default();
    let query = TaskQuery::new(task, &weights);
    let gathered = look_up(&sources, &query, "raw", &store, now_ns, read);
    step.done(&format!(
        "look up ({} of {} files read)",
        gathered.read,
        sources.len()
    ));

    let ranked = rank_for_task(&gathered.candidates, &messages, &query, &weights);
    let passages: usize = ranked.iter().map(|file| file.passages.len()).sum();
    step.done(&format!("rank {passages} passages"));

    let counter = Counter::open("o200k")?.0;
    let stamps: HashMap<&str, &FileStamp> = sources
        .iter()
        .map(|source| (source.path.as_str(), &source.stamp))
        .collect();
    let mut sums: HashMap<usize, Vec<u64>> = HashMap::new();
    let picks = choose_lines(&ranked, budget, &weights, |file, ranges| {
        let sums = sums.entry(file).or_insert_with(|| {
            let text = match stamps
                .get(ranked[file].path.as_str())
                .map(|stamp| read(stamp))
            {
                Some(TaskContent::Text(text)) => text,
                _ => String::new(),
            };
            let mut sum = 0;
            let costs = text.split_inclusive('\n').map(|line| {
                sum += counter.count(line).get();
                sum
            });
            std::iter::once(0).chain(costs).collect()
        });
        let at = |line: u32| {
            sums.get(line as usize)
                .or(sums.last())
                .copied()
                .unwrap_or(0)
        };
        let shown: u64 = ranges
            .iter()
            .map(|(first, last)| at(*last) - at(first - 1))
            .sum();
        shown + 30 + 12 * ranges.len() as u64
    });
    step.done("choose");

    for pick in picks.iter().take(20) {
        let file = &ranked[pick.file];
        println!("{:.3} {} {:?}", file.score, file.path, pick.ranges);
    }
    if let Some(file) = picks.first().map(|pick| &ranked[pick.file]) {
        println!("{}", file.signals.explain(&weights).join("\n"));
    }

    // Sources, a budget, options and a way to stop: the lines as one text.
    let references = picks.iter().flat_map(|pick| {
        let path = &ranked[pick.file].path;
        let found = |lines: &(u32, u32)| {
            PackSource::new(SourceKind::Reference, path.clone()).lines(lines.0, lines.1)
        };
        pick.ranges.iter().map(found)
    });
    let settings = Config::load([])?.settings().clone();
    let options = SourceOptions {
        root: Some(Path::new(root).to_owned()),
        query: task.clone(),
        ..SourceOptions::new(counter.clone(), &settings, now_ns)
    };
    let allocation = Allocation::of(Tokens::new(budget));
    let packed = pack_sources(references.collect(), &allocation, &options, &Cancel::new())?;
    step.done(&format!("pack {} tokens of {budget}", packed.tokens));
    Ok(())
}

fn read(stamp: &FileStamp) -> TaskContent {
    let Ok(bytes) = fs::read(&stamp.path) else {
        return TaskContent::Unreadable;
    };
    match decode(&bytes) {
        Decoded::Text { text, .. } => TaskContent::Text(text.into_owned()),
        Decoded::Binary { .. } => TaskContent::NotText,
    }
}

/// Tells how long each step takes.
struct Step(Instant);

impl Step {
    fn done(&mut self, name: &str) {
        println!("{:>8.1} ms  {name}", self.0.elapsed().as_secs_f64() * 1e3);
        self.0 = Instant::now();
    }
}
