//! Compares scores, tiers and signatures with those of the reference implementation.
//!
//! ```text
//! cargo bench -p loadline --bench handover [-- DIRECTORY [SOURCES]]
//! ```
//!
//! The directory holds what the reference (farce1/handover) found in its own
//! repository: `ast.json` (imports and exports), `inputs.json` (files, commits,
//! marks), `scores.json` (its scores), `signatures.json` and `pack-*.json` (its
//! tiers by budget). The default lies next to the repository; without a
//! directory, nothing is measured. `SOURCES` is a checkout of the
//! reference, to compare signatures that our parser finds.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use loadline::budget::Allocation;
use loadline::fit::{Item, Policy, select};
use loadline::repo::{
    FileFacts, FileScore, ImportGraph, ScoreOptions, SourceFile, language_of, score_files,
};
use loadline::settings::{Config, Layer};
use loadline::syntax::{RenderOptions, outline, render_signatures};
use loadline::tokens::Tokens;
use serde_json::Value;

const DEFAULT: &str = "../../../shared/ref/handover";
const COMPAT: &str = "score.entry_points = 'compat'";

type Failure = Box<dyn std::error::Error>;

/// What the parser of the reference found in one file.
#[derive(Default)]
struct Parsed {
    language: String,
    imports: Vec<String>,
    exports: u32,
}

fn main() -> Result<(), Failure> {
    let mut given = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join(DEFAULT);
    let directory: PathBuf = given.next().map_or(default, Into::into);
    if !directory.join("scores.json").is_file() {
        println!("no reference scores; nothing measured");
        return Ok(());
    }
    let read = |name: &str| -> Result<Value, Failure> {
        Ok(serde_json::from_str(&fs::read_to_string(directory.join(name))?)?)
    };
    let facts = facts(&read("ast.json")?, &read("inputs.json")?);
    let config = Config::load([Layer::project("compat.toml", COMPAT)])?;
    let started = Instant::now();
    let scores = score_files(&facts, &ScoreOptions::from(config.settings()))?;
    println!("scored {} files in {:?}", facts.len(), started.elapsed());
    compare(&scores, &read("scores.json")?);
    let (full, short) = (read("pack-1000000.json")?, read("pack-100000-compress.json")?);
    for name in ["pack-20000.json", "pack-100000.json", "pack-1000000.json"] {
        compare_tiers(name, &full, &short, &read(name)?)?;
    }
    if let Some(sources) = given.next() {
        compare_signatures(Path::new(&sources), &read("signatures.json")?);
    }
    Ok(())
}

/// Selects with the costs of the reference; no file of it is shown in sections.
fn compare_tiers(name: &str, full: &Value, short: &Value, theirs: &Value) -> Result<(), Failure> {
    let costs = |pack: &Value| -> BTreeMap<String, Tokens> {
        let files = rows(&pack["files"]);
        let costs = files.map(|file| (text(&file["path"]).to_owned(), tokens(&file["tokens"])));
        costs.collect()
    };
    let (full_costs, short_costs) = (costs(full), costs(short));
    let items = rows(&full["files"]).map(|file| {
        let (path, score) = (text(&file["path"]), file["score"].as_f64());
        Item::new(path.to_owned(), score.unwrap_or(0.0))
            .rendition("full", full_costs[path])
            .rendition("signatures", short_costs[path])
    });
    let budget = Allocation::of(tokens(&theirs["budget"]["fileContentBudget"]));
    let selection = select(items.collect(), &budget, &Policy::default())?;
    let (mut equal, mut all) = (0, 0);
    for file in rows(&theirs["files"]) {
        let path = text(&file["path"]);
        // An empty file costs nothing, so there is nothing to select.
        let empty = full_costs[path].is_zero().then_some("full");
        let ours = selection.rendition(&path.to_owned()).or(empty);
        let same = ours.unwrap_or("skip") == text(&file["tier"]);
        all += 1;
        equal += usize::from(same);
        if !same {
            println!("  {path}: {ours:?} is not {}", file["tier"]);
        }
    }
    println!("tiers that equal {name:<17} {equal} of {all}");
    Ok(())
}

