//! Compares the counters with their references and with what was billed.
//!
//! ```text
//! cargo bench -p loadline --bench agreement [-- ROWS.jsonl.gz]
//! ```
//!
//! A row has `parts` (texts), per part the reference counts `o200k`, `cl100k`
//! and `claude` (of `family`), what was `billed`, and the `framing` that kind
//! of message costs. The default file lies next to the repository; without
//! a file, nothing is measured.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use loadline::tokens::Counter;
use serde_json::Value;

const DEFAULT: &str = "../../../shared/bench/tokens/claude_usage_dev.jsonl.gz";

/// Parts that agree, and all parts.
#[derive(Default)]
struct Agreement {
    equal: usize,
    all: usize,
}

impl Agreement {
    fn add(&mut self, counter: &Counter, text: &str, reference: &Value) {
        self.all += 1;
        self.equal += usize::from(reference.as_u64() == Some(counter.count(text).get()));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join(DEFAULT);
    let path = given.map_or(default, Into::into);
    let Ok(file) = File::open(&path) else {
        println!("no reference counts at {}; nothing measured", path.display());
        return Ok(());
    };
    let mut parts: BTreeMap<String, Agreement> = BTreeMap::new();
    let mut billed: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let family = row["family"].as_str().unwrap_or_default();
        let claude: Counter = family.parse()?;
        let texts = row["parts"].as_array();
        let mut counted = 0;
        for (number, text) in texts.into_iter().flatten().enumerate() {
            let text = text.as_str().unwrap_or_default();
            counted += claude.count(text).get();
            for (name, field) in [("o200k", "o200k"), ("cl100k", "cl100k"), (family, "claude")] {
                let agreement = parts.entry(name.to_owned()).or_default();
                agreement.add(&name.parse()?, text, &row[field][number]);
            }
        }
        if let (Some(bill), Some(framing)) = (row["billed"].as_f64(), row["framing"].as_f64()) {
            let kind = row["kind"].as_str().unwrap_or_default().to_owned();
            let errors = billed.entry((kind, family.to_owned())).or_default();
            errors.push(bill - framing - counted as f64);
        }
    }
    report(&parts, billed);
    Ok(())
}

fn report(parts: &BTreeMap<String, Agreement>, billed: BTreeMap<(String, String), Vec<f64>>) {
    println!("parts that equal the reference");
    for (name, Agreement { equal, all }) in parts {
        let share = 100.0 * *equal as f64 / *all as f64;
        println!("  {name:<12} {equal:>6} of {all:>6}  {share:7.3} %");
    }
    println!("\nbilled - framing - counted");
    println!("  kind         family        rows  within 1    median");
    for ((kind, family), mut errors) in billed {
        errors.sort_by(f64::total_cmp);
        let close = errors.iter().filter(|error| error.abs() <= 1.0).count();
        let share = 100.0 * close as f64 / errors.len() as f64;
        let median = errors[errors.len() / 2];
        let rows = errors.len();
        println!("  {kind:<12} {family:<11} {rows:>6}  {share:6.1} %  {median:>8.1}");
    }
}
