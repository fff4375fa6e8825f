//! Maps a repository: what its files define, best files first, for a first look.
//!
//! [`map`] lists files with what they define and on which line, so that a
//! reader can open `path:line`. Lines are put in one order, from what is worth
//! most to what is worth least, and as many of them are shown as fit: first a
//! little of every file by its score, then more of each.

mod write;

use std::path::Path;

use serde::Serialize;

use super::candidate::Candidate;
use super::copies::find_copies;
use super::listed::{Listed, listed};
use super::{Gathered, PackError, PackOptions, Stage, gather, name_of};
use crate::Remark;
use crate::budget::Allocation;
use crate::cache::Cache;
use crate::fit::{Chosen, Compose, Item, Offer, Place, Policy};
use crate::syntax::DefinitionKind;
use crate::tokens::Tokens;
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
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MappedFile {
    /// The path from the root.
    pub path: String,
    /// Its score.
    pub score: u32,
    /// Its lines.
    pub lines: u32,
    /// What is shown of it, in source order.
    #[serde(rename = "definitions")]
    pub entries: Vec<MapEntry>,
    /// How many of the definitions that other files can use are not shown.
    pub left_out: usize,
}

/// A line of a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
/// How many lines that do not fit are passed over.
const TRIED: usize = 200;

/// Maps a repository within the budget of the options.
///
/// ```
/// use loadline::pack::{PackOptions, map};
/// use loadline::settings::Config;
/// use loadline::cache::Cache;
/// # let root = tempfile::tempdir()?;
/// # std::fs::write(root.path().join("main.py"), "def main():\n    print(1)\n")?;
/// let config = Config::load([])?;
/// let options = PackOptions::new("o200k".parse()?, config.settings());
/// let mapped = map(root.path(), &options, &Cache::disabled())?;
/// # #[cfg(feature = "lang-python")]
/// assert!(mapped.content.contains("main.py (2 lines)\n  1 def main()\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn map(root: &Path, options: &PackOptions, store: &Cache) -> Result<Mapped, PackError> {
    let Gathered { mut candidates, mut notes, .. } = gather(root, &options.with_outlines(), store)?;
    notes.extend(candidates.iter().filter_map(|it| it.facts.remark(&it.path)));
    find_copies(&mut candidates);
    options.report(Stage::Choose, 0, candidates.len());
    let total = candidates.len();
    candidates.retain(|candidate| candidate.copy_of.is_none());
    candidates.sort_by(by_worth);
    let files: Vec<Listed> = candidates.iter().map(listed).collect();
    let map = Map { name: name_of(root), files: &files, total, format: &options.format };
    match fit(&map, options) {
        Ok((content, tokens, shown)) => Ok(account(&map, content, tokens, &shown, notes)),
        Err(PackError::Fit(_)) => {
            let budget = options.budget.unwrap_or_default();
            let message = format!("nothing fits a budget of {budget} tokens");
            notes.push(Remark::new("budget", message));
            let nothing = Shown::new(map.files);
            Ok(account(&map, String::new(), Tokens::ZERO, &nothing, notes))
        }
        Err(error) => Err(error),
    }
}

/// What the user named comes first, then what changed, then what was given a score, then
/// by score and path.
fn by_worth(left: &Candidate, right: &Candidate) -> std::cmp::Ordering {
    let key = |candidate: &Candidate| {
        let is_given = candidate.signals.given > 0;
        (candidate.pinned, candidate.changed, is_given, candidate.score)
    };
    let worth = key(right).cmp(&key(left));
    worth.then_with(|| left.path.cmp(&right.path))
}

/// Prices and writes a choice of lines.
struct Composer<'a> {
    map: &'a Map<'a>,
    options: &'a PackOptions,
    lines: &'a [Line],
    shown: Shown,
    /// What was shown of a file before each line that was taken.
    history: Vec<(usize, Option<Vec<usize>>)>,
}

impl Compose for Composer<'_> {
    type Written = (String, Tokens);
    type Error = PackError;

    fn cost(&mut self, place: Place, plain: Offer) -> Option<Tokens> {
        // A line may come with the heading of its file and with what it is inside of.
        let (file, entry) = self.lines[place.item];
        let added = self.shown.added((file, entry));
        let texts = added.iter().map(|&at| &self.map.files[file].entries[at].text);
        let others = texts.skip(1).map(|text| cost(text, self.options));
        Some(Tokens::saturating_sum(others.chain([plain.cost])))
    }

    fn take(&mut self, place: Place, _: &mut Vec<usize>) {
        let line = self.lines[place.item];
        self.history.push((line.0, self.shown.add(line)));
    }

    fn give_back(&mut self, _: Place) {
        if let Some((file, before)) = self.history.pop() {
            self.shown.restore(file, before);
        }
    }

    fn write(&mut self, _: Chosen<'_>) -> Result<(String, Tokens), PackError> {
        let text = self.map.write(&self.shown);
        let tokens = self.options.counter.count(&text);
        Ok((text, tokens))
    }

    fn tokens(&self, written: &(String, Tokens)) -> Tokens {
        written.1
    }
}

/// Takes lines in their order, past those that do not fit.
fn fit(map: &Map<'_>, options: &PackOptions) -> Result<(String, Tokens, Shown), PackError> {
    let budget = options.budget.unwrap_or(Tokens::MAX);
    let lines = order(map.files, budget, options);
    let items = lines.iter().enumerate().map(|(number, (file, entry))| {
        let file = &map.files[*file];
        let text = entry.map_or(&file.path, |at| &file.entries[at].text);
        Item::new(number, -(number as f64)).rendition("line", cost(text, options))
    });
    let items = items.collect();
    let mut composer =
        Composer { map, options, lines: &lines, shown: Shown::new(map.files), history: Vec::new() };
    let policy = Policy { max_misses: Some(TRIED), ..Policy::default() };
    let fitted = crate::fit::fit(items, &Allocation::of(budget), &policy, &mut composer)?;
    let (text, tokens) = fitted.written;
    Ok((text, tokens, composer.shown))
}

/// What a line costs, with its number and its indentation.
fn cost(text: &str, options: &PackOptions) -> Tokens {
    options.counter.count(text).saturating_add(Tokens::new(3))
}

/// One line of one file: its number among the files, and among the entries.
///
/// Without an entry it is the heading alone.
type Line = (usize, Option<usize>);

/// All lines, from what is worth most to what is worth least.
fn order(files: &[Listed], budget: Tokens, options: &PackOptions) -> Vec<Line> {
    let mut taken = vec![0; files.len()];
    let mut spent = vec![0_u64; files.len()];
    let mut lines = Vec::new();
    // Last come those that no other file can use.
    let shares = SHARES.iter().map(|share| (budget.get() / share, false));
    let rounds = shares.chain([(u64::MAX, false), (u64::MAX, true)]);
    for (round, (most, private)) in rounds.enumerate() {
        for (number, file) in files.iter().enumerate() {
            if round == 0 {
                lines.push((number, None));
            }
            let end = if private { file.order.len() } else { file.public };
            while let Some(&entry) = file.order[..end].get(taken[number]) {
                let cost = cost(&file.entries[entry].text, options).get();
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

fn account(
    map: &Map<'_>,
    content: String,
    tokens: Tokens,
    shown: &Shown,
    notes: Vec<Remark>,
) -> Mapped {
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
    let files: Vec<MappedFile> = files.collect();
    Mapped { omitted: map.total - files.len(), content, tokens, files, notes }
}

#[cfg(test)]
mod tests;