fn compare_signatures(sources: &Path, theirs: &Value) {
    let compat = RenderOptions { compat: true };
    let (mut equal, mut all) = (0, 0);
    for (path, want) in theirs.as_object().into_iter().flatten() {
        let Ok(source) = fs::read_to_string(sources.join(path)) else {
            println!("  {path} is missing");
            continue;
        };
        let language = language_of(Path::new(path)).unwrap_or_default();
        let Ok(outline) = outline(language, &source) else {
            println!("  {path} has no outline");
            continue;
        };
        let ours = render_signatures(path, &outline, &compat);
        // The reference keeps line breaks inside a type; ours are one line.
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let same = bare(&ours) == bare(text(want));
        all += 1;
        equal += usize::from(same);
        if !same {
            println!("--- {path}: ours\n{ours}\n--- theirs\n{}", text(want));
        }
    }
    println!("signatures that equal the reference {equal} of {all}");
}

fn tokens(value: &Value) -> Tokens {
    Tokens::new(value.as_u64().unwrap_or(0))
}

fn facts(ast: &Value, inputs: &Value) -> Vec<FileFacts> {
    let parsed: BTreeMap<&str, Parsed> =
        rows(&ast["files"]).map(|file| (text(&file["path"]), parsed(file))).collect();
    let commits: BTreeMap<&str, &Value> =
        rows(&inputs["git"]).map(|row| (text(&row["path"]), &row["changes"])).collect();
    let marked: BTreeSet<&str> = rows(&inputs["todos"]).map(|row| text(&row[0])).collect();
    let nothing = Parsed::default();
    let files: Vec<(&str, &Parsed)> = rows(&inputs["files"])
        .map(|row| text(&row[0]))
        .map(|path| (path, parsed.get(path).unwrap_or(&nothing)))
        .collect();
    let sources: Vec<SourceFile<'_>> = files
        .iter()
        .map(|(path, parsed)| SourceFile {
            path,
            language: &parsed.language,
            imports: &parsed.imports,
        })
        .collect();
    let started = Instant::now();
    let graph = ImportGraph::build(&sources, &[]);
    println!("graph of {} files in {:?}", files.len(), started.elapsed());
    let facts = files.iter().enumerate().map(|(position, (path, parsed))| {
        let commits = commits.get(path).and_then(|changes| changes.as_u64());
        FileFacts {
            path: (*path).to_owned(),
            importers: graph.importers(position),
            exports: parsed.exports,
            commits: commits.map_or(0, count),
            edge_case: marked.contains(path),
            generated: false,
            named_entry: false,
        }
    });
    facts.collect()
}

fn parsed(file: &Value) -> Parsed {
    Parsed {
        language: text(&file["language"]).to_owned(),
        imports: rows(&file["imports"]).map(|import| text(&import["source"]).to_owned()).collect(),
        exports: count(rows(&file["exports"]).count() as u64),
    }
}

fn compare(ours: &[FileScore], theirs: &Value) {
    let ours: BTreeMap<&str, &FileScore> = ours.iter().map(|score| (&*score.path, score)).collect();
    let (mut equal, mut equal_signals, mut all) = (0, 0, 0);
    for row in rows(theirs) {
        all += 1;
        let path = text(&row["path"]);
        let Some(score) = ours.get(path) else {
            println!("  {path} is missing");
            continue;
        };
        let same = row["score"].as_u64() == Some(u64::from(score.score));
        let same_signals = signals(score)
            .iter()
            .all(|(name, points)| row["breakdown"][name].as_u64() == Some(u64::from(*points)));
        equal += usize::from(same);
        equal_signals += usize::from(same_signals);
        if !same || !same_signals {
            println!("  {path}: {} is not {}", score.score, row["score"]);
        }
    }
    let extra = ours.len().saturating_sub(all);
    println!("scores that equal the reference   {equal} of {all}");
    println!("signals that equal the reference  {equal_signals} of {all}");
    println!("files that only we score          {extra}");
}

/// The names of the reference for our signals.
fn signals(score: &FileScore) -> [(&'static str, u32); 6] {
    [
        ("entryPoint", score.signals.entry_point),
        ("importCount", score.signals.importers),
        ("exportCount", score.signals.exports),
        ("gitActivity", score.signals.commits),
        ("edgeCases", score.signals.edge_case),
        ("configFile", score.signals.config),
    ]
}

fn rows(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
