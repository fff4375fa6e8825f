//! Searches a repository for the passages most relevant to a text.
//!
//! The same index and the same ranking as [`pack_for_task`](super::pack_for_task);
//! what differs is the result: passages one by one rather than a pack.

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;

use super::page::Page;
use super::render::Document;
use super::task::{find, look_up};
use super::{PackError, PackOptions, PackSource, SourceKind, Stage};
use crate::Remark;
use crate::budget::Allocation;
use crate::cache::Cache;
use crate::fit::{Item, Policy, select};
use crate::pack::ranking::task::{
    FileSignals, PassageSignals, Query, RankedFile, RankedPassage, TaskSource, TaskWeights, rounded,
};
use crate::text::Nesting;
use crate::tokens::Tokens;

/// Passages that touch are joined up to so many lines.
const MOST_LINES: u32 = 60;

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
    /// All files that match, by score.
    pub files: Vec<SearchFile>,
    /// How many passages match.
    pub matched: usize,
    /// How many files were looked at.
    pub searched: usize,
    /// Remarks about files and the work.
    pub notes: Vec<Remark>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchHit {
    /// The path from the root, with `/` between its parts.
    pub path: String,
    /// The language, where it is known.
    pub language: Option<&'static str>,
    /// First and last line, 1-based and inclusive.
    pub lines: (u32, u32),
    /// The first line of the definition that it stands in or begins with, if there is one.
    pub definition: Option<String>,
    /// Its score; higher is better.
    #[serde(serialize_with = "rounded")]
    pub score: f64,
    /// Where the score comes from.
    pub signals: PassageSignals,
    /// What its text costs.
    pub tokens: Tokens,
    /// Its lines, with their line ends.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

impl From<SearchHit> for PackSource {
    /// A passage as a source; its score is not a relevance from 0 to 1 and is left out.
    fn from(hit: SearchHit) -> PackSource {
        PackSource::new(SourceKind::SearchResult, hit.path).lines(hit.lines.0, hit.lines.1)
    }
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchFile {
    /// The path from the root, with `/` between its parts.
    pub path: String,
    /// Its score; higher is better.
    #[serde(serialize_with = "rounded")]
    pub score: f64,
    /// Where the score comes from.
    pub signals: FileSignals,
}

/// Searches a repository for the passages most relevant to a text.
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
/// let config = Config::load([])?;
/// let options = SearchOptions::new(PackOptions::new("o200k".parse()?, config.settings()));
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
        return Ok(Searched { notes: vec![Remark::new("search", message)], ..Searched::default() });
    }
    let mut found = find(root, &options.pack)?;
    let pack = &options.pack;
    let ranked = look_up(root, &found.sources, &query, &weights, pack, store, &mut found.notes);
    pack.check_cancelled()?;
    pack.report(Stage::Choose, 0, ranked.len());
    let matches = matches(&ranked);
    let sources = found.sources.iter();
    let sources = sources.map(|file| (file.path.as_str(), file)).collect();
    let mut page = Page::new(Document::default(), pack);
    let best = joined(&matches, options.limit);
    let hits = best.iter();
    let hits = hits.filter_map(|(file, passage)| hit(file, passage, &sources, &mut page, pack));
    let hits: Vec<SearchHit> = hits.collect();
    found.notes.append(&mut page.notes);
    let budget = pack.budget.unwrap_or(Tokens::MAX);
    let hits = within(hits, budget, &mut found.notes);
    Ok(Searched {
        hits,
        files: files(&ranked),
        matched: matches.len(),
        searched: ranked.len(),
        notes: found.notes,
    })
}

/// All passages that match, by score.
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

/// Hits among which others are looked for.
const MOST_SPREAD: usize = 50;
/// Of the first hits, so many
const FIRST: usize = 5;
/// are of one file at most, unless what follows is not near them.
const OF_ONE_FILE: usize = 2;
/// What follows is near with this part of the score.
const NEAR: f64 = 0.5;

