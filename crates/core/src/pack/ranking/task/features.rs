//! Describes passages by numbers, for the trees that rank them.
//!
//! Everything is known from the index and from the formula's scores: no file is opened.
//! Numbers are rounded to a fixed point, so that the same passage is judged the same on
//! every machine.

use std::collections::HashMap;

use super::TaskKind;
use super::body::{Rarity, ratio};
use super::index::Hit;
use super::past::Past;
use super::query::Query;
use super::score::{Candidate, RankedFile};
use super::touched::{self, Touched};

/// How many numbers describe a passage.
pub(crate) const FEATURES: usize = 71;

/// Parts of one in the fixed point.
const ONE: f64 = 1_024.0;

/// A passage as the trees see it.
pub(crate) type Row = [i16; FEATURES];

/// What a number is about; the parts of a learned score go by these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    Body,
    Neighbours,
    Names,
    Order,
    Shape,
    File,
    Task,
    History,
}

impl About {
    pub(crate) const COUNT: usize = 8;
    pub(crate) const NAMES: [&'static str; About::COUNT] =
        ["body", "neighbours", "names", "order", "shape", "file", "task", "history"];
}

/// What each number of a row is about.
pub(crate) const ABOUT: [About; FEATURES] = {
    let groups = [
        (About::Body, 10),
        (About::Neighbours, 6),
        (About::Names, 3),
        (About::Order, 7),
        (About::Shape, 8),
        (About::File, 19),
        (About::Task, 9),
        (About::History, touched::NUMBERS),
    ];
    let mut about = [About::Task; FEATURES];
    let (mut group, mut place) = (0, 0);
    while group < groups.len() {
        let end = place + groups[group].1;
        while place < end {
            about[place] = groups[group].0;
            place += 1;
        }
        group += 1;
    }
    assert!(place == FEATURES);
    about
};

/// What the formula worked out for all files.
pub(super) struct Formula<'a> {
    pub(super) files: &'a [Candidate],
    pub(super) query: &'a Query,
    pub(super) rarity: &'a Rarity,
    /// The body of every passage, without its neighbours.
    pub(super) plain: &'a [Vec<f64>],
    /// Names of the task that every passage defines.
    pub(super) names: &'a [Vec<f64>],
    /// Files with their passages in the order of the text.
    pub(super) ranked: &'a [RankedFile],
    /// What commits like the task touched.
    pub(super) past: &'a Past,
}

/// A passage: which file, and which of its passages in the order of the text.
pub(super) type At = (usize, usize);

/// Describes passages, given the best ones by the formula.
pub(super) struct Describer<'a> {
    formula: &'a Formula<'a>,
    best_names: f64,
    task: TaskFacts,
    /// Places by the score, by the body, and by the body with its neighbours.
    orders: [HashMap<At, usize>; 3],
    files: HashMap<usize, FileFacts>,
    file_orders: Vec<usize>,
    directories: HashMap<&'a str, (f64, usize)>,
    tests: HashMap<String, f64>,
    touched: Touched,
}

/// What is the same for all passages of a task.
#[derive(Default)]
struct TaskFacts {
    words: f64,
    code: f64,
    title: f64,
    files: f64,
    close: [f64; 2],
    passages: f64,
    best_passage: f64,
    best_file: f64,
    best_plain: f64,
    mentions: f64,
    /// What all, the title's and the code's words weigh.
    weights: Weights,
}

/// What words weigh: all, those of the title, those of code.
type Weights = [f64; 3];

/// What is the same for all passages of a file.
struct FileFacts {
    /// Stems in each passage, ascending.
    stems: Vec<Vec<u16>>,
    hits: Vec<u32>,
    covered: Weights,
    places: Vec<usize>,
    best_plain: f64,
    best_score: f64,
    matched: f64,
    gap: f64,
}

