//! Finds what goes with the best passages: what uses the names that they define, tests
//! among it, and where the names that they use are defined.
//!
//! Names are looked up in the index that ranks passages. Nothing is resolved, so a name
//! that many files have says little and counts little.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Found;
use crate::cache::Cache;
use crate::pack::PackOptions;
use crate::pack::page::Page;
use crate::pack::ranking::task::{
    Candidate, Query, RankedFile, RankedPassage, RelatedPassage, TaskKind, TaskSource,
};
use crate::pack::sources::names_in;
use crate::text::chunk::{PassageOptions, passages_and_names};
use crate::text::terms::name_term;

/// So many of the best passages are asked for their names.
const ASKED: usize = 10;
/// A name that more files mention is nobody's in particular,
const MOST_FILES: usize = 40;
/// and so is one that is defined in more places.
const MOST_PLACES: usize = 2;
/// The most passages that compete.
const MOST: usize = 60;

/// The names of the best passages by word: how much each is worth.
#[derive(Default)]
struct Names {
    defined: BTreeMap<String, f64>,
    used: BTreeMap<String, f64>,
}

/// Returns passages related to the best ones, in order of worth.
pub(super) fn related(
    page: &mut Page<'_>,
    ranked: &[RankedFile],
    found: &mut Found,
    options: &PackOptions,
    store: &Cache,
) -> Vec<RelatedPassage> {
    let names = names(page, ranked, found);
    let query = Query::of_names(names.defined.keys().chain(names.used.keys()));
    if query.is_empty() {
        return Vec::new();
    }
    let is_code = |source: &&TaskSource| TaskKind::of(&source.path) != TaskKind::NonCode;
    let sources: Vec<TaskSource> = found.sources.iter().filter(is_code).cloned().collect();
    let gathered = super::gathered(&sources, &query, options, store, &mut found.notes);
    let files: Vec<&Candidate> = gathered.candidates.iter().collect();
    let mut worth: BTreeMap<(&str, u32), f64> = BTreeMap::new();
    for (place, gain) in users(&files, &names.defined, &query) {
        *worth.entry(place).or_default() += gain;
    }
    for (place, gain) in definitions(&files, &names.used, &query) {
        *worth.entry(place).or_default() += gain;
    }
    let numbers: HashMap<&str, usize> =
        ranked.iter().enumerate().map(|(number, file)| (file.path.as_str(), number)).collect();
    let spans: HashMap<&str, &Candidate> =
        files.iter().map(|file| (file.path.as_str(), *file)).collect();
    let places = worth.into_iter().filter_map(|((path, passage), score)| {
        let span = spans.get(path)?.probe.spans.get(passage as usize)?;
        let lines = (span.first, span.last);
        Some(RelatedPassage { file: *numbers.get(path)?, lines, score })
    });
    let mut places: Vec<RelatedPassage> = places.collect();
    places.sort_by(|one, other| {
        let place = |it: &RelatedPassage| (it.file, it.lines);
        other.score.total_cmp(&one.score).then_with(|| place(one).cmp(&place(other)))
    });
    places.truncate(MOST);
    places
}

/// The names that the best passages define and use.
fn names(page: &mut Page<'_>, ranked: &[RankedFile], found: &Found) -> Names {
    let is_code = |file: &&RankedFile| file.kind == TaskKind::Source;
    let passages = ranked.iter().filter(is_code);
    let passages = passages.flat_map(|file| file.passages.iter().map(move |it| (file, it)));
    let mut best: Vec<_> = passages.filter(|(_, it)| it.score > 0.0).collect();
    best.sort_by(|one, other| {
        let place = |it: &(&RankedFile, &RankedPassage)| (it.0.path.clone(), it.1.first);
        other.1.score.total_cmp(&one.1.score).then_with(|| place(one).cmp(&place(other)))
    });
    best.truncate(ASKED);
    let sources: HashMap<&str, _> =
        found.sources.iter().map(|source| (source.path.as_str(), source)).collect();
    let mut names = Names::default();
    let most = best.first().map_or(1.0, |(_, it)| it.score);
    for (file, passage) in best {
        let Some(source) = sources.get(file.path.as_str()) else {
            continue;
        };
        let Some(text) = page.text(&file.path, &source.stamp) else {
            continue;
        };
        let score = passage.score / most;
        let (_, named) = passages_and_names(&text, source.language, PassageOptions::default());
        let after = named.partition_point(|it| it.line < passage.first);
        let inside = named[after..].iter().take_while(|it| it.line <= passage.last);
        for it in inside.chain(named[..after].last()).filter(|it| it.name.len() > 2) {
            let worth = names.defined.entry(it.name.to_owned()).or_default();
            *worth = worth.max(score);
        }
        let lines = (passage.last + 1 - passage.first) as usize;
        let lines: Vec<&str> = text.lines().skip(passage.first as usize - 1).take(lines).collect();
        for name in names_in(&lines.join("\n")) {
            *names.used.entry(name.to_owned()).or_default() += score;
        }
    }
    let defined: BTreeSet<&String> = names.defined.keys().collect();
    names.used.retain(|name, _| !defined.contains(name));
    names
}

/// A passage of a file, and what it gains.
type Gain<'a> = ((&'a str, u32), f64);

/// The words of names as a query numbers them, with what each is worth.
fn slots(names: &BTreeMap<String, f64>, query: &Query) -> HashMap<u16, f64> {
    let slots = names.iter().filter_map(|(name, worth)| {
        let term = name_term(name)?;
        Some((query.word_slot(term.word)?, *worth))
    });
    slots.collect()
}

/// The passages that mention names without defining them.
fn users<'a>(
    files: &[&'a Candidate],
    names: &BTreeMap<String, f64>,
    query: &Query,
) -> Vec<Gain<'a>> {
    let slots = slots(names, query);
    let mut counts: HashMap<u16, usize> = HashMap::new();
    for file in files {
        let words: BTreeSet<u16> = file.probe.hits.iter().map(|hit| hit.word).collect();
        words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let mut gains = Vec::new();
    for file in files {
        let defined: BTreeSet<u16> = file.probe.names.iter().map(|(word, _)| *word).collect();
        for hit in file.probe.hits.iter().filter(|hit| !defined.contains(&hit.word)) {
            let files = counts.get(&hit.word).copied().unwrap_or(1);
            if let Some(worth) = slots.get(&hit.word).filter(|_| files <= MOST_FILES) {
                gains.push(((file.path.as_str(), hit.passage), worth / (files as f64).sqrt()));
            }
        }
    }
    gains
}

/// The passages that define names.
fn definitions<'a>(
    files: &[&'a Candidate],
    names: &BTreeMap<String, f64>,
    query: &Query,
) -> Vec<Gain<'a>> {
    let slots = slots(names, query);
    let mut places: BTreeMap<u16, Vec<(&Candidate, u32)>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.kind == TaskKind::Source) {
        for (word, line) in file.probe.names.iter().filter(|(word, _)| slots.contains_key(word)) {
            places.entry(*word).or_default().push((file, *line));
        }
    }
    places.retain(|_, places| places.len() <= MOST_PLACES);
    let gains = places.into_iter().flat_map(|(word, places)| {
        let worth = slots.get(&word).copied().unwrap_or(0.0) / places.len() as f64;
        places.into_iter().map(move |(file, line)| {
            let passage = file.probe.spans.partition_point(|span| span.last < line) as u32;
            ((file.path.as_str(), passage), worth)
        })
    });
    gains.collect()
}
