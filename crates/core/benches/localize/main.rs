//! Measures whether a pack holds the lines that had to be edited.
//!
//! Ranks real tasks on the commits before their changes, straight from git
//! mirrors, and scores what would be shown as `locbench.py` does: the part of
//! the edited files that is there, the part of the edited lines, and how far up
//! the first edited file stands. Several settings can be compared in one run.
//!
//! ```sh
//! cargo bench -p loadline --bench localize -- TASKS.jsonl MIRRORS [--cache DIR] [--repo NAME]
//!     [--by repo|language|source] [--set NAME:key=value,trees=FILE]... [--describe FILE]
//!     [--rows FILE]
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod mirror;
mod report;
mod shown;

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use loadline::pack::ranking::{
    FileIndex, Message, Past, TaskCandidate, TaskQuery, TaskWeights, Trees, alike, choose_lines,
    describe, rank_for_task,
};
use rayon::prelude::*;
use serde::Deserialize;

use mirror::{Entry, Mirror};
use report::{Row, report};
use shown::Texts;

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

const BUDGETS: [u64; 2] = [8_000, 32_000];
/// What a pack says before its first file.
const PREFACE: u64 = 60;

/// A change that was really made.
#[derive(Debug, Deserialize)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) repo: String,
    pub(crate) language: String,
    pub(crate) source: String,
    parent: String,
    query: String,
    pub(crate) gold_files: Vec<String>,
    pub(crate) gold_hunks: Vec<(String, usize, usize)>,
}

#[derive(Default)]
struct Arguments {
    tasks: PathBuf,
    mirrors: PathBuf,
    cache: Option<PathBuf>,
    repo: Option<String>,
    by: Vec<String>,
    misses: bool,
    variants: Vec<Variant>,
    /// Where the descriptions of passages go, to fit trees by.
    describe: Option<PathBuf>,
    /// Where every task's own figures go.
    rows: Option<PathBuf>,
}

/// A way to rank.
struct Variant {
    name: String,
    weights: TaskWeights,
    trees: Option<Trees>,
}

fn main() -> Result<(), Failure> {
    let Some(arguments) = arguments()? else {
        println!("no tasks given; nothing measured");
        return Ok(());
    };
    let mut by_repo: BTreeMap<String, Vec<Task>> = BTreeMap::new();
    for line in fs::read_to_string(&arguments.tasks)?.lines() {
        let task: Task = serde_json::from_str(line)?;
        let wanted = arguments.repo.as_ref().is_none_or(|part| task.repo.contains(part));
        if wanted {
            by_repo.entry(task.repo.clone()).or_default().push(task);
        }
    }
    let rows = Mutex::new(Vec::new());
    for (repo, tasks) in &by_repo {
        let directory = arguments.mirrors.join(repo.replace('/', "+")).join("repo");
        if !directory.is_dir() {
            eprintln!("no mirror, skipped: {repo}");
            continue;
        }
        let mirror = Mirror::open(&directory, arguments.cache.as_deref(), repo)?;
        let mut prepared = Vec::new();
        for task in tasks {
            let files = mirror.files(&task.parent)?;
            mirror.index(&files)?;
            prepared.push((task, files));
        }
        mirror.keep()?;
        prepared.par_iter().try_for_each(|(task, files)| -> Result<(), Failure> {
            let found = run(task, files, &mirror, &arguments)?;
            if let Ok(mut rows) = rows.lock() {
                rows.extend(found);
            }
            Ok(())
        })?;
        eprintln!("{repo}: {} tasks", tasks.len());
    }
    let rows = rows.into_inner().map_err(|error| error.to_string())?;
    let names: Vec<&str> = arguments.variants.iter().map(|variant| variant.name.as_str()).collect();
    if let Some(path) = &arguments.rows {
        fs::write(path, report::table(&rows))?;
    }
    report(&rows, &names, &BUDGETS, &arguments.by);
    if arguments.misses {
        report::misses(&rows);
    }
    Ok(())
}

