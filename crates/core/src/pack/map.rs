//! The outlines of a whole repository, best files first, for a first look.
//!
//! [`map`] lists files with what they define and on which line, so that a
//! reader can open `path:line`. Lines are put in one order, from what is worth
//! most to what is worth least, and as many of them are shown as fit: first a
//! little of every file by its score, then more of each.

mod entries;
mod write;

use std::path::Path;

use super::candidate::Candidate;
use super::twins::find_twins;
use super::{Gathered, PackError, PackOptions, Stage, gather, name_of};
use crate::Remark;
use crate::cache::Cache;
use crate::syntax::DefinitionKind;
use crate::tokens::Tokens;
use entries::{Listed, listed};
use write::{Map, Shown};

/// A map: the text, and which files it shows.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The text for the model.
    pub content: String,
    /// What it costs.
    pub tokens: Tokens,
    /// The files in it, best first.
    pub files: Vec<MappedFile>,
    /// How many text files are not in it.
    pub omitted: usize,
    /// Remarks about files and the work.
    pub notes: Vec<Remark>,
}

/// A file on a map.
#[derive(Clone, Debug)]
pub struct MappedFile {
    /// The path from the root.
    pub path: String,
    /// Its score.
    pub score: u32,
    /// Its lines.
    pub lines: u32,
    /// What is shown of it, in source order.
    pub entries: Vec<MapEntry>,
    /// How many of the definitions that other files can use are not shown.
    pub left_out: usize,
}

/// A line of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapEntry {
    /// The line of the file; none for a list of names.
    pub line: Option<u32>,
    /// What is defined.
    pub kind: DefinitionKind,
    /// How many definitions it is inside of.
    pub depth: usize,
    /// The signature, or the names.
    pub text: String,
}

/// A file gets at most one part in this many of the budget at first, then more.
const SHARES: [u64; 5] = [32, 16, 8, 4, 2];
/// How many lines are tried one by one when the next in turn does not fit.
const TRIED: usize = 200;
/// Below this part of the budget more is tried, in percent.
const FULL_PERCENT: u64 = 99;

/// Maps a repository within the budget of the options.
///
/// ```
/// use loadline::pack::{PackOptions, map};
/// use loadline::settings::Config;
/// use loadline::cache::Cache;
/// # let root = tempfile::tempdir()?;
/// # std::fs::write(root.path().join("main.py"), "def main():\n    print(1)\n")?;
/// let settings = Config::load([])?.settings().clone();
/// let options = PackOptions::new("o200k".parse()?, settings);
/// let mapped = map(root.path(), &options, &Cache::disabled())?;
/// # #[cfg(feature = "lang-python")]
/// assert!(mapped.content.contains("main.py (2 lines)\n  1 def main()\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn map(root: &Path, options: &PackOptions, store: &Cache) -> Result<Mapped, PackError> {
    let Gathered {
        mut candidates,
        notes,
        ..
    } = gather(root, &options.with_outlines(), store)?;
    find_twins(&mut candidates);
    options.report(Stage::Choose, 0, candidates.len());
    candidates.retain(|candidate| candidate.twin.is_none());
    candidates.sort_by(by_worth);
    let files: Vec<Listed> = candidates.iter().map(listed).collect();
    let map = Map {
        name: name_of(root),
        files: &files,
        format: &options.format,
    };
    let shown = fit(&map, options);
    Ok(account(&map, shown, notes, options))
}

/// What the user named comes first, then what changed, then by score and path.
fn by_worth(left: &Candidate, right: &Candidate) -> std::cmp::Ordering {
    let key = |candidate: &Candidate| (candidate.pinned, candidate.changed, candidate.score);
    let worth = key(right).cmp(&key(left));
    worth.then_with(|| left.path.cmp(&right.path))
}

/// Takes as many lines in order as fit, and then single ones that still do.
fn fit(map: &Map<'_>, options: &PackOptions) -> Shown {
    let Some(budget) = options.budget else {
        let all = order(map.files, Tokens::MAX, options);
        return Shown::of(map.files, &all);
    };
    let order = order(map.files, budget, options);
    let fits = |shown: &Shown| {
        let text = map.write(shown);
        options.counter.count_up_to(&text, budget)
    };
    // More lines cost more, so the most that fits can be searched for.
    let (mut low, mut high) = (0, order.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        match fits(&Shown::of(map.files, &order[..middle])) {
            Some(_) => low = middle,
            None => high = middle - 1,
        }
    }
    let mut shown = Shown::of(map.files, &order[..low]);
    let mut used = fits(&shown).unwrap_or_default();
    for &line in order[low..].iter().take(TRIED) {
        if used.get() * 100 >= budget.get() * FULL_PERCENT {
            break;
        }
        let before = shown.add(line);
        match fits(&shown) {
            Some(tokens) => used = tokens,
            None => shown.restore(line, before),
        }
    }
    shown
}

/// One line of one file: its number among the files, and among the entries.
///
/// Without an entry it is the heading alone.
type Line = (usize, Option<usize>);

/// All lines, from what is worth most to what is worth least.
fn order(files: &[Listed], budget: Tokens, options: &PackOptions) -> Vec<Line> {
    let cost = |text: &str| options.counter.count(text).get().saturating_add(3);
    let costs: Vec<Vec<u64>> = files
        .iter()
        .map(|file| file.entries.iter().map(|entry| cost(&entry.text)).collect())
        .collect();
    let mut taken = vec![0; files.len()];
    let mut spent = vec![0_u64; files.len()];
    let mut lines = Vec::new();
    // In the end, and only then, come those that no other file can use.
    let shares = SHARES.iter().map(|share| (budget.get() / share, false));
    let rounds = shares.chain([(u64::MAX, false), (u64::MAX, true)]);
    for (round, (most, private)) in rounds.enumerate() {
        for (number, file) in files.iter().enumerate() {
            if round == 0 {
                lines.push((number, None));
            }
            let end = if private {
                file.order.len()
            } else {
                file.public
            };
            while let Some(&entry) = file.order[..end].get(taken[number]) {
                let cost = costs[number][entry];
                // The first line of a file is shown whatever it costs.
                if spent[number].saturating_add(cost) > most && taken[number] > 0 {
                    break;
                }
                spent[number] = spent[number].saturating_add(cost);
                taken[number] += 1;
                lines.push((number, Some(entry)));
            }
        }
    }
    lines
}

fn account(map: &Map<'_>, shown: Shown, mut notes: Vec<Remark>, options: &PackOptions) -> Mapped {
    let content = map.write(&shown);
    let mut tokens = options.counter.count(&content);
    let mut content = content;
    if options.budget.is_some_and(|budget| tokens > budget) {
        (content, tokens) = (String::new(), Tokens::ZERO);
        let note = format!(
            "nothing fits {} tokens",
            options.budget.unwrap_or_default().get()
        );
        notes.push(Remark::new("budget", note));
    }
    let files = map.files.iter().zip(shown.files());
    let files = files.filter_map(|(file, chosen)| {
        let chosen = chosen?;
        Some(MappedFile {
            path: file.path.clone(),
            score: file.score,
            lines: file.lines,
            entries: chosen.iter().map(|&at| file.entries[at].clone()).collect(),
            left_out: file.left_out(chosen),
        })
    });
    let files: Vec<MappedFile> = files.filter(|_| !content.is_empty()).collect();
    Mapped {
        omitted: map.files.len() - files.len(),
        content,
        tokens,
        files,
        notes,
    }
}

#[cfg(test)]
mod tests;
