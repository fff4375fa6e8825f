//! The passages of a repository that answer a text, ranked as for a task.
//!
//! The same index and the same ranking as [`pack_for_task`](super::pack_for_task);
//! what differs is the result: passages one by one rather than a pack.

use std::collections::HashMap;
use std::path::Path;

use super::survey::load;
use super::task::{find, look_up};
use super::{PackError, PackOptions, Stage};
use crate::Remark;
use crate::cache::Cache;
use crate::pack::ranking::task::{
    FileSignals, PassageSignals, Query, RankedFile, RankedPassage, TaskSource, TaskWeights,
};
use crate::tokens::Tokens;

/// What to search, and how much of it to return.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Which files, how they are counted, and whether secrets are redacted. The
    /// budget, where there is one, is the most that the passages cost together.
    pub pack: PackOptions,
    /// The most passages to return.
    pub limit: usize,
}

impl SearchOptions {
    /// Returns up to ten passages.
    pub fn new(pack: PackOptions) -> SearchOptions {
        SearchOptions { pack, limit: 10 }
    }
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searched {
    /// The best passages, as many as were asked for.
    pub hits: Vec<SearchHit>,
    /// All files that match, the best first.
    pub files: Vec<SearchFile>,
    /// How many passages match.
    pub matched: usize,
    /// How many files were looked at.
    pub searched: usize,
    /// Remarks about files and the work.
    pub notes: Vec<Remark>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    /// The path from the root, with `/` between its parts.
    pub path: String,
    /// The language, where it is known.
    pub language: Option<&'static str>,
    /// First and last line, 1-based and inclusive.
    pub lines: (u32, u32),
    /// Its score; higher is better.
    pub score: f64,
    /// Where the score comes from.
    pub signals: PassageSignals,
    /// What its text costs.
    pub tokens: Tokens,
    /// Its lines, with their line ends.
    pub text: String,
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchFile {
    /// The path from the root, with `/` between its parts.
    pub path: String,
    /// Its score; higher is better.
    pub score: f64,
    /// Where the score comes from.
    pub signals: FileSignals,
}

/// Searches a repository for the passages that answer a text, the best first.
///
/// A passage matches where a word of the text is in it. A file that matches only
/// by its path, or by messages of commits, gives its best passage. Passages are returned until
/// there are as many as asked for, or until the next one exceeds the budget. A
/// text that has no words to look for finds nothing, with a note.
///
/// # Errors
///
/// A root that cannot be read, and globs that cannot be understood.
///
/// ```
/// use loadline::pack::{PackOptions, SearchOptions, search};
/// use loadline::settings::Config;
/// use loadline::cache::Cache;
/// # let root = tempfile::tempdir()?;
/// # std::fs::write(root.path().join("clock.py"), "def expire(session):\n    pass\n")?;
/// # std::fs::write(root.path().join("other.py"), "def unrelated():\n    pass\n")?;
/// let settings = Config::load([])?.settings().clone();
/// let options = SearchOptions::new(PackOptions::new("o200k".parse()?, settings));
/// let searched = search(root.path(), "sessions expire", &options, &Cache::disabled())?;
/// assert_eq!(searched.hits.len(), 1);
/// assert_eq!(searched.hits[0].path, "clock.py");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn search(
    root: &Path,
    text: &str,
    options: &SearchOptions,
    store: &Cache,
) -> Result<Searched, PackError> {
    let weights = TaskWeights::default();
    let query = Query::new(text, &weights);
    if query.is_empty() {
        let message = "has no words to look for";
        return Ok(Searched {
            notes: vec![Remark::new("search", message)],
            ..Searched::default()
        });
    }
    let mut found = find(root, &options.pack)?;
    let pack = &options.pack;
    let ranked = look_up(
        root,
        &found.sources,
        &query,
        &weights,
        pack,
        store,
        &mut found.notes,
    );
    pack.check_cancelled()?;
    pack.report(Stage::Choose, 0, ranked.len());
    let matches = matches(&ranked);
    let mut reading = Reading {
        sources: by_path(&found.sources),
        texts: HashMap::new(),
        options: pack,
        notes: found.notes,
    };
    let hits = reading.hits(&matches, options.limit);
    Ok(Searched {
        hits,
        files: files(&ranked),
        matched: matches.len(),
        searched: ranked.len(),
        notes: reading.notes,
    })
}

fn by_path(sources: &[TaskSource]) -> HashMap<&str, &TaskSource> {
    let sources = sources.iter();
    sources.map(|file| (file.path.as_str(), file)).collect()
}

/// All passages that match, the best first; files are in the order of paths.
fn matches(ranked: &[RankedFile]) -> Vec<(&RankedFile, RankedPassage)> {
    let mut all: Vec<(&RankedFile, RankedPassage)> = Vec::new();
    for file in ranked.iter().filter(|file| file.score > 0.0) {
        let before = all.len();
        let passages = file.passages.iter().filter(|passage| passage.matched);
        all.extend(passages.map(|passage| (file, *passage)));
        if all.len() == before {
            all.extend(file.passages.first().map(|passage| (file, *passage)));
        }
    }
    // The sort is stable, so files and lines break ties.
    all.sort_by(|left, right| right.1.score.total_cmp(&left.1.score));
    all
}

fn files(ranked: &[RankedFile]) -> Vec<SearchFile> {
    let found = ranked.iter().filter(|file| file.score > 0.0);
    let mut files: Vec<SearchFile> = found
        .map(|file| SearchFile {
            path: file.path.clone(),
            score: file.score,
            signals: file.signals,
        })
        .collect();
    files.sort_by(|left, right| right.score.total_cmp(&left.score));
    files
}

/// Reads what is shown, each file once.
struct Reading<'a> {
    sources: HashMap<&'a str, &'a TaskSource>,
    texts: HashMap<&'a str, Option<String>>,
    options: &'a PackOptions,
    notes: Vec<Remark>,
}