/// Ranks one task in every variant.
fn run(
    task: &Task,
    files: &[Entry],
    mirror: &Mirror,
    arguments: &Arguments,
) -> Result<Vec<Row>, Failure> {
    let log = mirror.log(&task.parent)?;
    let commits = mirror::commits(&log);
    let messages: Vec<Message<'_>> = commits
        .iter()
        .map(|(id, text, files)| Message { id, text, files: files.clone() })
        .collect();
    let texts = Texts::new(mirror, files)?;
    if let Some(path) = &arguments.describe {
        let query = TaskQuery::new(&task.query, &TaskWeights::default());
        let candidates: Vec<TaskCandidate> = candidates(files, mirror, &query);
        let bytes = described(
            task,
            &texts,
            &messages,
            &past(mirror, &texts, &messages, &query, &candidates)?,
            &query,
            &candidates,
        );
        fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(&bytes)?;
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    let mut probed: HashMap<[u64; 3], (TaskQuery, Vec<TaskCandidate>)> = HashMap::new();
    for Variant { name, weights, trees } in &arguments.variants {
        let (query, candidates) = probed
            .entry([weights.title, weights.stop, weights.compound].map(f64::to_bits))
            .or_insert_with(|| {
                let query = TaskQuery::new(&task.query, weights);
                let candidates = candidates(files, mirror, &query);
                (query, candidates)
            });
        let past = match trees {
            Some(_) => past(mirror, &texts, &messages, query, candidates)?,
            None => Past::default(),
        };
        let ranked = rank_for_task(candidates, &messages, &past, query, weights, trees.as_ref());
        for budget in BUDGETS {
            let picks = choose_lines(&ranked, budget - PREFACE, weights, |file, ranges| {
                texts.cost(&ranked[file].path, ranges)
            });
            let written: Vec<(&str, Vec<(u32, u32)>)> = picks
                .iter()
                .map(|pick| {
                    let path = ranked[pick.file].path.as_str();
                    (path, texts.readable(path, &pick.ranges))
                })
                .collect();
            let shown: Vec<(&str, &[(u32, u32)])> =
                written.iter().map(|(path, ranges)| (*path, ranges.as_slice())).collect();
            rows.push(Row {
                variant: name.clone(),
                budget,
                repo: task.repo.clone(),
                language: task.language.clone(),
                source: task.source.clone(),
                id: task.id.clone(),
                score: texts.score(task, &shown),
                tokens: texts.tokens(&shown) + PREFACE,
            });
        }
    }
    Ok(rows)
}

/// What commits like the task touched.
fn past(
    mirror: &Mirror,
    texts: &Texts<'_>,
    messages: &[Message<'_>],
    query: &TaskQuery,
    candidates: &[TaskCandidate],
) -> Result<Past, Failure> {
    let alike = alike(candidates, messages, query, &TaskWeights::default());
    let ids: Vec<&str> = alike.iter().map(|it| it.id).collect();
    let patches = mirror.patches(&ids)?;
    let text = |file: usize| Some(texts.whole(&candidates[file].path));
    Ok(Past::of(&patches, &alike, "", candidates, text))
}

fn candidates(files: &[Entry], mirror: &Mirror, query: &TaskQuery) -> Vec<TaskCandidate> {
    let found = files.iter().filter_map(|file| {
        let index: &FileIndex = mirror.known(&file.id)?;
        TaskCandidate::new(&file.path, index, query)
    });
    found.collect()
}

fn arguments() -> Result<Option<Arguments>, Failure> {
    let mut plain = Vec::new();
    let mut arguments = Arguments::default();
    let mut given = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = given.next() {
        let mut value = || given.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--cache" => arguments.cache = Some(value()?.into()),
            "--repo" => arguments.repo = Some(value()?),
            "--by" => arguments.by.push(value()?),
            "--misses" => arguments.misses = true,
            "--describe" => arguments.describe = Some(value()?.into()),
            "--rows" => arguments.rows = Some(value()?.into()),
            "--set" => arguments.variants.push(variant(&value()?)?),
            _ => plain.push(PathBuf::from(argument)),
        }
    }
    let [tasks, mirrors] = plain.as_slice() else {
        return Ok(None);
    };
    if arguments.variants.is_empty() {
        arguments.variants.push(variant("formula:")?);
    }
    arguments.tasks.clone_from(tasks);
    arguments.mirrors.clone_from(mirrors);
    Ok(Some(arguments))
}

/// Reads `NAME:key=value,key=value`; `trees=FILE` ranks by trees.
fn variant(text: &str) -> Result<Variant, Failure> {
    let (name, settings) = text.split_once(':').unwrap_or((text, text));
    let mut variant =
        Variant { name: name.to_owned(), weights: TaskWeights::default(), trees: None };
    for setting in settings.split(',').filter(|setting| !setting.is_empty()) {
        let (key, value) = setting.split_once('=').ok_or("a setting is key=value")?;
        if key == "trees" {
            let trees =
                Trees::read(&fs::read(value)?).ok_or_else(|| format!("not trees: {value}"))?;
            variant.trees = Some(trees);
            continue;
        }
        let place = variant.weights.by_name(key).ok_or_else(|| format!("no weight {key}"))?;
        *place = value.parse()?;
    }
    Ok(variant)
}

/// Writes for each of the best passages how many lines that would be shown with it were
/// edited, of how many, and the numbers that describe it; before them, the name of the task,
/// how many lines were edited, and how many passages follow.
fn described(
    task: &Task,
    texts: &Texts<'_>,
    messages: &[Message<'_>],
    past: &Past,
    query: &TaskQuery,
    candidates: &[TaskCandidate],
) -> Vec<u8> {
    let rows = describe(candidates, messages, past, query, &TaskWeights::default());
    let mut bytes = Vec::new();
    let name = format!("{} {}", task.repo, task.id);
    bytes.extend((name.len() as u32).to_le_bytes());
    bytes.extend(name.as_bytes());
    let edited = texts.edited(task);
    let total: usize = edited.values().map(|lines| lines.len()).sum();
    bytes.extend((total as u32).to_le_bytes());
    bytes.extend((rows.len() as u32).to_le_bytes());
    for (file, (first, last), numbers) in rows {
        let path = candidates[file].path.as_str();
        let shown = texts.readable(path, &[(first, last)]);
        let is_shown =
            |line: &&u32| shown.iter().any(|(first, last)| (first..=last).contains(line));
        let hits = edited.get(path).map_or(0, |lines| lines.iter().filter(is_shown).count());
        let lines: u32 = shown.iter().map(|(first, last)| last + 1 - first).sum();
        for number in [hits, lines as usize] {
            bytes.extend((number.min(65_535) as u16).to_le_bytes());
        }
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}