impl<'a> Describer<'a> {
    /// `best` are the passages that will be described, the best by the formula first.
    pub(super) fn new(formula: &'a Formula<'a>, best: &[At]) -> Describer<'a> {
        let file_orders = places(formula.ranked.iter().map(|file| file.score));
        let mut describer = Describer {
            formula,
            best_names: formula.names.iter().flatten().copied().fold(0.0, f64::max),
            task: TaskFacts::of(formula, best),
            orders: [0, 1, 2].map(|by| order(formula, best, by)),
            files: HashMap::new(),
            directories: directories(formula.ranked, &file_orders),
            file_orders,
            tests: tests(formula.ranked),
            touched: Touched::of(formula, best),
        };
        for (file, _) in best {
            if !describer.files.contains_key(file) {
                let facts = describer.file_facts(*file);
                describer.files.insert(*file, facts);
            }
        }
        describer
    }

    /// Returns the numbers of a passage.
    pub(super) fn row(&self, at: At) -> Row {
        let own = self.body(at).into_iter().chain(self.neighbours(at)).chain(self.names(at));
        let own = own.chain(self.order(at)).chain(self.shape(at));
        let all = own.chain(self.file(at.0)).chain(self.task());
        let all = all.chain(self.touched.numbers(at));
        let mut row = [0; FEATURES];
        for (place, value) in row.iter_mut().zip(all) {
            *place = (value * ONE).round().clamp(-32_768.0, 32_767.0) as i16;
        }
        row
    }

    fn body(&self, (file, passage): At) -> [f64; 10] {
        let facts = &self.files[&file];
        let plain = self.formula.plain[file][passage];
        let stems = &facts.stems[passage];
        let covered = self.covered(stems.iter().copied());
        let rarest = stems.iter().map(|stem| self.weight(*stem)).fold(0.0, f64::max);
        let span = &self.formula.files[file].probe.spans[passage];
        let hits = f64::from(facts.hits[passage]);
        [
            self.formula.ranked[file].passages[passage].signals.body,
            plain,
            ratio(plain, facts.best_plain),
            ratio(plain, self.task.best_plain),
            ratio(covered[0], self.task.weights[0]),
            ratio(covered[1], self.task.weights[1]),
            ratio(covered[2], self.task.weights[2]),
            (stems.len() as f64).ln_1p(),
            ratio(rarest, self.task.weights[0]) * 4.0,
            hits / f64::from(span.terms.max(1)),
        ]
    }

    fn neighbours(&self, (file, passage): At) -> [f64; 6] {
        let plain = &self.formula.plain[file];
        let at = |index: Option<usize>| index.and_then(|index| plain.get(index)).copied();
        let most = |near: &[f64]| near.iter().copied().fold(0.0, f64::max);
        let end = (passage + 4).min(plain.len());
        let stems = &self.files[&file].stems;
        let near = stems[passage.saturating_sub(1)..(passage + 2).min(stems.len())].iter();
        let mut near: Vec<u16> = near.flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        let covered = self.covered(near.into_iter());
        [
            at(passage.checked_sub(1)).unwrap_or(0.0),
            at(Some(passage + 1)).unwrap_or(0.0),
            most(&plain[passage.saturating_sub(3)..passage]),
            most(&plain[passage + 1..end]),
            ratio(covered[0], self.task.weights[0]),
            ratio(covered[1], self.task.weights[1]),
        ]
    }

    fn names(&self, (file, passage): At) -> [f64; 3] {
        let names = &self.formula.names[file];
        let at = |index: Option<usize>| index.and_then(|index| names.get(index)).copied();
        let near =
            at(passage.checked_sub(1)).unwrap_or(0.0).max(at(Some(passage + 1)).unwrap_or(0.0));
        [
            ratio(names[passage], self.best_names),
            ratio(near, self.best_names),
            names[passage].min(30.0),
        ]
    }

    fn order(&self, at: At) -> [f64; 7] {
        let (file, passage) = at;
        let facts = &self.files[&file];
        let place = |by: usize| self.orders[by].get(&at).copied().unwrap_or(usize::MAX >> 40);
        let score = self.formula.ranked[file].passages[passage].score;
        [
            (place(0) as f64).ln_1p(),
            (place(1) as f64).ln_1p(),
            (place(2) as f64).ln_1p(),
            (facts.places[passage] as f64).ln_1p(),
            ratio(score, self.task.best_passage),
            ratio(score, facts.best_score),
            score,
        ]
    }

    fn shape(&self, (file, passage): At) -> [f64; 8] {
        let spans = &self.formula.files[file].probe.spans;
        let span = &spans[passage];
        let lines = f64::from(span.last + 1 - span.first);
        let all = f64::from(spans.last().map_or(1, |span| span.last));
        [
            lines / 8.0,
            f64::from(span.terms) / lines / 2.0,
            f64::from(span.comments) / lines,
            f64::from(u8::from(span.tests)),
            f64::from(span.first) / all,
            f64::from(span.first).ln(),
            (all).ln(),
            (spans.len() as f64).ln_1p(),
        ]
    }

    fn file(&self, file: usize) -> [f64; 19] {
        let facts = &self.files[&file];
        let ranked = &self.formula.ranked[file];
        let signals = &ranked.signals;
        let (directory, name) = ranked.path.rsplit_once('/').unwrap_or(("", &ranked.path));
        let (best, many) = self.directories.get(directory).copied().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default().to_lowercase();
        let bridge = match ranked.kind {
            TaskKind::Test => 0.0,
            _ => self.tests.get(stem.as_str()).copied().unwrap_or(0.0),
        };
        [
            ranked.score,
            (self.file_orders[file] as f64).ln_1p(),
            ratio(ranked.score, self.task.best_file),
            facts.gap,
            signals.body,
            signals.path,
            signals.names,
            signals.messages,
            signals.mention,
            signals.kind,
            f64::from(ranked.kind as u8),
            ratio(facts.covered[0], self.task.weights[0]),
            ratio(facts.covered[1], self.task.weights[1]),
            ratio(facts.covered[2], self.task.weights[2]),
            facts.matched,
            facts.best_plain,
            ratio(best, self.task.best_file),
            (many as f64).ln_1p(),
            ratio(bridge, self.task.best_file),
        ]
    }

    fn task(&self) -> [f64; 9] {
        let task = &self.task;
        [
            task.words,
            task.code,
            task.title,
            task.files,
            task.close[0],
            task.close[1],
            task.passages,
            task.best_plain,
            task.mentions,
        ]
    }

    fn file_facts(&self, number: usize) -> FileFacts {
        let file = &self.formula.files[number];
        let count = file.probe.spans.len();
        let mut stems: Vec<Vec<u16>> = vec![Vec::new(); count];
        let mut hits = vec![0; count];
        let mut all: Vec<u16> = Vec::new();
        for Hit { passage, stem, count, .. } in &file.probe.hits {
            let passage = *passage as usize;
            if let Some(stems) = stems.get_mut(passage) {
                if stems.last() != Some(stem) {
                    stems.push(*stem);
                }
                hits[passage] += count;
            }
            if all.last() != Some(stem) {
                all.push(*stem);
            }
        }
        let ranked = &self.formula.ranked[number];
        let plain = &self.formula.plain[number];
        let matched = plain.iter().filter(|plain| **plain > 0.0).count();
        let place = self.file_orders[number];
        let next = self.file_orders.iter().position(|other| *other == place + 1);
        let next = next.map_or(0.0, |next| self.formula.ranked[next].score);
        FileFacts {
            covered: self.covered(all.into_iter()),
            stems,
            hits,
            places: places(ranked.passages.iter().map(|passage| passage.score)),
            best_plain: plain.iter().copied().fold(0.0, f64::max),
            best_score: ranked.passages.iter().map(|it| it.score).fold(0.0, f64::max),
            matched: ratio(matched as f64, count as f64),
            gap: ratio(ranked.score - next, self.task.best_file),
        }
    }

    fn weight(&self, stem: u16) -> f64 {
        weight(self.formula, stem)
    }

    fn covered(&self, stems: impl Iterator<Item = u16>) -> Weights {
        covered(self.formula, stems)
    }
}