impl<'a> Reading<'a> {
    fn hits(
        &mut self,
        matches: &[(&'a RankedFile, RankedPassage)],
        limit: usize,
    ) -> Vec<SearchHit> {
        let budget = self.options.budget.unwrap_or(Tokens::MAX);
        let mut spent = Tokens::ZERO;
        let mut hits = Vec::new();
        for (file, passage) in matches {
            if hits.len() == limit {
                break;
            }
            let Some(hit) = self.hit(file, passage) else {
                continue;
            };
            spent = spent.saturating_add(hit.tokens);
            if spent > budget {
                if hits.is_empty() {
                    self.tell_too_large(&hit, budget);
                }
                break;
            }
            hits.push(hit);
        }
        hits
    }

    fn tell_too_large(&mut self, hit: &SearchHit, budget: Tokens) {
        let tokens = hit.tokens;
        let message = format!("the best passage has {tokens} tokens, over the budget of {budget}");
        self.notes.push(Remark::new("budget", message));
    }

    /// A passage with its text; nothing where the file went away.
    fn hit(&mut self, file: &'a RankedFile, passage: &RankedPassage) -> Option<SearchHit> {
        let source = *self.sources.get(file.path.as_str())?;
        let text = lines(self.text(source)?, passage.first, passage.last);
        if text.is_empty() {
            return None;
        }
        Some(SearchHit {
            path: file.path.clone(),
            language: source.language,
            lines: (passage.first, passage.last),
            score: passage.score,
            signals: passage.signals,
            tokens: self.options.counter.count(&text),
            text,
        })
    }

    fn text(&mut self, source: &'a TaskSource) -> Option<&str> {
        if !self.texts.contains_key(source.path.as_str()) {
            let text = match load(&source.stamp, self.options) {
                Ok(text) => Some(text),
                Err(why) => {
                    self.notes.push(Remark::new(source.path.clone(), why));
                    None
                }
            };
            self.texts.insert(&source.path, text);
        }
        self.texts.get(source.path.as_str())?.as_deref()
    }
}

/// Lines of a text, 1-based and inclusive, with their line ends.
fn lines(text: &str, first: u32, last: u32) -> String {
    let (first, last) = (first.max(1) as usize, last as usize);
    let lines = text.split_inclusive('\n').skip(first - 1);
    lines.take((last + 1).saturating_sub(first)).collect()
}