/// Puts further passages of one file behind what else is near among the first hits.
fn spread(hits: &mut Vec<(&RankedFile, RankedPassage)>) {
    for place in OF_ONE_FILE..FIRST.min(hits.len()) {
        let is_full = |file: &RankedFile| {
            let before = hits[..place].iter();
            before.filter(|(other, _)| std::ptr::eq(*other, file)).count() >= OF_ONE_FILE
        };
        let (file, passage) = &hits[place];
        let near = |it: &RankedPassage| it.score >= NEAR * passage.score;
        let other = hits[place..].iter().position(|(file, it)| !is_full(file) && near(it));
        if let Some(other) = other.filter(|_| is_full(file)) {
            let moved = hits.remove(place + other);
            hits.insert(place, moved);
        }
    }
}

/// The first matches; one that touches a better one of its file becomes part of it.
fn joined<'a>(
    matches: &[(&'a RankedFile, RankedPassage)],
    most: usize,
) -> Vec<(&'a RankedFile, RankedPassage)> {
    let mut joined: Vec<(&RankedFile, RankedPassage)> = Vec::new();
    for (file, passage) in matches {
        let touching = joined.iter().position(|(other, it)| {
            let union = (it.first.min(passage.first), it.last.max(passage.last));
            let touches = passage.first <= it.last + 1 && it.first <= passage.last + 1;
            std::ptr::eq(*other, *file) && touches && union.1 - union.0 < MOST_LINES
        });
        match touching {
            Some(number) => {
                let it = &mut joined[number].1;
                it.first = it.first.min(passage.first);
                it.last = it.last.max(passage.last);
            }
            None if joined.len() < most.max(MOST_SPREAD) => joined.push((file, *passage)),
            None => break,
        }
    }
    spread(&mut joined);
    joined.truncate(most);
    joined
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

/// The first hits that fit, in their order and without a gap.
fn within(hits: Vec<SearchHit>, budget: Tokens, notes: &mut Vec<Remark>) -> Vec<SearchHit> {
    let items = hits.iter().enumerate();
    let items =
        items.map(|(number, hit)| Item::new(number, -(number as f64)).rendition("hit", hit.tokens));
    let policy = Policy { max_misses: Some(0), ..Policy::default() };
    let fates = select(items.collect(), &Allocation::of(budget), &policy);
    let shown = fates.map_or(0, |selection| {
        let fates = selection.fates().iter();
        fates.filter(|fate| fate.rendition().is_some()).count()
    });
    if let Some(best) = hits.first().filter(|_| shown == 0) {
        let tokens = best.tokens;
        let message = format!("the best passage has {tokens} tokens, over the budget of {budget}");
        notes.push(Remark::new("budget", message));
    }
    hits.into_iter().take(shown).collect()
}

/// A passage with its text, if the file is still there.
fn hit(
    file: &RankedFile,
    passage: &RankedPassage,
    sources: &HashMap<&str, &TaskSource>,
    page: &mut Page<'_>,
    options: &PackOptions,
) -> Option<SearchHit> {
    let source = *sources.get(file.path.as_str())?;
    let whole = page.text(&file.path, &source.stamp)?;
    let text = lines(&whole, passage.first, passage.last);
    let heading = Nesting::new(&whole, source.language).heading((passage.first, passage.last));
    let heading = heading.and_then(|line| whole.lines().nth(line as usize - 1));
    (!text.is_empty()).then(|| SearchHit {
        path: file.path.clone(),
        language: source.language,
        lines: (passage.first, passage.last),
        definition: heading.map(|line| line.trim().to_owned()),
        score: passage.score,
        signals: passage.signals,
        tokens: options.counter.count(&text),
        text,
    })
}

/// Lines of a text, 1-based and inclusive, with their line ends.
fn lines(text: &str, first: u32, last: u32) -> String {
    let (first, last) = (first.max(1) as usize, last as usize);
    let lines = text.split_inclusive('\n').skip(first - 1);
    lines.take((last + 1).saturating_sub(first)).collect()
}
