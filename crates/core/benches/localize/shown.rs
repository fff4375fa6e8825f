//! What a pack would show, what that costs, and what it is worth.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use loadline::repo::language_of;
use loadline::text::Nesting;
use loadline::tokens::Counter;

use crate::mirror::{Entry, Mirror, Reader};
use crate::{Failure, Task};

/// The texts of a commit, read when they are needed.
pub(crate) struct Texts<'a> {
    ids: HashMap<&'a str, &'a str>,
    reader: Mutex<Option<Reader>>,
    read: Mutex<HashMap<String, Arc<Text>>>,
    counter: Counter,
}

pub(crate) struct Text {
    nesting: Nesting,
    lines: Vec<String>,
    /// Tokens of all lines before each line, once they are asked for.
    sums: OnceLock<Vec<u64>>,
}

impl Text {
    fn sums(&self, counter: &Counter) -> &[u64] {
        self.sums.get_or_init(|| {
            let mut sums = vec![0];
            let mut sum = 0;
            for line in &self.lines {
                sum += counter.count(&format!("{line}\n")).get();
                sums.push(sum);
            }
            sums
        })
    }
}

/// What a pack was worth.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    pub(crate) files: f64,
    pub(crate) lines: Option<f64>,
    pub(crate) first: f64,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(mirror: &Mirror, files: &'a [Entry]) -> Result<Texts<'a>, Failure> {
        Ok(Texts {
            ids: files.iter().map(|file| (file.path.as_str(), file.id.as_str())).collect(),
            reader: Mutex::new(mirror.reader().ok()),
            read: Mutex::default(),
            counter: Counter::open("o200k")?.0,
        })
    }

    fn text(&self, path: &str) -> Arc<Text> {
        let mut read = self.read.lock().unwrap_or_else(|error| error.into_inner());
        if let Some(text) = read.get(path) {
            return Arc::clone(text);
        }
        let mut reader = self.reader.lock().unwrap_or_else(|error| error.into_inner());
        let id = self.ids.get(path).copied().unwrap_or_default();
        let whole = reader.as_mut().and_then(|reader| reader.text(id)).unwrap_or_default();
        let lines: Vec<String> = whole.split('\n').map(str::to_owned).collect();
        let text = Arc::new(Text {
            nesting: Nesting::new(&whole, language_of(Path::new(path))),
            lines,
            sums: OnceLock::new(),
        });
        read.insert(path.to_owned(), Arc::clone(&text));
        text
    }

    pub(crate) fn whole(&self, path: &str) -> String {
        self.text(path).lines.join("\n")
    }

    /// About what a file costs with these lines shown, rather too much.
    pub(crate) fn cost(&self, path: &str, ranges: &[(u32, u32)]) -> u64 {
        let text = self.text(path);
        let ranges = &text.nesting.readable(ranges);
        let head = self.counter.count(&head(path, ranges, text.lines.len())).get();
        let sums = text.sums(&self.counter);
        let body: u64 = ranges
            .iter()
            .map(|(first, last)| {
                let at = |line: u32| sums.get(line as usize).or(sums.last()).copied();
                at(*last).unwrap_or(0) - at(first - 1).unwrap_or(0)
            })
            .sum();
        head + body + 12 * (ranges.len() as u64 + 1)
    }

    /// The lines of each file that were edited and say something.
    pub(crate) fn edited<'t>(&self, task: &'t Task) -> HashMap<&'t str, Vec<u32>> {
        let mut edited: HashMap<&str, Vec<u32>> = HashMap::new();
        for (path, start, end) in &task.gold_hunks {
            let text = self.text(path);
            for line in (*start).max(1)..=(*end).min(text.lines.len()) {
                let is_said =
                    text.lines[line - 1].chars().filter(|c| c.is_alphanumeric()).count() >= 3;
                if is_said {
                    edited.entry(path).or_default().push(line as u32);
                }
            }
        }
        edited
    }

    /// The lines that a reader needs to follow these.
    pub(crate) fn readable(&self, path: &str, ranges: &[(u32, u32)]) -> Vec<(u32, u32)> {
        self.text(path).nesting.readable(ranges)
    }

    /// What the whole costs.
    pub(crate) fn tokens(&self, shown: &[(&str, &[(u32, u32)])]) -> u64 {
        let mut out = String::new();
        for (path, ranges) in shown {
            let text = self.text(path);
            out.push_str(&head(path, ranges, text.lines.len()));
            let mut next = 1;
            for (first, last) in *ranges {
                if *first > next {
                    out.push_str(&format!("// ... (lines {next}-{})\n", first - 1));
                }
                for line in *first..=(*last).min(text.lines.len() as u32) {
                    out.push_str(&text.lines[line as usize - 1]);
                    out.push('\n');
                }
                next = last + 1;
            }
            if (next as usize) < text.lines.len() {
                out.push_str(&format!("// ... (lines {next}-{})\n", text.lines.len()));
            }
            out.push_str("```\n");
        }
        self.counter.count(&out).get()
    }

    /// Scores what is shown as `locbench.py` does.
    pub(crate) fn score(&self, task: &Task, shown: &[(&str, &[(u32, u32)])]) -> Score {
        let gold: HashSet<&str> = task.gold_files.iter().map(String::as_str).collect();
        let there = |path: &str| shown.iter().find(|(name, _)| *name == path);
        let found = task.gold_files.iter().filter(|path| there(path).is_some()).count();
        let first = shown.iter().position(|(path, _)| gold.contains(path));
        let (mut hit, mut all) = (0u32, 0u32);
        for path in &task.gold_files {
            let text = self.text(path);
            let mut lines: HashSet<&str> = HashSet::new();
            for (first, last) in there(path).map_or(&[][..], |(_, ranges)| ranges) {
                for line in *first..=*last {
                    lines.extend(text.lines.get(line as usize - 1).map(|line| line.trim()));
                }
            }
            for (_, start, end) in task.gold_hunks.iter().filter(|hunk| hunk.0 == *path) {
                for line in (*start).max(1)..=(*end).min(text.lines.len()) {
                    let line = text.lines[line - 1].as_str();
                    if line.chars().filter(|c| c.is_alphanumeric()).count() >= 3 {
                        all += 1;
                        hit += u32::from(lines.contains(line.trim()));
                    }
                }
            }
        }
        Score {
            files: found as f64 / task.gold_files.len().max(1) as f64,
            lines: (all > 0).then(|| f64::from(hit) / f64::from(all)),
            first: first.map_or(0.0, |place| 1.0 / (place + 1) as f64),
        }
    }
}

fn head(path: &str, ranges: &[(u32, u32)], lines: usize) -> String {
    let ranges: Vec<String> =
        ranges.iter().map(|(first, last)| format!("{first}-{last}")).collect();
    let language = language_of(Path::new(path)).unwrap_or("plaintext");
    format!("\n## File: {path} (lines {} of {lines})\n```{language}\n", ranges.join(", "))
}