impl TaskFacts {
    fn of(formula: &Formula<'_>, best: &[At]) -> TaskFacts {
        let query = formula.query;
        let count = query.stems().len() as u16;
        let ranked = formula.ranked;
        let best_file = ranked.iter().map(|file| file.score).fold(0.0, f64::max);
        let close = |part: f64| {
            let near = ranked.iter().filter(|file| file.score > part * best_file).count();
            (near as f64).ln_1p()
        };
        let score = |at: &At| ranked[at.0].passages[at.1].score;
        let best_passage = best.first().map_or(0.0, score);
        let near = best.iter().filter(|at| score(at) > 0.8 * best_passage).count();
        let flagged = |flag: fn(&Query, u16) -> bool| {
            (0..count).filter(|stem| flag(query, *stem)).count() as f64
        };
        let mentions = ranked.iter().map(|file| file.signals.mention).fold(0.0, f64::max);
        TaskFacts {
            words: f64::from(count).ln_1p(),
            code: flagged(Query::is_code).ln_1p(),
            title: flagged(Query::is_title).ln_1p(),
            files: (ranked.len() as f64).ln_1p(),
            close: [close(0.8), close(0.5)],
            passages: (near as f64).ln_1p(),
            best_passage,
            best_file,
            best_plain: formula.plain.iter().flatten().copied().fold(0.0, f64::max),
            mentions,
            weights: covered(formula, 0..count),
        }
    }
}

/// What a stem of the task weighs.
fn weight(formula: &Formula<'_>, stem: u16) -> f64 {
    let slot = usize::from(stem);
    formula.query.stem_weight(slot) * formula.rarity.stems[slot]
}

fn covered(formula: &Formula<'_>, stems: impl Iterator<Item = u16>) -> Weights {
    let mut sums = [0.0; 3];
    for stem in stems {
        let weight = weight(formula, stem);
        sums[0] += weight;
        if formula.query.is_title(stem) {
            sums[1] += weight;
        }
        if formula.query.is_code(stem) {
            sums[2] += weight;
        }
    }
    sums
}

/// The place of each value when the largest comes first.
pub(super) fn places(values: impl Iterator<Item = f64>) -> Vec<usize> {
    let values: Vec<f64> = values.collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*other].total_cmp(&values[*one]).then(one.cmp(other)));
    let mut places = vec![0; values.len()];
    for (place, number) in order.into_iter().enumerate() {
        places[number] = place;
    }
    places
}

fn order(formula: &Formula<'_>, best: &[At], by: usize) -> HashMap<At, usize> {
    let value = |(file, passage): &At| {
        let found = &formula.ranked[*file].passages[*passage];
        [found.score, formula.plain[*file][*passage], found.signals.body][by]
    };
    let places = places(best.iter().map(value));
    best.iter().copied().zip(places).collect()
}

/// The best score of a directory's files, and how many of the best files it has.
fn directories<'a>(ranked: &'a [RankedFile], orders: &[usize]) -> HashMap<&'a str, (f64, usize)> {
    let mut directories: HashMap<&str, (f64, usize)> = HashMap::new();
    for (file, order) in ranked.iter().zip(orders) {
        let directory = file.path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let (best, many) = directories.entry(directory).or_default();
        *best = best.max(file.score);
        *many += usize::from(*order < 20);
    }
    directories
}

/// The best score of tests by the name of what they test.
fn tests(ranked: &[RankedFile]) -> HashMap<String, f64> {
    let mut tests: HashMap<String, f64> = HashMap::new();
    for file in ranked.iter().filter(|file| file.kind == TaskKind::Test) {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let name = name.split('.').next().unwrap_or_default().to_lowercase();
        let plain = ["test_", "spec_"]
            .iter()
            .fold(name.as_str(), |name, start| name.strip_prefix(start).unwrap_or(name));
        let ends = ["_test", "_spec", "-test", "tests", "test", "_tests"];
        let plain = ends.iter().fold(plain, |name, end| name.strip_suffix(end).unwrap_or(name));
        // The factor for tests is taken out again.
        let score = ratio(file.score, file.signals.kind);
        let best = tests.entry(plain.to_owned()).or_default();
        *best = best.max(score);
    }
    tests
}
